# Converts a table of Nsight Compute (its "raw" page) into rows of ncu_lutsyshyn2022.csv, one row
# per kernel. With -v header=1 it prints the line of column names first.
#   ncu --csv --page raw --print-units base --kernel-name-base demangled \
#       -k 'regex:begin_line|reduce_and_join|end_line|solve_lines|substitute' --launch-count L \
#       --metrics METRICS build/gpu/nshape --variant V --n N --type Z --parts P1 --nest K … > FILE
#   awk -v variant=V -v n=N -v type=Z -v parts=P1 -v nest=K -v header=1 -f plots/tables/ncu_l22.awk FILE
# L = 4 K + 1 is the number of these kernels in a solve. METRICS are the names in number() below.
# load_sectors_l1 is the number of loaded 32-byte sectors that hit L1. l2_read_sectors_l2 and
# l2_write_sectors_l2 are the numbers of read and written sectors that hit L2.
function fields(line)
{
    sub(/^"/, "", line)
    sub(/"\r?$/, "", line)
    return split(line, f, /","/)
}
function number(name, text)
{
    if (!(name in at)) {
        print FILENAME ": no " name > "/dev/stderr"
        rows++ # keeps END from printing a second message
        exit 1
    }
    text = f[at[name]]
    gsub(/,/, "", text)
    return sprintf("%.0f", text)
}
BEGIN {
    if (header)
        print "variant,type,n,parts,nest,threads,stage,duration_ns,load_sectors,load_sectors_l1,l2_read_sectors,l2_read_sectors_l2,l2_write_sectors,l2_write_sectors_l2,dram_read_bytes,instructions"
}
/^"ID"/ {
    count = fields($0)
    split("", at)
    for (i = 1; i <= count; i++)
        at[f[i]] = i
    next
}
# Only rows of data begin with a number in quotes. The line of units does not begin with a number,
# and the lines that the program and the profiler print have no quotes.
/^"[0-9]/ && count {
    fields($0)
    name = f[at["Kernel Name"]]
    if (!match(name, /(begin_line|reduce_and_join|end_line|solve_lines|substitute)</))
        next
    stage = substr(name, RSTART, RLENGTH - 1)
    threads = f[at["Block Size"]]
    gsub(/[( ]|,.*/, "", threads)
    print variant "," type "," n "," parts "," nest "," threads "," stage "," \
        number("gpu__time_duration.sum") "," \
        number("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") "," number("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum") "," \
        number("lts__t_sectors_op_read.sum") "," number("lts__t_sectors_op_read_lookup_hit.sum") "," \
        number("lts__t_sectors_op_write.sum") "," number("lts__t_sectors_op_write_lookup_hit.sum") "," \
        number("dram__bytes_read.sum") "," number("smsp__inst_executed.sum")
    rows++
}
END {
    if (!rows) {
        print "ncu_l22.awk: no kernel of nshape" > "/dev/stderr"
        exit 1
    }
}
