# Prints points for pogorelskikh2019_layouts.gp: for each variant in `order` the time per unknown at
# n = 4095 and the largest batch that was timed on the GPU, or else on the CPU.
#   awk -f plots/tables/columns.awk -f plots/tables/layouts.awk -v order='thomas_global …' \
#       -v type=s -v interleaved=0 plots/tables/batch_variants.csv FILE…
# A line holds the position of the variant in `order`, its time per unknown in ns, and the time in
# which the bytes that the algorithm must move per unknown move at the bandwidth of a large copy.
# interleaved = 1 selects the variants for interleaved systems, which have the position of the same
# kernel for contiguous ones (batch_variants.csv). order = batch: prints only the largest batch.
BEGIN { count = split(order, order_, " ") }
FILENAME ~ /batch_variants.csv$/ {
    layout[$1] = $3 == "interleaved"
    kernel[$1] = $2 == "peer" ? $1 : $4
    next
}
$col["status"] != "ok" || $col["median_ms"] == "" || $col["phase"] != "total" { next }
$col["variant"] == "copy" { copy = $col["bytes"] / $col["median_ms"] / 1e6 }
$col["type"] != type || $col["n"] != 4095 { next }
{
    v = $col["variant"]
    b = $col["batch"] + 0
    if ($col["cores"] == "" && b > most)
        most = b
    if ($col["cores"] != "" && b > most_on_cpu)
        most_on_cpu = b
    if (layout[v] + 0 != interleaved)
        next
    if (v in kernel)
        v = kernel[v]
    ns = 1e6 * $col["median_ms"] / 4095 / b
    if (!((v, b) in time) || ns < time[v, b]) {
        time[v, b] = ns
        bytes[v, b] = $col["bytes"] / 4095 / b
    }
}
END {
    if (!most)
        most = most_on_cpu
    if (order == "batch" && most)
        print most
    for (i = 1; i <= count; i++)
        if ((order_[i], most) in time)
            printf "%d %.6g %s\n", i, time[order_[i], most], copy ? sprintf("%.6g", bytes[order_[i], most] / copy) : "NaN"
}
