/* The command line of the report. */
#include "report.h"

#include <getopt.h>
#include <sys/stat.h>

static const char usage[] =
    "Usage: build/cpu/report [OPTION]... RESULTS\n"
    "Judge the papers' claims by the CSV files in the directory RESULTS, write\n"
    "report.html, report.md, explore.html and claims.csv there, and print a summary.\n"
    "It must be run in the top directory of the repository, whose plots/ it reads.\n"
    "\n"
    "  --reference DIR  a run to compare with, which also judges the claims for which\n"
    "                   RESULTS has no data\n"
    "  --fits           write only fit.csv and fit_l22.csv, which the figures read\n"
    "  --help           show this\n"
    "\n"
    "Exit status: 0 done; 1 a file cannot be read or written; 2 usage.\n";

struct command {
    const char *reference, *results; /* reference: "" if there is none */
    bool fits, help;
};

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Returns false after a line on stderr if the command line is wrong. */
static bool read_command(struct command *command, int argc, char *argv[])
{
    static const struct option options[] = {{"reference", required_argument, NULL, 'r'},
                                            {"fits", no_argument, NULL, 'f'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    *command = (struct command){.reference = ""};
    opterr = 0; /* the messages are printed here */
    for (;;) {
        const char *word = argv[optind];
        int c = getopt_long(argc, argv, "+:", options, NULL);
        if (c == -1)
            break;
        if (c == 'r')
            command->reference = optarg;
        else if (c == 'f')
            command->fits = true;
        else if (c == 'h')
            command->help = true;
        else {
            fprintf(stderr, "report: '%s': %s; --help shows what is allowed\n", word,
                    c == ':' ? "the value is missing" : "unknown option");
            return false;
        }
    }
    if (command->help)
        return true;
    if (argc - optind != 1) {
        fprintf(stderr, "report: give one directory of results, not %d; --help explains it\n",
                argc - optind);
        return false;
    }
    command->results = argv[optind];
    const char *const directories[] = {command->results, command->reference};
    for (size_t i = 0; i < 2; i++)
        if ((i == 0 || directories[i][0] != '\0') && !is_directory(directories[i])) {
            fprintf(stderr, "report: '%s': no such directory\n", directories[i]);
            return false;
        }
    return true;
}

/* Writes all pages. Returns false after a line on stderr if one of them cannot be written. */
static bool write_all(const struct run *run, const struct run *reference)
{
    struct report *report = keep(sizeof *report);
    if (!report_read(report, run, reference) || !write_claims(report) || !write_page(report) ||
        !write_index(report) ||
        !write_explore(run, reference, text("%s/explore.html", run->directory)))
        return false;
    write_summary(report, stdout);
    return true;
}

static bool execute(const struct command *command)
{
    struct run run, reference;
    if (!run_read(&run, command->results))
        return false;
    if (command->fits)
        return write_fits(&run, command->results);
    if (command->reference[0] == '\0')
        return write_all(&run, NULL);
    return run_read(&reference, command->reference) && write_all(&run, &reference);
}

int main(int argc, char *argv[])
{
    struct command command;
    if (!read_command(&command, argc, argv))
        return 2;
    bool done = true;
    if (command.help)
        fputs(usage, stdout);
    else
        done = execute(&command);
    release_all();
    if (fflush(stdout) != 0) {
        fputs("report: standard output cannot be written\n", stderr);
        return 1;
    }
    return done ? 0 : 1;
}
