/* Linked after the kernels' object files: see launch.c, run_block(). */
extern __thread char cpu_shared_end[64];
__thread char cpu_shared_end[64] __attribute__((aligned(64)));
