/* Tests of what run_all.sh prints at its end, and of claims.csv. */
#include "test_report.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_verified(void)
{
    struct run run = run_of("pcr.csv", "pcr,a,s,1,,,,,,,,,total,D,1,,ok\n"
                                       "pcr,b,s,1,,,,,,,,,total,D,,,ok\n"
                                       "pcr,c,s,1,,,,,,,,,total,D,1,,disturbed\n"
                                       "pcr,d,s,1,,,,,,,,,total,D,1,,wrong\n"
                                       "pcr,e,s,1,,,,,,,,,total,D,,,\n"
                                       "pcr,f,s,1,,,,,,,,,total,D,,,breakdown\n"
                                       "pcr,g,s,1,,,,,,,,,total,D,,,wrong\n");
    EXPECT(run_add(&run, "copies.csv",
                   "program,variant,median_ms,error,status\npcr,copy,1,,ok\npcr,pcr,1,0,ok\n"),
           "a copy has no result to verify");
    struct verified rows = verified(&run);
    EXPECT(rows.ok == 3 && rows.disturbed == 1 && rows.wrong == 4, "%zu, %zu, %zu", rows.ok,
           rows.disturbed, rows.wrong);
    EXPECT(same(rows.wrong_row[0]->variant, "d") && same(rows.wrong_row[2]->variant, "f"),
           "the first wrong rows");
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

/* The closing lines of a run. */
static const char *summary_of(const struct report *report)
{
    char *written;
    size_t length;
    FILE *file = open_memstream(&written, &length);
    EXPECT(file != NULL, "memory");
    write_summary(report, file);
    fclose(file);
    const char *result = text("%s", written);
    free(written);
    return result;
}

/* Three claims: judged in part, not measured, disturbed. */
static struct report three_claims(const struct run *run)
{
    struct report report = {.run = run, .claims = 3, .seconds = 75};
    const enum verdict own[] = {IN_PART, NOT_MEASURED, NOT_MEASURED},
                       there[] = {REPRODUCED, REPRODUCED, NOT_MEASURED};
    for (size_t i = 0; i < 3; i++) {
        report.claim[i] = (struct claim){
            .id = "X-1", .brief = "faster, \"they say\"", .device = "D", .verdict = own[i]};
        report.other[i] = report.claim[i];
        report.other[i].verdict = there[i];
    }
    report.claim[2].disturbed = true;
    return report;
}

static void test_closing_lines(const char *directory)
{
    const char *log = text("%s/run.txt", directory);
    struct run good = run_of("pcr.csv", "pcr,a,s,1,,,,,,,,,total,D,1,,ok\n"
                                        "pcr,b,s,1,,,,,,,,,total,D,1,,disturbed\n");
    good.directory = directory;
    struct report report = three_claims(&good);
    const char *lines = "rows: 2 verified, 0 wrong, 1 disturbed by other load\n"
                        "time of the programs: 1 min 15 s\n"
                        "claims judged here: 1 (0 reproduced, 1 in part, 0 not), 1 disturbed\n",
               *end = text("Everything is verified. Open %s/report.html\n", directory),
               *says = summary_of(&report);
    EXPECT(same(says, text("%sclaims not measured: 2\n%s", lines, end)), "%s", says);
    report.reference = &good;
    says = summary_of(&report);
    EXPECT(same(says, text("%sclaims taken from the reference: 1 (1 reproduced, 0 in part, 0 not)\n"
                           "claims not measured: 1\n%s",
                           lines, end)),
           "%s", says);
    write_file(log, "pcr\tquick\t1\t5\t9 9\nnshape\tquick\t3\t5\t9 9\n"
                    "pscheme_g\tquick\t0\t5\t9 9\n");
    struct run bad = run_of("pcr.csv", "pcr,a,s,8,,,,,,,,,total,D,1,,wrong\n"
                                       "pcr,b,s,8,,,,,,,,,total,D,1,,wrong\n");
    bad.directory = directory;
    report.run = &bad;
    EXPECT(has(summary_of(&report),
               "\nwrong: pcr a, type s, n = 8: wrong\nwrong: pcr b, type s, n "
               "= 8: wrong\nfailed: nshape, exit status 3\nNot everything is verified. Open "),
           "three failures");
    EXPECT(run_add(&bad, "more.csv",
                   COLUMNS
                   "pcr,c,s,8,,,,,,,,,total,D,1,,wrong\npcr,d,s,8,,,,,,,,,total,D,1,,wrong\n"),
           "more rows");
    says = summary_of(&report);
    EXPECT(has(says, "wrong: pcr c, type s, n = 8: wrong\nand 2 more\n"), "%s", says);
    EXPECT(lines_of(says) <= 10, "%zu lines", lines_of(says));
    EXPECT(remove(log) == 0, "%s", log);
}

static void test_claims_csv(const char *directory)
{
    const struct run run = {.directory = directory};
    struct report report = three_claims(&run);
    report.reference = &run;
    report.claim[0].clauses = 1;
    struct judged numbers[] = {{"x, y", 1, false, false},
                               {"z\r", 3, true, false},
                               {"w", 2.05, true, true},
                               {"none", NAN, false, false}};
    report.claim[0].clause[0] = (struct clause){
        .letter = "a", .low_text = ">2", .high_text = "", .judged = numbers, .count = 4};
    EXPECT(write_claims(&report), "claims.csv");
    const char *path = text("%s/claims.csv", directory), *csv = read_file(path);
    const char *begin = "id,part,source,device,verdict,label,value,low,high\n"
                        "X-1,,run,D,in part,\"faster, \"\"they say\"\"\",,,\n"
                        "X-1,a,run,D,fails,\"x, y\",1,>2,\n"
                        "X-1,a,run,D,holds,\"z\r\",3,>2,\n"
                        "X-1,a,run,D,just holds,w,2.05,>2,\n"
                        "X-1,a,run,D,fails,none,,>2,\n"
                        "X-1,,reference,D,reproduced,";
    EXPECT(csv != NULL && strstr(csv, begin) == csv, "%s", csv);
    EXPECT(lines_of(csv) == 11, "%zu lines", lines_of(csv));
    EXPECT(remove(path) == 0, "%s", path);
}

/* W12-1 holds in one run and fails in the other, so the run that knows of both does not decide. */
static void test_stability(const char *directory)
{
    char *runs[] = {keep(100), keep(100)}, *written;
    size_t length;
    for (int i = 0; i < 2; i++) {
        sprintf(runs[i], "%s/%d", directory, i);
        EXPECT(mkdir(runs[i], 0777) == 0, "%s", runs[i]);
        write_file(text("%s/pscheme_cpu.csv", runs[i]),
                   text("# revision: abcdef%d\n# date: 2026-01-0%dT10:20:30Z\n" COLUMNS
                        "pscheme_cpu,substitution,s,1000,,,,,1,,,,p,CPU,1,,ok\n"
                        "pscheme_cpu,pscheme_eq13,s,1000,,,,,1,,,,p,CPU,%d,,ok\n",
                        i, i + 1, 2 + 2 * i));
    }
    FILE *file = open_memstream(&written, &length);
    EXPECT(file != NULL && write_stability(file, 2, runs) && fclose(file) == 0, "two runs");
    EXPECT(has(written, "# run 2: , revision abcdef1, 2026-01-02 10:20\n"), "%s", written);
    EXPECT(has(written, "\nid,clause,runs,holds,run 1,run 2\nW12-1,a,2,1,holds,fails\n"), "%s",
           written);
    EXPECT(has(written, "\nL22-1,a,0,0,not judged,not judged\n"), "%s", written);
    write_file(text("%s/stability.csv", runs[1]), written);
    char *again;
    file = open_memstream(&again, &length);
    EXPECT(write_stability(file, 2, runs) && fclose(file) == 0 && same(again, written),
           "a run that has a stability.csv: %s", again);
    free(again);
    free(written);
    struct run run;
    EXPECT(run_read(&run, runs[1]), "%s", runs[1]);
    const struct claim *claim = judged_by("W12-1", &run);
    EXPECT(clause_outcome(&claim->clause[0]) == UNDECIDED && claim->verdict == NOT_DECIDED &&
               same(claim->clause[0].undecided, "holds in 1 of 2 runs"),
           "not decided");
    EXPECT(system(text("rm -r '%s' '%s'", runs[0], runs[1])) == 0, "removed");
}

void test_summary(void)
{
    const char *directory = temporary_directory();
    test_stability(directory);
    test_verified();
    test_closing_lines(directory);
    test_claims_csv(directory);
    EXPECT(rmdir(directory) == 0, "nothing else is left");
}
