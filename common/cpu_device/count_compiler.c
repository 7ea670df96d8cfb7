/* With -fsanitize=thread a compiler inserts calls of the following functions, one before each
 * access to memory. */
#include "count_internal.h"

#ifdef CPU_DEVICE_COUNT

#define PC ((uintptr_t)__builtin_return_address(0))
void __tsan_init(void)
{
}
void __tsan_func_entry(void *pc)
{
    if (!count_here || !cpu_self)
        return;
    struct thread_state *t = &count_here->state[count_thread()];
    if (t->depth < DEPTH_MOST) {
        t->calls[t->depth] = (uintptr_t)pc;
        t->hashes[t->depth + 1] = count_hash(t->hashes[t->depth], (uintptr_t)pc);
    }
    t->depth++;
}
void __tsan_func_exit(void)
{
    if (count_here && cpu_self && count_here->state[count_thread()].depth > 0)
        count_here->state[count_thread()].depth--;
}

#define ACCESS(name, op, bytes)                                                                    \
    void name(void *address)                                                                       \
    {                                                                                              \
        count_access((uintptr_t)address, bytes, op, false, PC);                                    \
    }
#define UNALIGNED(name, op, bytes)                                                                 \
    void name(void *address)                                                                       \
    {                                                                                              \
        count_bytes((uintptr_t)address, bytes, 16, op, PC);                                        \
    }
#define ACCESSES(bytes)                                                                            \
    ACCESS(__tsan_read##bytes, LOAD, bytes)                                                        \
    ACCESS(__tsan_write##bytes, STORE, bytes)                                                      \
    UNALIGNED(__tsan_unaligned_read##bytes, LOAD, bytes)                                           \
    UNALIGNED(__tsan_unaligned_write##bytes, STORE, bytes)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *address, unsigned long bytes)
{
    count_bytes((uintptr_t)address, bytes, 16, LOAD, PC);
}
void __tsan_write_range(void *address, unsigned long bytes)
{
    count_bytes((uintptr_t)address, bytes, 16, STORE, PC);
}

/* clang copies and fills structs by calls of memcpy and memset. The linker redirects these calls to
 * the following __wrap functions (option --wrap in mk/tools.mk). */
void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memset(void *to, int value, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    if (count_here && cpu_self && !count_here->in_runtime) {
        count_bytes((uintptr_t)from, bytes, 16, LOAD, PC);
        /* PC - 1, so that load and store have different places. */
        count_bytes((uintptr_t)to, bytes, 16, STORE, PC - 1);
    }
    return __real_memcpy(to, from, bytes);
}
void *__wrap_memset(void *to, int value, size_t bytes)
{
    if (count_here && cpu_self)
        count_bytes((uintptr_t)to, bytes, 16, STORE, PC);
    return __real_memset(to, value, bytes);
}

/* Atomic operations. Relaxed loads are not counted. In cpu_device.h they are either the first half
 * of a compare-and-exchange, which is counted as one access, or they read a message (load_relaxed).
 * A kernel repeats the latter until the message has arrived, so their number depends on chance.
 *
 * A store of the value that a flag already has releases nothing: a thread that reads this value may
 * have read the earlier one. */
#define ATOMICS(bits)                                                                              \
    typedef uint##bits##_t word##bits;                                                             \
    word##bits __tsan_atomic##bits##_load(const volatile word##bits *at, int order)                \
    {                                                                                              \
        if (order != __ATOMIC_RELAXED)                                                             \
            count_flag((uintptr_t)at, bits / 8, PC);                                               \
        else                                                                                       \
            count_look((uintptr_t)at, bits / 8, PC);                                               \
        word##bits value = __atomic_load_n(at, __ATOMIC_SEQ_CST);                                  \
        count_order_after_load((uintptr_t)at, order != __ATOMIC_RELAXED);                          \
        return value;                                                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile word##bits *at, word##bits value, int order)         \
    {                                                                                              \
        count_access((uintptr_t)at, bits / 8, STORE, true, PC);                                    \
        if (__atomic_load_n(at, __ATOMIC_RELAXED) != value)                                        \
            count_order_before_store((uintptr_t)at, order != __ATOMIC_RELAXED, false);             \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                             \
    }                                                                                              \
    word##bits __tsan_atomic##bits##_fetch_add(volatile word##bits *at, word##bits value,          \
                                               int order)                                          \
    {                                                                                              \
        (void)order;                                                                               \
        count_access((uintptr_t)at, bits / 8, ATOMIC, true, PC);                                   \
        if (value != 0)                                                                            \
            count_order_before_store((uintptr_t)at, false, true);                                  \
        value = __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);                                   \
        count_order_after_load((uintptr_t)at, false);                                              \
        return value;                                                                              \
    }                                                                                              \
    static int exchange##bits(volatile word##bits *at, word##bits *expected, word##bits value,     \
                              uintptr_t pc)                                                        \
    {                                                                                              \
        if (*expected != value)                                                                    \
            count_order_before_store((uintptr_t)at, false, true);                                  \
        int done = __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,       \
                                               __ATOMIC_SEQ_CST);                                  \
        if (done) /* a failed attempt is not counted, because it is repeated */                    \
            count_access((uintptr_t)at, bits / 8, ATOMIC, true, pc);                               \
        count_order_after_load((uintptr_t)at, false);                                              \
        return done;                                                                               \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(                                             \
        volatile word##bits *at, word##bits *expected, word##bits value, int order, int failure)   \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        return exchange##bits(at, expected, value, PC);                                            \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile word##bits *at, word##bits *expected, \
                                                    word##bits value, int order, int failure)      \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        return exchange##bits(at, expected, value, PC);                                            \
    }                                                                                              \
    word##bits __tsan_atomic##bits##_compare_exchange_val(                                         \
        volatile word##bits *at, word##bits expected, word##bits value, int order, int failure)    \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        exchange##bits(at, &expected, value, PC);                                                  \
        return expected;                                                                           \
    }
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    count_order_fence();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif
