/* Tests of results.h and csv.h: a CSV file is complete as soon as it exists, its fields can be read
 * back, and the files of all programs have the same columns. Run: make test. */
#include "csv.h"
#include "expect.h"
#include "options.h"
#include "results.h"
#include "table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[] = "/tmp/test_results.XXXXXX";
static char path[64], text[65536];

static int files_in_directory(void)
{
    DIR *d = opendir(directory);
    int count = 0;
    for (struct dirent *entry; d && (entry = readdir(d));)
        count += entry->d_name[0] != '.';
    if (d)
        closedir(d);
    return count;
}

static void read_file(const char *name)
{
    FILE *file = fopen(name, "r");
    text[0] = 0;
    if (!file)
        return;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
}

/* Redirects stdout (1) or stderr (2) to the file `name`. NULL undoes the redirection. */
static void redirect(int stream, const char *name)
{
    static int saved[3];
    fflush(NULL);
    int file = name ? open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600) : saved[stream];
    if (name)
        saved[stream] = dup(stream);
    if (file < 0 || dup2(file, stream) < 0)
        abort();
    close(file);
}

/* Reads one record of RFC 4180 into fields[], at most `most` fields. Returns how many fields it
 * read. Sets *at to the first character after the record. */
static int read_record(char **at, char **fields, int most)
{
    int count = 0;
    for (char *in = *at;;) {
        char *to = in;
        fields[count++] = to;
        if (*in == '"') {
            for (in++; *in && (*in != '"' || in[1] == '"'); in++) {
                in += *in == '"';
                *to++ = *in;
            }
            in++;
        } else {
            while (*in && *in != ',' && *in != '\n')
                *to++ = *in++;
        }
        char end = *in;
        *to = 0;
        if (end != ',' || count == most) {
            *at = in + (end != 0);
            return count;
        }
        in++;
    }
}

static const char *const columns[] = {
    "program",   "variant", "type",  "n",      "batch", "blocks", "threads", "parts",
    "cores",     "nest",    "ranks", "case",   "phase", "device", "timer",   "samples",
    "median_ms", "q1_ms",   "q3_ms", "min_ms", "bytes", "error",  "status"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void record_is(char **at, const char *const *expected)
{
    char *fields[COLUMNS + 1];
    int count = read_record(at, fields, COLUMNS + 1);
    EXPECT(count == COLUMNS, "%d columns", count);
    for (int i = 0; i < count && i < COLUMNS; i++)
        EXPECT(strcmp(fields[i], expected[i]) == 0, "%s is '%s', not '%s'", columns[i], fields[i],
               expected[i]);
}

static struct row full_row(void)
{
    return (struct row){.variant = "odd, \"quoted\"\nname",
                        .type = 's',
                        .n = (int64_t)1 << 40,
                        .batch = 2,
                        .blocks = 3,
                        .threads = 4,
                        .parts = 5,
                        .cores = 6,
                        .nest = 7,
                        .ranks = 8,
                        .case_ = 'M',
                        .phase = "total",
                        .device = "a, device",
                        .time = {"clock x8", 20, 1.23456789, 1, 1e-7, 0.5, false},
                        .bytes = 12345678901234.0,
                        .error = 1.23456e-7,
                        .status = "ok"};
}

/* Tests the lines at the head of the file in `text`. Returns the place after them. */
static char *after_heading(void)
{
    static const char *const keys[] = {"program: demo, one\n",
                                       "device: two lines\n",
                                       "cpu: ",
                                       "compiler: ",
                                       "flags: ",
                                       "revision: ",
                                       "date: 2"};
    char *at = text;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strncmp(at, "# driver: ", 10) == 0)
            at = strchr(at, '\n') + 1;
        EXPECT(strncmp(at, "# ", 2) == 0 && strncmp(at + 2, keys[i], strlen(keys[i])) == 0,
               "'%.40s' is not '# %s'", at, keys[i]);
        at = strchr(at, '\n') + 1;
    }
    int year, month, day, hour, minute, second, end = 0;
    sscanf(at - 29, "# date: %d-%d-%dT%d:%d:%dZ%n", &year, &month, &day, &hour, &minute, &second,
           &end);
    EXPECT(end == 28, "date '%.28s'", at - 29);
    return at;
}

