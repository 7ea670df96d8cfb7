# Prints the points (x, y) of a curve for gnuplot: two columns of the rows of a CSV file that meet
# the condition `where`, sorted by x.
#   awk -f plots/tables/columns.awk -f plots/tables/select.awk \
#       -v where='variant=rearranged n=262144' -v x=threads -v y=median_ms FILE
# A word of the condition may also be COLUMN>=NUMBER. Left out are rows with an empty x or y
# (verified but not timed), rows that failed verification, and rows whose time other load disturbed.
# Of several rows with the same x the one with the smallest y (of speed-ups: the fastest) is used.
# y = speedup: that column, if the file has it (files of published points do). Otherwise the median
# time of the baseline row, divided by that of the row. The baseline row is the fastest that has the
# same type, n, batch and case as the row and meets the condition `baseline`.
# With -v hollow=1, rows with disturbed times are used, too, where no undisturbed time was measured.
# Then only those points are printed for which the time of the row or of its baseline is disturbed.
# With -v each=1, all rows are used, in the order of the file, also several with the same x.
BEGIN {
    if (baseline == "")
        baseline = "variant=serial phase=total"
    wheres = split(where, where_, " ")
    baselines = split(baseline, baseline_, " ")
}
function matches(condition, count, i, pair)
{
    for (i = 1; i <= count; i++) {
        if (split(condition[i], pair, ">=") == 2) {
            if (!(pair[1] in col) || $col[pair[1]] + 0 < pair[2] + 0)
                return 0
            continue
        }
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
    is_disturbed = hollow != "" && "status" in col && $col["status"] == "disturbed"
}
$value == "" || ("status" in col && $col["status"] != "ok" && !is_disturbed) { next }
# Whether the time of this row is better than the one that was found before for the same key.
function is_better(key, times, disturbed)
{
    return !(key in times) || is_disturbed < disturbed[key] || (is_disturbed == disturbed[key] && $value + 0 < times[key])
}
derive && matches(baseline_, baselines) && is_better(problem(), base, base_disturbed) {
    base[problem()] = $value + 0
    base_disturbed[problem()] = is_disturbed
}
!matches(where_, wheres) || $col[x] == "" { next }
each != "" {
    printf "%.17g %.17g\n", $col[x], $value
    next
}
is_better($col[x] + 0, found, found_disturbed) {
    at = $col[x] + 0
    found[at] = $value + 0
    found_disturbed[at] = is_disturbed
    base_of[at] = derive ? problem() : ""
}
END {
    for (at in found)
        if ((!derive || base_of[at] in base) && (hollow == "" || found_disturbed[at] || (derive && base_disturbed[base_of[at]]))) {
            for (i = count++; i > 0 && order[i - 1] > at + 0; i--)
                order[i] = order[i - 1]
            order[i] = at + 0
        }
    for (i = 0; i < count; i++) {
        at = order[i]
        printf "%.17g %.17g\n", at, derive ? base[base_of[at]] / found[at] : found[at]
    }
}
