# Compares the memory accesses that the count build counts (common/cpu_device/count.c) with those
# that Nsight Compute (ncu) measures. It has two parts; plots/count_check.sh calls them.
#   awk -v part=commands -f plots/tables/count_check.awk ncu_counts.csv
# prints the commands of ncu_counts.csv, one "PROGRAM OPTIONS" per line.
#   awk -v part=check -f plots/tables/count_check.awk ncu_counts.csv K1.csv K2.csv …
# prints the rows of count_check.csv. Ki.csv holds the counts of command i, which the count build
# wrote (COUNT_CSV=Ki.csv).
# The launches that the two tools list for a command are not the same. The count build runs a
# variant once, while the profiled program goes on with timed runs. Some launches, such as those of
# begin_status, were not profiled. Therefore the comparison walks through both lists in order and
# pairs launches with equal kernel name and size.
# Returns the name of a kernel. nshape launches all its stages through one kernel template,
# for_each_kernel<&STAGE>. For such a launch this function returns STAGE. The count build has the
# same arguments in a column of their own.
function kernel_of(text)
{
    if (match(text, /&[a-z_]+/))
        return substr(text, RSTART + 1, RLENGTH - 1)
    sub(/^void /, "", text)
    sub(/[<(].*/, "", text)
    return text
}
function is_same(c, k, l)
{
    return count_kernel[c, k] == ncu_kernel[c, l] && count_size[c, k] == ncu_size[c, l]
}
BEGIN {
    names = "load_requests load_sectors store_requests store_sectors shared_loads shared_stores shared_load_wavefronts shared_store_wavefronts shared_load_conflicts shared_store_conflicts local_load_requests lanes"
    metrics = split(names, name, " ")
    # Only the first ten metrics are compared. For example, accesses to local memory depend on the
    # compiler, not on the source.
    compared = 10
    for (i = 1; i <= metrics; i++)
        index_of[name[i]] = i
    if (part == "check")
        print "program,variant,type,options,launch,kernel,metric,count,ncu,difference,equal"
    FS = ","
}

/^#/ { next }
$1 == "program" || $1 == "launch" {
    split("", col)
    for (i = 1; i <= NF; i++)
        col[$i] = i
    next
}
FILENAME == ARGV[1] {
    command = $col["program"] " " $col["options"] " --type " $col["type"] " --variant " $col["variant"]
    if (command != last_command) {
        if (part == "commands")
            print command
        last_command = command_of[++commands] = command
    }
    launch = launches[commands]++
    key = commands SUBSEP launch
    ncu_kernel[key] = $col["kernel"]
    ncu_size[key] = $col["blocks"] "x" $col["threads"]
    prefix[key] = $col["program"] "," $col["variant"] "," $col["type"] "," $col["options"] "," $col["launch"] "," $col["kernel"]
    for (i = 1; i <= metrics; i++)
        ncu[key, i] = $col[name[i]]
    next
}
part == "check" {
    if (FILENAME != last_file) {
        last_file = FILENAME
        counted++
        counted_last[counted] = -1
    }
    launch = $col["launch"]
    key = counted SUBSEP launch
    count_kernel[key] = kernel_of($col["kernel"] "<" $col["arguments"])
    count_size[key] = $col["blocks"] "x" $col["threads"]
    counted_last[counted] = launch
    op = $col["op"]
    if ($col["space"] == "global" && (op == "load" || op == "store")) {
        count[key, index_of[op "_requests"]] += $col["requests"]
        count[key, index_of[op "_sectors"]] += $col["sectors"]
    }
    if ($col["space"] == "shared" && (op == "load" || op == "store")) {
        count[key, index_of["shared_" op "s"]] += $col["requests"]
        count[key, index_of["shared_" op "_wavefronts"]] += $col["wavefronts"]
        count[key, index_of["shared_" op "_conflicts"]] += $col["conflicts"]
    }
}

END {
    if (failed)
        exit 1
    if (part != "check")
        exit
    if (counted != commands) {
        print "count_check.awk: " commands " commands, but counts of " counted > "/dev/stderr"
        exit 1
    }
    for (c = 1; c <= commands; c++) {
        at = 0
        found = 0
        for (l = 0; l < launches[c]; l++) {
            # Skip counted launches that were not profiled, up to the next one that matches launch
            # l.
            for (k = at; k <= counted_last[c] && !is_same(c, k, l); k++)
                ;
            if (k > counted_last[c])
                break
            at = k + 1
            found++
            for (i = 1; i <= compared; i++)
                printf "%s,%s,%d,%d,%d,%s\n", prefix[c, l], name[i], count[c, k, i], ncu[c, l, i], count[c, k, i] - ncu[c, l, i], count[c, k, i] == ncu[c, l, i] ? "yes" : "no"
        }
        if (!found) {
            print "count_check.awk: no counted launch matches this command: " command_of[c] > "/dev/stderr"
            exit 1
        }
    }
}
