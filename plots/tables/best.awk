# Prints the best configuration of each variant, type and n as rows of a Markdown table:
#   awk -f plots/tables/columns.awk -f plots/tables/best.awk plots/tables/best.csv RESULTS/*.csv
# Not every size is shown. For a program that solves one system, the table has n = 256K, 1M, the
# largest n, and the additional n that best.csv names. For a program that solves batches, it has the
# largest batch and the largest single system of each type. The copy and triad kernels measure the
# speed of memory; they are shown at the largest n only, because small arrays stay in the cache.
# The column GB/s is the minimum number of bytes that the algorithm must move, divided by the median
# time. The speed-up is that over the baseline variant that best.csv names. Cases M and H of W13 are
# left out, because arithmetic limits them, not memory. baselines.awk makes the table of these
# cases.
"baseline" in col {
    baseline[$col["program"]] = $col["baseline"]
    baseline_cores[$col["program"]] = $col["cores"]
    without[$col["program"]] = $col["without"]
    also[$col["program"]] = $col["n"]
    next
}
function row_of(program) { return program in baseline ? program : "*" }
!("program" in col) || $col["status"] != "ok" || $col["median_ms"] == "" || $col["phase"] !~ /^total/ { next }
"case" in col && $col["case"] ~ /[MH]/ { next }
{
    program = $col["program"]
    n = $col["n"] + 0
    batch = $col["batch"]
    size = program "," $col["type"] "," n "," batch
    if (batch == "" && n > largest[program])
        largest[program] = n
    if (batch == 1 && n > longest[program, $col["type"]])
        longest[program, $col["type"]] = n
    if (batch + 0 > widest[program])
        widest[program] = batch + 0
    ms = $col["median_ms"] + 0
    if ($col["variant"] == baseline[row_of(program)] && (baseline_cores[row_of(program)] == "" || $col["cores"] == baseline_cores[row_of(program)]))
        serial[size] = ms
    key = size "," $col["variant"] "," $col["phase"]
    if (!(key in best)) {
        keys[++count] = key
        best[key] = ms + 1
    }
    if (ms < best[key]) {
        best[key] = ms
        gb[key] = $col["bytes"] == "" || $col["phase"] ~ /transfers/ ? "" : sprintf("%.4g", $col["bytes"] / ms / 1e6)
        cores = $col["cores"] == "" ? "" : $col["cores"] ($col["cores"] == 1 ? " core" : " cores")
        at[key] = ("ranks" in col) && $col["ranks"] != "" ? $col["ranks"] ($col["ranks"] == 1 ? " rank" : " ranks") (cores == "" ? "" : " of at most " cores) : \
            $col["nest"] != "" ? "P1 = " $col["parts"] ", n_it = " $col["nest"] (cores == "" ? "" : ", " cores) : \
            $col["blocks"] != "" ? "G = " $col["blocks"] ", T = " $col["threads"] : cores
    }
}
function short(n)
{
    return n % 1048576 == 0 ? n / 1048576 "M" : n % 1024 == 0 ? n / 1024 "K" : n
}
END {
    print "| program | variant | type | n | best at | time [ms] | GB/s | over serial |"
    print "|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= count; i++) {
        split(keys[i], f, ",")
        if (f[5] ~ /^(copy|triad)$/ ? f[3] != largest[f[1]] : \
                f[4] == "" ? f[3] != 262144 && f[3] != 1048576 && f[3] != largest[f[1]] && f[3] != also[row_of(f[1])] : \
                f[4] == 1 ? f[3] != longest[f[1], f[2]] : f[4] != widest[f[1]])
            continue
        size = f[1] "," f[2] "," f[3] "," f[4]
        printf "| %s | %s%s | %s | %s%s | %s | %.4g | %s | %s |\n", f[1], f[5],
            f[6] == "total" ? "" : " (" f[6] ")", f[2], short(f[3]), f[4] == "" ? "" : " × " f[4], at[keys[i]], best[keys[i]], gb[keys[i]],
            size in serial && f[5] !~ /^(copy|triad|interleave)$/ && (without[row_of(f[1])] == "" || f[5] !~ without[row_of(f[1])]) ? \
                sprintf("%.2f", serial[size] / best[keys[i]]) : ""
    }
}
