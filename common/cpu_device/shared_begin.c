/* Linked before the kernels' object files, for run_block() in launch.c. */
extern __thread char cpu_shared_begin[64];
__thread char cpu_shared_begin[64] __attribute__((aligned(64)));
