/* Linked before the kernels' object files: see cpu_device.c, run_block(). */
extern __thread char cpu_shared_begin[64];
__thread char cpu_shared_begin[64] __attribute__((aligned(64)));
