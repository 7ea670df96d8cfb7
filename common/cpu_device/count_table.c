/* Writes the table of all counts and prints the faults when the program ends. */
#include "count_internal.h"

#include <inttypes.h>
#include <unistd.h>

#ifdef CPU_DEVICE_COUNT

const char *const count_space_names[] = {"global", "shared", "local"};
const char *const count_op_names[] = {"load",  "store",   "atomic", "load",
                                      "store", "barrier", "shuffle"};

/* The source lines of all places. If an access lies in a file of the CPU device, its line is that
 * of the innermost call outside these files. */
static struct where *wheres;

/* Stores the template arguments of a kernel. `function` is its name in the words of addr2line:
 * "void transpose<float, true>(float*)" gives "float;true". An argument that is itself a function,
 * e.g.
 * "&(void reduce<float>(float*))", is shortened to "&reduce". */
static void take_arguments(struct launch_record *launch, const char *function)
{
    size_t length = strlen(launch->name);
    while (*function && !(strncmp(function, launch->name, length) == 0 && function[length] == '<'))
        function++;
    char *text = *function ? calloc(strlen(function), 1) : NULL;
    if (!text)
        return;
    launch->arguments = text;
    int depth = 1;
    for (const char *from = function + length + 1; *from; from++) {
        depth += (*from == '<' || *from == '(') - (*from == '>' || *from == ')');
        if (depth == 0)
            break;
        if (from[0] == '&' && from[1] == '(') {
            *text++ = '&';
            const char *end = from + 2 + strcspn(from + 2, "<("), *begin = end;
            while (begin[-1] != ' ' && begin[-1] != '(')
                begin--;
            memcpy(text, begin, (size_t)(end - begin));
            text += end - begin;
            int inner = 0;
            for (from++; *from; from++) {
                inner += (*from == '(') - (*from == ')');
                if (inner == 0)
                    break;
            }
        } else if (*from == ',') {
            *text++ = ';';
        } else if (*from != ' ' || (text > launch->arguments && text[-1] != ';')) {
            *text++ = *from;
        }
    }
}

/* The last directory and the name of a file. */
static const char *short_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    while (slash && slash > path && slash[-1] != '/')
        slash--;
    return slash ? slash : path;
}

/* Reads an answer of addr2line. */
static void read_answer(FILE *answer, char function[4096], char line[4096])
{
    if (!fgets(function, 4096, answer) || !fgets(line, 4096, answer))
        function[0] = line[0] = 0;
}

void count_function(const void *code, char *name, size_t bytes)
{
    char rest[32];
    snprintf(rest, sizeof rest, "-fC %p", code);
    FILE *answer = count_run("addr2line -e", rest);
    if (!answer || !fgets(name, (int)bytes, answer))
        name[0] = 0;
    name[strcspn(name, "\n")] = 0;
    if (answer)
        pclose(answer);
}

void count_find_places(void)
{
    char rest[64], name[] = "/tmp/countXXXXXX", function[4096], line[4096];
    int file = mkstemp(name);
    FILE *list = file >= 0 ? fdopen(file, "w") : NULL;
    wheres = calloc(count_place_count + 1, sizeof *wheres);
    if (!list || !wheres)
        return;
    for (size_t i = 0; i < count_place_count; i++)
        for (int d = count_places[i].depth; d >= 0; d--)
            fprintf(list, "0x%lx\n", (unsigned long)count_places[i].pc[d] - 1);
    for (size_t i = 0; i < count_launch_count; i++)
        fprintf(list, "%p\n", count_launches[i].code);
    fclose(list);
    snprintf(rest, sizeof rest, "<%s", name);
    FILE *answer = count_run("addr2line -fCe", rest);
    for (size_t i = 0; answer && i < count_place_count; i++) {
        bool found = false;
        for (int d = count_places[i].depth; d >= 0; d--) {
            read_answer(answer, function, line);
            char *colon = strrchr(line, ':');
            if (found || !colon || strstr(line, "/cpu_device/"))
                continue;
            *colon = 0;
            snprintf(wheres[i].file, sizeof wheres[i].file, "%s", short_path(line));
            wheres[i].line = atoi(colon + 1);
            found = true;
        }
    }
    for (size_t i = 0; answer && i < count_launch_count; i++) {
        read_answer(answer, function, line);
        take_arguments(&count_launches[i], function);
    }
    if (!answer || pclose(answer) != 0)
        fputs("count: source lines are unknown without addr2line (of binutils)\n", stderr);
    unlink(name);
}

