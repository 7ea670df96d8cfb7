# Prints points of counts.csv for the figure count_sectors.gp: sectors or bank conflicts per
# request. A request is one memory instruction of a warp.
# Left out are rows in which on average fewer than 16 threads of the warp take part in a request,
# such as the loops of a single thread, which can never coalesce. There are three forms:
#   awk -f plots/tables/columns.awk -f plots/tables/count_points.awk -v space=global \
#       -v order='PROGRAM/VARIANT/TYPE …' counts.csv
# prints a line for each variant: its position in `order`, the sectors per load and per store, and
# the smallest number of sectors that can hold the bytes of a request.
#   … -v space=shared -v order='PROGRAM/VARIANT/TYPE …' counts.csv
# prints its position and the bank conflicts per load and per store.
#   … -v levels=PROGRAM/VARIANT/TYPE counts.csv
# prints for each launch (level) of this variant's kernels its number, counted from 1, and the same
# three numbers as for space=global. NaN: no such loads or stores.
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
        # Kernels named …_status only check the result after the last level.
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
