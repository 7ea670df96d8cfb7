# Prints the memory accesses that the count build counted (common/count.sh). For each program there
# are two tables: its most frequent accesses, then the totals of its variants.
#   awk -f plots/tables/columns.awk -f plots/tables/counts.awk counts.csv
# The first table shows an access if it makes at least 3% of its variant's sectors in global memory,
# or of its variant's wavefronts in shared memory. A wavefront is one pass over the banks; a request
# with bank conflicts needs several. All launches of a kernel are added up. Kernels that only
# rearrange arrays before and after the solver are left out.
BEGIN { HOT = 0.03 }
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
        program_of[v] = program
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
    if (!(row in requests)) {
        rows[++row_count] = row
        variant_of[row] = v
        kernel_of[row] = kernel
    }
    requests[row] += $col["requests"]
    lanes[row] += $col["lanes"]
    sectors[row] += $col["sectors"]
    ideal[row] += $col["ideal"]
    lines[row] += $col["lines"]
    wavefronts[row] += $col["wavefronts"]
    conflicts[row] += $col["conflicts"]
    all_sectors[v] += $col["sectors"]
    all_wavefronts[v] += $col["wavefronts"]
    all_conflicts[v] += $col["conflicts"]
    all_segment_bytes[v] += $col["space"] == "global" ? $col["segment_bytes"] : 0
}
# Formats a number with at most two digits after the point.
function brief(x, text)
{
    text = sprintf("%.2f", x)
    sub(/\.?0+$/, "", text)
    return text
}
function cell(text)
{
    grid[grid_rows, ++cells] = text
    if (length(text) > width[cells])
        width[cells] = length(text)
}
function new_row() { grid_rows++; cells = 0 }
function begin(names, count, i, name)
{
    split("", width)
    grid_rows = 0
    new_row()
    count = split(names, name, " ")
    for (i = 1; i <= count; i++)
        cell(name[i])
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
}
END {
    if (!program_count) {
        print "counts.awk: no counts" | "cat >&2"
        exit 1
    }
    for (p = 1; p <= program_count; p++) {
        printf "%s%s: accesses with at least %d %% of their variant's sectors or wavefronts; /r: per request\n", \
            (p > 1 ? "\n" : ""), programs[p], 100 * HOT
        begin("variant kernel where space op width requests lanes/r sectors/r ideal/r lines/r wavefronts/r conflicts/r barriers")
        for (i = 1; i <= row_count; i++) {
            row = rows[i]
            v = variant_of[row]
            if (program_of[v] != programs[p])
                continue
            split(row, part, SUBSEP)
            shared = part[5] == "shared"
            if (shared ? wavefronts[row] < HOT * all_wavefronts[v] : sectors[row] < HOT * all_sectors[v])
                continue
            new_row()
            for (j = 2; j <= 7; j++)
                cell(part[j])
            cell(requests[row])
            cell(brief(lanes[row] / requests[row]))
            cell(shared ? "-" : brief(sectors[row] / requests[row]))
            cell(shared ? "-" : brief(ideal[row] / requests[row]))
            cell(shared ? "-" : brief(lines[row] / requests[row]))
            cell(shared ? brief(wavefronts[row] / requests[row]) : "-")
            cell(shared ? brief(conflicts[row] / requests[row]) : "-")
            cell(brief(barriers[kernel_of[row]] / threads[kernel_of[row]]))
        }
        print_grid(5)
        printf "\n%s: variants as a whole; moved: 32 bytes a sector, without caches; least: bytes that the algorithm needs\n", programs[p]
        begin("variant launches barriers moved[KB] least[KB] moved/least C1060[KB] conflicts")
        for (i = 1; i <= variant_count; i++) {
            v = variants[i]
            if (program_of[v] != programs[p])
                continue
            split(v, part, SUBSEP)
            new_row()
            cell(part[2])
            cell(launches[v])
            cell(brief(waits[v] + 0))
            cell(sprintf("%.1f", 32 * all_sectors[v] / 1e3))
            cell(sprintf("%.1f", bytes[v] / 1e3))
            cell(bytes[v] ? brief(32 * all_sectors[v] / bytes[v]) : "-")
            cell(sprintf("%.1f", all_segment_bytes[v] / 1e3))
            cell(all_conflicts[v] + 0)
        }
        print_grid(1)
    }
}
