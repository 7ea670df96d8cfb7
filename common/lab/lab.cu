/* The harness of a lab, as lab.h explains it. */
#include "lab/lab.h"
#include "cpu_device/count.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

/* REACH: this many bytes in front of an array and behind it belong to no other array, so that a
 * wrong 32-bit index is blamed on the right one. They cost no memory. */
enum { POISON = 0xff, MOST_ARRAYS = 16, ELEMENT = 4, SECONDS = 6 };
static const int64_t REACH = INT64_C(8) << 30;

static struct array {
    const char *name;
    unsigned char *memory;
    int64_t bytes;
    bool rearranged;
} arrays[MOST_ARRAYS];
static int array_count;
static const struct lab_case *current;
static char case_text[200]; /* e.g. "n = 33, 2 blocks of 32 threads, P = 64, M = 1" */
static int64_t parts, rows; /* of lab_parts; 0 if there are none */
static bool counting, failed;

static void describe_case(void)
{
    char *text = case_text, *end = case_text + sizeof case_text;
    text += snprintf(text, (size_t)(end - text), "n = %lld", (long long)current->n);
    if (current->threads > 0)
        text += snprintf(text, (size_t)(end - text), ", %d block%s of %d thread%s", current->blocks,
                         current->blocks == 1 ? "" : "s", current->threads,
                         current->threads == 1 ? "" : "s");
    if (current->batch > 0)
        text += snprintf(text, (size_t)(end - text), ", batch = %d", current->batch);
    if (parts > 0)
        snprintf(text, (size_t)(end - text), ", P = %lld, M = %lld", (long long)parts,
                 (long long)rows);
}

void lab_parts(int64_t count, int64_t m)
{
    parts = count;
    rows = m;
    describe_case();
}

