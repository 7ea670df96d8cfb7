# Points of counts.csv for gnuplot. Serial walks are left out: only accesses with at least half a warp in a request.
#   awk -f plots/tables/columns.awk -f plots/tables/count_points.awk -v space=global -v order='PROGRAM/VARIANT/TYPE …' counts.csv
#     position in `order`, then of a request: loads' sectors, stores' sectors, both as few as can be
#   … -v space=shared …    position, loads' bank conflicts, stores' of a request
#   … -v levels=PROGRAM/VARIANT/TYPE …    number of the launch of the variant's own kernel, then as for space=global
# NaN: there is none.
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
        # paracr_status and the like come after the levels
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
