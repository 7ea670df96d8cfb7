/* A variable that is linked before the kernels' object files. launch.c explains its purpose, before
 * run_block(). */
extern __thread char cpu_shared_begin[64];
__thread char cpu_shared_begin[64] __attribute__((aligned(64)));
