# Points of counts.csv for gnuplot. Only accesses with at least half a warp in a request count, so
# serial walks are left out.
#   awk -f plots/tables/columns.awk -f plots/tables/count_points.awk -v space=global \
#       -v order='PROGRAM/VARIANT/TYPE …' counts.csv
# prints for each variant: position in `order`, then per request the sectors of loads, the sectors
# of stores, and the fewest sectors that hold the bytes.
#   … -v space=shared …
# prints: position, bank conflicts per request of loads, of stores.
#   … -v levels=PROGRAM/VARIANT/TYPE …
# prints for each launch of the variant's own kernel: number of the launch, then as for
# space=global.
# NaN stands for an access that does not occur.
BEGIN {
    count = split(order, names, " ")
    for (i = 1; i <= count; i++)
        position[names[i]] = i
    if (levels != "")
        space = "global"
}
$col["role"] != "solver" || $col["space"] != space || $col["lanes"] < 16 * $col["requests"] { next }
{
    name = $col["program"] "/" $col["variant"] "/" $col["type"]
    if (levels != "") {
        # kernels such as paracr_status run after the levels
        if (name != levels || $col["kernel"] ~ /_status$/)
            next
        if (!($col["launch"] in level))
            level[$col["launch"]] = ++count
        at = level[$col["launch"]]
    } else if (name in position)
        at = position[name]
    else
        next
    op = $col["op"]
    requests[at, op] += $col["requests"]
    sum[at, op] += space == "shared" ? $col["conflicts"] : $col["sectors"]
    all[at] += $col["requests"]
    ideal[at] += $col["ideal"]
}
function mean(at, op) { return (at, op) in requests ? sprintf("%.4g", sum[at, op] / requests[at, op]) : "NaN" }
END {
    for (i = 1; i <= count; i++)
        if (i in all)
            print i, mean(i, "load"), mean(i, "store"), (space == "shared" ? "" : sprintf("%.4g", ideal[i] / all[i]))
}
