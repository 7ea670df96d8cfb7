/* The claims of the papers and what a run says of them. */
#include "report.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *id;
    judge_function *judge;
} functions[] = {
#define CLAIM(id, function) {id, function},
#include "claims.inc"
#undef CLAIM
};

const char *verdict_name(enum verdict verdict)
{
    static const char *const name[] = {"not measured here", "not reproduced", "not decided",
                                       "in part", "reproduced"};
    return name[verdict];
}

/* ---- plots/paper/claims.csv and criteria.csv ---- */

/* The bound in a cell: `none` if it is empty, NaN if it is no number. "<1" and ">1" exclude 1. */
static double bound(const struct table *criteria, size_t row, const char *column, double none)
{
    const char *cell = text_at(criteria, row, column);
    if (cell[0] == '\0')
        return none;
    char *end;
    const char *digits = cell + strspn(cell, "<>");
    double x = strtod(digits, &end);
    return end == digits || *end != '\0' ? NAN
           : cell[0] == '>'              ? nextafter(x, INFINITY)
           : cell[0] == '<'              ? nextafter(x, -INFINITY)
                                         : x;
}

size_t claims_read(struct claim claim[CLAIMS], const char *directory)
{
    const struct table *claims = table_read(text("%s/claims.csv", directory)),
                       *criteria = table_read(text("%s/criteria.csv", directory));
    if (claims == NULL || criteria == NULL) {
        fprintf(stderr, "report: '%s': claims.csv or criteria.csv cannot be read\n", directory);
        return 0;
    }
    if (claims->rows != CLAIMS) {
        fprintf(stderr, "report: claims.csv has %zu claims, not %d\n", claims->rows, CLAIMS);
        return 0;
    }
    for (size_t i = 0; i < claims->rows; i++)
        claim[i] = (struct claim){
            .id = text_at(claims, i, "id"),
            .paper = text_at(claims, i, "paper"),
            .section = text_at(claims, i, "section"),
            .brief = text_at(claims, i, "brief"),
            .quote = text_at(claims, i, "quote"),
            .translation = text_at(claims, i, "translation"),
            .figures = text_at(claims, i, "figures"),
            .explanation = text_at(claims, i, "explanation"),
            .needs = text_at(claims, i, "needs"),
            .device = "",
        };
    for (size_t r = 0; r < criteria->rows; r++) {
        size_t i = 0;
        while (i < claims->rows && !same(claim[i].id, text_at(criteria, r, "id")))
            i++;
        if (i == claims->rows || claim[i].clauses == sizeof claim->clause / sizeof *claim->clause) {
            fprintf(stderr, "report: criteria.csv: '%s' has no claim or too many clauses\n",
                    text_at(criteria, r, "id"));
            return 0;
        }
        struct clause *clause = &claim[i].clause[claim[i].clauses++];
        *clause = (struct clause){
            .letter = text_at(criteria, r, "clause"),
            .extension = same(text_at(criteria, r, "role"), "extension"),
            .criterion = text_at(criteria, r, "criterion"),
            .cause = text_at(criteria, r, "cause"),
            .low = bound(criteria, r, "low", -INFINITY),
            .high = bound(criteria, r, "high", INFINITY),
            .low_text = text_at(criteria, r, "low"),
            .high_text = text_at(criteria, r, "high"),
        };
        if (isnan(clause->low) || isnan(clause->high)) {
            fprintf(stderr, "report: criteria.csv: a bound of %s %s is no number\n", claim[i].id,
                    clause->letter);
            return 0;
        }
    }
    return claims->rows;
}

/* ---- for the functions that judge ---- */

/* Ends the program with status 1 if criteria.csv has no line for the letter. */
static struct clause *clause_of(struct claim *claim, char letter)
{
    for (size_t i = 0; i < claim->clauses; i++)
        if (claim->clause[i].letter[0] == letter)
            return &claim->clause[i];
    fprintf(stderr, "report: %s has no clause %c in criteria.csv\n", claim->id, letter);
    exit(1);
}

static bool within(const struct clause *clause, double value)
{
    return isfinite(value) && clause->low <= value && value <= clause->high;
}
bool keeps(struct claim *claim, char letter, double value)
{
    return within(clause_of(claim, letter), value);
}

static bool is_near_bound(double value, double bound)
{
    return isfinite(bound) && fabs(value - bound) <= 0.05 * fabs(bound);
}
/* Whether a value that holds is so near to a bound that a little more would break it. A clause
 * whose bounds are equal asks for exactly this value, which is then not near to a bound. */
static bool is_just(const struct clause *clause, double value)
{
    return within(clause, value) && clause->low < clause->high &&
           (is_near_bound(value, clause->low) || is_near_bound(value, clause->high));
}

void judge(struct claim *claim, char letter, double value, const char *label, ...)
{
    struct clause *clause = clause_of(claim, letter);
    clause->judged = with_room(clause->judged, clause->count, sizeof *clause->judged);
    va_list arguments;
    va_start(arguments, label);
    clause->judged[clause->count++] = (struct judged){.label = text_of(label, arguments),
                                                      .value = value,
                                                      .holds = within(clause, value),
                                                      .just = is_just(clause, value)};
    va_end(arguments);
}

void skip(struct claim *claim, char letter, const char *why)
{
    clause_of(claim, letter)->skipped = why;
}

void judged_on(struct claim *claim, char letter, const char *device)
{
    struct clause *clause = clause_of(claim, letter);
    if (clause->device == NULL)
        clause->device = device;
    else if (strstr(clause->device, device) == NULL)
        clause->device = text("%s; %s", clause->device, device);
}

