# Prints W13's best GPU time of each case, with its speed-up over three CPU baselines, as a Markdown
# table. Prints nothing if no kernel was timed.
#   awk -f plots/tables/columns.awk -f plots/tables/baselines.awk RESULTS/pscheme_g.csv
# A case has a row for the variant `extended` (the paper's kernel) and, if another variant is
# faster, a row for the fastest one.
$col["status"] != "ok" || $col["median_ms"] == "" || $col["phase"] != "total" || $col["case"] == "" { next }
{
    key = $col["case"] "," $col["type"] "," $col["n"]
    v = $col["variant"]
    ms = $col["median_ms"] + 0
}
v ~ /^cpu_/ {
    cpu[v, key] = ms
    if (v == "cpu_cores")
        cores = $col["cores"]
    next
}
{
    if (!(("any", key) in low))
        keys[++count] = key
    keep("any", key)
    if (v == "extended")
        keep(v, key)
}
function keep(which, key)
{
    if ((which, key) in low && low[which, key] <= ms)
        return
    low[which, key] = ms
    at[which, key] = v ", G = " $col["blocks"] ", T = " $col["threads"]
}
function over(name, which, key) { return (name, key) in cpu ? sprintf("%.2f", cpu[name, key] / low[which, key]) : "-" }
function row(which, key, f)
{
    split(key, f, ",")
    printf "| %s | %s | %s | %s | %s | %s | %s | %.4g | %s | %s | %s |\n", f[1], f[2], f[3], time("cpu_paper", key), time("cpu_lanes", key), time("cpu_cores", key),
        at[which, key], low[which, key], over("cpu_paper", which, key), over("cpu_lanes", which, key), over("cpu_cores", which, key)
}
function time(name, key) { return (name, key) in cpu ? sprintf("%.4g", cpu[name, key]) : "-" }
END {
    if (count == 0)
        exit
    print "| case | type | N | cpu_paper [ms] | cpu_lanes [ms] | cpu_cores" (cores == "" ? "" : ", " cores " cores") " [ms] | best GPU | [ms] | over cpu_paper | over cpu_lanes | over cpu_cores |"
    print "|---|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= count; i++) {
        if (("extended", keys[i]) in low && at["any", keys[i]] != at["extended", keys[i]])
            row("extended", keys[i])
        row("any", keys[i])
    }
}
