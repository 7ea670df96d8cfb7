/* Tests of the claims of PL19: small made-up CSV files that flip each verdict. */
#include "test_report.h"

/* Appends a row of thomas_batch, of 9 elements a row for Thomas and SERICR and 36 for PARACR.
 * `variant` may name a number of CPU cores: "thomas_cpu 16". ms: NaN for no time. */
static const char *row_of(const char *rows, const char *variant, const char *type, int n, int batch,
                          const char *phase, double ms, const char *status)
{
    size_t name = strcspn(variant, " ");
    const char *cores = variant[name] == '\0' ? "" : variant + name + 1;
    return joined(rows, "", "thomas_batch,%.*s,%s,%d,%d,,,,%s,,,,%s,%s,%s,%.0f,%s\n", (int)name,
                  variant, type, n, batch, cores, phase, cores[0] == '\0' ? "GPU" : "CPU",
                  isnan(ms) ? "" : text("%.15g", ms),
                  (strncmp(variant, "paracr", 6) == 0 ? 36. : 9.) * 4 * n * batch, status);
}
/* The same of n = 4095 in single precision. */
static const char *row(const char *rows, const char *variant, int batch, const char *phase,
                       double ms)
{
    return row_of(rows, variant, "s", 4095, batch, phase, ms, "ok");
}

/* Appends rows for all numbers of systems of the paper's tables, ms for each 5000 systems. */
static const char *rows_of(const char *rows, const char *variant, const char *type, double ms)
{
    for (int batch = 5000; batch <= 25000; batch += 5000)
        rows = row_of(rows, variant, type, 4095, batch, "total", ms * batch / 5000, "ok");
    return rows;
}
static const char *three(const char *one, const char *two, const char *other, const double ms[3])
{
    return rows_of(rows_of(rows_of("", one, "s", ms[0]), two, "s", ms[1]), other, "s", ms[2]);
}

static const char *times_1(const double ms[4])
{
    return three("thomas_cpu 1", "thomas_global", "thomas_shared", ms);
}
static const char *times_2(const double ms[4])
{
    return three("sericr_cpu 1", "sericr_global", "sericr_shared", ms);
}
static const char *times_3(const double ms[4])
{
    const char *rows = three("paracr_global", "paracr_partial", "paracr_shared", ms);
    return ms[3] == 0 ? rows : rows_of(rows, "sericr_cpu 1", "s", ms[3]);
}
static const char *times_4(const double ms[4])
{
    return rows_of(rows_of("", "thomas_shared", "s", ms[0]), "paracr_partial", "s", ms[1]);
}

/* Appends the same times with transfers. */
static const char *with(const char *rows, const char *variant, double ms)
{
    for (int batch = 5000; batch <= 25000; batch += 5000)
        rows = row(rows, variant, batch, "total+transfers", ms * batch / 5000);
    return rows;
}
static const char *with_1(const double ms[4])
{
    const char *rows = times_1((double[4]){126, 100, 68});
    return with(with(rows, "thomas_global", ms[0]), "thomas_shared", ms[1]);
}
static const char *with_2(const double ms[4])
{
    const char *rows = times_2((double[4]){100, 103, 102});
    return with(with(rows, "sericr_global", ms[0]), "sericr_shared", ms[1]);
}
static const char *with_3(const double ms[4])
{
    return with(times_3((double[4]){102, 100, 150, 200}), "paracr_partial", ms[0]);
}
static const char *with_4(const double ms[4])
{
    const char *rows = times_4((double[4]){10, 41});
    return with(with(rows, "thomas_shared", ms[0]), "paracr_partial", ms[1]);
}

static void test_transfers(void)
{
    static const struct made made_1[] = {{{100, 68}, "abcdef-hijkl"}, {{100, 100}, "abcdef-hi---"},
                                         {{127, 68}, "abcdef---jk-"}, {{100, 127}, "abcdef--i---"},
                                         {{50, 34}, "abcdef-h--kl"},  {{NAN, 68}, "abcdef-h?j??"}};
    EXPECT_MADE("PL19-1", with_1, made_1);
    static const struct made made_2[] = {{{103, 102}, "abcdef"},
                                         {{103, 103}, "abcde-"},
                                         {{99, 102}, "abc-e-"},
                                         {{102, 99}, "abcd-f"}};
    EXPECT_MADE("PL19-2", with_2, made_2);
    static const struct made made_3[] = {
        {{110}, "abcdef"}, {{111}, "abcde-"}, {{89}, "abcdef"}, {{88}, "abcde-"}};
    EXPECT_MADE("PL19-3", with_3, made_3);
    static const struct made made_4[] = {{{10, 41}, "abcd"}, {{10, 39}, "abc-"}, {{10, 89}, "abcd"},
                                         {{10, 91}, "abc-"}, {{10, 10}, "ab--"}, {{10, 9}, "ab--"}};
    EXPECT_MADE("PL19-4", with_4, made_4);
}

