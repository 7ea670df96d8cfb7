# Prints the memory accesses that the count build counted (common/count.sh). For each program there
# are two tables: its most frequent accesses, then the totals of its variants. The last line says
# how many accesses are left out.
#   awk -f plots/tables/columns.awk -f plots/tables/counts.awk counts.csv
# The first table shows an access if it has at least 3% of the sectors of its kernel's largest
# access of global memory, or of the wavefronts of the largest of shared memory. So each kernel of a
# variant is there, however small beside the others. A wavefront is one pass over the banks; a
# request with bank conflicts needs several. All launches of a kernel are added up. Kernels that
# only rearrange arrays before and after the solver are left out.
BEGIN {
    HOT = 0.03
    counted = split("lanes sectors ideal lines wavefronts conflicts requests", name, " ")
}
$col["role"] != "solver" { next }
{
    program = $col["program"]
    if (!(program in known)) {
        known[program] = 1
        programs[++program_count] = program
    }
    v = program SUBSEP $col["variant"] " " $col["type"] ($col["case"] == "" ? "" : " " $col["case"])
    if (!(v in bytes)) {
        bytes[v] = $col["bytes"]
        variants[++variant_count] = v
    }
    kernel = v SUBSEP $col["kernel"]
    if (!((kernel, $col["launch"]) in launched)) {
        launched[kernel, $col["launch"]] = 1
        launches[v]++
        threads[kernel] += $col["blocks"] * $col["threads"]
    }
}
$col["space"] == "block" {
    barriers[kernel] += $col["lanes"]
    waits[v] += $col["lanes"] / ($col["blocks"] * $col["threads"])
    next
}
{
    row = kernel SUBSEP $col["file"] ":" $col["line"] SUBSEP $col["space"] SUBSEP $col["op"] SUBSEP $col["width"]
    if (!(row in kernel_of)) {
        rows[++row_count] = row
        kernel_of[row] = kernel
    }
    for (i = 1; i <= counted; i++) {
        sum[row, name[i]] += $col[name[i]]
        sum[v, name[i]] += $col[name[i]]
    }
    size[row] += $col[$col["space"] == "shared" ? "wavefronts" : "sectors"]
    if (size[row] > largest[kernel, $col["space"]])
        largest[kernel, $col["space"]] = size[row]
    segment_bytes[v] += $col["space"] == "global" ? $col["segment_bytes"] : 0
}
# Formats a number with at most two digits after the point.
function brief(x, text)
{
    text = sprintf("%.2f", x)
    sub(/\.?0+$/, "", text)
    return text
}
# The mean of a count over the requests of a row, or "-" if the row's memory has no such count.
function mean(row, count, has)
{
    return has ? brief(sum[row, count] / sum[row, "requests"]) : "-"
}
# Adds a row of cells, given as text with SUBSEP between them.
function add_row(text, part, j)
{
    cells = split(text, part, SUBSEP)
    grid_rows++
    for (j = 1; j <= cells; j++) {
        grid[grid_rows, j] = part[j]
        if (length(part[j]) > width[j])
            width[j] = length(part[j])
    }
}
# The first text_columns columns are text, aligned left; the others are numbers, aligned right.
function print_grid(text_columns, i, j, text)
{
    for (i = 1; i <= grid_rows; i++) {
        text = ""
        for (j = 1; j <= cells; j++)
            text = text (j > 1 ? "  " : "") sprintf("%" (j <= text_columns ? "-" : "") width[j] "s", grid[i, j])
        print text
    }
    split("", width)
    grid_rows = 0
}
function headed(names)
{
    gsub(/ /, SUBSEP, names)
    add_row(names)
}
function print_accesses(program, i, row, shared, part)
{
    printf "%s: accesses with at least %d %% of the sectors or wavefronts of their kernel's largest; /r: per request\n", program, 100 * HOT
    headed("variant kernel where space op width requests lanes/r sectors/r ideal/r lines/r wavefronts/r conflicts/r barriers")
    for (i = 1; i <= row_count; i++) {
        row = rows[i]
        split(row, part, SUBSEP)
        shared = part[5] == "shared"
        if (part[1] != program)
            continue
        if (size[row] < HOT * largest[kernel_of[row], part[5]])
            left_out++
        else
            add_row(substr(row, length(program) + 2) SUBSEP sum[row, "requests"] SUBSEP mean(row, "lanes", 1) SUBSEP \
                mean(row, "sectors", !shared) SUBSEP mean(row, "ideal", !shared) SUBSEP mean(row, "lines", !shared) SUBSEP \
                mean(row, "wavefronts", shared) SUBSEP mean(row, "conflicts", shared) SUBSEP \
                brief(barriers[kernel_of[row]] / threads[kernel_of[row]]))
    }
    print_grid(5)
}
function print_variants(program, i, v, moved, part)
{
    printf "\n%s: variants as a whole; moved: 32 bytes a sector, without caches and without bulk copies; least: bytes that the algorithm needs\n", program
    headed("variant launches barriers moved[KB] least[KB] moved/least C1060[KB] conflicts")
    for (i = 1; i <= variant_count; i++) {
        v = variants[i]
        moved = 32 * sum[v, "sectors"]
        split(v, part, SUBSEP)
        if (part[1] == program)
            add_row(part[2] SUBSEP launches[v] SUBSEP brief(waits[v] + 0) SUBSEP sprintf("%.1f", moved / 1e3) SUBSEP \
                sprintf("%.1f", bytes[v] / 1e3) SUBSEP (bytes[v] ? brief(moved / bytes[v]) : "-") SUBSEP \
                sprintf("%.1f", segment_bytes[v] / 1e3) SUBSEP sum[v, "conflicts"] + 0)
    }
    print_grid(1)
}
END {
    if (!program_count) {
        print "counts.awk: no counts" | "cat >&2"
        exit 1
    }
    for (p = 1; p <= program_count; p++) {
        if (p > 1)
            print ""
        print_accesses(programs[p])
        print_variants(programs[p])
    }
    printf "\nleft out: %d of %d accesses, small beside the largest of their kernel; all are in %s\n", \
        left_out, row_count, FILENAME
}
