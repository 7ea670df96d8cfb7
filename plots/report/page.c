/* Writes report.html: one file without anything from elsewhere, its figures inline. */
#include "report.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

const char *html(const char *plain)
{
    static const char special[] = "&<>\"", *const name[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    char *result = keep(6 * strlen(plain) + 1), *to = result;
    for (; *plain != '\0'; plain++) {
        const char *at = strchr(special, *plain);
        if (at != NULL)
            to = stpcpy(to, name[at - special]);
        else
            *to++ = *plain;
    }
    return result;
}

static const char *capital(const char *words)
{
    return text("%c%s", toupper((unsigned char)words[0]), words + 1);
}

/* ---- figures ---- */

/* The figures of a results directory, as plots/draw.sh lists them in figures/figures.csv. */
struct gallery {
    const char *directory;     /* that holds the SVG files */
    const struct table *table; /* NULL if nothing was drawn */
    bool borrowed;             /* they are the reference's: this machine has no gnuplot */
    const char *machine;       /* machine_of() the run */
};

/* A figure, also a narrow one (NAME.narrow), from its tag <svg> on. NULL if it cannot be read or is
 * cut off. */
static const char *svg_of(const char *directory, const char *name)
{
    const char *svg = read_file(text("%s/figures/%s.svg", directory, name));
    return svg == NULL || strstr(svg, "</svg>") == NULL ? NULL : strstr(svg, "<svg");
}

/* Reads the list of figures, NULL if there is none. Returns false if it cannot be read. */
static bool figures_in(const char *directory, const struct table **table)
{
    struct run *files = keep(sizeof *files);
    const char *path = text("%s/figures/figures.csv", directory), *csv = read_file(path);
    *table = NULL;
    if (csv == NULL && access(path, F_OK) != 0)
        return true;
    if (csv == NULL || !run_add(files, "figures.csv", csv)) {
        fprintf(stderr, "report: '%s' cannot be read: draw the figures again\n", path);
        return false;
    }
    *table = files->table[0];
    for (size_t row = 0; row < (*table)->rows; row++)
        if (svg_of(directory, text_at(*table, row, "figure")) == NULL) {
            fprintf(stderr, "report: '%s/figures/%s.svg' cannot be read: draw the figures again\n",
                    directory, text_at(*table, row, "figure"));
            return false;
        }
    return true;
}

/* Returns false after a line on stderr, as figures_in(). */
static bool gallery_of(const struct report *report, struct gallery *gallery)
{
    *gallery =
        (struct gallery){.directory = report->run->directory, .machine = machine_of(report->run)};
    if (!figures_in(gallery->directory, &gallery->table))
        return false;
    if (gallery->table != NULL || report->reference == NULL)
        return true;
    gallery->directory = report->reference->directory;
    gallery->borrowed = true;
    return figures_in(gallery->directory, &gallery->table);
}

/* The row of a figure, or -1 if there is none. */
static int figure_row(const struct gallery *gallery, const char *name)
{
    int row = gallery->table == NULL ? -1 : (int)gallery->table->rows - 1;
    while (row >= 0 && !same(text_at(gallery->table, (size_t)row, "figure"), name))
        row--;
    return row;
}

/* Whether a figure shows something that this machine measured or counted. */
static bool is_own(const struct gallery *gallery, size_t row)
{
    return !gallery->borrowed && number_at(gallery->table, row, "own_points") > 0;
}

/* Whether a figure is not folded away: it has something of this run, or needs no GPU. */
static bool is_open(const struct gallery *gallery, size_t row)
{
    return is_own(gallery, row) || !(number_at(gallery->table, row, "reference_points") > 0);
}

static void put_figure(FILE *file, const struct gallery *gallery, size_t row)
{
    const char *name = text_at(gallery->table, row, "figure"),
               *svg = svg_of(gallery->directory, name),
               *narrow = svg_of(gallery->directory, text("%s.narrow", name)), *class = "";
    if (narrow != NULL)
        class = " class=\"both\""; /* a page shows the one that fits */
    else if (strstr(svg, "<image") != NULL)
        class = " class=\"map\""; /* its colours must not be inverted on a dark page */
    bool other = gallery->borrowed || number_at(gallery->table, row, "reference_points") > 0;
    fprintf(file, "<figure id=\"%s\"%s>%s%s<figcaption>%s<span class=\"sources\">", html(name),
            class, svg, narrow == NULL ? "" : narrow,
            html(text_at(gallery->table, row, "caption")));
    if (is_own(gallery, row))
        fprintf(file, "<span class=\"own\">%s</span>", gallery->machine);
    fprintf(file, "%s%s", other ? "<span class=\"ref\">reference run</span>" : "",
            number_at(gallery->table, row, "paper_points") > 0
                ? "<span class=\"paper\">the paper</span>"
                : "");
    fputs("</span></figcaption></figure>\n", file);
}

/* Calls put_figure for the figures whose names begin with one of the words in `prefixes`, but for
 * `shown`, which stands elsewhere. open: those that are shown openly, or the others.
 * Returns their number; with file NULL it only counts. */
static size_t put_figures(FILE *file, const struct gallery *gallery, const char *prefixes,
                          const char *shown, bool open)
{
    size_t count = 0, rows = gallery->table == NULL ? 0 : gallery->table->rows;
    for (const char *word = prefixes; *word != '\0'; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        for (size_t row = 0; row < rows; row++) {
            const char *name = text_at(gallery->table, row, "figure");
            /* wakatani2013_one_pass is about a solver. */
            bool elsewhere =
                same(name, shown) || (same(name, "wakatani2013_one_pass") && length < strlen(name));
            if (strncmp(name, word, length) != 0 || elsewhere || is_open(gallery, row) != open)
                continue;
            count++;
            if (file != NULL)
                put_figure(file, gallery, row);
        }
        word += length;
    }
    return count;
}

/* ---- tables ---- */

static void put_grid(FILE *file, const struct grid *grid)
{
    fprintf(file, "<details class=\"table\"><summary>%s</summary>", html(grid->title));
    if (grid->note != NULL && grid->note[0] != '\0')
        fprintf(file, "<p>%s</p>", html(grid->note));
    fputs("<div class=\"wide\"><table>", file);
    for (size_t i = 0; i < grid->cells; i++) {
        const char *tag = i < grid->columns ? "th" : "td";
        fprintf(file, "%s<%s>%s</%s>%s", i % grid->columns == 0 ? "<tr>" : "", tag,
                html(grid->cell[i]), tag, (i + 1) % grid->columns == 0 ? "</tr>\n" : "");
    }
    fputs("</table></div></details>\n", file);
}

static void put_grids(FILE *file, struct grids grids)
{
    for (size_t i = 0; i < grids.count; i++)
        put_grid(file, grids.grid[i]);
}

/* ---- claims ---- */

static const char *badge(enum verdict verdict)
{
    static const char *const class[] = {"none", "no", "part", "part", "yes"};
    static const char *const sign[] = {"–", "✗", "?", "◐", "✓"};
    return text("<span class=\"badge %s\">%s %s</span>", class[verdict], sign[verdict],
                verdict_name(verdict));
}

static void put_judged(FILE *file, const struct clause *clause)
{
    if (clause->skipped != NULL)
        fprintf(file, "<p class=\"skipped\">Not judged: %s.</p>", html(clause->skipped));
    if (clause->count == 0)
        return;
    fputs("<ul class=\"judged\">", file);
    for (size_t i = 0; i < clause->count; i++) {
        const struct judged *judged = &clause->judged[i];
        fprintf(file, "<li class=\"%s\"><b>%s</b> %s %s%s</li>", judged->holds ? "holds" : "fails",
                isnan(judged->value) ? UNKNOWN
                : judged->value == floor(judged->value)
                    ? whole(judged->value)
                    : text("%.4g", judged->value), /* so that 1.0512 does not look like 1.05 */
                html(judged->label), judged->holds ? "✓" : "✗", judged->just ? " just" : "");
    }
    fputs("</ul>", file);
    if (clause->undecided != NULL)
        fprintf(file, "<p class=\"skipped\">Not decided: it %s.</p>", clause->undecided);
}

static void put_source(FILE *file, const struct claim *claim, size_t clause, const char *class,
                       const char *who)
{
    const char *device = claim->clause[clause].device;
    if (claim->verdict == NOT_MEASURED)
        return;
    fprintf(file, "<div class=\"%s\"><span class=\"%s\">%s</span>", class, class,
            device == NULL ? who : html(text("%s: %s", who, device)));
    put_judged(file, &claim->clause[clause]);
    fputs("</div>", file);
}

static void put_shown(FILE *file, const struct claim *claim, const char *who)
{
    if (claim->verdict == NOT_MEASURED || claim->shown_count == 0)
        return;
    fprintf(file, "<p>%s (%s):</p><ul>", who, html(claim->device));
    for (size_t i = 0; i < claim->shown_count; i++)
        fprintf(file, "<li>%s</li>", html(claim->shown[i]));
    fputs("</ul>", file);
}

/* Whether a number of the clause does not keep the bounds. */
static bool has_failed(const struct clause *clause)
{
    for (size_t i = 0; i < clause->count; i++)
        if (!clause->judged[i].holds)
            return true;
    return false;
}

/* Clause i of a claim: its criterion, the numbers of both runs, and the cause where it fails. */
static void put_clause(FILE *file, const char *machine, const struct claim *claim,
                       const struct claim *other, size_t i)
{
    const struct clause *clause = &claim->clause[i];
    fprintf(file, "<section class=\"criterion\"><p><b>%s.</b> %s%s</p>", html(clause->letter),
            html(clause->criterion),
            clause->extension ? " <i>An extension of this repository, outside the verdict.</i>"
                              : "");
    put_source(file, claim, i, "own", clause->device == NULL ? machine : "this run");
    if (other != NULL)
        put_source(file, other, i, "ref", "reference");
    bool fails = has_failed(clause) || (other != NULL && has_failed(&other->clause[i]));
    if (fails && clause->cause[0] != '\0')
        fprintf(file, "<p class=\"why\">%s: %s</p>",
                other == NULL ? "Why it fails" : "Why it fails (found in the reference run)",
                html(clause->cause));
    fputs("</section>", file);
}

/* " <small>1 clause holds …</small>" */
static const char *clauses_of(const struct claim *claim)
{
    return text(" <small>%s</small>", tally_text(claims_tally(claim, 1)));
}

/* A claim as a card. `other` is the claim judged by the reference, or NULL. */
static void put_claim(FILE *file, const struct claim *claim, const struct claim *other,
                      const struct gallery *gallery)
{
    bool here = claim->verdict != NOT_MEASURED;
    bool there = other != NULL && other->verdict != NOT_MEASURED;
    const struct claim *leading = here || !there ? claim : other;
    fprintf(file,
            "<article class=\"card\" id=\"%s\"><h3>%s: %s <small>section %s</small></h3>"
            "<blockquote>%s</blockquote>%s<p class=\"verdicts\"><span class=\"own\">%s</span> "
            "%s%s",
            claim->id, claim->id, html(claim->brief), html(claim->section), html(claim->quote),
            claim->translation[0] == '\0'
                ? ""
                : text("<p class=\"translation\">In English: %s</p>", html(claim->translation)),
            gallery->machine, badge(claim->verdict), here ? clauses_of(claim) : "");
    if (other != NULL)
        fprintf(file, " <span class=\"ref\">reference</span> %s%s", badge(other->verdict),
                there ? clauses_of(other) : "");
    fputs("</p>", file);
    if (claim->disturbed)
        fputs("<p>Other load disturbed the times: run it again while nothing else runs.</p>", file);
    else if (!here)
        fprintf(file, "<p class=\"needs\">It needs %s.</p>", html(claim->needs));
    fputs("<details><summary>Criteria, numbers and reasons</summary>", file);
    for (size_t i = 0; i < claim->clauses; i++)
        put_clause(file, gallery->machine, claim, other, i);
    if (leading->verdict >= IN_PART && leading->explanation[0] != '\0')
        fprintf(file, "<p class=\"why\">Why: %s</p>", html(leading->explanation));
    if ((here && claim->shown_count > 0) || (there && other->shown_count > 0)) {
        fputs("<details><summary>More numbers, not judged</summary>", file);
        put_shown(file, claim, capital(gallery->machine));
        if (other != NULL)
            put_shown(file, other, "Reference");
        fputs("</details>", file);
    }
    fputs("</details><p class=\"links\">", file);
    const char *before = "Figure: ";
    for (const char *word = claim->figures; *word != '\0'; word += strspn(word, " ")) {
        const char *name = text("%.*s", (int)strcspn(word, " "), word);
        if (figure_row(gallery, name) >= 0) {
            fprintf(file, "%s<a href=\"#%s\">%s</a>", before, name, name);
            before = ", ";
        }
        word += strlen(name);
    }
    fputs("</p></article>\n", file);
}

/* The table above the cards: one line a claim. */
static void put_claims_table(FILE *file, const struct report *report)
{
    fprintf(file, "<table class=\"claims\"><tr><th>claim<th>the paper says<th>%s<th>clauses",
            machine_of(report->run));
    if (report->reference != NULL)
        fputs("<th>reference run", file);
    fputs("</tr>\n", file);
    for (size_t i = 0; i < report->claims; i++) {
        const struct claim *claim = &report->claim[i];
        fprintf(file, "<tr><td><a href=\"#%s\">%s</a><td>%s<td>%s<td>%s", claim->id, claim->id,
                html(claim->brief), badge(claim->verdict), claim_signs(claim));
        if (report->reference != NULL)
            fprintf(file, "<td>%s %s", badge(report->other[i].verdict),
                    claim_signs(&report->other[i]));
        fputs("</tr>\n", file);
    }
    fputs("</table>\n", file);
}

/* ---- the page ---- */

static void put_tables(FILE *file, const struct run *run, const char *section)
{
    bool w13 = same(section, "W13"), pl19 = same(section, "PL19");
    if (w13)
        put_grids(file, table_w13_table1(run));
    if (w13)
        put_grids(file, table_w13_baselines(run));
    if (w13 || same(section, "W12"))
        put_grids(file, table_cost_model(run, section));
    if (pl19)
        put_grids(file, table_pl19(run));
    if (pl19)
        put_grids(file, table_pl19_peers(run));
    if (same(section, "L22"))
        put_grids(file, table_l22_fits(run));
}

static void put_section(FILE *file, const struct report *report, const struct gallery *gallery,
                        const struct table *sections, size_t row, const char *lead)
{
    const char *id = text_at(sections, row, "id"), *prefixes = text_at(sections, row, "figures");
    fprintf(file,
            "<section id=\"%s\"><h2>%s</h2><p class=\"source\">%s</p><p>%s</p><p><b>Look at:</b> "
            "%s</p>\n",
            id, html(text_at(sections, row, "title")), html(text_at(sections, row, "source")),
            html(text_at(sections, row, "idea")), html(text_at(sections, row, "look")));
    if (lead[0] != '\0' && strncmp(lead, prefixes, strlen(prefixes)) == 0)
        fprintf(file, "<p><a href=\"#%s\">%s</a> stands at the top.</p>\n", lead, lead);
    put_figures(file, gallery, prefixes, lead, true);
    if (gallery->borrowed)
        put_figures(file, gallery, prefixes, lead, false);
    else if (put_figures(NULL, gallery, prefixes, lead, false) > 0) {
        fprintf(file,
                "<details class=\"reference\"><summary>Needs a GPU: the reference run (%s), "
                "figures: %zu</summary>\n",
                html(report->reference_device), put_figures(NULL, gallery, prefixes, lead, false));
        put_figures(file, gallery, prefixes, lead, false);
        fputs("</details>\n", file);
    }
    put_tables(file, report->run, id);
    for (size_t i = 0; i < report->claims; i++)
        if (same(report->claim[i].paper, id))
            put_claim(file, &report->claim[i], report->reference == NULL ? NULL : &report->other[i],
                      gallery);
    fputs("</section>\n", file);
}

/* Names the claims by verdict. */
static void put_verdicts(FILE *file, const struct report *report)
{
    static const enum verdict verdicts[] = {REPRODUCED, IN_PART, NOT_REPRODUCED};
    for (size_t v = 0; v < sizeof verdicts / sizeof *verdicts; v++) {
        const char *named = "";
        for (size_t i = 0; i < report->claims; i++)
            if (report->claim[i].verdict == verdicts[v])
                named = joined(named, ", ", "<a href=\"#%s\">%s</a>", report->claim[i].id,
                               report->claim[i].id);
        if (named[0] != '\0')
            fprintf(file, " %s: %s.", capital(verdict_name(verdicts[v])), named);
    }
}

/* The first words of the page: the machine, what was verified, what was found. */
static void put_top(FILE *file, const struct report *report, const struct gallery *gallery)
{
    struct verified rows = verified(report->run);
    fprintf(file,
            "<header><h1>Recurrences and tridiagonal systems in parallel</h1>\n<p "
            "class=\"machine\"><span class=\"own\">%s</span> %s%s</p>\n<p "
            "class=\"verified%s\"><b>%zu rows verified, %zu wrong</b>",
            machine_of(report->run), html(report->device), report->has_gpu ? "" : ", no GPU",
            rows.wrong > 0 ? " bad" : "", rows.ok + rows.disturbed, rows.wrong);
    if (!isnan(report->seconds))
        fprintf(file, " in %s", duration(report->seconds));
    if (report->revisions[0] != '\0')
        fprintf(file, "; %s", html(report->revisions));
    fputs("</p>\n<ul class=\"found\">", file);
    struct highlight found[HIGHLIGHTS];
    size_t count = highlights(report->run, found);
    for (size_t i = 0; i < count && i < 3; i++)
        fprintf(file, "<li>%s</li>", html(found[i].sentence));
    size_t of[REPRODUCED + 1] = {0};
    for (size_t i = 0; i < report->claims; i++)
        of[report->claim[i].verdict]++;
    const char *clauses = tally_text(claims_tally(report->claim, report->claims));
    if (of[NOT_MEASURED] > 0)
        fprintf(file, "<li>Of %zu claims of four papers this machine judged %zu: %s.",
                report->claims, report->claims - of[NOT_MEASURED], clauses);
    else
        fprintf(file, "<li>All %zu claims of four papers were judged: %s.", report->claims,
                clauses);
    if (of[NOT_MEASURED] > 0 && report->reference != NULL)
        fprintf(file,
                " The others need %s; the verdicts of the <span class=\"ref\">reference run</span> "
                "stand beside.",
                report->has_gpu ? "a complete run" : "a GPU or an idle machine");
    put_verdicts(file, report);
    fputs("</li></ul></header>\n", file);
    if (gallery->table == NULL)
        fputs("<p>There are no figures: install gnuplot (package gnuplot-nox) and run <code>make "
              "figures</code>.</p>\n",
              file);
    else if (gallery->borrowed)
        fprintf(file,
                "<p>This machine has no gnuplot, so the figures are those of the reference run "
                "(%s).</p>\n",
                html(report->reference_device));
}

/* The figure at the top of the page: the first of these that this machine has points in. */
static const char *leading_figure(const struct gallery *gallery)
{
    static const char *const names[] = {"batch_sizes", "tridiagonal_speed", "wakatani2012_fig8",
                                        "wakatani2012_fig1", "wakatani2012_mpi"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int row = figure_row(gallery, names[i]);
        if (row >= 0 && (gallery->borrowed || is_own(gallery, (size_t)row)))
            return names[i];
    }
    return "";
}

/* What this machine measured, before the papers. */
static void put_machine(FILE *file, const struct report *report)
{
    fprintf(file, "<section id=\"machine\"><h2>%s</h2>\n<ul>", capital(machine_of(report->run)));
    struct highlight found[HIGHLIGHTS];
    size_t count = highlights(report->run, found);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "<li>%s%s</li>", html(found[i].sentence),
                same(found[i].device, report->device)
                    ? ""
                    : text(" <small>%s</small>", html(found[i].device)));
    fputs("</ul>\n", file);
    struct verified rows = verified(report->run);
    if (rows.wrong > 0) {
        fprintf(file, "<p class=\"bad\">%zu rows are wrong, the first:</p><ul>", rows.wrong);
        for (size_t i = 0; i < 3 && i < rows.wrong; i++)
            fprintf(file, "<li>%s %s, type %s, n = %.0f: %s</li>", html(rows.wrong_row[i]->program),
                    html(rows.wrong_row[i]->variant), html(rows.wrong_row[i]->type),
                    rows.wrong_row[i]->n, html(rows.wrong_row[i]->status));
        fputs("</ul>\n", file);
    }
    if (rows.disturbed > 0)
        fprintf(file,
                "<p>%zu time%s disturbed by other load: hollow in the figures, used for no "
                "claim.</p>\n",
                rows.disturbed, rows.disturbed == 1 ? "" : "s");
    if (!report->has_gpu)
        fputs("<p>Without a GPU the kernels run on the CPU, thread by thread: their results are "
              "verified and their memory "
              "accesses counted, but they are not timed. The times are those of CPU code.</p>\n",
              file);
    fputs("<details><summary>The best time of every variant</summary>\n", file);
    put_grids(file, table_best(report->run));
    fputs("</details>\n</section>\n", file);
}

