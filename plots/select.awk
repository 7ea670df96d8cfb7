# Two columns out of a results file, sorted by x, for gnuplot.
#   awk -f plots/columns.awk -f plots/select.awk -v where='variant=rearranged n=262144' \
#       -v x=threads -v y=median_ms FILE
# y may be "speedup": the median of the baseline row of the same type, n, batch and case (the fastest, if several
# are) over that of the row itself (unless the file has a column of that name, as the published points do). Rows with an empty x or y
# (verified but not timed) and rows that failed verification are left out; of several rows with one x the
# least y stays.
BEGIN {
    if (baseline == "")
        baseline = "variant=serial phase=total"
    wheres = split(where, where_, " ")
    baselines = split(baseline, baseline_, " ")
}
function matches(condition, count, i, pair)
{
    for (i = 1; i <= count; i++) {
        split(condition[i], pair, "=")
        if (!(pair[1] in col) || $col[pair[1]] != pair[2])
            return 0
    }
    return 1
}
function problem()
{
    return $col["type"] "," $col["n"] "," ("batch" in col ? $col["batch"] : "") "," ("case" in col ? $col["case"] : "")
}
{
    derive = y == "speedup" && !("speedup" in col)
    value = derive ? col["median_ms"] : col[y]
}
$value == "" || ("status" in col && $col["status"] != "ok") { next }
derive && matches(baseline_, baselines) {
    key = problem()
    if (!(key in base) || $value + 0 < base[key])
        base[key] = $value + 0
}
matches(where_, wheres) && $col[x] != "" {
    at = $col[x] + 0
    if (!(at in found) || $value + 0 < found[at]) {
        found[at] = $value + 0
        base_of[at] = derive ? problem() : ""
    }
}
END {
    for (at in found)
        if (!derive || base_of[at] in base) {
            for (i = count++; i > 0 && order[i - 1] > at + 0; i--)
                order[i] = order[i - 1]
            order[i] = at + 0
        }
    for (i = 0; i < count; i++) {
        at = order[i]
        printf "%.17g %.17g\n", at, derive ? base[base_of[at]] / found[at] : found[at]
    }
}