const struct where *count_where(int place)
{
    static const struct where nowhere = {"-", 0};
    return place == NONE || !wheres ? &nowhere : &wheres[place];
}

static int by_place(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    const struct where *p = count_where(x->place), *q = count_where(y->place);
    int order = (x->launch > y->launch) - (x->launch < y->launch);
    order = order ? order : strcmp(p->file, q->file);
    order = order ? order : (p->line > q->line) - (p->line < q->line);
    order = order ? order : (x->space > y->space) - (x->space < y->space);
    order = order ? order : strcmp(count_op_names[x->op], count_op_names[y->op]);
    return order ? order : (x->width > y->width) - (x->width < y->width);
}

static bool is_one_line(const struct row *x, const struct row *y)
{
    return by_place(x, y) == 0;
}

/* The barrier of a launch at which threads wait most often, of equal ones the first, or NULL. */
static const struct barrier *main_barrier(int launch)
{
    const struct barrier *most = NULL;
    for (size_t i = 0; i < count_barrier_count; i++) {
        const struct barrier *b = &count_barriers[i];
        if (b->launch == launch &&
            (!most || b->waits > most->waits || (b->waits == most->waits && b->line < most->line)))
            most = b;
    }
    return most;
}

static void write_row(FILE *file, const struct row *r)
{
    const struct launch_record *l = &count_launches[r->launch];
    const struct barrier *barrier = r->op == BARRIER ? main_barrier(r->launch) : NULL;
    const struct where *w = count_where(r->place);
    fprintf(file, "%d,%s,%ld,%d,%s,%d,%s,%s,%d", r->launch, l->name, l->blocks, l->threads,
            barrier ? short_path(barrier->file) : w->file, barrier ? barrier->line : w->line,
            r->op == BARRIER   ? "block"
            : r->op == SHUFFLE ? "warp"
                               : count_space_names[r->space],
            count_op_names[r->op], r->width);
    const uint64_t *sum = (const uint64_t *)&r->sums;
    for (size_t i = 0; i < sizeof r->sums / sizeof *sum; i++)
        fprintf(file, ",%llu", (unsigned long long)sum[i]);
    fprintf(file, ",%s,%" PRIu64 "\n", l->arguments, r->busiest);
}

static int by_line(const char *file, int line, const char *other_file, int other_line)
{
    int order = strcmp(file, other_file);
    return order ? order : (line > other_line) - (line < other_line);
}

/* The source lines of a race, in order. The line of a read of unwritten memory is both. */
struct lines {
    const struct where *first, *second;
};
static struct lines lines_of(const struct fault *f)
{
    const struct where *one = count_where(f->place),
                       *other = f->other == NONE ? one : count_where(f->other);
    if (by_line(one->file, one->line, other->file, other->line) <= 0)
        return (struct lines){one, other};
    return (struct lines){other, one};
}

/* The order of faults does not depend on that of the blocks. Equal ones are printed once: several
 * places may be on a source line, and a race is found in both orders of its accesses. */
static int by_kernel_and_lines(const void *a, const void *b)
{
    const struct fault *x = a, *y = b;
    struct lines p = lines_of(x), q = lines_of(y);
    int order = strcmp(count_launches[x->launch].kernel, count_launches[y->launch].kernel);
    order = order ? order : (x->kind < y->kind) - (x->kind > y->kind);
    order = order ? order : (x->space > y->space) - (x->space < y->space);
    order = order ? order : by_line(p.first->file, p.first->line, q.first->file, q.first->line);
    return order ? order : by_line(p.second->file, p.second->line, q.second->file, q.second->line);
}

