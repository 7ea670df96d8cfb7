/* Compiles all of nshape.cu again, with the library's complex type in place of complex_of. Compared
 * with nshape.cu, it shows the benefit of complex arithmetic that is written out in real and
 * imaginary parts (L22 6.1). Every product, sum and 1/x is here an operator of the library's type,
 * which follows Annex G of the C standard. If both parts of a product are NaN, the operator
 * computes the product again, because an operand may have been infinite. That costs a test and a
 * branch for each product. 1/x scales its operands before a complex division and the quotient after
 * it. */
#include "device.h"
#include "complex_type.h"

#ifdef __CUDACC__
#include <cuda/std/complex>
namespace library = cuda::std;
#else
#include <complex>
namespace library = std;
#endif

/* Besides operators, the stages need these three functions of the library's type. They are not in
 * the library's namespace, so the templates in nshape_stages.h find them only if they are declared
 * before it. */
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
#include "nshape.cu" /* the headers of nshape.cu are included above, outside this namespace */
} // namespace complex_type

cudaError_t nshape_complex_type(const struct nshape *s, cudaStream_t stream)
{
    return complex_type::nshape_solve(s, stream);
}