/* The gain of shared memory must be larger with 20000 systems than with 5000, by 1% here. */
static void test_trend(void)
{
    const char *equal = times_1((double[4]){126, 100, 68}), *few = "";
    EXPECT_OUTCOME(judged("PL19-1", row(equal, "thomas_shared", 10000, "total", 1)),
                   "abc-e--?????");
    const struct claim *claim =
        judged("PL19-1", row(equal, "thomas_shared", 20000, "total", 4 * 68 / 1.01));
    EXPECT_OUTCOME(claim, "abcdefg?????");
    EXPECT_NUMBER(claim, 'g', 0, 1.01, 1e-9);
    EXPECT_SHOWS(claim, "shared over global by the number of systems: 1.47 (5000), 1.47 (10000), "
                        "1.47 (15000), 1.49");
    EXPECT(!shows(claim, "systems, with transfers"), "there are none");
    claim = judged("PL19-1", row(equal, "thomas_shared", 5000, "total", 68 / 1.01));
    EXPECT_NUMBER(claim, 'g', 0, 1 / 1.01, 1e-9);
    EXPECT_OUTCOME(judged("PL19-1", row(equal, "thomas_shared", 25000, "total", 1)),
                   "abcdef-?????");
    few = row(row(few, "thomas_cpu 1", 5000, "total", 126), "thomas_global", 5000, "total", 100);
    EXPECT_OUTCOME(judged("PL19-1", row(few, "thomas_shared", 5000, "total", 68)), "abcdef??????");
}

static void test_tables(void)
{
    static const struct made made_1[] = {
        {{100, 10, 7}, "a-c-ef-?????"},    {{126, 100, 68}, "abcdef-?????"},
        {{132, 100, 69}, "abcdef-?????"},  {{133, 100, 69}, "a-cdef-?????"},
        {{121, 100, 68}, "abcdef-?????"},  {{120, 100, 68}, "a-cdef-?????"},
        {{126, 100, 72}, "abcdef-?????"},  {{126, 100, 73}, "abcde--?????"},
        {{126, 100, 64}, "abcdef-?????"},  {{126, 100, 62}, "abcde--?????"},
        {{126, 100, 60}, "abc-e--?????"},  {{126, 100, 75}, "abc-e--?????"},
        {{100, 100, 68}, "--c-ef-?????"},  {{126, 100, 100}, "abc----?????"},
        {{100, 100, 110}, "-------?????"}, {{100, 10, NAN}, ""}};
    EXPECT_MADE("PL19-1", times_1, made_1);
    /* Equal is not slower. */
    static const struct made made_2[] = {
        {{100, 103, 102}, "abc???"}, {{100, 102, 102}, "ab-???"}, {{100, 98, 102}, "-b-???"},
        {{100, 102, 98}, "a-c???"},  {{10, 10, 40}, "-b-???"},    {{10, 40, 10}, "a-c???"},
        {{10, 5, 4}, "--c???"},      {{10, 4, 5}, "---???"},      {{10, 50, NAN}, ""}};
    EXPECT_MADE("PL19-2", times_2, made_2);
    /* A loss is not near the factor of a gain. */
    static const struct made made_3[] = {{{102, 100, 150}, "abcd??"},
                                         {{100, 100, 150}, "--cd??"},
                                         {{98, 100, 150}, "--cd??"},
                                         {{98, 100, 100}, "----??"},
                                         {{101.5, 100, 150}, "a-cd??"},
                                         {{102.6, 100, 150}, "a-cd??"},
                                         {{102, 100, 100}, "ab--??"},
                                         {{102, 100, 137}, "abc-??"},
                                         {{102, 100, 138}, "abcd??"},
                                         {{102, 100, 173}, "abcd??"},
                                         {{102, 100, 174}, "abc-??"},
                                         {{90, 100, 90}, "----??"},
                                         {{102, 100, NAN}, ""},
                                         {{102, 100, 150, 180}, "abcd-?"},
                                         {{102, 100, 150, 181}, "abcde?"},
                                         {{102, 100, 150, 226}, "abcde?"},
                                         {{102, 100, 150, 227}, "abcd-?"}};
    EXPECT_MADE("PL19-3", times_3, made_3);
    const char *cores = rows_of(times_3((double[4]){102, 100, 150}), "sericr_cpu 16", "s", 200);
    EXPECT_OUTCOME(judged("PL19-3", cores), "abcd??"); /* not on one thread */
    static const struct made made_4[] = {
        {{10, 41}, "ab??"},   {{10, 89}, "ab??"}, {{10, 39}, "a-??"}, {{10, 91}, "a-??"},
        {{10, 10.1}, "a-??"}, {{10, 10}, "--??"}, {{10, NAN}, ""}};
    EXPECT_MADE("PL19-4", times_4, made_4);
    /* Within 5% of a bound, 4 and 9 in clause b and 1 in clause a, a number just holds. */
    static const struct made just[] = {
        {{10, 41}, "holds, just holds"},   {{10, 43}, "holds, holds"},
        {{10, 85}, "holds, holds"},        {{10, 86}, "holds, just holds"},
        {{10, 10.4}, "just holds, fails"}, {{10, 39}, "holds, fails"}};
    for (size_t i = 0; i < sizeof just / sizeof *just; i++) {
        const struct claim *at = judged("PL19-4", times_4(just[i].x));
        const char *is = text("%s, %s", judged_name(clause_named(at, 'a')->judged),
                              judged_name(clause_named(at, 'b')->judged));
        EXPECT(same(is, just[i].outcome), "%g: %s", just[i].x[1], is);
    }
}