/* Of equal faults, one that names a barrier comes first. */
static int by_where(const void *a, const void *b)
{
    const struct fault *x = a, *y = b;
    int order = by_kernel_and_lines(a, b);
    order = order ? order : !x->file - !y->file;
    return order || !x->file ? order : by_line(x->file, x->line, y->file, y->line);
}

static void print_race(const struct fault *f)
{
    struct lines at = lines_of(f);
    bool one_line = by_line(at.first->file, at.first->line, at.second->file, at.second->line) == 0;
    fprintf(stderr, "a race in %s memory%s between %s:%d and %s:%d", count_space_names[f->space],
            f->file ? "" : ", no barrier", at.first->file, at.first->line, at.second->file,
            at.second->line);
    if (f->file)
        fprintf(stderr, ", not all threads reached the barrier at %s:%d", short_path(f->file),
                f->line);
    if (f->writes && f->other_writes)
        fprintf(stderr, ": threads %d and %d write the same element%s\n", f->thread,
                f->other_thread, one_line ? ", which only one thread may" : "");
    else
        fprintf(stderr, ": thread %d reads what thread %d writes%s\n",
                f->writes ? f->other_thread : f->thread, f->writes ? f->thread : f->other_thread,
                one_line && !f->file ? "; let all read, then wait, then write" : "");
}

static void print_fault(const struct fault *f)
{
    const struct where *one = count_where(f->place);
    fprintf(stderr, "count: kernel %s: ", count_launches[f->launch].kernel);
    if (f->kind == UNWRITTEN)
        fprintf(stderr, "shared memory is read before it is written: %s:%d, thread %d\n", one->file,
                one->line, f->thread);
    else if (f->kind == LOCAL_ARRAY)
        fprintf(stderr,
                "a thread has an array of more than the 255 numbers that its registers hold, so it "
                "lies in global memory: %s:%d\n",
                one->file, one->line);
    else if (f->kind != RACE) {
        const struct where *other = count_where(f->other);
        fprintf(stderr,
                "a race between blocks in global memory: %s:%d writes, %s:%d %s, "
                "and on a GPU the second may come first\n",
                other->file, other->line, one->file, one->line,
                f->kind == READ_AFTER_BLOCK ? "reads" : "writes");
    } else
        print_race(f);
}

void count_write_table(void)
{
    const char *path = getenv("COUNT_CSV");
    count_find_places();
    FILE *file = path ? count_open(path) : NULL;
    qsort(count_rows, count_row_count, sizeof *count_rows, by_place);
    if (file)
        fputs("launch,kernel,blocks,threads,file,line,space,op,width,requests,lanes,sectors,ideal,"
              "lines,wavefronts,conflicts,half_warps,segments,segment_bytes,arguments,busiest\n",
              file);
    for (size_t i = 0, end; file && i < count_row_count; i = end) {
        struct row sum = count_rows[i];
        for (end = i + 1; end < count_row_count && is_one_line(&count_rows[i], &count_rows[end]);
             end++) {
            count_add_sums(&sum.sums, &count_rows[end].sums);
            sum.busiest += count_rows[end].busiest;
        }
        write_row(file, &sum);
    }
    if (file)
        count_close(file, path);
    count_write_pictures();
    count_write_caches();
    qsort(count_faults, count_fault_count, sizeof *count_faults, by_where);
    for (size_t i = 0; i < count_fault_count; i++)
        if (i == 0 || by_kernel_and_lines(&count_faults[i - 1], &count_faults[i]) != 0)
            print_fault(&count_faults[i]);
    if (!count_check_static() || count_fault_count > 0) {
        fflush(NULL);
        _exit(1);
    }
}
#endif
