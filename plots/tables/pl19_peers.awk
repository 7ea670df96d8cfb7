# Prints a Markdown table for PL19: the fastest kernel of this repository for each memory layout
# beside cuSPARSE's, and the times of rearrangement, transfers and LAPACK. Prints nothing if no
# kernel was timed.
#   awk -f plots/tables/columns.awk -f plots/tables/pl19_peers.awk RESULTS/thomas_batch.csv
$col["status"] != "ok" || $col["median_ms"] == "" || $col["batch"] == "" { next }
{
    v = $col["variant"]
    key = $col["type"] "," $col["n"] "," $col["batch"]
    if (v == "lapack_gtsv")
        keep("lapack")
    if ($col["cores"] != "")
        next
    if (!(key in known)) {
        known[key] = 1
        keys[++count] = key
    }
    if (v == "transfers")
        keep($col["phase"])
    if ($col["phase"] != "total")
        next
    if (v == "interleave")
        keep(v)
    else if (v ~ /^cusparse/)
        keep(v ~ /interleaved/ ? "peer_interleaved" : "peer")
    else if ($col["blocks"] != "")
        keep(v ~ /_interleaved$/ ? "own_interleaved" : "own")
}
function keep(which)
{
    if ((which, key) in ms && ms[which, key] <= $col["median_ms"])
        return
    ms[which, key] = $col["median_ms"] + 0
    name[which, key] = v
}
function time(which, named)
{
    if (!((which, key) in ms))
        return ""
    return (named ? name[which, key] ", " : "") sprintf("%.4g", ms[which, key])
}
function ratio(slow, fast) { return (slow, key) in ms && (fast, key) in ms ? sprintf("%.2f", ms[slow, key] / ms[fast, key]) : "" }
END {
    if (count == 0)
        exit
    print "| type | n × systems | contiguous, ours [ms] | cuSPARSE [ms] | over ours | interleaved, ours [ms] | cuSPARSE [ms] | over ours | rearrangement [ms] | transfers pinned, pageable [ms] | LAPACK [ms] |"
    print "|---|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= count; i++) {
        key = keys[i]
        split(key, f, ",")
        printf "| %s | %s × %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", f[1], f[2], f[3], time("own", 1), time("peer"), ratio("peer", "own"),
            time("own_interleaved", 1), time("peer_interleaved", 1), ratio("peer_interleaved", "own_interleaved"), time("interleave"),
            time("pinned") (("pageable", key) in ms ? ", " time("pageable") : ""), time("lapack")
    }
}
