#!/bin/bash
# Makes two pages of one file each, pictures included, by pandoc: plots/article.sh [--check]
#   article.html   from article.md. First the table of verdicts in article.md is written again, from the reference's
#                  report.md
#   slides.html    from slides.md: a slide for each heading
# A block of code in slides.md that names a file must be in this file; a line "…" stands for lines left out.
# --check says whether the table, the code and both pages are up to date, without pandoc. A page names the checksum of
# its sources. Exit status: 0; 1 something is not, or a file cannot be written; 3 no pandoc.
set -u
unset CDPATH
cd "$(dirname "$0")" || exit 1
new=$(mktemp) || exit 1
trap 'rm -f "$new"' EXIT
# Column 3 of report.md is the quote, column 4 the verdict and the signs of the clauses. The table stands between two
# comments.
awk -F ' [|] ' '
    NR == FNR && /clauses hold, / { tally = $0 }
    NR == FNR && /^[|] (W1|PL|L2)/ { sub(/^[|] /, "", $1); sub(/ [|]$/, "", $4); table = table "| " $1 " | " $3 " | " $4 " |\n" }
    NR == FNR { next }
    /^<!-- verdicts -->$/ {
        printf "%s\n\n%s\n\n| claim | in the paper\047s words | verdict |\n|----|------------|----|\n%s\n", $0, tally, table
        inside = 1
    }
    /^<!-- end of verdicts -->$/ { inside = 0 }
    !inside' reference/nvidia-h100-80gb-hbm3/report.md article.md >"$new" || exit 1

# Complains of code in slides.md that is not in the file that it names. Indentation does not count.
check_code() {
    awk '
        function end_chunk()
        {
            if (chunk != "\n" && !index(text[file], chunk)) {
                printf "article.sh: slides.md:%d: not in %s:%s", at, file, chunk
                failed = 1
            }
            chunk = "\n"
            at = FNR + 1
        }
        match($0, /^``` [{][.]c file=[^}]*[}]$/) {
            file = substr($0, 14, length($0) - 14)
            if (!(file in text)) {
                text[file] = "\n"
                while ((getline line < ("../" file)) > 0) {
                    gsub(/^[ \t]+/, "", line)
                    text[file] = text[file] line "\n"
                }
            }
            in_code = 1
            chunk = "\n"
            at = FNR + 1
            next
        }
        in_code && (/^```$/ || /^ *…$/) { end_chunk() }
        /^```$/ { in_code = 0 }
        in_code && !/^ *…$/ { sub(/^ +/, ""); chunk = chunk $0 "\n" }
        END { exit failed }' slides.md
}
# sources_of TEXT.md FILE: the checksum of a page's text, its pictures, and FILE, which gives it its look.
sources_of() {
    { cat "$1" "$2"; grep -o '](reference/[^)]*[.]\(svg\|png\))' "$1" | tr -d '])' | cut -c2- | xargs cat; } |
        cksum | tr ' ' -
}
is_new() { # is_new TEXT.md FILE
    grep -q "<meta name=\"sources\" content=\"$(sources_of "$1" "$2")\">" "${1%.md}.html"
}

if [ "${1-}" = --check ]; then
    status=0
    diff article.md "$new" || { echo "article.sh: the verdicts in article.md are old: plots/article.sh" >&2; status=1; }
    check_code >&2 || status=1
    is_new article.md article.css || { echo "article.sh: article.html is old: plots/article.sh" >&2; status=1; }
    is_new slides.md slides_template.html || { echo "article.sh: slides.html is old: plots/article.sh" >&2; status=1; }
    exit $status
fi
cmp -s "$new" article.md || cat "$new" >article.md
check_code >&2 || exit 1
command -v pandoc >/dev/null || { echo "article.sh: no pandoc (package pandoc); the pages stay as they are" >&2; exit 3; }
pandoc --standalone --self-contained --from markdown+pipe_tables --css article.css \
    --variable header-includes="<meta name=\"sources\" content=\"$(sources_of article.md article.css)\">" \
    --metadata pagetitle="Four papers on parallel recurrences" article.md -o article.html || exit 1
pandoc --to dzslides --slide-level 2 --self-contained --from markdown-implicit_figures --no-highlight --strip-comments \
    --template slides_template.html --lua-filter slides.lua --columns 500 --variable sources="$(sources_of slides.md slides_template.html)" \
    --metadata title="Parallel recurrences on a GPU" slides.md -o slides.html