static void test_file(void)
{
    struct results *results = results_open("demo, one", "two\nlines", path);
    EXPECT(results && files_in_directory() == 0, "%d files after open", files_in_directory());
    if (!results)
        return;
    struct row row = full_row(), empty = {.status = "ok", .error = -1},
               untimed = {.variant = "v", .status = "ok"};
    untimed.time = timing_none();
    untimed.error = INFINITY;
    redirect(1, "/dev/null");
    results_add(results, &row);
    results_add(results, &empty);
    results_add(results, &untimed);
    redirect(1, NULL);
    EXPECT(files_in_directory() == 0, "%d files before close", files_in_directory());
    mode_t mask = umask(022);
    EXPECT(results_close(results) == EXIT_VERIFIED, "close");
    umask(mask);
    EXPECT(files_in_directory() == 1, "%d files after close", files_in_directory());
    struct stat info;
    EXPECT(stat(path, &info) == 0 && (info.st_mode & 0777) == 0644, "mode %o", info.st_mode & 0777);

    read_file(path);
    char *at = after_heading();
    EXPECT(strncmp(at, results_schema, strlen(results_schema)) == 0, "'%.60s'", at);
    record_is(&at, columns);
    record_is(&at, (const char *[]){"demo, one",
                                    "odd, \"quoted\"\nname",
                                    "s",
                                    "1099511627776",
                                    "2",
                                    "3",
                                    "4",
                                    "5",
                                    "6",
                                    "7",
                                    "8",
                                    "M",
                                    "total",
                                    "a, device",
                                    "clock x8",
                                    "20",
                                    "1.23457",
                                    "1",
                                    "1e-07",
                                    "0.5",
                                    "12345678901234",
                                    "1.235e-07",
                                    "ok"});
    record_is(&at, (const char *[COLUMNS]){"demo, one", "", "", "", "", "", "", "", "", "", "",  "",
                                           "",          "", "", "", "", "", "", "", "", "", "ok"});
    record_is(&at,
              (const char *[COLUMNS]){"demo, one", "v", "", "", "", "", "", "", "", "",    "",  "",
                                      "",          "",  "", "", "", "", "", "", "", "inf", "ok"});
    EXPECT(*at == 0, "more after the rows: '%.40s'", at);
    unlink(path);
}

static void test_fields(void)
{
    static const char *const pairs[][2] = {{"plain text", "plain text"}, {"", ""},
                                           {"a,b", "\"a,b\""},           {"a\"b", "\"a\"\"b\""},
                                           {"a\nb", "\"a\nb\""},         {"a\rb", "\"a\rb\""},
                                           {"\"", "\"\"\"\""},           {NULL, ""}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char buffer[64] = "";
        FILE *file = fmemopen(buffer, sizeof buffer, "w");
        csv_field(file, pairs[i][0]);
        fclose(file);
        EXPECT(strcmp(buffer, pairs[i][1]) == 0, "'%s' for '%s'", buffer, pairs[i][1]);
    }
}

/* Writes `count` rows to a file. results_close must return `expected`, and the file must contain
 * the text `last`. */
static void close_is(int expected, const char *last, const struct row *rows, int count)
{
    struct results *results = results_open("demo", "device", path);
    redirect(1, "/dev/null");
    for (int i = 0; i < count; i++)
        results_add(results, &rows[i]);
    redirect(1, NULL);
    int got = results_close(results);
    EXPECT(got == expected, "%d, not %d, for %s", got, expected, last);
    read_file(path);
    EXPECT(strstr(text, last), "the file lacks '%s': %s", last, text);
    unlink(path);
}

/* Writes a row with this status and error, and then a row without failure. results_close must
 * return `expected`: the second row must not change the exit status. */
static void close_gives(int expected, const char *status, double error, const char *last)
{
    struct row rows[2] = {full_row(), full_row()};
    rows[0].status = status;
    rows[0].error = error;
    close_is(expected, last, rows, 2);
}

/* Writes a row whose time is disturbed. results_close must return `expected`. The disturbance alone
 * must not make the program fail. */
static void disturbed_is(int expected, const char *status, double error, int samples,
                         const char *last)
{
    struct row row = full_row();
    row.status = status;
    row.error = error;
    row.time.disturbed = true;
    row.time.samples = samples;
    close_is(expected, last, &row, 1);
}

static void test_refused(const char *name, int error)
{
    char log[64], line[256];
    snprintf(log, sizeof log, "%s.log", directory);
    redirect(2, log);
    struct results *results = results_open("demo", "device", name);
    redirect(2, NULL);
    EXPECT(!results, "'%s' was accepted", name);
    read_file(log);
    unlink(log);
    snprintf(line, sizeof line, "demo: --csv: cannot write '%s': %s\n", name, strerror(error));
    EXPECT(strcmp(text, line) == 0, "'%s', not '%s'", text, line);
}

