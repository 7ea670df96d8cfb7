/* Compiles nshape.cu again with the library's complex type, to show the benefit of arithmetic that
 * is written out (L22 6.1). The library's operators follow Annex G of the C standard: each product
 * is tested for NaN, and 1/x scales its operand and the quotient. */
#include "main.h"

#ifdef __CUDACC__
#include <cuda/std/complex>
namespace library = cuda::std;
#else
#include <complex>
namespace library = std;
#endif

/* What the stages need besides operators. Declared before nshape_stages.h, whose templates would
 * not find them later: they are not in the library's namespace. */
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
