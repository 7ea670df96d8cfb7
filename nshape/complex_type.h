/* The solver of nshape.h with the complex type of a library, for comparison. */
#ifndef COMPLEX_TYPE_H
#define COMPLEX_TYPE_H

#include "nshape.h"

/* nshape_solve() (nshape.h) with cuda::std::complex (in CPU builds std::complex) in place of a
 * struct of real and imaginary parts. Only types 'c' and 'z' differ; 's' and 'd' are the same. */
extern "C" cudaError_t nshape_complex_type(const struct nshape *s, cudaStream_t stream);

#endif