/* Whether a text has a number that is NaN. Words such as "nanosecond" are none. */
static bool has_nan(const char *text)
{
    const char *at = text;
    while ((at = strstr(at, "nan")) != NULL &&
           ((at > text && isalpha((unsigned char)at[-1])) || isalpha((unsigned char)at[3])))
        at++;
    return at != NULL;
}

void show(struct claim *claim, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *line = text_of(format, arguments);
    va_end(arguments);
    if (has_nan(line))
        return;
    claim->shown = with_room(claim->shown, claim->shown_count, sizeof *claim->shown);
    claim->shown[claim->shown_count++] = line;
}

void add_known(const char **list, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *one = text_of(format, arguments);
    va_end(arguments);
    if (!has_nan(one))
        *list = same(*list, NO_NUMBERS) ? one : joined(*list, ", ", "%s", one);
}

/* ---- verdicts ---- */

enum outcome clause_outcome(const struct clause *clause)
{
    enum outcome outcome = clause->count == 0          ? NOT_JUDGED
                           : clause->undecided != NULL ? UNDECIDED
                                                       : HOLDS;
    for (size_t i = 0; i < clause->count && outcome == HOLDS; i++)
        outcome = clause->judged[i].holds ? HOLDS : FAILS;
    return outcome;
}

const char *outcome_name(enum outcome outcome)
{
    static const char *const name[] = {"not judged", "fails", "not decided", "holds"};
    return name[outcome];
}

const char *claim_signs(const struct claim *claim)
{
    static const char *const sign[] = {"–", "✗", "?", "✓"};
    const char *signs = "";
    for (size_t i = 0; i < claim->clauses && claim->verdict != NOT_MEASURED; i++)
        signs = joined(signs, "", claim->clause[i].extension ? "(%s)" : "%s",
                       sign[clause_outcome(&claim->clause[i])]);
    return signs;
}

struct tally claims_tally(const struct claim claim[], size_t count)
{
    struct tally tally = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < claim[i].clauses; k++)
            if (!claim[i].clause[k].extension && claim[i].verdict != NOT_MEASURED)
                tally.of[clause_outcome(&claim[i].clause[k])]++;
    return tally;
}

const char *tally_text(struct tally tally)
{
    const size_t holds = tally.of[HOLDS], fails = tally.of[FAILS], open = tally.of[UNDECIDED];
    return text("%zu %s, %zu %s%s", holds, holds == 1 ? "clause holds" : "clauses hold", fails,
                fails == 1 ? "fails" : "fail",
                open == 0   ? ""
                : open == 1 ? ", 1 is not decided"
                            : text(", %zu are not decided", open));
}

const char *judged_name(const struct judged *judged)
{
    return judged->just ? "just holds" : judged->holds ? "holds" : "fails";
}

static enum verdict verdict_of(const struct claim *claim)
{
    struct tally tally = {0};
    if (claim->device[0] == '\0')
        return NOT_MEASURED;
    for (size_t i = 0; i < claim->clauses; i++) {
        const struct clause *clause = &claim->clause[i];
        if (clause->count == 0 && clause->skipped == NULL)
            return NOT_MEASURED;
        if (!clause->extension)
            tally.of[clause_outcome(clause)]++;
    }
    size_t judged = tally.of[HOLDS] + tally.of[FAILS] + tally.of[UNDECIDED];
    return judged == 0                 ? NOT_MEASURED
           : tally.of[HOLDS] == judged ? REPRODUCED
           : tally.of[HOLDS] > 0       ? IN_PART
           : tally.of[UNDECIDED] > 0   ? NOT_DECIDED
                                       : NOT_REPRODUCED;
}

/* Marks the clauses whose outcome changes from run to run, by the run's stability.csv. */
static void mark_undecided(struct claim *claim, const struct run *run)
{
    const struct table *table = run_table(run, "stability.csv");
    for (size_t row = 0; table != NULL && row < table->rows; row++)
        for (size_t i = 0; i < claim->clauses; i++) {
            double holds = number_at(table, row, "holds"), runs = number_at(table, row, "runs");
            if (same(text_at(table, row, "id"), claim->id) &&
                same(text_at(table, row, "clause"), claim->clause[i].letter) && holds > 0 &&
                holds < runs)
                claim->clause[i].undecided = text("holds in %.0f of %.0f runs", holds, runs);
        }
}

static void judge_one(struct claim *claim, const struct run *run)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (same(functions[i].id, claim->id))
            functions[i].judge(run, claim);
    mark_undecided(claim, run);
    claim->verdict = verdict_of(claim);
}

/* Takes back everything that a function has said of a claim. */
static void unjudge(struct claim *claim)
{
    for (size_t i = 0; i < claim->clauses; i++) {
        claim->clause[i].count = 0;
        claim->clause[i].skipped = claim->clause[i].device = claim->clause[i].undecided = NULL;
    }
    claim->shown_count = 0;
    claim->device = "";
    claim->verdict = NOT_MEASURED;
}

/* A claim that only disturbed times could judge is not measured; claim->disturbed says why. */
void claims_judge(struct claim claim[], size_t count, const struct run *run)
{
    for (size_t i = 0; i < count; i++) {
        unjudge(&claim[i]);
        judge_one(&claim[i], run);
        if (claim[i].verdict != NOT_MEASURED || run->with_disturbed)
            continue;
        struct run with = *run;
        with.with_disturbed = true;
        unjudge(&claim[i]);
        judge_one(&claim[i], &with);
        claim[i].disturbed = claim[i].verdict != NOT_MEASURED;
        unjudge(&claim[i]);
    }
}