/* Tests files that cannot be written. In the first test the directory is removed between open and
 * close. That must give an error message and status EXIT_USAGE. */
static void test_lost(void)
{
    char sub[64], file[80], log[64];
    snprintf(sub, sizeof sub, "%s/sub", directory);
    snprintf(file, sizeof file, "%s/a.csv", sub);
    snprintf(log, sizeof log, "%s.log", directory);
    mkdir(sub, 0700);
    struct results *results = results_open("demo", "device", file);
    rmdir(sub);
    struct row row = full_row();
    redirect(1, "/dev/null");
    results_add(results, &row);
    redirect(1, NULL);
    redirect(2, log);
    int status = results_close(results);
    redirect(2, NULL);
    read_file(log);
    unlink(log);
    EXPECT(status == EXIT_USAGE, "status %d", status);
    EXPECT(strstr(text, "demo: --csv: cannot write '") == text, "'%s'", text);

    /* In this test the name of the file is already the name of a directory, so rename() fails. The
     * temporary file must be removed. */
    snprintf(file, sizeof file, "%s/a.csv", directory);
    results = results_open("demo", "device", file);
    redirect(1, "/dev/null");
    results_add(results, &row);
    redirect(1, NULL);
    mkdir(file, 0700);
    redirect(2, log);
    status = results_close(results);
    redirect(2, NULL);
    read_file(log);
    unlink(log);
    EXPECT(status == EXIT_USAGE && files_in_directory() == 1, "status %d, %d files", status,
           files_in_directory());
    EXPECT(strstr(text, "demo: --csv: cannot write '") == text, "'%s'", text);
    rmdir(file);

    /* If no row was added, results_close must report an error and write no file. */
    results = results_open("demo", "device", file);
    redirect(2, log);
    status = results_close(results);
    redirect(2, NULL);
    unlink(log);
    EXPECT(status == EXIT_USAGE && files_in_directory() == 0, "no row: status %d", status);
}

/* Writes a CSV file with one row to directory/a_b.csv, by csv.h or by results.h. Returns true if
 * that succeeded. `text` becomes what was printed on stderr. */
static bool written(bool by_csv)
{
    char prefix[64], log[64];
    bool done;
    snprintf(prefix, sizeof prefix, "%s/a", directory);
    snprintf(log, sizeof log, "%s.log", directory);
    redirect(2, log);
    if (by_csv) {
        struct csv csv;
        done = csv_open(&csv, "demo", prefix, "b", "n,error");
        if (done) {
            fprintf(csv.file, "1,2\n");
            done = csv_close(&csv);
        }
    } else {
        struct results *results = results_open("demo", "device", path);
        struct row row = full_row();
        redirect(1, "/dev/null");
        if (results)
            results_add(results, &row);
        redirect(1, NULL);
        done = results && results_close(results) == EXIT_VERIFIED;
    }
    redirect(2, NULL);
    read_file(log);
    unlink(log);
    return done;
}

static void link_to(const char *target, const char *name)
{
    EXPECT(symlink(target, name) == 0, "no link %s to %s", name, target);
}

/* Tests links to files that cannot be replaced. `sub` is a directory. */
static void test_refused_links(bool by_csv, const char *sub)
{
    const char *const what = by_csv ? "csv.h" : "results.h";
    char locked[64], behind[80];
    struct stat link;
    snprintf(locked, sizeof locked, "%s/locked", directory);
    snprintf(behind, sizeof behind, "%s/a.csv", locked);
    mkdir(locked, 0500);
    const struct {
        const char *target;
        int error;
    } refused[] = {{sub, EISDIR},
                   {"/dev/null", EINVAL},
                   {"a_b.csv", ELOOP},
                   {"missing/a", ENOENT},
                   {behind, EACCES}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char line[256], reason[64];
        if (refused[i].error == EACCES && geteuid() == 0) /* root may write everywhere */
            continue;
        link_to(refused[i].target, path);
        EXPECT(!written(by_csv), "%s: wrote through a link to %s", what, refused[i].target);
        snprintf(reason, sizeof reason, ": %s", strerror(refused[i].error));
        snprintf(line, sizeof line, "demo: %scannot write '%s'%s\n", by_csv ? "" : "--csv: ", path,
                 by_csv ? "" : reason);
        EXPECT(strcmp(text, line) == 0, "'%s', not '%s'", text, line);
        EXPECT(lstat(path, &link) == 0 && S_ISLNK(link.st_mode), "%s: the link to %s is gone", what,
               refused[i].target);
        unlink(path);
    }
    EXPECT(rmdir(locked) == 0, "%s: files left", what);
}

