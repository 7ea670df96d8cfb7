/* The table, the CSV file, and the description of the machine in its header (results.h). */
#include "results.h"
#include "csv.h"
#include "options.h"
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* build_info.h, which mk/rules.mk writes, defines BUILD_VERSION, BUILD_REVISION,
 * BUILD_KERNEL_COMPILER and BUILD_FLAGS. */
#if __has_include("build_info.h")
#include "build_info.h"
#else
#define BUILD_VERSION         "unknown"
#define BUILD_REVISION        "unknown"
#define BUILD_KERNEL_COMPILER ""
#define BUILD_FLAGS           "unknown"
#endif

const char results_schema[] =
    "program,variant,type,n,batch,blocks,threads,parts,cores,nest,ranks,case,phase,device,timer,"
    "samples,median_ms,q1_ms,q3_ms,min_ms,bytes,error,status";

struct results {
    char *program;
    struct csv csv; /* its file is NULL if no CSV file is written */
    bool failed;
    int64_t rows;
    struct table table;
};

/* The last line on stderr shows the progress, which the next row of the table must erase. */
static bool progress_shown;

const char *build_version(void)
{
    return BUILD_VERSION;
}

const char *build_revision(void)
{
    return BUILD_REVISION;
}

const char *build_compiler(void)
{
#ifdef __clang__
    return __VERSION__ BUILD_KERNEL_COMPILER;
#else
    return "gcc " __VERSION__ BUILD_KERNEL_COMPILER;
#endif
}

const char *build_flags(void)
{
    return BUILD_FLAGS;
}

/* Stores the value of the first line "key : value" of a file; with an empty key its first line.
 * Returns false if there is none. */
static bool first_line(const char *path, const char *key, char *value, size_t size)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    char line[512];
    bool found = false;
    while (!found && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        char *text = *key ? strchr(line, ':') : line;
        if (!text)
            continue;
        text += strspn(text, ": \t");
        text[strcspn(text, "\n")] = 0;
        snprintf(value, size, "%s", text);
        found = true;
    }
    fclose(file);
    return found;
}

const char *cpu_name(void)
{
    static char name[320];
    if (name[0])
        return name;
    static const char info[] = "/proc/cpuinfo";
    char model[256], implementer[64], part[64];
    struct utsname machine;
    if (!first_line(info, "model name", model, sizeof model)) {
        /* On Arm, /proc/cpuinfo has no name of the CPU, but two numbers that identify it. */
        const char *architecture = uname(&machine) == 0 ? machine.machine : "unknown CPU";
        if (first_line(info, "CPU implementer", implementer, sizeof implementer) &&
            first_line(info, "CPU part", part, sizeof part))
            snprintf(model, sizeof model, "%s %s/%s", architecture, implementer, part);
        else
            snprintf(model, sizeof model, "%s", architecture);
    }
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(name, sizeof name, "%s (%ld core%s)", model, cores, cores == 1 ? "" : "s");
    for (char *c = name; *c; c++)
        if (*c == ',')
            *c = ' ';
    return name;
}

double memory_available(void)
{
    char text[64];
    double kibibytes;
    if (first_line("/proc/meminfo", "MemAvailable", text, sizeof text) &&
        sscanf(text, "%lf", &kibibytes) == 1)
        return 1024 * kibibytes;
    return (double)INFINITY;
}

