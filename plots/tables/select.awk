# Two columns out of a results file, sorted by x, for gnuplot.
#   awk -f plots/tables/columns.awk -f plots/tables/select.awk -v where='variant=rearranged n=262144' \
#       -v x=threads -v y=median_ms FILE
# y may be "speedup": the median of the baseline row of the same type, n, batch and case (the fastest, if several
# are) over that of the row itself (unless the file has a column of that name, as the published points do). Rows with an empty x or y
# (verified but not timed) and rows that failed verification are left out; of several rows with one x the
# least y stays. Rows that other load disturbed are left out, too; with -v hollow=1 only the points are printed that
# need such a row, as it or its baseline, since there is no other.
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
{ late = hollow != "" && "status" in col && $col["status"] == "disturbed" }
$value == "" || ("status" in col && $col["status"] != "ok" && !late) { next }
derive && matches(baseline_, baselines) {
    key = problem()
    if (!(key in base) || late < base_late[key] || (late == base_late[key] && $value + 0 < base[key])) {
        base[key] = $value + 0
        base_late[key] = late
    }
}
matches(where_, wheres) && $col[x] != "" {
    at = $col[x] + 0
    if (!(at in found) || late < found_late[at] || (late == found_late[at] && $value + 0 < found[at])) {
        found[at] = $value + 0
        found_late[at] = late
        base_of[at] = derive ? problem() : ""
    }
}
END {
    for (at in found)
        if ((!derive || base_of[at] in base) && (hollow == "" || found_late[at] || (derive && base_late[base_of[at]]))) {
            for (i = count++; i > 0 && order[i - 1] > at + 0; i--)
                order[i] = order[i - 1]
            order[i] = at + 0
        }
    for (i = 0; i < count; i++) {
        at = order[i]
        printf "%.17g %.17g\n", at, derive ? base[base_of[at]] / found[at] : found[at]
    }
}