/* Tests file names that are symbolic links. The link must remain, and the file that it leads to
 * must be replaced or created. If that file cannot be written directly, it must not be written
 * through the link either. */
static void test_links(bool by_csv)
{
    char sub[64], real[80];
    const char *const what = by_csv ? "csv.h" : "results.h";
    struct stat link, before, after;
    snprintf(path, sizeof path, "%s/a_b.csv", directory);
    snprintf(sub, sizeof sub, "%s/sub", directory);
    snprintf(real, sizeof real, "%s/real.csv", sub);
    mkdir(sub, 0700);

    const char *const targets[] = {"sub/real.csv", real, "sub/other.csv"};
    char other[80];
    snprintf(other, sizeof other, "%s/other.csv", sub);
    /* The third target is itself a link in another directory, so `path` leads to the file through
     * two links. */
    link_to("real.csv", other);
    for (int t = 0; t < 3; t++)
        for (int there = 1; there >= 0; there--) {
            if (there) {
                FILE *old = fopen(real, "w");
                fputs("old", old);
                fclose(old);
            }
            stat(real, &before);
            link_to(targets[t], path);
            bool done = written(by_csv);
            EXPECT(done && text[0] == 0, "%s, link to %s: '%s'", what, targets[t], text);
            EXPECT(lstat(path, &link) == 0 && S_ISLNK(link.st_mode), "%s: the link to %s is gone",
                   what, targets[t]);
            read_file(real);
            EXPECT(strncmp(text, "# program: demo\n", 16) == 0, "%s: '%.40s' behind the link to %s",
                   what, text, targets[t]);
            EXPECT(!there || (stat(real, &after) == 0 && after.st_ino != before.st_ino),
                   "%s: written in place, not replaced", what);
            EXPECT(files_in_directory() == 2, "%s: %d files", what, files_in_directory());
            unlink(real);
            unlink(path);
        }
    unlink(other);

    test_refused_links(by_csv, sub);
    EXPECT(rmdir(sub) == 0 && files_in_directory() == 0, "%s: files left", what);
    snprintf(path, sizeof path, "%s/a.csv", directory);
}

static void test_killed(void)
{
    FILE *old = fopen(path, "w");
    fputs("old", old);
    fclose(old);
    for (int exists = 1; exists >= 0; exists--) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            redirect(1, "/dev/null");
            struct results *results = results_open("demo", "device", path);
            struct row row = full_row();
            for (int i = 0; i < 10000; i++) /* more than fits into a buffer */
                results_add(results, &row);
            raise(SIGKILL);
        }
        int status = 0;
        waitpid(child, &status, 0);
        EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "child's status %d", status);
        EXPECT(files_in_directory() == exists, "%d files after a kill", files_in_directory());
        read_file(path);
        EXPECT(strcmp(text, exists ? "old" : "") == 0, "the old file changed to '%.40s'", text);
        unlink(path);
    }
}

/* Prints the table of these rows into `text`. */
static void print_table(int name, bool wide, const struct row *rows, int count, int expected)
{
    char log[64];
    snprintf(log, sizeof log, "%s.log", directory);
    redirect(1, log);
    table_style(name, wide);
    struct results *results = results_open("demo", "device", NULL);
    for (int i = 0; i < count; i++)
        results_add(results, &rows[i]);
    /* progress must not print to stdout, whether that is a terminal or not. */
    progress("demo", 1, 2, "rows");
    progress("demo", 2, 2, "rows");
    int status = results_close(results);
    table_style(0, false);
    redirect(1, NULL);
    EXPECT(status == expected, "status %d", status);
    read_file(log);
    unlink(log);
}

/* Does `text` consist of these words, and of blanks and line breaks? */
static void words_are(const char *expected)
{
    const char *got = text, *want = expected;
    for (;;) {
        got += strspn(got, " \n");
        want += strspn(want, " \n");
        size_t length = strcspn(want, " \n");
        if (length != strcspn(got, " \n") || strncmp(got, want, length) != 0 || !length)
            break;
        got += length, want += length;
    }
    EXPECT(!*want && !*got, "'%s' is not\n%s", text, expected);
}

static size_t longest_line(void)
{
    size_t most = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        most = strcspn(line, "\n") > most ? strcspn(line, "\n") : most;
    return most;
}

