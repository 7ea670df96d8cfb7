/* Finds kernels whose __shared__ arrays are larger than a GPU allows, which nvcc refuses. */
#include "count_internal.h"

#ifdef CPU_DEVICE_COUNT

enum { STATIC_MOST = 48 * 1024 }; /* dynamic shared memory may be larger */

struct symbol {
    uintptr_t value; /* the address of a function, the offset of a thread-local variable */
    size_t bytes;
    char *name;
};

/* Reads the symbols of C++, and the range of the kernels' thread-local variables (run_block in
 * launch.c). Returns the number of symbols. */
static size_t read_symbols(struct symbol **symbols, uintptr_t range[2])
{
    char line[8192], name[8192];
    unsigned long value, bytes;
    size_t count = 0, room = 0;
    FILE *list = count_run("nm -S", "2>/dev/null");
    while (list && fgets(line, sizeof line, list)) {
        if (sscanf(line, "%lx %lx %*c %8191s", &value, &bytes, name) != 3)
            continue;
        if (strcmp(name, "cpu_shared_begin") == 0)
            range[0] = value;
        if (strcmp(name, "cpu_shared_end") == 0)
            range[1] = value;
        if (strncmp(name, "_Z", 2) != 0)
            continue;
        *COUNT_ADD(*symbols, count, room) = (struct symbol){value, bytes, strdup(name)};
    }
    if (list)
        pclose(list);
    return count;
}

/* In the C++ ABI variable v of function _Zf has the name _ZZfEv. */
static bool is_variable_of(const char *variable, const char *function)
{
    size_t length = strlen(function + 2);
    return variable[2] == 'Z' && strncmp(variable + 3, function + 2, length) == 0 &&
           variable[3 + length] == 'E';
}

static const struct launch_record *launch_of(uintptr_t code)
{
    for (size_t i = 0; i < count_launch_count; i++)
        if ((uintptr_t)count_launches[i].code == code)
            return &count_launches[i];
    return NULL;
}

bool count_check_static(void)
{
    struct symbol *symbols = NULL;
    uintptr_t range[2] = {0, 0};
    size_t count = read_symbols(&symbols, range);
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        const struct launch_record *launch = launch_of(symbols[i].value);
        size_t bytes = 0;
        for (size_t k = 0; launch && k < count; k++)
            if (is_in(range, symbols[k].value) && is_variable_of(symbols[k].name, symbols[i].name))
                bytes += symbols[k].bytes;
        if (bytes <= STATIC_MOST)
            continue;
        fprintf(stderr,
                "count: kernel %s: its __shared__ arrays have %zu bytes, more than the %d that a "
                "GPU allows\n",
                launch->kernel, bytes, STATIC_MOST);
        ok = false;
    }
    for (size_t i = 0; i < count; i++)
        free(symbols[i].name);
    free(symbols);
    return ok;
}
#endif
