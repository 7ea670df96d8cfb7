/* A mark, linked after the kernels' object files: run_block() in launch.c says what for. */
extern __thread char cpu_shared_end[64];
__thread char cpu_shared_end[64] __attribute__((aligned(64)));
