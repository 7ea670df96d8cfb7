/* A mark, linked before the kernels' object files: run_block() in launch.c says what for. */
extern __thread char cpu_shared_begin[64];
__thread char cpu_shared_begin[64] __attribute__((aligned(64)));
