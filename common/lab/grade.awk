# Grades a kernel: compares the counts of a run (count_table.c) with the gates of a lab (README.md).
#   awk -v least=FILE -v reference=FILE -v csv=FILE -v lab=N -f grade.awk gates.txt counts.csv
# least: the lines "least: KERNEL BYTES UNIT" of the harness. reference: counts of the solution, for a column of their
# own, or empty. csv: gets a row for each gate. Exit status: 0 if all gates hold, 1 if one does not.
function trim(text)
{
    gsub(/^ +| +$/, "", text)
    return text
}

function number(value)
{
    return value == int(value) ? sprintf("%d", value) : sprintf("%.2f", value)
}

# Reads counts into the arrays launch, kernel, …: rows from..to-1 of the table.
function read_counts(file, from,    line, f, name, columns, i)
{
    while ((getline line <file) > 0) {
        columns = split(line, f, ",")
        if (f[1] == "launch") {
            for (i = 1; i <= columns; i++)
                at[f[i]] = i
            continue
        }
        for (name in at)
            row[from, name] = f[at[name]]
        from++
    }
    close(file)
    return from
}

# The distance of a value from the target: at most 0 if the gate holds.
function excess(value, target,    ends)
{
    if (target ~ /^<=/)
        return value - substr(target, 3)
    if (target ~ /^>=/)
        return substr(target, 3) - value
    if (split(target, ends, /\.\./) == 2)
        return value < ends[1] ? ends[1] - value : value - ends[2]
    return value < target ? target - value : value - target
}

function is_kernel(i, kernel)
{
    return kernel == "*" || kernel == row[i, "kernel"] || kernel == row[i, "kernel"] "<" row[i, "arguments"] ">"
}

# What a row contributes to a metric.
function value_of(i, word)
{
    if (word == "barriers" || word == "shuffles")
        return row[i, "lanes"] / (row[i, "blocks"] * row[i, "threads"])
    if (word == "steps")
        return row[i, "requests"] / (row[i, "blocks"] * int((row[i, "threads"] + 31) / 32))
    if (word == "bytes")
        return 32 * row[i, "sectors"]
    if (word == "asked")
        return row[i, "lanes"] * row[i, "width"]
    return word == "requests" ? row[i, word] : row[i, word] / row[i, "requests"]
}

# The value of a metric in the rows from..to-1, or "none": a sum, or the worst access. Sets `where` to the source line of
# the access with the largest share, or of the worst one.
function measure(kernel, metric, target, from, to,    m, i, x, sums, sum, worst, seen)
{
    split(metric, m, " ")
    sums = m[1] ~ /^(launches|requests|steps|bytes|asked)$/
    where = ""
    sum = 0
    worst = "none"
    split("", seen)
    for (i = from; i < to; i++) {
        if (!is_kernel(i, kernel))
            continue
        if (m[1] == "launches") {
            sum += !((row[i, "launch"]) in seen)
            seen[row[i, "launch"]]
            continue
        }
        if (m[1] != row[i, "op"] "s" && (row[i, "space"] != m[2] || (m[3] != "*" && row[i, "op"] != m[3])))
            continue
        x = value_of(i, m[1])
        sum += x
        if (worst == "none" || (sums ? x >= worst : excess(x, target) > excess(worst, target))) {
            worst = x
            where = row[i, "line"] > 0 ? row[i, "file"] ":" row[i, "line"] : ""
        }
    }
    if (worst == "none")
        return m[1] ~ /^(launches|requests|barriers|shuffles|conflicts)$/ ? sum : "none"
    if (m[1] == "bytes" || m[1] == "asked")
        return sum / (kernel in minimum ? minimum[kernel] : minimum["*"])
    return sums ? sum : worst
}

BEGIN {
    while ((getline line <least) > 0)
        if (split(line, f, " ") > 3 && f[1] == "least:") {
            minimum[f[2]] = f[3]
            unit = line
            sub(/^least: [^ ]+ [^ ]+ /, "", unit)
        }
    own = read_counts(ARGV[2], 1)
    all = reference == "" ? own : read_counts(reference, own)
    ARGV[2] = ""
    FS = "|"
    printf "      %-10s %-40s %10s %10s%s\n", "gate", "metric", "target", "yours",
           reference == "" ? "" : "   solution"
}

!/^#/ && NF == 5 {
    gate = trim($1); kernel = trim($2); metric = trim($3); target = trim($4)
    gsub(/ /, "", target)
    value = measure(kernel, metric, target, 1, own)
    ok = value != "none" && excess(value, target) <= 1e-9
    place = where
    line = sprintf("%-5s %-10s %-40s %10s %10s", ok ? "ok" : "FAIL", gate, metric (kernel == "*" ? "" : ", " kernel),
                   target, value == "none" ? value : number(value))
    if (reference != "") {
        theirs = measure(kernel, metric, target, own, all)
        line = line sprintf(" %10s", theirs == "none" ? theirs : number(theirs))
    }
    print line (metric ~ /^(bytes|asked) / ? " " unit : "")
    if (!ok) {
        failed = 1
        print "      " trim($5) (place == "" ? "" : " (" place ")")
    }
    printf "%s,%s,%s,%s,%s\n", lab, gate, target, value == "none" ? value : number(value), ok ? "ok" : "fail" >>csv
}

END {
    exit failed
}
