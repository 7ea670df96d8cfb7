# Prints W13 Table I as a Markdown table: the measured times of the transpositions beside the
# published ones. Prints nothing if no transposition was timed.
#   awk -f plots/tables/columns.awk -f plots/tables/table1.awk plots/paper/wakatani2013_table1.csv \
#       RESULTS/pscheme_g.csv
!("program" in col) { published[$col["variant"], $col["n"]] = $col["median_ms"]; next }
$col["status"] != "ok" || $col["median_ms"] == "" { next }
$col["variant"] == "copy" { copy = $col["bytes"] / $col["median_ms"] / 1e6 }
$col["phase"] == "rearrange" {
    key = $col["type"] "," $col["n"]
    if (!(key in parts))
        keys[++count] = key
    parts[key] = $col["parts"]
    ms[$col["variant"], key] = $col["median_ms"]
    bytes[key] = $col["bytes"]
}
function cell(v, key, gbs)
{
    if (!((v, key) in ms))
        return ""
    gbs = bytes[key] / ms[v, key] / 1e6
    return sprintf("%.4g ms, %.0f GB/s%s", ms[v, key], gbs, copy ? sprintf(" (%.0f%%)", 100 * gbs / copy) : "")
}
function gain(v, key) { return ((v, key) in ms) && (("transpose_global", key) in ms) ? sprintf("%.2f", ms["transpose_global", key] / ms[v, key]) : "" }
END {
    if (count == 0)
        exit
    if (copy)
        printf "In brackets the share of a large copy, %.0f GB/s in the same run.\n\n", copy
    print "| N | P | type | global memory | tiles | padded tiles | gain of tiles | of padded tiles | paper: global, tiles | gain |"
    print "|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= count; i++) {
        key = keys[i]
        split(key, f, ",")
        g = published["transpose_global", f[2]]
        t = published["transpose_tile", f[2]]
        printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", f[2], parts[key], f[1], cell("transpose_global", key), cell("transpose_tile", key),
            cell("transpose_padded", key), gain("transpose_tile", key), gain("transpose_padded", key),
            g == "" ? "" : g " ms, " t " ms", g == "" ? "" : sprintf("%.2f", g / t)
    }
}
