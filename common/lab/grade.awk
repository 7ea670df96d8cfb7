# Grades a kernel: compares the counts of a run (count_table.c) with the gates of a lab.
#   awk -v least=FILE -v reference=FILE -v csv=FILE -v lab=N -f grade.awk gates.txt counts.csv
# least: the lines "least: KERNEL BYTES UNIT" of the harness. reference: counts of the solution, whose values are printed
# in a column of their own, or empty. csv: a row for each gate is added to this file. README.md explains gates.txt.
# Exit status: 0 if all gates hold, 1 if one does not.
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

# The value of a metric in the rows from..to-1, or "none". Sets `where` to the source line of the worst access.
function measure(kernel, metric, target, from, to,    m, i, x, sum, worst, most, seen, count, bytes)
{
    split(metric, m, " ")
    where = ""
    sum = count = bytes = 0
    worst = "none"
    split("", seen)
    for (i = from; i < to; i++) {
        if (!is_kernel(i, kernel))
            continue
        if (m[1] == "launches") {
            if (!(row[i, "launch"] in seen))
                sum++
            seen[row[i, "launch"]]
            count++
            continue
        }
        if (m[1] == row[i, "op"] "s") { # barriers or shuffles
            x = row[i, "lanes"] / (row[i, "blocks"] * row[i, "threads"])
        } else if (row[i, "space"] == m[2] && (m[3] == "*" || row[i, "op"] == m[3])) {
            if (m[1] == "requests" || m[1] == "steps" || m[1] == "bytes" || m[1] == "asked") {
                count++
                x = row[i, "requests"]
                if (m[1] == "steps")
                    x /= row[i, "blocks"] * int((row[i, "threads"] + 31) / 32)
                if (m[1] == "bytes")
                    x = 32 * row[i, "sectors"]
                if (m[1] == "asked")
                    x = row[i, "lanes"] * row[i, "width"]
                sum += x
                if (where == "" || x >= most) {
                    most = x
                    where = row[i, "file"] ":" row[i, "line"]
                }
                continue
            }
            x = row[i, m[1]] / row[i, "requests"]
        } else
            continue
        if (worst == "none" || excess(x, target) > excess(worst, target)) {
            worst = x
            where = row[i, "line"] > 0 ? row[i, "file"] ":" row[i, "line"] : ""
        }
    }
    if (m[1] == "bytes" || m[1] == "asked")
        return count ? sum / (kernel in minimum ? minimum[kernel] : minimum["*"]) : "none"
    if (m[1] == "steps")
        return count ? sum : "none"
    if (m[1] == "requests" || m[1] == "launches")
        return sum
    return worst == "none" && (m[1] == "barriers" || m[1] == "shuffles" || m[1] == "conflicts") ? 0 : worst
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
