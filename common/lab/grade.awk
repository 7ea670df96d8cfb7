# Grades a kernel: compares the counts of its runs (count_table.c) with the gates of a lab (README.md).
#   awk -v work=DIRECTORY -v reference=yes -v csv=FILE -v lab=N -f grade.awk gates.txt
# In DIRECTORY are the counts own1.csv of the last case and own2.csv of the case before, and what the harness printed in
# these runs, own1.said and own2.said; with `reference` also the counts solution1.csv of the solution, for a column of
# their own. csv: gets a row for each gate; a gate at the second size is NAME/2. DIRECTORY/picture gets the access that is
# to be drawn: the gate that fails or "-", 1 or 2, "KERNEL:LINE", which request (count_picture.c), "SPACE OP". Exit status: 0 if all gates hold, 1 if not.
function trim(text)
{
    gsub(/^ +| +$/, "", text)
    return text
}

function number(value)
{
    return value == "none" ? value : value == int(value) ? sprintf("%d", value) : sprintf("%.2f", value)
}

# Reads the counts of a run into the array `row`: rows 1 … rows[run].
function read_counts(run,    line, f, name, columns, i, file, at)
{
    file = work "/" run ".csv"
    while ((getline line <file) > 0) {
        columns = split(line, f, ",")
        if (f[1] == "launch") {
            for (i = 1; i <= columns; i++)
                at[f[i]] = i
            continue
        }
        rows[run]++
        for (name in at)
            row[run, rows[run], name] = f[at[name]]
    }
    close(file)
}
# Reads the lines "least: KERNEL BYTES UNIT" and "case: SIZES" of the harness.
function read_said(run,    line, f, file)
{
    file = work "/" run ".said"
    while ((getline line <file) > 0) {
        split(line, f, " ")
        if (f[1] == "least:") {
            minimum[run, f[2]] = f[3]
            unit = line
            sub(/^least: [^ ]+ [^ ]+ /, "", unit)
        } else if (f[1] == "case:")
            sizes[run] = substr(line, 7)
    }
    close(file)
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
    target += 0 # a number, not a text
    return value < target ? target - value : value - target
}

function is_kernel(run, i, kernel)
{
    return kernel == "*" || kernel == row[run, i, "kernel"] ||
           kernel == row[run, i, "kernel"] "<" row[run, i, "arguments"] ">"
}
function is_access(run, i, space, op)
{
    return (space == "*" ? row[run, i, "space"] ~ /^(global|shared)$/ : row[run, i, "space"] == space) &&
           (op == "*" || row[run, i, "op"] == op)
}

# What a row contributes to a metric.
function value_of(run, i, word)
{
    if (word == "barriers" || word == "shuffles")
        return row[run, i, "lanes"] / (row[run, i, "blocks"] * row[run, i, "threads"])
    if (word == "steps")
        return row[run, i, "busiest"]
    if (word == "bytes")
        return 32 * row[run, i, "sectors"]
    if (word == "asked")
        return row[run, i, "lanes"] * row[run, i, "width"]
    return word == "requests" ? row[run, i, word] : row[run, i, word] / row[run, i, "requests"]
}

# The value of a metric, or "none": a sum, or the worst access. Sets `place` to the row of the access with the largest
# share, or of the worst one.
function measure(run, kernel, metric, target,    m, i, x, sums, sum, worst, seen)
{
    split(metric, m, " ")
    sums = m[1] ~ /^(launches|requests|steps|bytes|asked)$/
    place = sum = 0
    worst = "none"
    for (i = 1; i <= rows[run]; i++) {
        if (!is_kernel(run, i, kernel))
            continue
        if (m[1] == "launches") {
            sum += !((row[run, i, "launch"]) in seen)
            seen[row[run, i, "launch"]]
            continue
        }
        if (m[1] != row[run, i, "op"] "s" && !is_access(run, i, m[2], m[3]))
            continue
        x = value_of(run, i, m[1])
        sum += x
        if (worst == "none" || (sums ? x >= worst : excess(x, target) > excess(worst, target))) {
            worst = x
            place = i
        }
    }
    if (worst == "none")
        return m[1] ~ /^(launches|requests|steps|barriers|shuffles|conflicts)$/ ? sum : "none"
    if (m[1] == "bytes" || m[1] == "asked")
        return sum / (((run, kernel) in minimum) ? minimum[run, kernel] : minimum[run, "*"])
    return sums ? sum : worst
}

