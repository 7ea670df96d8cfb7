# Computes what PL19's Tables 1, 3 and 4 imply about its CPU: the time of a row of Thomas and of SERICR on one thread.
#   awk -f plots/tables/pogorelskikh2019_baselines.awk plots/paper/pogorelskikh2019_table{1,3,4}.csv
# prints plots/paper/pogorelskikh2019_baselines.csv. A speed-up (Tables 1, 3) times the kernel's time (Table 4) is the
# time of its baseline. Table 4 has hundredths of a second; `low` and `high` follow from half of one more or less.
BEGIN {
    FS = ","
    HALF = 0.005 # s
}
/^#/ { next }
$1 == "variant" {
    split("", col)
    for (i = 1; i <= NF; i++)
        col[$i] = i
    next
}
"speedup" in col { speedup[$col["variant"], $col["batch"]] = $col["speedup"] }
"seconds" in col {
    seconds[$col["variant"], $col["batch"]] = $col["seconds"]
    n = $col["n"]
}
# ns a row at this time of a batch.
function ns(batch, s)
{
    return 1e9 * s / n / batch
}
# Prints a row: `factor` times the time of a kernel in Table 4.
function print_row(variant, kernel, batch, factor, s)
{
    s = seconds[kernel, batch]
    printf "%s,%d,%d,%.3f,%.3f,%.3f\n", variant, n, batch, ns(batch, factor * s), ns(batch, factor * (s - HALF)), \
        ns(batch, factor * (s + HALF))
}
END {
    print "# Computed, not printed in PL19: plots/tables/pogorelskikh2019_baselines.awk, from Tables 1, 3 and 4."
    print "# ns: the time of a row; low, high: its bounds, because Table 4 is rounded. Table 1 ends at 20000 systems."
    print "variant,n,batch,ns,low,high"
    for (batch = 5000; batch <= 20000; batch += 5000)
        print_row("thomas_cpu", "thomas_shared", batch, speedup["thomas_shared", batch])
    for (batch = 5000; batch <= 25000; batch += 5000)
        print_row("sericr_cpu", "paracr_partial", batch, speedup["paracr_partial", batch])
    for (batch = 5000; batch <= 25000; batch += 5000)
        print_row("thomas_shared", "thomas_shared", batch, 1)
    for (batch = 5000; batch <= 25000; batch += 5000)
        print_row("paracr_partial", "paracr_partial", batch, 1)
}
