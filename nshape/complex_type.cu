/* What it is worth to write complex arithmetic out in real and imaginary parts (L22 6.1): all of nshape.cu once more, where
 * complex_of is the library's complex type. Every product, sum and 1/x is that type's own operator. As C's Annex G
 * wants it, a product whose parts are both NaN is made again in case an operand was infinite, which is a test and
 * a branch for each product; 1/x is a division of complex numbers that are scaled first, and back afterwards. */
#include "device.h"
#include "complex_type.h"

#ifdef __CUDACC__
#include <cuda/std/complex>
namespace library = cuda::std;
#else
#include <complex>
namespace library = std;
#endif

/* What the stages want besides operators; the library's namespace has none of it, so it is declared before them. */
#define OF_LIBRARY template <class R> static __host__ __device__ inline
OF_LIBRARY library::complex<R> inverse(library::complex<R> x);
OF_LIBRARY R size(library::complex<R> x);
OF_LIBRARY void add_atomically(library::complex<R> *to, library::complex<R> value);

#include "nshape.h"
#include "nshape_stages.h"

OF_LIBRARY library::complex<R> inverse(library::complex<R> x)
{
    return R(1) / x;
}
OF_LIBRARY R size(library::complex<R> x)
{
    return size(x.real()) + size(x.imag());
}
OF_LIBRARY void add_atomically(library::complex<R> *to, library::complex<R> value)
{
    R *parts = (R *)to;
    add_atomically(&parts[0], value.real());
    add_atomically(&parts[1], value.imag());
}

namespace complex_type
{
template <class R> using complex_of = library::complex<R>;
#include "nshape.cu" /* its headers are those above */
} // namespace complex_type

cudaError_t nshape_complex_type(const struct nshape *s, cudaStream_t stream)
{
    return complex_type::nshape_solve(s, stream);
}
