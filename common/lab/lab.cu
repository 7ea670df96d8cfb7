/* The harness of a lab, as lab.h explains it. */
#include "lab/lab.h"

#include <stdarg.h>

/* GUARD: bytes behind an array, more than a block of 1024 threads writes at once. */
enum { GUARD = 64 * 1024, POISON = 0xff, MOST_ARRAYS = 16 };

static struct array {
    const char *name;
    unsigned char *memory;
    size_t bytes;
} arrays[MOST_ARRAYS];
static int array_count;
static const struct lab_case *current;
static bool counting, failed;

/* Prints for example "n = 33, G = 4, T = 64". */
static void print_case(void)
{
    printf("n = %lld", (long long)current->n);
    if (current->threads > 0)
        printf(", G = %d, T = %d", current->blocks, current->threads);
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
    CHECK(cudaMemset(memory, POISON, bytes + GUARD));
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
        if (guard[i] != POISON) {
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

int lab_main(int argc, char **argv, const struct lab_case *cases, int count,
             void (*test)(const struct lab_case *))
{
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