function access_of(run, i, which)
{
    return substr(run, 4) " " row[run, i, "kernel"] ":" row[run, i, "line"] " " which " " row[run, i, "space"] " " row[run, i, "op"]
}

# Measures a gate in one run, with the name in the CSV file. Prints it unless `quiet` and it holds or has failed before.
function grade(run, name, target, quiet,    value, ok, text)
{
    value = measure(run, kernel, metric, target)
    ok = value != "none" && excess(value, target) <= 1e-9
    printf "%s,%s,%s,%s,%s\n", lab, name, target, number(value), ok ? "ok" : "fail" >>csv
    if (quiet && (ok || (gate in bad))) {
        failed = failed || !ok
        return
    }
    text = sprintf("%-5s %-10s %-40s %10s %10s", ok ? "ok" : "FAIL", gate, metric (kernel == "*" ? "" : ", " kernel),
                   target, number(value))
    if (reference && !quiet)
        text = text sprintf(" %10s", number(measure("solution1", kernel, metric, target)))
    print text (metric ~ /^(bytes|asked) / ? " " unit : "") (quiet ? " at " sizes[run] : "")
    if (ok)
        return
    bad[gate]
    measure(run, kernel, metric, target) # for `place`
    text = place && row[run, place, "line"] > 0 ? " (" row[run, place, "file"] ":" row[run, place, "line"] ")" : ""
    print "      " (value == "none" ? "the kernel makes no such access" : sentence text)
    if (drawn == "" && text != "" && metric ~ / (global|shared) /)
        drawn = gate " " access_of(run, place, metric ~ /^lanes / ? "lanes" : metric ~ /^conflicts / ? "conflicts" : "sectors")
    failed = 1
}

BEGIN {
    FS = "|"
    read_counts("own1"); read_counts("own2")
    read_said("own1"); read_said("own2")
    if (reference)
        read_counts("solution1")
    printf "      %-10s %-40s %10s %10s%s\n", "gate", "metric", "target", "yours", reference ? "   solution" : ""
}

!/^#/ && NF == 5 {
    gate = trim($1); kernel = trim($2); metric = trim($3); sentence = trim($5)
    gsub(/ /, "", $4)
    split($4 ";", targets, ";")
    grade("own1", gate, targets[1], 0)
    if (targets[2] != "")
        second[++seconds] = gate "|" kernel "|" metric "|" targets[2] "|" sentence
}

# Of the accesses that this line names, the one with the most sectors or passes over the least; of equal ones that to
# shared memory, and the last in the source.
$1 ~ /^picture *$/ && NF == 3 {
    split(trim($3), m, " ")
    worst = -1
    for (i = 1; i <= rows["own1"]; i++) {
        if (!is_kernel("own1", i, trim($2)) || !is_access("own1", i, m[1], m[2]))
            continue
        if (row["own1", i, "space"] == "shared")
            cost = row["own1", i, "wavefronts"] / (row["own1", i, "wavefronts"] - row["own1", i, "conflicts"]) + 1e-9
        else
            cost = row["own1", i, "sectors"] / row["own1", i, "ideal"]
        if (cost >= worst)
            usual = "- " access_of("own1", i, row["own1", i, "space"] == "shared" ? "conflicts" : "sectors")
        worst = cost > worst ? cost : worst
    }
}

END {
    before = failed
    failed = 0
    for (i = 1; i <= seconds; i++) {
        split(second[i], f, "|")
        gate = f[1]; kernel = f[2]; metric = f[3]; sentence = f[5]
        grade("own2", gate "/2", f[4], 1)
    }
    if (seconds && !failed)
        printf "ok    %d of these gates also at %s\n", seconds, sizes["own2"]
    failed = failed || before
    print failed ? drawn : usual >(work "/picture")
    exit failed
}
