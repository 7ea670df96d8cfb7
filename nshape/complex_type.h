/* nshape.h with the complex type of a library, as a peer. */
#ifndef COMPLEX_TYPE_H
#define COMPLEX_TYPE_H

#include "nshape.h"

/* nshape_solve() (nshape.h) with cuda::std::complex, in CPU builds std::complex, in place of a
 * struct of real and imaginary parts. Types 'c' and 'z' differ, 's' and 'd' do not. */
extern "C" cudaError_t nshape_complex_type(const struct nshape *s, cudaStream_t stream);

#endif