/* The lines "# KEY: VALUE" of the CSV files that programs wrote, each value once. */
static void put_made(FILE *file, const struct report *report)
{
    fputs("<section id=\"made\"><h2>Machine and run</h2><details><summary>Compilers, flags, "
          "revision, files</summary><ul>",
          file);
    const struct run *run = report->run;
    const char *seen = "\n";
    for (size_t i = 0; i < run->tables; i++) {
        const char **line = run->table[i]->header;
        if (*line == NULL || strncmp(*line, "program: ", 9) != 0)
            continue;
        for (line++; *line != NULL; line++) {
            if (strstr(seen, text("\n%s\n", *line)) != NULL || strncmp(*line, "date", 4) == 0)
                continue;
            seen = joined(seen, "", "%s\n", *line);
            fprintf(file, "<li>%s</li>", html(*line));
        }
    }
    fprintf(file, "</ul><p>%zu CSV files in %s.</p></details></section>\n", run->tables,
            html(run->directory));
}

/* Returns false after a line on stderr if a claim has no section, so no card. */
static bool has_sections(const struct report *report, const struct table *sections)
{
    const char *ids = "";
    for (size_t row = 0; row < sections->rows; row++)
        ids = joined(ids, " ", "%s", text_at(sections, row, "id"));
    for (size_t i = 0; i < report->claims; i++)
        if (!listed(ids, report->claim[i].paper)) {
            fprintf(stderr, "report: sections.csv: no section '%s' for the claim %s\n",
                    report->claim[i].paper, report->claim[i].id);
            return false;
        }
    return true;
}

