/* Linked before the kernels' object files: see launch.c, run_block(). */
extern __thread char cpu_shared_begin[64];
__thread char cpu_shared_begin[64] __attribute__((aligned(64)));
