/* The harness of a lab, as lab.h explains it. */
#include "lab/lab.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

/* Every byte of an array that the kernel shall write is POISON. The GUARD bytes behind an array, more
 * than a block of 1024 threads writes at once, have another value for each array, so that a kernel
 * that also copies them is seen. */
enum { POISON = 0xff, GUARD = 64 * 1024, FIRST_GUARD = 0x51, MOST_ARRAYS = 16, SECONDS = 6 };

static struct array {
    const char *name;
    unsigned char *memory;
    size_t bytes;
} arrays[MOST_ARRAYS];
static int array_count;
static const struct lab_case *current;
static bool counting, failed;

/* Prints for example "n = 33, G = 4, T = 64" or "n = 33, batch = 40". */
static void print_case(void)
{
    printf("n = %lld", (long long)current->n);
    if (current->threads > 0)
        printf(", G = %d, T = %d", current->blocks, current->threads);
    if (current->batch > 0)
        printf(", batch = %d", current->batch);
}

void lab_fail(const char *format, ...)
{
    if (failed)
        return;
    va_list args;
    failed = true;
    va_start(args, format);
    printf("result: FAIL at ");
    print_case();
    printf(": ");
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

void *lab_array(const char *name, size_t bytes, const void *from)
{
    unsigned char *memory;
    if (array_count == MOST_ARRAYS)
        exit(3);
    CHECK(cudaMalloc((void **)&memory, bytes + GUARD));
    CHECK(cudaMemset(memory, POISON, bytes));
    CHECK(cudaMemset(memory + bytes, FIRST_GUARD + array_count, GUARD));
    if (from)
        CHECK(cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice));
    arrays[array_count++] = {name, memory, bytes};
    return memory;
}

static void test_guard(const struct array *a)
{
    static unsigned char guard[GUARD];
    CHECK(cudaMemcpy(guard, a->memory + a->bytes, GUARD, cudaMemcpyDeviceToHost));
    for (int i = 0; i < GUARD; i++)
        if (guard[i] != FIRST_GUARD + (a - arrays)) {
            lab_fail("the kernel writes behind the end of %s (byte %d after it)", a->name, i);
            return;
        }
}

void lab_fetch(const void *array, void *to)
{
    for (int i = 0; i < array_count; i++)
        if (arrays[i].memory == array)
            CHECK(cudaMemcpy(to, array, arrays[i].bytes, cudaMemcpyDeviceToHost));
}

void lab_launched(cudaError_t error)
{
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        lab_fail("%s", cudaGetErrorString(error));
    for (int i = 0; i < array_count; i++)
        test_guard(&arrays[i]);
}

void lab_verified(const char *name, struct verdict verdict, int64_t first)
{
    if (!verdict.ok && verdict.error > 1e300)
        lab_fail("%s[%lld] is NaN or infinite: not written, or computed from what was not written",
                 name, (long long)(first + verdict.worst));
    else if (!verdict.ok)
        lab_fail("%s[%lld] is wrong, its error is %.3g, %.3g times the allowed one", name,
                 (long long)(first + verdict.worst), verdict.error, verdict.used);
}

void lab_least(const char *kernel, double bytes)
{
    if (counting)
        printf("least: %s %.0f\n", kernel, bytes);
}

/* Ends the program when a signal interrupts the kernel, and names the thread that was running. */
static void interrupted(int number)
{
    char text[256];
    int length = snprintf(
        text, sizeof text, "result: FAIL at n = %lld: the kernel %s", (long long)current->n,
        number == SIGALRM ? "does not end" : "uses an index far outside an array");
    if (cpu_self)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           ": block (%u,%u,%u), thread (%u,%u,%u)", blockIdx.x, blockIdx.y,
                           blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    text[length++] = '\n';
    if (write(STDOUT_FILENO, text, (size_t)length) < 0)
        _exit(3);
    _exit(1);
}

/* The CPU device runs blocks on this OS thread alone if the program may use one core. So a signal
 * interrupts the thread of the kernel that runs. */
static void watch(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    signal(SIGSEGV, interrupted);
    signal(SIGBUS, interrupted);
    signal(SIGALRM, interrupted);
    alarm(SECONDS);
}

int lab_main(int argc, char **argv, const struct lab_case *cases, int count,
             void (*test)(const struct lab_case *))
{
    watch();
    counting = argc == 2 && strcmp(argv[1], "count") == 0;
    for (int i = counting ? count - 1 : 0; i < count && !failed; i++) {
        current = &cases[i];
        /* lab.sh shows this line if the kernel crashes or never ends. */
        printf("running: ");
        print_case();
        putchar('\n');
        fflush(stdout);
        test(current);
        for (int a = 0; a < array_count; a++)
            CHECK(cudaFree(arrays[a].memory));
        array_count = 0;
    }
    if (!failed)
        printf("result: ok at %d sizes\n", count);
    return failed ? 1 : 0;
}