/* Which rows count. */
static void test_rows(void)
{
    /* The geometric mean over 5000 and 10000 systems; 25000 are not in the paper's table. */
    const char *two =
        row(row("", "thomas_cpu 1", 5000, "total", 8), "thomas_cpu 1", 10000, "total", 8);
    two = row(row(two, "thomas_global", 5000, "total", 1), "thomas_global", 10000, "total", 4);
    two = row(row(two, "thomas_shared", 10000, "total", 3), "thomas_cpu 1", 25000, "total", 8);
    two = row(two, "thomas_global", 25000, "total", 8);
    const struct claim *claim = judged("PL19-1", two);
    EXPECT_NUMBER(claim, 'a', 0, 4, 1e-12);
    EXPECT_NUMBER(claim, 'e', 0, 4. / 3, 1e-12);
    EXPECT_NUMBER(claim, 'f', 0, 4. / 3, 1e-12);

    /* The fastest T counts, and no row that is wrong, disturbed, untimed, of another phase, another
     * layout or another number of cores. */
    const char *good = times_1((double[4]){100, 10, 7});
    const char *more = row(good, "thomas_shared", 5000, "total", 8);
    more = row_of(more, "thomas_shared", "s", 4095, 5000, "total", 1, "wrong");
    more = row_of(more, "thomas_shared", "s", 4095, 5000, "total", 1, "disturbed");
    more = row(more, "thomas_shared", 5000, "total", NAN);
    more = row(more, "thomas_shared", 5000, "total+transfers", 1);
    more = row(more, "thomas_shared_interleaved", 5000, "total", 1);
    more = row_of(more, "thomas_shared", "s", 4096, 5000, "total", 1, "ok");
    claim = judged("PL19-1", row(more, "thomas_cpu 16", 5000, "total", 1));
    EXPECT_NUMBER(claim, 'c', 0, 100. / 7, 1e-12);
    EXPECT_LABEL(claim, 'a', 0, "15000, 20000 systems");
    EXPECT_DEVICE(claim, "GPU");
    more = times_1((double[4]){100, 10, NAN});
    EXPECT_OUTCOME(
        judged("PL19-1", row_of(more, "thomas_shared", "s", 4095, 5000, "total", 7, "disturbed")),
        "disturbed");
    EXPECT_OUTCOME(judged("PL19-1", ""), "");
}

