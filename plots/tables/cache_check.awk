# Prints the launches of one command as the model of the caches predicts them, beside Nsight Compute
# (ncu). plots/cache_check.sh calls it and explains the variables and the columns:
#   awk -v header=1 -v gpu=GPU -v parts=WHOLE/PART -v where=CONDITION -v command="PROGRAM OPTIONS" \
#       -f plots/tables/columns.awk -f plots/tables/cache_check.awk CODE_BYTES.csv NCU.csv COUNT_CACHE.csv
# The launches of the two files are walked through in order, and those with equal kernels are paired.
# The profiles have different names for some columns, and older names for some kernels. Their
# l1_hit_percent is not used, because stores are in it.
function value_of(names, n, i, list)
{
    n = split(names, list, " ")
    for (i = 1; i <= n; i++)
        if (list[i] in col && $col[list[i]] != "")
            return $col[list[i]]
    return ""
}
function is_chosen(n, i, list, pair)
{
    n = split(where, list, " ")
    for (i = 1; i <= n; i++) {
        split(list[i], pair, "=")
        if ($col[pair[1]] != pair[2])
            return 0
    }
    return 1
}
function percent(part, whole)
{
    return whole > 0 ? sprintf("%.2f", 100 * part / whole) : ""
}
function fail(text)
{
    print "cache_check.awk: " command ": " text > "/dev/stderr"
    failed = 1
    exit 1
}
BEGIN {
    # Beside its instructions a launch reads this: the median of the 30 launches of L22 in the table.
    launch_bytes = 2176
    split(parts, ratio, "/")
    scale = ratio[1] / ratio[2]
    now["on_chip"] = "resident"
    now["join"] = "merge_groups"
    n = split(command, word, " ")
    for (i = 2; i < n; i += 2)
        if (word[i] == "--variant" || word[i] == "--type")
            option[word[i]] = word[i + 1]
        else
            options = options (options == "" ? "" : " ") word[i] " " word[i + 1]
    if (header)
        print "program,variant,type,options,gpu,kernel,l1,l1_ncu,dram_read,dram_read_ncu,dram_write,dram_write_ncu,dram_code,dram,dram_ncu,difference"
}
FILENAME == ARGV[1] {
    code[$col["unit"], $col["kernel"], $col["arguments"]] = $col["bytes"]
    next
}
FILENAME == ARGV[2] && is_chosen() {
    kernel = value_of("kernel stage variant")
    sub(/_interleaved$/, "", kernel)
    profiled[++launches] = kernel
    ncu_kernel[launches] = kernel in now ? now[kernel] : kernel
    hits = value_of("load_sectors_hit load_sectors_l1")
    ncu_l1[launches] = hits == "" ? "" : percent(hits, $col["load_sectors"])
    ncu_read[launches] = value_of("dram_read_bytes")
    ncu_write[launches] = value_of("dram_write_bytes dram_written_bytes")
}
FILENAME == ARGV[2] { next }
{
    # The first argument of for_each_kernel that is a function is its kernel.
    arguments = $col["arguments"]
    kernel = $col["kernel"] == "for_each_kernel" ? substr(arguments, index(arguments, "&") + 1) : $col["kernel"]
    sub(/;.*/, "", kernel)
    sub(/;&.*/, "", arguments)
    gsub(/ /, "", arguments)
}
paired < launches && kernel == ncu_kernel[paired + 1] {
    i = ++paired
    read = $col["dram_read_bytes"] * scale
    write = $col["dram_write_bytes"] * scale
    own = both_ncu = difference = ""
    if (ncu_read[i] != "") {
        if (!((word[1], profiled[i], arguments) in code))
            fail("no code of " profiled[i] "<" arguments ">")
        own = code[word[1], profiled[i], arguments] + launch_bytes
    }
    # DRAM bytes in both directions, or only those read where only they were measured
    both = read + own + (ncu_write[i] == "" ? 0 : write)
    if (ncu_read[i] != "") {
        both_ncu = sprintf("%.0f", ncu_read[i] + ncu_write[i])
        difference = sprintf("%.2f", 100 * (both / both_ncu - 1))
    }
    printf "%s,%s,%s,%s,%s,%s,%s,%s,%.0f,%s,%.0f,%s,%s,%.0f,%s,%s\n", word[1], option["--variant"], option["--type"], options, \
        gpu, kernel, ncu_l1[i] == "" ? "" : percent($col["load_sectors_l1"], $col["load_sectors"]), ncu_l1[i], \
        read, ncu_read[i], write, ncu_write[i], own, both, both_ncu, difference
}
END {
    if (!failed && (paired < launches || !launches))
        fail("only " paired + 0 " of " launches + 0 " launches")
    exit failed
}
