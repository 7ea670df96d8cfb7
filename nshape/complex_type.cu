/* The whole of nshape.cu once more, with the library's complex type for complex_of. It shows the
 * benefit of complex arithmetic that is written out in real and imaginary parts (L22 6.1). Every
 * product, sum and 1/x here is the operator of that type, which follows Annex G of the C standard:
 * a product whose parts are both NaN is computed again in case an operand was infinite, which costs
 * a test and a branch for each product; 1/x scales its operands before a complex division and the
 * quotient after it. */
#include "device.h"
#include "complex_type.h"

#ifdef __CUDACC__
#include <cuda/std/complex>
namespace library = cuda::std;
#else
#include <complex>
namespace library = std;
#endif

/* The functions that the stages need besides operators. The stages find them only if they are
 * declared before, as they are not in the library's namespace. */
#define OF_LIBRARY template <class R> static __host__ __device__ inline
OF_LIBRARY library::complex<R> inverse(library::complex<R> x);
OF_LIBRARY R abs1(library::complex<R> x);
OF_LIBRARY void add_atomically(library::complex<R> *to, library::complex<R> value);

#include "nshape.h"
#include "nshape_stages.h"

OF_LIBRARY library::complex<R> inverse(library::complex<R> x)
{
    return R(1) / x;
}
OF_LIBRARY R abs1(library::complex<R> x)
{
    return abs1(x.real()) + abs1(x.imag());
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
#include "nshape.cu" /* its headers are included above, outside the namespace */
} // namespace complex_type

cudaError_t nshape_complex_type(const struct nshape *s, cudaStream_t stream)
{
    return complex_type::nshape_solve(s, stream);
}
