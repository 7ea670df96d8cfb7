# PL19, for gnuplot: each variant at n = 4095 and the largest batch timed. Prints position, time per
# unknown in ns, and the time in ns in which the algorithm's least bytes per unknown move at the
# bandwidth of the large copy.
#   awk -f plots/tables/columns.awk -f plots/tables/layouts.awk -v order='thomas_global …' \
#       -v type=s -v interleaved=0 FILE
# The position is that in `order`. A variant and its _interleaved form have the same position. With
# order = batch, prints only the largest batch.
BEGIN { count = split(order, order_, " ") }
$col["status"] != "ok" || $col["median_ms"] == "" || $col["phase"] != "total" { next }
$col["variant"] == "copy" { copy = $col["bytes"] / $col["median_ms"] / 1e6 }
$col["type"] != type || $col["n"] != 4095 { next }
{
    v = $col["variant"]
    b = $col["batch"] + 0
    if ($col["cores"] == "" && b > most)
        most = b
    if ((v ~ /_interleaved/ || v == "interleave") != interleaved)
        next
    if (v !~ /^cusparse/)
        sub(/_interleaved$/, "", v)
    ns = 1e6 * $col["median_ms"] / 4095 / b
    if (!((v, b) in time) || ns < time[v, b]) {
        time[v, b] = ns
        bytes[v, b] = $col["bytes"] / 4095 / b
    }
}
END {
    if (order == "batch" && most)
        print most
    for (i = 1; i <= count; i++)
        if ((order_[i], most) in time)
            printf "%d %.6g %s\n", i, time[order_[i], most], copy ? sprintf("%.6g", bytes[order_[i], most] / copy) : "NaN"
}
