/* The solver of nshape.h with the complex type of a library, for comparison. */
#ifndef COMPLEX_TYPE_H
#define COMPLEX_TYPE_H

#include "nshape.h"

/* nshape_solve() with cuda::std::complex (CPU builds: std::complex) for types 'c' and 'z'. */
extern "C" cudaError_t nshape_complex_type(const struct nshape *s, cudaStream_t stream);

#endif
