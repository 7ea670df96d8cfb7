# Compares the memory accesses that the count build counts (common/cpu_device/count.c) with those
# that Nsight Compute (ncu) measures. It has two parts; plots/count_check.sh calls them.
#   awk -f plots/tables/columns.awk -f plots/tables/count_check.awk -v part=commands ncu_counts.csv
# prints the commands of ncu_counts.csv, one "PROGRAM OPTIONS" per line.
#   awk … -v part=check ncu_counts.csv K1.csv K2.csv …
# prints the rows of count_check.csv. Ki.csv holds the counts of command i, which the count build
# wrote (COUNT_CSV=Ki.csv).
# The launches that the two tools list for a command are not the same. The count build runs a
# variant once, while the profiled program goes on with timed runs. Some launches, such as those of
# begin_status, were not profiled. Therefore the comparison walks through both lists in order and
# pairs launches with equal kernel name and size.
BEGIN {
    metrics = split("load_requests load_sectors store_requests store_sectors shared_loads shared_stores shared_load_wavefronts shared_store_wavefronts shared_load_conflicts shared_store_conflicts", name, " ")
}
# Returns the name of a kernel. nshape launches all its stages through one kernel template,
# for_each_kernel<&STAGE>. For such a launch this function returns STAGE.
function kernel_of(text)
{
    if (match(text, /&[a-z_]+/))
        return substr(text, RSTART + 1, RLENGTH - 1)
    sub(/[<(].*/, "", text)
    return text
}
{ launch_of_row = " " $col["blocks"] "x" $col["threads"] }
FILENAME == ARGV[1] {
    command = $col["program"] " " $col["options"] " --type " $col["type"] " --variant " $col["variant"]
    if (command != command_of[commands]) {
        command_of[++commands] = command
        if (part == "commands")
            print command
    }
    launches[commands]++
    key = commands SUBSEP launches[commands]
    ncu_launch[key] = $col["kernel"] launch_of_row
    prefix[key] = $col["program"] "," $col["variant"] "," $col["type"] "," $col["options"] "," $col["launch"] "," $col["kernel"]
    for (i = 1; i <= metrics; i++)
        ncu[key, i] = $col[name[i]]
    next
}
FILENAME != last_file {
    last_file = FILENAME
    counted++
}
{
    key = counted SUBSEP $col["launch"]
    count_launch[key] = kernel_of($col["kernel"] "<" $col["arguments"]) launch_of_row
    counted_launches[counted] = $col["launch"] + 1
    op = $col["op"]
}
op == "load" || op == "store" {
    if ($col["space"] == "global") {
        count[key, op "_requests"] += $col["requests"]
        count[key, op "_sectors"] += $col["sectors"]
    } else if ($col["space"] == "shared") {
        count[key, "shared_" op "s"] += $col["requests"]
        count[key, "shared_" op "_wavefronts"] += $col["wavefronts"]
        count[key, "shared_" op "_conflicts"] += $col["conflicts"]
    }
}
function fail(text)
{
    print "count_check.awk: " text > "/dev/stderr"
    exit 1
}
END {
    if (part != "check")
        exit
    if (counted != commands)
        fail(commands " commands, but counts of " counted)
    print "program,variant,type,options,launch,kernel,metric,count,ncu,difference,equal"
    for (c = 1; c <= commands; c++) {
        at = 0
        for (l = 1; l <= launches[c]; l++) {
            # Skip counted launches that were not profiled, up to the next one that matches launch l.
            for (k = at; k < counted_launches[c] && count_launch[c, k] != ncu_launch[c, l]; k++)
                ;
            if (k >= counted_launches[c])
                break
            at = k + 1
            for (i = 1; i <= metrics; i++) {
                difference = count[c, k, name[i]] - ncu[c, l, i]
                printf "%s,%s,%d,%d,%d,%s\n", prefix[c, l], name[i], count[c, k, name[i]], ncu[c, l, i], difference, difference ? "no" : "yes"
            }
        }
        if (!at)
            fail("no counted launch matches this command: " command_of[c])
    }
}
