#!/bin/sh
# Writes the report of a run, RESULTS/report.md, and the verdicts on the papers' claims as a table,
# RESULTS/claims.tsv: plots/report.sh RESULTS [REFERENCE]
# REFERENCE is a run that is used for claims that RESULTS has no data for; by default it is the one
# that plots/reference_for.sh names.
# Every number in the report is computed from CSV files. Run plots/draw.sh first, because it makes
# fit.csv and the figures.
if [ $# -lt 1 ] || [ ! -d "$1" ]; then
    echo "usage: plots/report.sh RESULTS [REFERENCE]" >&2
    exit 2
fi
results=$(cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit 2
reference=${2-$(plots/reference_for.sh "$results")}

# claims DIRECTORY [ok]: judges the claims by the CSV files of DIRECTORY. Rows whose times were
# disturbed by other load are ignored, but with the second argument `ok` they are used like all
# others.
claims() {
    as=${2-}
    set -- plots/paper/wakatani2012_best.csv "$1"/*.csv
    [ -f "$2" ] && awk -v disturbed="$as" -f plots/tables/columns.awk -f plots/report/claims_w13.awk -f plots/report/claims_pl19.awk -f plots/report/claims_l22.awk -f plots/report/claims.awk "$@"
}
# figures_of PAPER: prints the Markdown of this paper's figures. The caption of a figure is the
# first sentence of the comment at the top of its .gp file.
figures_of() {
    [ -d "$results/figures" ] || printf 'Not drawn: install gnuplot and run plots/draw.sh on this directory.\n\n'
    for figure in plots/figures/"$1"_*.gp; do
        name=$(basename "$figure" .gp)
        [ -f "$results/figures/$name.png" ] || continue
        caption=$(awk '!/^# /{ exit } { sub(/^# /, ""); text = text (NR > 1 ? " " : "") $0 } END { if (match(text, /\. [A-Z]/)) text = substr(text, 1, RSTART); print text }' "$figure")
        printf '![%s](figures/%s.png)\n\n%s ([SVG](figures/%s.svg))\n\n' "$name" "$name" "$caption" "$name"
    done
}
# table CSV PROGRAM FILE…: prints the table that the awk program PROGRAM makes from the FILEs and
# from the file CSV in the results directory.
table() {
    csv=$1
    program=$2
    shift 2
    rows=$(awk -f plots/tables/columns.awk -f "$program" "$@" "$results/$csv" 2>/dev/null)
    echo "${rows:-No times of a GPU in this run.}"
}
# cost_model PAPER EQUATIONS: prints the section about the cost model of PAPER. Its heading cites
# EQUATIONS.
cost_model() {
    printf '### Cost model (%s)\n\n' "$2"
    rows=$(awk -f plots/tables/columns.awk -f plots/tables/cost.awk -v paper="$1" "$results/fit.csv" 2>/dev/null)
    if [ "$(echo "$rows" | wc -l)" -le 2 ]; then
        echo "No times of the phases in this run."
        return
    fi
    cat <<'EOF'
Pre-computation alpha N/P, propagation beta P, determination gamma N/P, fitted to all (G, T) with relative
weights: through the origin as in the paper, and in brackets with a constant added to each phase.
Misfit: root mean square of the relative residuals of the three phases. P_opt = sqrt((alpha+gamma)N/beta).

EOF
    echo "$rows"
}
about() {
    set -- "$1"/*.csv
    [ -f "$1" ] && sed -n 's/^# \(.*\)/\1/p' "$@"
}

new=$results/claims.tsv.new
{ claims "$results" | sed 's/^/own\t/'
  claims "$results" ok | sed 's/^/disturbed\t/'
  [ -n "$reference" ] && claims "$reference" | sed 's/^/reference\t/'
  sed 1d plots/paper/claims.csv
} | awk '
    BEGIN { FS = OFS = "\t" }
    $1 == "own" { own[$2] }
    $1 == "disturbed" { # such a claim can be judged only with disturbed times
        if (!($2 in own))
            disturbed[$2]
        next
    }
    $1 == "own" || $1 == "reference" {
        if (!($2 in line) || $1 == "own") {
            prefix = $1 == "own" ? "" : "reference: "
            line[$2] = prefix $3 OFS $4 OFS $5 OFS $6 OFS $7
        }
        next
    }
    {   # a line of plots/paper/claims.csv: id,paper,section,"claim"
        match($0, /^[^,]*/)
        id = substr($0, 1, RLENGTH)
        says = $0
        sub(/"$/, "", says)
        sub(/^[^"]*"[^"]*","/, "", says)
        missing["W12-1"] = "times of pscheme_cpu."
        missing["L22-6"] = "the counts of a run of nshape with all defaults, on any device (--quick, too)."
        missing["L22-7"] = "runs of nshape_mpi with all defaults over 2 ranks or more, at most one rank for each core."
        none = "not measured here" OFS "" OFS (id ~ /^(W1[23]|PL19|L22-[1-7]$)/ ? "It needs data that are missing: " \
            (id in missing ? missing[id] : (id ~ /^PL/ ? "times of thomas_batch" : id ~ /^L22/ ? "times of nshape" : "times") " at the paper'\''s sizes on a GPU.") : "No program of this repository measures it yet.") OFS OFS
        if (id in disturbed) {
            verdict = line[id]
            sub(OFS ".*", "", verdict)
            print id, says, "not measured here", "", "Disturbed by other load: run it again while nothing else runs." \
                (verdict == "" ? "" : " The " verdict "."), "", ""
        } else
            print id, says, id in line ? line[id] : none
    }' >"$new" && mv "$new" "$results/claims.tsv" || exit 1

timed() { awk -f plots/tables/columns.awk -f plots/tables/device.awk "$1" 2>/dev/null; }
gpu=$(timed "$results/pscheme_gpu.csv")
gpu=${gpu:-$(timed "$results/thomas_batch.csv")}
gpu=${gpu:-$(timed "$results/nshape.csv")}
{
    echo "# Report: ${gpu:-$(basename "$results")}"
    echo
    echo "Written by plots/report.sh from the CSV files in this directory."
    [ -n "$gpu" ] || printf '\nThis run has no times of a GPU: kernels on the CPU device are verified, not timed. Claims about the GPU\nare judged by the committed reference run where there is one, and say so.\n'
    printf '\n## Machine and run\n\n'
    # The CSV files begin with lines "# KEY: VALUE". If all programs have the same value of a key,
    # the report has one line for the key, otherwise one line for each program. Of all dates it
    # gives the first and the last.
    about "$results" | awk '
        { key = value = $0; sub(/:.*/, "", key); sub(/^[^:]*: */, "", value); sub(/ *$/, "", value) }
        key == "program" { program = value; if (!(value in seen)) seen[programs[++count] = value]; next }
        key == "date" { if (first == "" || value < first) first = value; if (value > last) last = value; next }
        !(key in one) { keys[++key_count] = key; one[key] = value }
        {
            differ[key] += one[key] != value
            # A program may have several files with the same value. The report gives it once.
            if (!index("; " says[key, program], "; " value "; "))
                says[key, program] = says[key, program] value "; "
        }
        END {
            for (k = 1; k <= key_count; k++) {
                key = keys[k]
                if (!differ[key])
                    print "- " (one[key] == key ? key : key ": " one[key]) # no colon: the line is a sentence, not a key
                else
                    for (i = 1; i <= count; i++)
                        if ((key, programs[i]) in says)
                            print "- " key " of " programs[i] ": " substr(says[key, programs[i]], 1, length(says[key, programs[i]]) - 2)
            }
            if (first != "")
                print "- date: " first (first == last ? "" : " to " last)
        }'
    [ -f "$results/run.txt" ] && awk -F '\t' '{ printf "- %s: %s s, mode %s, exit status %s\n", $1, $4, $2, $3; sum += $4 } END { printf "- in all: %d s\n", sum }' "$results/run.txt"
    set -- "$results"/*.csv
    [ -f "$1" ] && awk -f plots/tables/columns.awk -f plots/tables/verified.awk "$@"
    [ -n "$reference" ] && echo "- reference run: $reference ($(timed "$reference/pscheme_gpu.csv"))"

    printf '\n## Claims\n\n'
    cut -f 3 "$results/claims.tsv" | sort | uniq -c | awk '{ n = $1; $1 = ""; printf "%s%s%s", sep, n, $0; sep = ", " } END { print "." }'
    printf '\n| claim | the paper says | this machine measured | verdict | why |\n|---|---|---|---|---|\n'
    awk -F '\t' '{
        printf "| %s | %s | %s | %s | %s |\n", $1, $2, ($3 ~ /^reference/ ? "(" $7 ") " : "") $4, $3, $5 }' "$results/claims.tsv"
    printf '\nCriteria (plots/report/claims.awk, claims_w13.awk, claims_pl19.awk, claims_l22.awk); a claim is reproduced when all of it holds:\n\n'
    awk -F '\t' '$6 != "" { printf "- %s: %s.\n", $1, $6 }' "$results/claims.tsv"

    if [ -f "$results/counts.csv" ]; then
        printf '\n## Memory accesses\n\n'
        printf 'Counted on the CPU device, of the source as written (common/README.md).\n\n'
        figures_of count
    fi

    printf '\n## W12: P-scheme with rearrangement\n\n'
    figures_of wakatani2012
    cost_model W12 "eq. 14-18"

    printf '\n## W13: P-scheme/G\n\nW13 Fig. 1 is the comparison of W12 Fig. 1 above: substitution and P-scheme on one CPU thread.\n\n'
    figures_of wakatani2013
    printf '### Table I: the rearrangement alone\n\n'
    table pscheme_g.csv plots/tables/table1.awk plots/paper/wakatani2013_table1.csv
    printf '\n### Baselines\n\n'
    printf 'cpu_paper is the baseline of the paper: one thread without SIMD. cpu_lanes computes s_i in SIMD lanes,\ncpu_cores does so on all cores: the fair comparison. For each case the best of extended (the paper'\''s GPU2)\nand, where another is faster, the best of all variants.\n\n'
    table pscheme_g.csv plots/tables/baselines.awk
    echo
    cost_model W13 "eq. 3-7"

    printf '\n## PL19: batched Thomas and cyclic reduction\n\n'
    figures_of pogorelskikh2019
    printf '### Tables 1 to 4\n\n'
    printf 'n = 4095, each variant at its best T. s and d: single and double precision. "With transfers": the copies to the GPU and\nback (pinned memory) are included. "Over all cores": speed-up over the same CPU code on all cores. The paper names no\nprecision, layout or device.\n\n'
    table thomas_batch.csv plots/tables/pl19_tables.awk plots/paper/pogorelskikh2019_*.csv
    printf '\n### Peers, rearrangement and transfers\n\n'
    printf 'The fastest kernel of this repository beside cuSPARSE'\''s: gtsv2StridedBatch (contiguous) and the fastest algorithm of\ngtsvInterleavedBatch. Contiguous systems must be rearranged (four arrays to the interleaved layout, x back) before\nan interleaved solver can take them, and transferred if they come from the CPU.\n\n'
    table thomas_batch.csv plots/tables/pl19_peers.awk
    printf '\n### The heat equation by alternating directions\n\n'
    figures_of heat

    printf '\n## L22: the N-shaped partition method\n\n'
    figures_of lutsyshyn2022
    figures_of tridiagonal
    figures_of klein2021
    printf '### The time-dependent Schrödinger equation\n\n'
    figures_of tdse
    printf '### Cost model (eq. 7-8)\n\n'
    rows=$(awk -f plots/tables/columns.awk -f plots/tables/l22_fits.awk "$results/fit_l22.csv" 2>/dev/null)
    if [ -z "$rows" ]; then
        echo "No times of a GPU in this run."
    else
        cat <<'EOF'
Double complex. The model t = alpha n/nbl + beta nbl + constant is fitted to the times of n_it = 1 over all nbl with relative
weights (in brackets: without the constant, as in the paper). The rows of n_it > 1 follow from these alpha and beta.

- Predicted P1: n/ratio with ratio = (n beta/alpha)^(1/(n_it+1)), L22 eq. 8 without its assumption alpha = beta. It is the
  optimum if the blocks of every application are the best ones.
- With nshape's blocks: the optimum if application l has P1^((n_it-l)/n_it) blocks, as nshape chooses them.
- Measured optimum: the vertex of a parabola through the best P1 and its neighbours; "-" if the best P1 is the first or last.
- Model: the time of the model at the best P1 that was run. Misfit: root mean square of the relative residuals over all P1.

EOF
        echo "$rows"
    fi

    printf '\n## Ceilings, peers and the best of each variant\n\n'
    printf 'copy and triad are the ceilings of the memory. lapack_gtsv, cub and cusparse_gtsv2 are the peers, on the same\ndata in the same run. GB/s counts the least bytes an algorithm needs. A time is the least of the medians\nover all configurations that were run, so a variant with many configurations is favoured.\n\n'
    set -- "$results"/*.csv
    if [ -f "$1" ]; then awk -f plots/tables/columns.awk -f plots/tables/best.awk plots/tables/best.csv "$@"; fi
} >"$results/report.md.new" && mv "$results/report.md.new" "$results/report.md"
