/* The functions of lanes.h for one type, which defines REAL, VEC, W and NAME. */

typedef REAL VEC __attribute__((vector_size(LANES_BYTES)));
/* For loads and stores: aligned only as a REAL. */
typedef REAL NAME(lanes_unaligned)
    __attribute__((vector_size(LANES_BYTES), aligned(sizeof(REAL)), may_alias));

LANES_INLINE VEC NAME(lanes_load)(const REAL *a)
{
    return *(const NAME(lanes_unaligned) *)a;
}
LANES_INLINE void NAME(lanes_store)(REAL *a, VEC v)
{
    *(NAME(lanes_unaligned) *)a = v;
}
LANES_INLINE void NAME(lanes_transpose)(VEC m[W])
{
    NAME(LANES_TRANSPOSE);
}
LANES_INLINE void NAME(lanes_load_square)(const REAL *a, ptrdiff_t stride, VEC m[W])
{
    LANES_UNROLL for (int k = 0; k < W; k++) m[k] = NAME(lanes_load)(a + k * stride);
    NAME(lanes_transpose)(m);
}
LANES_INLINE void NAME(lanes_store_square)(REAL *a, ptrdiff_t stride, VEC m[W])
{
    NAME(lanes_transpose)(m);
    LANES_UNROLL for (int k = 0; k < W; k++) NAME(lanes_store)(a + k * stride, m[k]);
}

#undef REAL
#undef VEC
#undef W
#undef NAME
