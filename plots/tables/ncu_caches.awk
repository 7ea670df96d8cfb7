# Converts a table of Nsight Compute (its "raw" page) into rows of ncu_caches.csv: the launches of a
# program's first solve. With -v header=1 it prints the line of column names first.
#   ncu --clock-control none --csv --page raw --print-units base --kernel-name-base demangled \
#       -k 'regex:precompute|propagate|determine|move|transpose_|one_pass|step' --launch-count L \
#       --metrics METRICS build/gpu/PROGRAM OPTIONS --reps 1 > FILE
#   awk -v command="PROGRAM OPTIONS" -v launches=L -v header=1 -f plots/tables/ncu_caches.awk FILE
# L is the number of these launches in a solve: the first launches that a program makes. Without -k,
# ncu would count the launches that measure the memory's speed, which come first. METRICS are the
# names in number() below. load_sectors_l1: loaded 32-byte sectors that hit L1.
function fields(line)
{
    sub(/^"/, "", line)
    sub(/"\r?$/, "", line)
    return split(line, f, /","/)
}
function fail(text)
{
    print "ncu_caches.awk: " command ": " text > "/dev/stderr"
    failed = 1
    exit 1
}
function number(name, text)
{
    if (!(name in at))
        fail("no " name)
    text = f[at[name]]
    gsub(/,/, "", text)
    return sprintf("%.0f", text)
}
function product(text, n)
{
    gsub(/[() ]/, "", text)
    split(text, n, ",")
    return n[1] * n[2] * n[3]
}
BEGIN {
    n = split(command, word, " ")
    for (i = 2; i < n; i += 2)
        if (word[i] == "--variant")
            variant = word[i + 1]
        else if (word[i] == "--type")
            type = word[i + 1]
        else
            options = options (options == "" ? "" : " ") word[i] " " word[i + 1]
    if (header)
        print "program,variant,type,options,launch,kernel,blocks,threads,load_sectors,load_sectors_l1,dram_read_bytes,dram_write_bytes"
}
/^"ID"/ {
    count = fields($0)
    for (i = 1; i <= count; i++)
        at[f[i]] = i
    next
}
# Only rows of data begin with a number in quotes.
/^"[0-9]/ && count && rows < launches {
    fields($0)
    kernel = f[at["Kernel Name"]]
    if (kernel !~ /^(void )?[a-z_]*(precompute|propagate|determine|move|transpose_|one_pass|step)/)
        fail(kernel " is no kernel of a solver")
    sub(/^void /, "", kernel)
    sub(/[<(].*/, "", kernel)
    print word[1] "," variant "," type "," options "," rows++ "," kernel "," \
        product(f[at["Grid Size"]]) "," product(f[at["Block Size"]]) "," \
        number("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") "," \
        number("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum") "," \
        number("dram__bytes_read.sum") "," number("dram__bytes_write.sum")
}
END {
    if (!failed && (!rows || rows < launches))
        fail(rows + 0 " launches, not " launches)
    exit failed
}