static void test_table(void)
{
    struct row row = full_row(), cpu = full_row(), plain = {.variant = "v", .status = "wrong"};
    row.variant = "plain";
    row.bytes = 1e9;
    row.n = 1 << 20;
    row.ranks = 0;
    row.time = (struct timing){"events", 20, 2, 1.5, 2.5, 1, false};
    cpu = row;
    cpu.blocks = cpu.threads = cpu.parts = cpu.nest = 0;
    cpu.time.samples = 1;
    plain.error = -NAN;
    print_table(0, false, (struct row[]){row, cpu, plain}, 3, EXIT_WRONG);
    words_are("type s, n = 1048576, batch = 2, case M "
              "phase threads parts nest median ms spread GB/s error status "
              "plain total 3 x 4 5 7 2 50% 500 1.2e-07 ok "
              "plain total 6 cores - - 2 - 500 1.2e-07 ok "
              "variant phase threads parts nest median ms spread GB/s error status "
              "v - - - - - - - nan wrong");
    /* Columns are right-aligned, so the last digit of a number must stand below the last letter of
     * its heading. */
    char *heading = strstr(text, "phase"), *line = strchr(heading, '\n') + 1;
    while (heading > text && heading[-1] != '\n')
        heading--;
    EXPECT(strstr(heading, "GB/s") + 4 - heading == strstr(line, " 500 ") + 4 - line, "%s", text);

    /* A column is shown from the first row on that has a value for it, and then in all rows. */
    struct row rows[4] = {plain, cpu, row, cpu};
    rows[0].status = "ok", rows[0].error = -1;
    rows[0].type = 's', rows[0].n = 1 << 20, rows[0].batch = 2, rows[0].case_ = 'M';
    for (int i = 0; i < 4; i++)
        rows[i].parts = rows[i].blocks * rows[i].threads; /* not shown */
    print_table(0, false, rows, 4, EXIT_VERIFIED);
    words_are("type s, n = 1048576, batch = 2, case M phase status "
              "v - ok "
              "type s, n = 1048576, batch = 2, case M phase threads median ms GB/s error status "
              "plain total 6 cores 2 500 1.2e-07 ok "
              "type s, n = 1048576, batch = 2, case M "
              "phase threads nest median ms spread GB/s error status "
              "plain total 3 x 4 7 2 50% 500 1.2e-07 ok "
              "plain total 6 cores - 2 - 500 1.2e-07 ok");

    print_table(0, true, (struct row[]){row, plain}, 2, EXIT_WRONG);
    words_are("variant type n batch blocks threads parts cores nest ranks case phase timer samples "
              "median_ms q1_ms q3_ms min_ms GB/s error status device "
              "plain s 1048576 2 3 4 5 6 7 - M total events 20 2 1.5 2.5 1 500 1.23e-07 ok a, "
              "device "
              "v - - - - - - - - - - - - - - - - - - nan wrong -");
}

/* Rows with long names, devices and numbers, in all combinations, have at most 100 columns. */
static void test_width(void)
{
    static const char *const names[] = {"v", "cusparse_interleaved_thomas",
                                        "a_variant_with_a_very_long_name_of_fifty_characters"};
    static const char *const phases[] = {"p", "total+rearrange"};
    static const char *const states[] = {"ok", "error is nan"};
    struct row rows[96];
    int count = 0;
    for (int i = 0; i < 96; i++) {
        struct row row = full_row();
        row.device = "NVIDIA Graphics Device with the longest name of all 80GB HBM3";
        row.variant = names[i % 3];
        row.phase = phases[i / 3 % 2];
        row.status = states[i / 6 % 2];
        row.n = i / 12 % 2 ? (int64_t)1 << 40 : 1;
        row.batch = i / 12 % 2 ? (int64_t)1 << 31 : 1;
        row.blocks = i / 24 % 2 ? INT32_MAX : 0;
        row.threads = i / 24 % 2 ? 1024 : 0;
        row.parts = i / 48 ? 100000000 : 0;
        row.nest = i / 48 ? 16 : 0;
        row.time = (struct timing){"events", 20, 1.2345e-05, 1e-9, 1.2345e+05, 1e-9, false};
        rows[count++] = row;
    }
    for (int name = 0; name <= 50; name += 10) {
        print_table(name, false, rows, count, EXIT_WRONG);
        EXPECT(longest_line() <= 100, "%zu columns for names of %d:\n%s", longest_line(), name,
               text);
    }
    print_table(0, true, rows, count, EXIT_WRONG);
    EXPECT(longest_line() > 200 && strstr(text, rows[0].device), "--wide: %zu", longest_line());
}