void csv_field(FILE *file, const char *text)
{
    if (!text)
        return;
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

/* ---- files that are replaced when they are complete ---- */

/* Creates a new file in the directory of `path`, from where rename() can move it to `path`. Returns
 * its descriptor, or -1, and stores its name in *name. */
static int open_neighbour(const char *path, char **name)
{
    if (asprintf(name, "%s.XXXXXX", path) < 0)
        return -1;
    int file = mkstemp(*name);
    if (file < 0)
        free(*name);
    return file;
}

/* Returns the name of the file at the end of a chain of symbolic links, to be released by free(),
 * or NULL with errno set. A relative link is relative to its own directory. */
static char *follow_links(const char *path)
{
    enum { LINKS_MOST = 40 }; /* the limit of Linux for a chain of links */
    char *file = strdup(path), link[4096];
    for (int links = 0; file; links++) {
        ssize_t length = readlink(file, link, sizeof link);
        if (length < 0)
            return file; /* not a link, or does not exist */
        char *directory_end = link[0] == '/' ? NULL : strrchr(file, '/'), *next = NULL;
        if (links == LINKS_MOST)
            errno = ELOOP;
        else if (length == sizeof link)
            errno = ENAMETOOLONG;
        else if (asprintf(&next, "%.*s%.*s", directory_end ? (int)(directory_end + 1 - file) : 0,
                          file, (int)length, link) < 0)
            next = NULL;
        free(file);
        file = next;
    }
    return NULL;
}

int csv_target(const char *path, char **target)
{
    struct stat there;
    *target = follow_links(path);
    if (!*target)
        return errno;
    if (stat(*target, &there) != 0 || S_ISREG(there.st_mode))
        return 0;
    free(*target);
    *target = NULL;
    return S_ISDIR(there.st_mode) ? EISDIR : EINVAL;
}

/* Tests whether a file can be created in the directory of `path`. Returns 0 or errno. */
static int try_path(const char *path)
{
    char *name;
    int file = open_neighbour(path, &name);
    if (file < 0)
        return errno;
    close(file);
    unlink(name);
    free(name);
    return 0;
}

/* Writes a line "# key: value" and replaces line breaks in the value by blanks. */
static void comment(FILE *csv, const char *key, const char *value)
{
    fprintf(csv, "# %s: ", key);
    for (; *value; value++)
        fputc(*value == '\n' || *value == '\r' ? ' ' : *value, csv);
    fputc('\n', csv);
}

/* Replaces the file `path`. Returns 0 or errno. After an error the old file is unchanged. */
int write_file(const char *path, const void *text, size_t size)
{
    char *name;
    int number = open_neighbour(path, &name), error = 0;
    if (number < 0)
        return errno;
    /* mkstemp gives the file mode 0600. fchmod below gives it the usual mode of a new file. */
    mode_t mask = umask(0);
    umask(mask);
    FILE *file = fdopen(number, "w");
    if (!file || fchmod(number, 0666 & ~mask) != 0 || fwrite(text, 1, size, file) != size ||
        fflush(file) != 0 || fsync(number) != 0)
        error = errno;
    if ((file ? fclose(file) : close(number)) != 0 && !error)
        error = errno;
    if (!error && rename(name, path) != 0)
        error = errno;
    if (error)
        unlink(name);
    free(name);
    return error;
}

int csv_begin(struct csv *csv, const char *program, const char *device, const char *columns)
{
    char driver[256], date[32];
    time_t now = time(NULL);
    struct tm utc;
    csv->file = NULL;
    csv->text = NULL;
    int error = csv_target(csv->path, &csv->target);
    if (error == 0)
        error = try_path(csv->target);
    if (error == 0 && !(csv->file = open_memstream(&csv->text, &csv->size)))
        error = errno;
    if (error) {
        free(csv->target);
        return error;
    }
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    comment(csv->file, "program", program);
    comment(csv->file, "device", device);
    comment(csv->file, "cpu", cpu_name());
    if (first_line("/proc/driver/nvidia/version", "", driver, sizeof driver))
        comment(csv->file, "driver", driver);
    if (getenv("GPU_SETTINGS")) /* set by run_all.sh */
        comment(csv->file, "gpu settings", getenv("GPU_SETTINGS"));
    comment(csv->file, "compiler", build_compiler());
    comment(csv->file, "flags", build_flags());
    comment(csv->file, "revision", build_revision());
    comment(csv->file, "date", date);
    fprintf(csv->file, "%s\n", columns);
    return 0;
}

int csv_end(struct csv *csv, bool keep)
{
    int error = ferror(csv->file) ? ENOMEM : 0; /* then the text is incomplete */
    if (fclose(csv->file) != 0)
        error = errno;
    if (keep && !error)
        error = write_file(csv->target, csv->text, csv->size);
    free(csv->text);
    free(csv->target);
    return error;
}

/* ---- results ---- */

static void cannot_write(const struct results *results, int error)
{
    fprintf(stderr, "%s: --csv: cannot write '%s': %s\n", results->program, results->csv.path,
            strerror(error));
}

static void free_results(struct results *results)
{
    free(results->program);
    free(results);
}

struct results *results_open(const char *program, const char *device, const char *csv)
{
    struct results *results = calloc(1, sizeof *results);
    if (!results)
        abort();
    results->program = strdup(program);
    if (!csv)
        return results;
    int length = snprintf(results->csv.path, sizeof results->csv.path, "%s", csv);
    int error = length >= (int)sizeof results->csv.path
                    ? ENAMETOOLONG
                    : csv_begin(&results->csv, program, device, results_schema);
    if (error) {
        cannot_write(results, error);
        free_results(results);
        return NULL;
    }
    return results;
}

static void csv_row(FILE *csv, const char *program, const struct row *row, const char *status)
{
    struct row_texts texts;
    row_texts(&texts, row, status, "%.6g", "%.3e");
    csv_field(csv, program);
    for (int f = 0; f < FIELDS; f++) {
        fputc(',', csv);
        csv_field(csv, f == RATE_FIELD ? texts.bytes : texts.of[f]);
    }
    fputc('\n', csv);
}

/* Appends the samples of a row to the file SAMPLES_FILE: program, the row's columns up to `phase`,
 * and then each sample in milliseconds per call. */
static void keep_samples(const char *program, const struct row *row)
{
    const char *path = getenv("SAMPLES_FILE");
    const double *ms = timing_samples(&row->time);
    FILE *file = path && ms ? fopen(path, "a") : NULL;
    if (!file)
        return;
    struct row_texts texts;
    row_texts(&texts, row, "", "%.6g", "%.3e");
    csv_field(file, program);
    for (int f = 0; f < DEVICE_FIELD; f++) {
        fputc(',', file);
        csv_field(file, texts.of[f]);
    }
    for (int i = 0; i < row->time.samples; i++)
        fprintf(file, ",%.6g", ms[i]);
    fputc('\n', file);
    fclose(file);
}

void results_add(struct results *results, const struct row *row)
{
    const char *status = row->status;
    results->rows++;
    if (status && strcmp(status, "ok") == 0 && isnan(row->error))
        status = "error is nan";
    if (!status || strcmp(status, "ok") != 0)
        results->failed = true;
    else if (row->time.samples > 0 && row->time.disturbed)
        status = "disturbed"; /* the result is right, but not its time */

    if (progress_shown)
        fprintf(stderr, "\r\033[K");
    progress_shown = false;
    table_add(&results->table, row, status);
    fflush(stdout);
    if (results->csv.file)
        csv_row(results->csv.file, results->program, row, status);
    keep_samples(results->program, row);
}

int results_close(struct results *results)
{
    int status = results->failed ? EXIT_WRONG : EXIT_VERIFIED;
    if (results->rows == 0) {
        fprintf(stderr, "%s: --variant: nothing that was asked for is in this build (see --list)\n",
                results->program);
        status = EXIT_USAGE;
    }
    int error = results->csv.file ? csv_end(&results->csv, results->rows > 0) : 0;
    if (error) {
        cannot_write(results, error);
        status = EXIT_USAGE;
    }
    free_results(results);
    return status;
}

void progress(const char *program, int64_t done, int64_t all, const char *what)
{
    static double start;
    static bool started;
    if (!is_terminal(STDERR_FILENO))
        return;
    if (!started)
        start = clock_ms();
    started = done < all;
    fprintf(stderr, "\r\033[K%s: %lld/%lld %s, %.0f s", program, (long long)done, (long long)all,
            what, 1e-3 * (clock_ms() - start));
    if (done >= all)
        fputc('\n', stderr);
    fflush(stderr);
    progress_shown = done < all;
}