bool write_page(const struct report *report)
{
    const char *path = text("%s/report.html", report->run->directory);
    const char *style = read_file("plots/report/style.css");
    const struct table *sections = table_read("plots/report/sections.csv");
    if (style == NULL || sections == NULL) {
        fputs("report: plots/report/style.css or sections.csv cannot be read\n", stderr);
        return false;
    }
    struct gallery gallery;
    if (!has_sections(report, sections) || !gallery_of(report, &gallery))
        return false;
    FILE *file = file_begin(path);
    if (file == NULL)
        return false;
    const char *lead = leading_figure(&gallery);
    fprintf(
        file,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<title>Recurrences and tridiagonal "
        "systems: %s</title>\n"
        "<style>\n%s</style></head><body>\n",
        html(report->device), style);
    put_top(file, report, &gallery);
    if (lead[0] != '\0')
        put_figure(file, &gallery, (size_t)figure_row(&gallery, lead));
    fprintf(file, "<nav><a href=\"#machine\">%s</a> <a href=\"#claims\">Claims</a>",
            capital(machine_of(report->run)));
    for (size_t i = 0; i < sections->rows; i++)
        fprintf(file, " <a href=\"#%s\">%s</a>", text_at(sections, i, "id"),
                html(text_at(sections, i, "nav")));
    fputs(" <a href=\"explore.html\">Explore</a> <a href=\"#made\">Machine and run</a></nav>\n",
          file);
    put_machine(file, report);
    fputs("<section id=\"claims\"><h2>What the papers claim</h2>\n<p>A number that holds within 5% "
          "of a bound is marked <i>just</i>.</p>\n",
          file);
    if (report->reference != NULL)
        fprintf(
            file,
            "<p>The <span class=\"ref\">reference run</span> is that of an %s beside an %s.</p>\n",
            html(report->reference_device), html(report->reference_cpu));
    put_claims_table(file, report);
    fputs("</section>\n", file);
    for (size_t i = 0; i < sections->rows; i++)
        put_section(file, report, &gallery, sections, i, lead);
    put_made(file, report);
    /* In print the cards are open. */
    fputs("<script>addEventListener('beforeprint', () => "
          "document.querySelectorAll('.card details').forEach(d => d.open = true))</script>\n"
          "</body></html>\n",
          file);
    return file_end(file, path);
}