/* What is shown and not judged. */
static void test_shown(void)
{
    const char *rows = times_1((double[4]){100, 10, 7});
    EXPECT(!shows(judged("PL19-1", rows), "Double") && !shows(judged("PL19-1", rows), "cores"),
           "nothing that was not run");
    rows = rows_of(rows_of(rows, "thomas_cpu 1", "d", 90), "thomas_shared_interleaved", "d", 3);
    rows = joined(rows, "",
                  "thomas_batch,copy,s,1000,,,,,,,,,total,GPU,0.00001,800000,ok\n"
                  "thomas_batch,copy,s,100000,,,,,,,,,total,GPU,0.001,800000,ok\n");
    EXPECT_SHOWS(judged("PL19-1", rows),
                 "Double, interleaved: global over one CPU thread -, shared over one CPU thread "
                 "30, shared over global -");
    const char *cpu =
        rows_of(times_3((double[4]){102, 100, 150, 204.75}), "thomas_cpu 1", "s", 102.375);
    EXPECT_SHOWS(judged("PL19-3", cpu),
                 "sericr_cpu: by the paper's Tables 1, 3 and 4 58.26 (57.83 to 58.73) ns a row, "
                 "6.686 (6.006 to 7.422) times thomas_cpu; here 10.00 (10.00 to 10.00) ns a row, "
                 "2.000 (2.000 to 2.000) times thomas_cpu");
    EXPECT_SHOWS(judged("PL19-3", cpu),
                 "here 4.88 (4.88 to 4.88) ns a row, 0.977 (0.977 to 0.977)");
    EXPECT_SHOWS(judged("PL19-1", rows),
                 "thomas_global, 20000 systems: at least 9 elements a row, 73.71 GB/s, 9% of");
}

/* Appends one system of n rows, times in ms. */
static const char *one(const char *rows, const char *type, int n, double thomas, double paracr)
{
    rows = row_of(rows, "thomas_shared", type, n, 1, "total", thomas, "ok");
    return row_of(rows, "paracr_partial", type, n, 1, "total", paracr, "ok");
}
/* Systems of three n, the largest with x[0] rows. */
static const char *times_5(const double x[4])
{
    return one(one(one("", "s", 1024, 1, 2), "s", 4096, 4, 1), "s", (int)x[0], x[1], x[2]);
}

static void test_pl19_5(void)
{
    static const struct made made[] = {{{262144, 70, 10}, "ab"},  {{262144, 47, 10}, "ab"},
                                       {{262144, 46, 10}, "a-"},  {{262144, 105, 10}, "ab"},
                                       {{262144, 106, 10}, "a-"}, {{262144, 10, 10}, "--"},
                                       {{262143, 70, 10}, ""}};
    EXPECT_MADE("PL19-5", times_5, made);
    const char *good = times_5((double[4]){262144, 70, 10});
    const struct claim *claim = judged("PL19-5", good);
    EXPECT_SHOWS(claim, "Single: PARACR is faster from n = 4096 on");
    EXPECT_DEVICE(claim, "GPU");
    EXPECT_SHOWS(judged("PL19-5", times_5((double[4]){262144, 490, 40})), "at n = 32768");
    EXPECT_SHOWS(judged("PL19-5", one("", "s", 262144, 80, 10)), "at n = at most 262144");
    EXPECT_SHOWS(judged("PL19-5", one(good, "s", 524288, 60, 10)), "at n = over 524288");
    /* The largest n that both have run counts. Double precision, a batch, and wrong rows do not. */
    EXPECT_OUTCOME(judged("PL19-5", one(good, "s", 300000, 40, 10)), "a-");
    const char *more = row_of(good, "thomas_shared", "s", 300000, 1, "total", 9, "ok");
    more = one(more, "d", 300000, 1, 1);
    more = row_of(more, "thomas_shared", "s", 262144, 5000, "total", 1, "ok");
    more = row_of(more, "thomas_shared", "s", 262144, 1, "total", 1, "wrong");
    claim = judged("PL19-5", more);
    EXPECT_OUTCOME(claim, "ab");
    EXPECT_OUTCOME(judged("PL19-5", one(one("", "s", 4096, 4, 1), "d", 300000, 70, 1)), "");
}

/* Appends times of `batch` systems in ms: of one CPU thread, of thomas_shared without and with
 * transfers, and of the transfers alone. */
