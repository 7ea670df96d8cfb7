/* Tests of results.h, table.h and csv.h: a CSV file is complete as soon as it exists, and the files
 * of all programs have the same columns. */
#include "csv.h"
#include "expect.h"
#include "options.h"
#include "results.h"
#include "table.h"
#include "test_text.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char directory[] = "/tmp/test_results.XXXXXX";
static char path[64], log_file[64], text[65536]; /* `text`: what was read last */

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
    read_text(name, text, sizeof text);
}

/* Ends the redirection of a stream to log_file, which is read. */
static void end_log(int stream)
{
    redirect(stream, NULL);
    read_file(log_file);
    unlink(log_file);
}

static void write_old(const char *name)
{
    FILE *old = fopen(name, "w");
    fputs("old", old);
    fclose(old);
}

static void add_rows(struct results *results, const struct row *rows, int count)
{
    redirect(1, "/dev/null");
    for (int i = 0; i < count; i++)
        results_add(results, &rows[i]);
    redirect(1, NULL);
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

/* The lines at the head of a file, without the driver's of a GPU. */
static const char heading[] =
    "^# program: demo, one\n# device: two lines\n# cpu: [^\n]+\n# compiler: [^\n]+\n"
    "# flags: [^\n]+\n# revision: [^\n]+\n# date: 2[0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:"
    "[0-9]{2}Z\n";
static const char file_text[] =
    "program,variant,type,n,batch,blocks,threads,parts,cores,nest,ranks,case,phase,device,timer,"
    "samples,median_ms,q1_ms,q3_ms,min_ms,bytes,error,status\n"
    "\"demo, one\",\"odd, \"\"quoted\"\"\nname\",s,1099511627776,2,3,4,5,6,7,8,M,total,"
    "\"a, device\",clock x8,20,1.23457,1,1e-07,0.5,12345678901234,1.235e-07,ok\n"
    "\"demo, one\",,,,,,,,,,,,,,,,,,,,,,ok\n"
    "\"demo, one\",v,,,,,,,,,,,,,,,,,,,,inf,ok\n";

static void test_file(void)
{
    struct results *results = results_open("demo, one", "two\nlines", path);
    EXPECT(results && files_in_directory() == 0, "%d files after open", files_in_directory());
    if (!results)
        return;
    struct row rows[] = {full_row(),
                         {.status = "ok", .error = -1},
                         {.variant = "v", .status = "ok", .error = INFINITY}};
    rows[2].time = timing_none();
    add_rows(results, rows, 3);
    EXPECT(files_in_directory() == 0, "%d files before close", files_in_directory());
    mode_t mask = umask(022);
    EXPECT(results_close(results) == EXIT_VERIFIED, "close");
    umask(mask);
    EXPECT(files_in_directory() == 1, "%d files after close", files_in_directory());
    struct stat info;
    EXPECT(stat(path, &info) == 0 && (info.st_mode & 0777) == 0644, "mode %o", info.st_mode & 0777);
    read_file(path);
    char *driver = strstr(text, "# driver: "), *after = driver ? strchr(driver, '\n') + 1 : NULL;
    if (driver)
        memmove(driver, after, strlen(after) + 1);
    regex_t pattern;
    regmatch_t match = {0};
    regcomp(&pattern, heading, REG_EXTENDED);
    EXPECT(regexec(&pattern, text, 1, &match, 0) == 0, "the heading is not %s:\n%s", heading, text);
    regfree(&pattern);
    EXPECT(strcmp(text + match.rm_eo, file_text) == 0, "'%s' is not\n'%s'", text + match.rm_eo,
           file_text);
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

/* What results_close returns if the first of two rows has this status, error and time, and the
 * second is good; and how the first ends in the file. A disturbed time alone is no failure. */
static const struct {
    int expected;
    const char *status;
    double error;
    bool disturbed;
    int samples;
    const char *last;
} closes[] = {
    {EXIT_VERIFIED, "ok", 1e-9, false, 20, ",1.000e-09,ok\n"},
    {EXIT_WRONG, "wrong", 1e-3, false, 20, ",1.000e-03,wrong\n"},
    {EXIT_WRONG, "not ok", 0, false, 20, ",0.000e+00,not ok\n"},
    {EXIT_WRONG, "not ok", -1, false, 20, ",,not ok\n"},
    {EXIT_WRONG, "", 1e-3, false, 20, ",1.000e-03,\n"},
    {EXIT_WRONG, NULL, 1e-3, false, 20, ",1.000e-03,\n"},
    {EXIT_VERIFIED, "ok", 1e-9, true, 5, ",1.000e-09,disturbed\n"},
    {EXIT_VERIFIED, "ok", 1e-9, true, 0, ",1.000e-09,ok\n"},
    {EXIT_WRONG, "wrong", 1e-3, true, 5, ",1.000e-03,wrong\n"},
    {EXIT_WRONG, "ok", NAN, true, 5, ",nan,error is nan\n"},
    {EXIT_WRONG, "ok", NAN, false, 20, ",nan,error is nan\n"},
    {EXIT_WRONG, "ok", -NAN, false, 20, ",nan,error is nan\n"},
};

static void test_closes(void)
{
    for (size_t k = 0; k < sizeof closes / sizeof *closes; k++) {
        struct results *results = results_open("demo", "device", path);
        struct row rows[2] = {full_row(), full_row()};
        rows[0].status = closes[k].status;
        rows[0].error = closes[k].error;
        rows[0].time.disturbed = closes[k].disturbed;
        rows[0].time.samples = closes[k].samples;
        add_rows(results, rows, 2);
        int got = results_close(results);
        read_file(path);
        EXPECT(got == closes[k].expected && strstr(text, closes[k].last),
               "%d, not %d, and the file lacks '%s': %s", got, closes[k].expected, closes[k].last,
               text);
        unlink(path);
    }
}

/* Each sample of a timed row is appended to SAMPLES_FILE, in the order in which it was taken. */
static void test_samples_file(void)
{
    double ms[] = {3, 1, 2};
    struct row row = full_row();
    setenv("SAMPLES_FILE", path, 1);
    row.time = timing_summary("clock", ms, 3);
    struct results *results = results_open("demo", "device", NULL);
    add_rows(results, &row, 1);
    row.time = timing_none();
    add_rows(results, &row, 1);
    results_close(results);
    unsetenv("SAMPLES_FILE");
    read_file(path);
    EXPECT(
        strcmp(
            text,
            "demo,\"odd, \"\"quoted\"\"\nname\",s,1099511627776,2,3,4,5,6,7,8,M,total,3,1,2\n") ==
            0,
        "'%s'", text);
    unlink(path);
    row.time = timing_summary("clock", ms, 3);
    EXPECT(timing_samples(&row.time) == NULL, "without SAMPLES_FILE");
}

static void test_refused(const char *name, int error)
{
    char line[256];
    redirect(2, log_file);
    struct results *results = results_open("demo", "device", name);
    end_log(2);
    EXPECT(!results, "'%s' was accepted", name);
    snprintf(line, sizeof line, "demo: --csv: cannot write '%s': %s\n", name, strerror(error));
    EXPECT(strcmp(text, line) == 0, "'%s', not '%s'", text, line);
}

/* The directory is gone at the end; the name is that of a directory; there is no row. */
static void test_lost(void)
{
    char sub[64], file[80];
    struct row row = full_row();
    snprintf(sub, sizeof sub, "%s/sub", directory);
    for (int k = 0; k < 3; k++) {
        snprintf(file, sizeof file, "%s/a.csv", k == 0 ? sub : directory);
        if (k == 0)
            mkdir(sub, 0700);
        struct results *results = results_open("demo", "device", file);
        if (k == 0)
            rmdir(sub);
        add_rows(results, &row, k < 2);
        if (k == 1)
            mkdir(file, 0700);
        redirect(2, log_file);
        int status = results_close(results);
        end_log(2);
        EXPECT(status == EXIT_USAGE && files_in_directory() == (k == 1), "%d: status %d, %d files",
               k, status, files_in_directory());
        EXPECT(k == 2 || strstr(text, "demo: --csv: cannot write '") == text, "'%s'", text);
        rmdir(file);
    }
}

/* Writes directory/a_b.csv, by csv.h or results.h. `text` becomes what stderr got. */
static bool written(bool by_csv)
{
    char prefix[64];
    bool done = false;
    snprintf(prefix, sizeof prefix, "%s/a", directory);
    redirect(2, log_file);
    if (by_csv) {
        struct csv csv;
        if (csv_open(&csv, "demo", prefix, "b", "n,error")) {
            fprintf(csv.file, "1,2\n");
            done = csv_close(&csv);
        }
    } else {
        struct results *results = results_open("demo", "device", path);
        struct row row = full_row();
        if (results) {
            add_rows(results, &row, 1);
            done = results_close(results) == EXIT_VERIFIED;
        }
    }
    end_log(2);
    return done;
}

static void link_to(const char *target, const char *name)
{
    EXPECT(symlink(target, name) == 0, "no link %s to %s", name, target);
}

/* Tests that `path`, a link to `target`, stays a link. What it leads to must be replaced or created
 * or, with an error, stay as it is, which is the file `real` if it is `there`. */
static void test_link(bool by_csv, const char *target, const char *real, int error, bool there)
{
    const char *const what = by_csv ? "csv.h" : "results.h";
    const char *begin = !error ? "# program: demo\n" : there ? "old" : "";
    char line[256] = "";
    struct stat link, before, after;
    if (there)
        write_old(real);
    stat(real, &before);
    link_to(target, path);
    bool done = written(by_csv);
    if (error)
        snprintf(line, sizeof line, "demo: %scannot write '%s'%s%s\n",
                 by_csv ? "" : "--csv: ", path, by_csv ? "" : ": ", by_csv ? "" : strerror(error));
    EXPECT(done == !error && strcmp(text, line) == 0, "%s, link to %s: '%s', not '%s'", what,
           target, text, line);
    EXPECT(lstat(path, &link) == 0 && S_ISLNK(link.st_mode), "%s: the link to %s is gone", what,
           target);
    read_file(real);
    EXPECT(strncmp(text, begin, strlen(begin)) == 0, "%s: '%.40s' behind the link to %s", what,
           text, target);
    EXPECT(error || !there || (stat(real, &after) == 0 && after.st_ino != before.st_ino),
           "%s: written in place, not replaced", what);
    EXPECT(files_in_directory() == 3, "%s: %d files", what, files_in_directory());
    unlink(real);
    unlink(path);
}

static void test_links(bool by_csv)
{
    char sub[64], locked[64], real[80], other[80], behind[80];
    snprintf(path, sizeof path, "%s/a_b.csv", directory);
    snprintf(sub, sizeof sub, "%s/sub", directory);
    snprintf(locked, sizeof locked, "%s/locked", directory);
    snprintf(real, sizeof real, "%s/real.csv", sub);
    snprintf(other, sizeof other, "%s/other.csv", sub);
    snprintf(behind, sizeof behind, "%s/a.csv", locked);
    mkdir(sub, 0700);
    mkdir(locked, 0500);
    link_to("real.csv", other); /* through which `path` leads to the file by two links */
    const struct {
        const char *target;
        int error;
    } links[] = {
        {"sub/real.csv", 0},   {real, 0},          {"sub/other.csv", 0},  {sub, EISDIR},
        {"/dev/null", EINVAL}, {"a_b.csv", ELOOP}, {"missing/a", ENOENT}, {behind, EACCES}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        for (int there = 1; there >= 0; there--)
            if (links[i].error != EACCES || geteuid() != 0) /* root may write everywhere */
                test_link(by_csv, links[i].target, real, links[i].error, there);
    unlink(other);
    EXPECT(rmdir(locked) == 0 && rmdir(sub) == 0 && files_in_directory() == 0, "files left");
    snprintf(path, sizeof path, "%s/a.csv", directory);
}

static void test_killed(void)
{
    write_old(path);
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
    redirect(1, log_file);
    table_style(name, wide);
    struct results *results = results_open("demo", "device", NULL);
    for (int i = 0; i < count; i++)
        results_add(results, &rows[i]);
    /* progress must not print to stdout, whether that is a terminal or not. */
    progress("demo", 1, 2, "rows");
    progress("demo", 2, 2, "rows");
    int status = results_close(results);
    table_style(0, false);
    end_log(1);
    EXPECT(status == expected, "status %d", status);
}

static void words_are(const char *expected)
{
    EXPECT(strcmp(flat(text), expected) == 0, "'%s' is not\n%s", text, expected);
}

static void test_table(void)
{
    struct row row = full_row(), cpu = full_row(), plain = {.variant = "v", .status = "wrong"};
    row.variant = "plain";
    row.bytes = 1e9;
    row.n = 1 << 20;
    row.ranks = 0;
    row.time = (struct timing){"events", 20, 2, 1.5, 2.5, 1, false, 0};
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
              "v - - - - - - - nan wrong ");
    /* Right-aligned: the last digit of a number stands below the last letter of its heading. */
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
              "plain total 6 cores - 2 - 500 1.2e-07 ok ");

    print_table(0, true, (struct row[]){row, plain}, 2, EXIT_WRONG);
    words_are("variant type n batch blocks threads parts cores nest ranks case phase timer samples "
              "median_ms q1_ms q3_ms min_ms GB/s error status device "
              "plain s 1048576 2 3 4 5 6 7 - M total events 20 2 1.5 2.5 1 500 1.23e-07 ok a, "
              "device "
              "v - - - - - - - - - - - - - - - - - - nan wrong - ");
}

/* Rows with long names, devices and numbers, in all combinations, have at most 100 columns. */
static void test_width(void)
{
    static const char *const names[] = {"v", "cusparse_interleaved_thomas",
                                        "a_variant_with_a_very_long_name_of_fifty_characters"};
    static const char *const phases[] = {"p", "total+rearrange"};
    static const char *const states[] = {"ok", "error is nan"};
    enum { ROWS = 96 };
    struct row rows[ROWS], row = full_row();
    for (int i = 0; i < ROWS; i++) {
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
        row.time = (struct timing){"events", 20, 1.2345e-05, 1e-9, 1.2345e+05, 1e-9, false, 0};
        rows[i] = row;
    }
    for (int name = 0; name <= 50; name += 10) {
        print_table(name, false, rows, ROWS, EXIT_WRONG);
        EXPECT(longest_line(text) <= 100, "%zu columns for names of %d:\n%s", longest_line(text),
               name, text);
    }
    print_table(0, true, rows, ROWS, EXIT_WRONG);
    EXPECT(longest_line(text) > 200 && strstr(text, rows[0].device), "--wide: %zu",
           longest_line(text));
}

/* Prints a row on a pseudoterminal with these variables in the environment (NULL: unset). Returns
 * whether `text`, which becomes what was printed, has escape sequences. */
static bool coloured(const char *term, const char *no_color)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    struct row row = full_row();
    if (grantpt(master) != 0 || unlockpt(master) != 0)
        abort();
    row.variant = "plain";
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
    snprintf(log_file, sizeof log_file, "%s.log", directory);
    test_fields();
    test_file();
    test_table();
    test_width();
    test_colour();
    test_closes();
    test_samples_file();
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