/* Prints a row on a pseudoterminal with these variables in the environment (NULL: unset). Returns
 * whether `text`, which becomes what was printed, has escape sequences. */
static bool coloured(const char *term, const char *no_color)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    struct row row = full_row();
    row.variant = "plain";
    if (grantpt(master) != 0 || unlockpt(master) != 0)
        abort();
    term ? setenv("TERM", term, 1) : unsetenv("TERM");
    no_color ? setenv("NO_COLOR", no_color, 1) : unsetenv("NO_COLOR");
    redirect(1, ptsname(master));
    struct results *results = results_open("demo", "device", NULL);
    results_add(results, &row);
    row.time.disturbed = true;
    results_add(results, &row);
    row.status = "wrong";
    results_add(results, &row);
    results_close(results);
    redirect(1, NULL);
    size_t length = 0;
    for (ssize_t more = 1; more > 0; length += more > 0 ? (size_t)more : 0)
        more = read(master, text + length, sizeof text - 1 - length);
    text[length] = 0;
    close(master);
    EXPECT(strstr(text, "plain") && strstr(text, "disturbed"), "'%s'", text);
    return strchr(text, '\033');
}

static void test_colour(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0) {
        printf("colours: skipped, no pseudo-terminal here\n");
        return;
    }
    close(master);
    EXPECT(coloured("xterm", NULL) && strstr(text, "\033[32mok\033[0m") &&
               strstr(text, "\033[33mdisturbed\033[0m") && strstr(text, "\033[31mwrong\033[0m") &&
               strstr(text, "\033[1mtype s"),
           "'%s'", text);
    EXPECT(coloured("xterm", ""), "an empty NO_COLOR: '%s'", text);
    EXPECT(!coloured("xterm", "0"), "NO_COLOR=0: '%s'", text);
    EXPECT(!coloured("dumb", NULL) && !coloured(NULL, NULL), "a dumb terminal: '%s'", text);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    struct row row = full_row();
    print_table(0, false, &row, 1, EXIT_VERIFIED);
    EXPECT(!strchr(text, '\033'), "a file: '%s'", text);
}

int main(void)
{
    if (!mkdtemp(directory))
        return 1;
    snprintf(path, sizeof path, "%s/a.csv", directory);
    test_fields();
    test_file();
    test_table();
    test_width();
    test_colour();
    close_gives(EXIT_VERIFIED, "ok", 1e-9, ",1.000e-09,ok\n");
    close_gives(EXIT_WRONG, "wrong", 1e-3, ",1.000e-03,wrong\n");
    close_gives(EXIT_WRONG, "not ok", 0, ",0.000e+00,not ok\n");
    close_gives(EXIT_WRONG, "not ok", -1, ",,not ok\n");
    close_gives(EXIT_WRONG, "", 1e-3, ",1.000e-03,\n");
    close_gives(EXIT_WRONG, NULL, 1e-3, ",1.000e-03,\n");
    disturbed_is(EXIT_VERIFIED, "ok", 1e-9, 5, ",1.000e-09,disturbed\n");
    disturbed_is(EXIT_VERIFIED, "ok", 1e-9, 0, ",1.000e-09,ok\n");
    disturbed_is(EXIT_WRONG, "wrong", 1e-3, 5, ",1.000e-03,wrong\n");
    disturbed_is(EXIT_WRONG, "ok", NAN, 5, ",nan,error is nan\n");
    close_gives(EXIT_WRONG, "ok", NAN, ",nan,error is nan\n");
    close_gives(EXIT_WRONG, "ok", -NAN, ",nan,error is nan\n");
    char missing[80];
    snprintf(missing, sizeof missing, "%s/missing/a.csv", directory);
    test_refused(missing, ENOENT);
    test_refused(directory, EISDIR);
    test_refused("/dev/null", EINVAL);
    if (geteuid() != 0) { /* root may write everywhere */
        chmod(directory, 0500);
        test_refused(path, EACCES);
        chmod(directory, 0700);
    }
    EXPECT(files_in_directory() == 0, "%d files left", files_in_directory());
    test_lost();
    test_links(false);
    test_links(true);
    test_killed();
    EXPECT(cpu_name()[0] && !strchr(cpu_name(), ',') && strstr(cpu_name(), " core"), "'%s'",
           cpu_name());
    EXPECT(rmdir(directory) == 0, "%s is not empty", directory);
    return expect_done();
}