static const char *times_6(const char *rows, int batch, double cpu, double kernel, double with,
                           double transfers)
{
    rows = row(rows, "thomas_cpu 1", batch, "total", cpu);
    rows = row(rows, "thomas_shared", batch, "total", kernel);
    rows = row(rows, "thomas_shared", batch, "total+transfers", with);
    return row(rows, "transfers", batch, "pinned", transfers);
}

static void test_pl19_6(void)
{
    /* As the paper says: transfers take longer, and from 10000 systems on the GPU is faster. */
    const char *least = times_6("", 1000, 10, 10, 40, 30),
               *papers = times_6(least, 5000, 50, 20, 70, 50),
               *late = times_6(papers, 10000, 100, 20, 90, 70);
    const struct claim *claim = judged("PL19-6", late);
    EXPECT_OUTCOME(claim, "ab??");
    EXPECT_DEVICE(claim, "GPU");
    EXPECT_LABEL(claim, 'a', 0, "1000 systems");
    EXPECT_NUMBER(claim, 'a', 0, 3, 1e-12);
    double even = clause_named(claim, 'b')->judged[0].value; /* ratios 50/70 and 100/90 */
    EXPECT(even > 5000 && even < 10000, "break-even %g", even);
    /* It is late enough if the GPU is never faster, unless nothing from 5000 systems on was run. */
    claim = judged("PL19-6", papers);
    EXPECT_OUTCOME(claim, "ab??");
    EXPECT_LABEL(claim, 'b', 0, "over 5000 systems");
    EXPECT_OUTCOME(judged("PL19-6", least), "");
    /* The break-even of ratios 1/4 and 4 lies at the geometric mean of the numbers of systems. */
    const char *early = times_6(times_6("", 100, 10, 30, 40, 31), 400, 160, 30, 40, 31);
    claim = judged("PL19-6", early);
    EXPECT_OUTCOME(claim, "a-??");
    EXPECT_NUMBER(claim, 'b', 0, 200, 1e-9);
    EXPECT(!shows(claim, "cores") && !shows(claim, "Double") && !shows(claim, "pageable"),
           "nothing that was not run");
    /* The number of systems with the least share of transfers counts, if it is below 5000. */
    EXPECT_OUTCOME(judged("PL19-6", times_6(late, 2000, 20, 61, 120, 60)), "-b??");
    EXPECT_OUTCOME(judged("PL19-6", times_6(late, 15000, 200, 61, 120, 60)), "ab??");
    EXPECT_OUTCOME(judged("PL19-6", times_6("", 100, 100, 40, 50, 10)), "--??");
    /* At least one number of systems below 5000 is needed, and transfers. */
    EXPECT_OUTCOME(judged("PL19-6", times_6("", 5000, 50, 20, 70, 50)), "");
    EXPECT_OUTCOME(judged("PL19-6", times_6("", 1000, 10, 10, 40, NAN)), "");
    const char *more =
        row(row(early, "thomas_cpu 16", 100, "total", 1), "thomas_cpu 16", 400, "total", 4);
    more = row(row(more, "thomas_shared", 100, "total+pageable", 970), "thomas_shared", 400,
               "total+pageable", 10);
    claim = judged("PL19-6", more);
    EXPECT_SHOWS(claim, "Single, over 16 cores: thomas_shared is faster from over 400 systems");
    /* With allocation: work with memory over the solver, 59/30 - 1 and 61/30 - 1, and the number of
     * systems from which on the GPU is faster than one CPU thread. */
    static const struct {
        double ms;
        const char *outcome;
    } with_allocation[] = {{59, "a---"}, {61, "a-c-"}};
    for (size_t i = 0; i < 2; i++) {
        const char *rows =
            row(row(early, "thomas_shared", 100, "total+allocation", with_allocation[i].ms),
                "thomas_shared", 400, "total+allocation", 100);
        EXPECT_OUTCOME(judged("PL19-6", rows), with_allocation[i].outcome);
    }
    EXPECT_OUTCOME(judged("PL19-6", row(row(late, "thomas_shared", 1000, "total+allocation", 41),
                                        "thomas_shared", 5000, "total+allocation", 60)),
                   "abcd");
}

void test_claims_pl19(void)
{
    test_tables();
    test_transfers();
    test_trend();
    test_rows();
    test_shown();
    test_pl19_5();
    test_pl19_6();
}
