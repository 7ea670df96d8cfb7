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
    "  --stability      judge several runs, RESULTS..., and print the outcome of each\n"
    "                   clause in each of them as CSV\n"
    "  --help           show this\n"
    "\n"
    "Exit status: 0 done; 1 a file cannot be read or written; 2 usage.\n";

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
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

/* Returns the exit status. reference: NULL if there is none. */
static int report_on(const char *results, const char *reference_directory, bool fits)
{
    const char *const directories[] = {results, reference_directory};
    struct run run, reference, *beside = reference_directory == NULL ? NULL : &reference;
    for (size_t i = 0; i < 2; i++)
        if (directories[i] != NULL && !is_directory(directories[i])) {
            fprintf(stderr, "report: '%s': no such directory\n", directories[i]);
            return 2;
        }
    bool done = run_read(&run, results);
    if (done && fits)
        done = write_fits(&run, results);
    else if (done)
        done = (beside == NULL || run_read(beside, reference_directory)) && write_all(&run, beside);
    return done ? 0 : 1;
}

int main(int argc, char *argv[])
{
    static const struct option options[] = {{"reference", required_argument, NULL, 'r'},
                                            {"fits", no_argument, NULL, 'f'},
                                            {"stability", no_argument, NULL, 's'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    const char *reference = NULL;
    bool fits = false, help = false, stability = false;
    opterr = 0; /* the messages are printed here */
    const char *word = argv[optind];
    for (int c; (c = getopt_long(argc, argv, "+:", options, NULL)) != -1; word = argv[optind]) {
        if (c == 'r')
            reference = optarg[0] == '\0' ? NULL : optarg;
        fits = fits || c == 'f';
        help = help || c == 'h';
        stability = stability || c == 's';
        if (c == '?' || c == ':') {
            fprintf(stderr, "report: '%s': %s; --help shows what is allowed\n", word,
                    c == ':' ? "the value is missing" : "unknown option");
            return 2;
        }
    }
    int status = 0;
    if (help)
        fputs(usage, stdout);
    else if (stability && argc > optind)
        status = write_stability(stdout, (size_t)(argc - optind), argv + optind) ? 0 : 1;
    else if (argc - optind == 1)
        status = report_on(argv[optind], reference, fits);
    else {
        fprintf(stderr, "report: give one directory of results, not %d; --help explains it\n",
                argc - optind);
        return 2;
    }
    release_all();
    if (fflush(stdout) != 0) {
        fputs("report: standard output cannot be written\n", stderr);
        return 1;
    }
    return status;
}
