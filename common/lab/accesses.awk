# Lists the accesses in counts.csv, each once, for picture.sh. The kernels of a variant's solver come before those that
# only rearrange arrays.
#   awk -f plots/tables/columns.awk -f accesses.awk counts.csv
$col["space"] == "global" || $col["space"] == "shared" {
    variant = $col["program"] " " $col["variant"]
    if (!(variant in type)) {
        variants[++variant_count] = variant
        type[variant] = $col["type"]
    }
    if (type[variant] != $col["type"])
        next
    access = variant " " $col["type"] " " $col["kernel"] " " $col["file"] " " $col["line"] " " $col["space"] " " \
             $col["op"]
    if (!(access in requests)) {
        rows[variant]++
        row[variant, rows[variant]] = access
        role[access] = $col["role"]
        memory[access] = $col["space"]
    }
    requests[access] += $col["requests"]
    lanes[access] += $col["lanes"]
    sectors[access] += $col["sectors"]
    conflicts[access] += $col["conflicts"]
}
function print_rows(variant, wanted,    i, access, n)
{
    for (i = 1; i <= rows[variant]; i++) {
        access = row[variant, i]
        n = requests[access]
        if (role[access] == wanted)
            printf memory[access] == "global" ? "%s %d %.2f %.2f -\n" : "%s %d %.2f - %.2f\n", access, n,
                   lanes[access] / n, (memory[access] == "global" ? sectors[access] : conflicts[access]) / n
    }
}
END {
    for (v = 1; v <= variant_count; v++) {
        print_rows(variants[v], "solver")
        print_rows(variants[v], "layout")
    }
}