void lab_fail(const char *format, ...)
{
    if (failed)
        return;
    va_list args;
    failed = true;
    va_start(args, format);
    printf("result: FAIL at %s: ", case_text);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

/* ---- arrays ---- */

void *lab_array(const char *name, size_t bytes, const void *from)
{
    unsigned char *place = (unsigned char *)mmap(
        NULL, (size_t)(2 * REACH), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED || array_count == MOST_ARRAYS ||
        mprotect(place + REACH, bytes, PROT_READ | PROT_WRITE) != 0)
        exit(3);
    unsigned char *memory = place + REACH;
    count_allocated(memory, bytes);
    if (from)
        memcpy(memory, from, bytes);
    else
        memset(memory, POISON, bytes);
    arrays[array_count++] = {name, memory, (int64_t)bytes, false};
    return memory;
}

static void free_arrays(void)
{
    while (array_count > 0) {
        unsigned char *memory = arrays[--array_count].memory;
        count_freed(memory);
        munmap(memory - REACH, (size_t)(2 * REACH));
    }
}

static struct array *array_at(const void *memory)
{
    int i = 0;
    while (i < array_count && arrays[i].memory != memory)
        i++;
    if (i == array_count)
        exit(3);
    return &arrays[i];
}

void lab_rearranged(const void *array)
{
    array_at(array)->rearranged = true;
}

/* Ends the program at an access that a kernel may not make: `what`, e.g. "reads behind the end of
 * w, element 7". */
static void access_fails(const char *what)
{
    const char *kernel, *file;
    int line;
    count_watched(&kernel, &file, &line);
    lab_fail("%s %s: %s:%d, block (%u,%u,%u), thread (%u,%u,%u), of %u blocks of %u threads",
             kernel, what, file, line, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
             threadIdx.z, gridDim.x * gridDim.y * gridDim.z, blockDim.x * blockDim.y * blockDim.z);
    fflush(stdout);
    _exit(1);
}

static void element_fails(bool writes, const char *where, const struct array *a, int64_t element)
{
    char text[200], row[100] = "";
    if (a->rearranged && element >= 0 && element < parts * rows)
        snprintf(row, sizeof row, " (a place without a row: part %lld has no row %lld)",
                 (long long)(element % parts), (long long)(element / parts));
    snprintf(text, sizeof text, "%s %s %s, element %lld%s", writes ? "writes" : "reads", where,
             a->name, (long long)element, row);
    access_fails(text);
}

/* Is this memory of the CPU device, e.g. threadIdx, or a constant? */
static bool is_allowed(uintptr_t address, bool writes)
{
    extern char __executable_start, __data_start; /* the linker's: code and constants lie between */
    uintptr_t self = (uintptr_t)cpu_self, block = (uintptr_t)cpu_self->block;
    return address - self < sizeof *cpu_self || address - block < sizeof(cpu_block_indices) ||
           address == (uintptr_t)&cpu_self || address == (uintptr_t)&cpu_changes ||
           (!writes && address >= (uintptr_t)&__executable_start &&
            address < (uintptr_t)&__data_start);
}

/* The CPU device calls this function before each access of a kernel. */
static void watch_access(uintptr_t address, int bytes, bool writes)
{
    if (is_allowed(address, writes))
        return;
    for (int i = 0; i < array_count; i++) {
        const struct array *a = &arrays[i];
        int64_t at = (int64_t)(address - (uintptr_t)a->memory);
        if (at < -REACH || at >= REACH)
            continue;
        int64_t element = (at < 0 ? at - (ELEMENT - 1) : at) / ELEMENT;
        if (at < 0)
            element_fails(writes, "in front of", a, element);
        else if (at + bytes > a->bytes)
            element_fails(writes, "behind the end of", a,
                          at < a->bytes ? a->bytes / ELEMENT : element);
        else if (a->rearranged && element % parts * rows + element / parts >= current->n)
            element_fails(writes, writes ? "to a gap of" : "a gap of", a, element);
        return;
    }
    access_fails(writes ? "writes to memory that is no array of this lab, or is far outside one"
                        : "reads memory that is no array of this lab, or is far outside one");
}

static const char *array_name(uintptr_t address)
{
    for (int i = 0; i < array_count; i++)
        if (address - (uintptr_t)arrays[i].memory < (uintptr_t)arrays[i].bytes)
            return arrays[i].name;
    return "";
}

/* lab.sh compiles kernels so that each function calls this one first, but for those that a GPU can
 * run (cpu_device.h). So it ends the program if a kernel calls a function of the host. */
extern "C" __attribute__((no_sanitize("thread"))) void __cyg_profile_func_enter(void *function,
                                                                                void *)
{
    static const void *lambdas[16]; /* of kernels: a GPU can run them, too */
    static int lambda_count;
    char name[1000], what[1100];
    for (int i = 0; i < lambda_count; i++)
        if (lambdas[i] == function)
            return;
    if (!cpu_self)
        return;
    count_runtime(true);
    count_function(function, name, sizeof name);
    if (strstr(name, "{lambda(") && lambda_count < (int)(sizeof lambdas / sizeof *lambdas)) {
        lambdas[lambda_count++] = function;
        count_runtime(false);
        return;
    }
    snprintf(what, sizeof what, "calls %s, which is no __device__ function", name);
    access_fails(what);
}
extern "C" void __cyg_profile_func_exit(void *, void *)
{
}

void lab_fetch(const void *array, void *to)
{
    const struct array *a = array_at(array);
    memcpy(to, a->memory, (size_t)a->bytes);
}

/* ---- verdicts ---- */

void lab_launched(cudaError_t error)
{
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        lab_fail("%s", cudaGetErrorString(error));
}

static void fail_element(const char *element, struct verdict verdict)
{
    if (verdict.error > 1e300)
        lab_fail("%s is NaN or infinite: not written, or computed from what was not written",
                 element);
    else
        lab_fail("%s is wrong, its error is %.3g, %.3g times the allowed one. %s", element,
                 verdict.error, verdict.used,
                 verdict.used < 1e4
                     ? "Its first digits are right: is a small term missing or used twice, at the "
                       "end of a part perhaps, or is a product one row late?"
                     : "No digit is right: is the index wrong, does a value of the rows before "
                       "not come in or come in twice, or are maps composed in the wrong order?");
}

void lab_verified(const char *name, struct verdict verdict, int64_t first)
{
    char element[200];
    snprintf(element, sizeof element, "%s[%lld]", name, (long long)(first + verdict.worst));
    if (!verdict.ok)
        fail_element(element, verdict);
}

void lab_verified_rearranged(const char *name, struct verdict verdict, int64_t first)
{
    char element[200];
    int64_t i = (first + verdict.worst) % rows, j = (first + verdict.worst) / rows;
    snprintf(element, sizeof element, "%s[%lld], row %lld of part %lld,", name,
             (long long)(i * parts + j), (long long)i, (long long)j);
    if (!verdict.ok)
        fail_element(element, verdict);
}

void lab_least(const char *kernel, double bytes)
{
    if (counting)
        printf("least: %s %.0f times the least\n", kernel, bytes);
}

void lab_rows(int64_t count)
{
    if (counting)
        printf("least: * %lld elements a row\n", (long long)(ELEMENT * count));
}

/* ---- main ---- */

/* Ends the program when a signal interrupts the kernel, and names the thread that was running and,
 * after a crash, the source line. (The timer may interrupt malloc, which finding it needs.) */
__attribute__((no_sanitize("thread"))) static void interrupted(int number)
{
    char text[600];
    if (cpu_self)
        count_runtime(true); /* the accesses of this function are not the kernel's */
    int length =
        snprintf(text, sizeof text, "result: FAIL at %s: the kernel %s", case_text,
                 number == SIGPROF ? "does not end" : "uses an index far outside an array");
    if (cpu_self)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           ": block (%u,%u,%u), thread (%u,%u,%u)", blockIdx.x, blockIdx.y,
                           blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    if (cpu_self && number != SIGPROF) {
        const char *kernel, *file;
        int line;
        count_watched(&kernel, &file, &line);
        length += snprintf(text + length, sizeof text - (size_t)length, ", kernel %s, %s:%d",
                           kernel, file, line);
    }
    text[length++] = '\n';
    if (write(STDOUT_FILENO, text, (size_t)length) < 0)
        _exit(3);
    _exit(1);
}

/* With one core the CPU device runs blocks on this OS thread, so a signal interrupts the kernel. */
static void watch(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    signal(SIGSEGV, interrupted);
    signal(SIGBUS, interrupted);
    signal(SIGPROF, interrupted);
    const struct itimerval limit = {{0, 0}, {SECONDS, 0}}; /* of processor time: others may run */
    setitimer(ITIMER_PROF, &limit, NULL);
}

int lab_main(int argc, char **argv, const struct lab_case *cases, int count,
             void (*test)(const struct lab_case *))
{
    watch();
    count_watch = watch_access;
    count_array_name = array_name;
    counting = argc == 3 && strcmp(argv[1], "count") == 0;
    int first = counting ? count - atoi(argv[2]) : 0, end = counting ? first + 1 : count;
    for (int i = first; i < end && !failed; i++) {
        current = &cases[i];
        lab_parts(0, 0);
        /* lab.sh shows this line if the kernel crashes or never ends. */
        printf("running: %s\n", case_text);
        fflush(stdout);
        test(current);
        free_arrays();
    }
    if (counting)
        printf("case: %s\n", case_text);
    else if (!failed)
        printf("result: ok at %d sizes\n", count);
    return failed ? 1 : 0;
}
