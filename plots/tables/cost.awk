# Prints the fits of fit.csv for one paper (W12 or W13) as a Markdown table:
#   awk -f plots/tables/columns.awk -f plots/tables/cost.awk -v paper=W13 RESULTS/fit.csv
# For W13 there is a row for each case of s_i and each of the variants extended (the paper's
# P-scheme/G), warp and fused (two of this repository's improvements of it).
BEGIN {
    ratio["L"] = 2.7; ratio["M"] = 21.1; ratio["H"] = 92.8 # (alpha+gamma)/beta, W13 eq. 6
    ratio[""] = 0.5 # W12: (alpha+gamma)/beta = 1/2, so that P_opt = sqrt(N/2), W12 eq. 18
    print "| variant | type | N |" (paper == "W13" ? " case |" : "") \
        " alpha [ns] | beta [ns] | gamma [ns] | misfit | constants [µs] | P_opt | the paper's P_opt | best G × T = P | time [ms] |"
    print "|---|---|---|" (paper == "W13" ? "---|" : "") "---|---|---|---|---|---|---|---|---|"
}
function percent(x) { return sprintf("%.0f", 100 * $col["misfit" x "_precompute"]) ", " sprintf("%.0f", 100 * $col["misfit" x "_propagate"]) ", " sprintf("%.0f%%", 100 * $col["misfit" x "_determine"]) }
function both(x) { return sprintf("%.3g (%.3g)", $col[x "_ns"], $col[x "1_ns"]) }
$col["blocks"] != "" { next }
{ c = "case" in col ? $col["case"] : "" }
(paper == "W13") != (c != "") || (c != "" && $col["variant"] !~ /^(extended|warp|fused)$/) { next }
{
    printf "| %s | %s | %d |%s %s | %s | %s | %s (%s) | (%.3g, %.3g, %.3g) | %s (%s) | %.0f | %s | %s |\n",
        $col["variant"], $col["type"], $col["n"], c == "" ? "" : " " c " |", both("alpha"), both("beta"), both("gamma"), percent(""), percent("1"),
        $col["fixed_precompute_us"], $col["fixed_propagate_us"], $col["fixed_determine_us"],
        $col["popt"] == "" ? "-" : sprintf("%.0f", $col["popt"]), $col["popt1"] == "" ? "-" : sprintf("%.0f", $col["popt1"]), sqrt(ratio[c] * $col["n"]),
        $col["best_blocks"] == "" ? "" : $col["best_blocks"] " × " $col["best_threads"] " = " $col["best_parts"], $col["best_ms"]
}
