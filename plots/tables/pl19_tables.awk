# Prints PL19 Tables 1 to 4 as Markdown tables, with published numbers beside measured ones. All are
# for n = 4095 and show each variant at its fastest T. Prints nothing if no kernel was timed.
#   awk -f plots/tables/columns.awk -f plots/tables/pl19_tables.awk \
#       plots/paper/pogorelskikh2019_*.csv RESULTS/thomas_batch.csv
BEGIN {
    title[1] = "Thomas, speed-up over thomas_cpu on one thread"
    title[2] = "SERICR, speed-up over sericr_cpu on one thread"
    title[3] = "PARACR, speed-up over sericr_cpu on one thread"
    title[4] = "Thomas and PARACR, time in seconds"
    # In each list the variants of the paper come first, then those that only this repository has.
    variants[1] = "thomas_shared thomas_global thomas_tile"
    variants[2] = "sericr_shared sericr_global"
    variants[3] = "paracr_partial paracr_shared paracr_global paracr_block"
    variants[4] = "thomas_shared paracr_partial thomas_tile paracr_block"
    base[1] = base[4] = "thomas_cpu"
    base[2] = base[3] = "sericr_cpu"
}
!("program" in col) && "where" in col {
    if ($col["where"] ~ /^table/)
        text[substr($col["where"], 6)] = text[substr($col["where"], 6)] sprintf("%s%s over %s %s", text[substr($col["where"], 6)] == "" ? "" : ", ", $col["variant"], $col["over"], $col["ratio"])
    next
}
!("program" in col) {
    if ("seconds" in col)
        published[4, $col["variant"], $col["batch"]] = $col["seconds"]
    else
        published[$col["variant"] ~ /^thomas/ ? 1 : $col["variant"] ~ /^sericr/ ? 2 : 3, $col["variant"], $col["batch"]] = $col["speedup"]
    next
}
$col["status"] != "ok" || $col["median_ms"] == "" || $col["n"] != 4095 { next }
{
    cores = $col["cores"]
    batch = $col["batch"] + 0
    if (cores == "")
        timed = 1
    if (cores > most)
        most = cores + 0
    batches[batch] = 1
    if (cores == 1)
        keep($col["variant"] "@1")
    keep($col["variant"] (cores == "" ? "" : "@all"))
}
function keep(v, key)
{
    key = v SUBSEP $col["type"] SUBSEP batch SUBSEP $col["phase"]
    if (!(key in ms) || $col["median_ms"] + 0 < ms[key])
        ms[key] = $col["median_ms"] + 0
}
# Returns the text of one cell. With which = "all" a cell is the speed-up over the CPU code on all
# cores. With which = 1 it is the speed-up over the CPU code on one thread in Tables 1 to 3, and a
# time in seconds in Table 4.
function cell(table, v, type, b, phase, which, over)
{
    if (!((v, type, b, phase) in ms) || (which == "all" && most < 2))
        return ""
    if (table == 4 && which == 1)
        return sprintf("%.3g", ms[v, type, b, phase] / 1000)
    over = base[table] "@" which
    return (over, type, b, "total") in ms ? sprintf("%.4g", ms[over, type, b, "total"] / ms[v, type, b, phase]) : ""
}
END {
    if (!timed)
        exit
    for (b in batches) {
        for (i = ++count; i > 1 && order[i - 1] > b + 0; i--)
            order[i] = order[i - 1]
        order[i] = b + 0
    }
    for (table = 1; table <= 4; table++) {
        printf "%sTable %d: %s.%s\n\n", (table > 1 ? "\n" : ""), table, title[table], text[table] == "" ? "" : " The text says: " text[table] "."
        print "| variant | systems | paper | s contiguous | s interleaved | d contiguous | d interleaved | s contiguous, with transfers | s contiguous, over all cores | with transfers, over all cores |"
        print "|---|---|---|---|---|---|---|---|---|---|"
        names = split(variants[table], v, " ")
        for (i = 1; i <= names; i++)
            for (j = 1; j <= count; j++) {
                b = order[j]
                row = cell(table, v[i], "s", b, "total", 1) " | " cell(table, v[i] "_interleaved", "s", b, "total", 1) " | " cell(table, v[i], "d", b, "total", 1) " | " \
                    cell(table, v[i] "_interleaved", "d", b, "total", 1) " | " cell(table, v[i], "s", b, "total+transfers", 1) " | " cell(table, v[i], "s", b, "total", "all") " | " \
                    cell(table, v[i], "s", b, "total+transfers", "all")
                if (row ~ /[0-9]/ || ((table, v[i], b) in published))
                    printf "| %s | %d | %s | %s |\n", v[i], b, published[table, v[i], b], row
            }
    }
}
