/* The same solver with a library's complex numbers, as a peer. */
#ifndef COMPLEX_TYPE_H
#define COMPLEX_TYPE_H

#include "nshape.h"

/* nshape_solve (nshape.h) with a complex type of the library, cuda::std::complex or in CPU builds
 * std::complex, where nshape has real and imaginary parts. */
extern "C" cudaError_t nshape_complex_type(const struct nshape *s, cudaStream_t stream);

#endif
