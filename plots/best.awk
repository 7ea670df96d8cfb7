# The best configuration of every variant, type and n (256K, 1M and the largest of each program) as rows of
# a Markdown table: what the ceilings (copy, triad) and the peers (LAPACK, CUB, cuSPARSE) are held against.
#   awk -f plots/columns.awk -f plots/best.awk RESULTS/*.csv
# GB/s: the least bytes that the algorithm needs over the median time. Speed-up: over the serial row, in pscheme_g over cpu_paper.
# Cases M and H of W13 are no matter of bytes: their table is baselines.awk's.
!("program" in col) || $col["status"] != "ok" || $col["median_ms"] == "" || $col["phase"] !~ /^total/ { next }
"case" in col && $col["case"] ~ /[MH]/ { next }
{
    program = $col["program"]
    n = $col["n"] + 0
    size = program "," $col["type"] "," n
    if (n > largest[program])
        largest[program] = n
    ms = $col["median_ms"] + 0
    if ($col["variant"] ~ /^(serial|cpu_paper)$/)
        serial[size] = ms
    key = size "," $col["variant"] "," $col["phase"]
    if (!(key in best)) {
        keys[++count] = key
        best[key] = ms + 1
    }
    if (ms < best[key]) {
        best[key] = ms
        gb[key] = $col["bytes"] == "" ? "" : sprintf("%.4g", $col["bytes"] / ms / 1e6)
        at[key] = $col["blocks"] != "" ? "G = " $col["blocks"] ", T = " $col["threads"] : \
            $col["cores"] != "" ? $col["cores"] ($col["cores"] == 1 ? " core" : " cores") : ""
    }
}
function words(n)
{
    return n % 1048576 == 0 ? n / 1048576 "M" : n % 1024 == 0 ? n / 1024 "K" : n
}
END {
    print "| program | variant | type | n | best at | time [ms] | GB/s | over serial |"
    print "|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= count; i++) {
        split(keys[i], f, ",")
        if (f[3] != 262144 && f[3] != 1048576 && f[3] != largest[f[1]])
            continue
        size = f[1] "," f[2] "," f[3]
        printf "| %s | %s%s | %s | %s | %s | %.4g | %s | %s |\n", f[1], f[4],
            f[5] == "total" ? "" : " (" f[5] ")", f[2], words(f[3]), at[keys[i]], best[keys[i]], gb[keys[i]],
            size in serial && f[4] != "copy" && f[4] != "triad" && f[4] !~ /tridiagonal|gtsv/ ? \
                sprintf("%.2f", serial[size] / best[keys[i]]) : ""
    }
}
