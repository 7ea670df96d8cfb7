# Tables of a class:  awk -f class.awk …/N_name/gates.txt … GROUP.csv …
# Rows lab,gate,target,value,result: a row with the gate `result` begins a grade. The last grade of a lab counts, and in
# it the last row of a gate. A value may have several numbers, "1 ; 0.98": the largest counts.
function trim(text)
{
    gsub(/^[ \t]+|[ \t\r]+$/, "", text)
    return text
}

function refuse(words)
{
    printf "class.sh: %s:%d: %s\n", shown(FILENAME), FNR, words >"/dev/stderr"
    status = 2
    exit 2
}

function shown(file)
{
    sub(/^\.\//, "", file)
    return file
}

# The group of a file: its name, or its path if another file has this name, the end of it if it is long.
function group_of(i,    name)
{
    name = named[base[i]] > 1 ? path[i] : base[i]
    return length(name) > 20 ? "~" substr(name, length(name) - 18) : name
}

# Where a lab stands in the order 1, 2, 2a, 3.
function rank(lab)
{
    return 100 * int(lab) + index("abcdefghijklmnopqrstuvwxyz", substr(lab, length(lab)))
}

# Sorts list[1..count] by rank().
function sort_labs(list, count,    i, k, one)
{
    for (i = 2; i <= count; i++) {
        one = list[i]
        for (k = i; k > 1 && rank(list[k - 1]) > rank(one); k--)
            list[k] = list[k - 1]
        list[k] = one
    }
}

function largest(value,    v, i, most)
{
    most = split(value, v, ";") ? v[1] + 0 : 0
    for (i in v)
        if (v[i] + 0 > most)
            most = v[i] + 0
    return most
}

# The contest's number of a group: the sum over the gates of the lab that count this, or "" if there is none.
function number_of(i, lab, word,    key, k, sum)
{
    sum = ""
    if (!passed(i, lab))
        return sum
    for (k = 1; k <= gates[lab, word]; k++) {
        key = i SUBSEP lab SUBSEP gate_of[lab, word, k]
        if ((key in value) && grade[key] == attempts[i, lab] && value[key] ~ /[0-9]/)
            sum += largest(value[key])
    }
    return sum == "" ? sum : sprintf("%.6g", sum) + 0
}

function passed(i, lab)
{
    return ((i, lab) in attempts) && !((i, lab) in failing) && !((i, lab) in edited)
}

# Prints cell[0..lines, 1..columns] below `title`, whose first column is `first`, in as many tables as 100 characters
# need.
function print_table(title, lines, columns,    from, to, width, wide, i, k)
{
    print title
    for (i = wide[0] = 0; i <= lines; i++)
        if (length(cell[i, 0]) > wide[0])
            wide[0] = length(cell[i, 0])
    for (from = 1; from <= columns; from = to) {
        width = wide[0]
        for (to = from; to <= columns; to++) {
            for (i = wide[to] = 0; i <= lines; i++)
                if (length(cell[i, to]) > wide[to])
                    wide[to] = length(cell[i, to])
            if (to > from && width + 2 + wide[to] > 100)
                break
            width += 2 + wide[to]
        }
        for (i = 0; i <= lines; i++) {
            printf "%-" wide[0] "s", cell[i, 0]
            for (k = from; k < to; k++)
                printf "  %" wide[k] "s", cell[i, k] == "" ? "-" : cell[i, k]
            print ""
        }
        print ""
    }
}

# ---- reading ----

FNR == 1 && FILENAME ~ /gates\.txt$/ {
    at_lab = FILENAME
    sub(/\/gates\.txt$/, "", at_lab)
    sub(/.*\//, "", at_lab)
    sub(/_.*/, "", at_lab)
}

FILENAME ~ /gates\.txt$/ {
    if (!/^#/ && split($0, f, "|") == 5 && trim(f[1]) !~ /^given/) {
        split(trim(f[3]), words, " ")
        gate_of[at_lab, words[1], ++gates[at_lab, words[1]]] = trim(f[1])
    }
    next
}

FNR == 1 {
    path[++groups] = shown(FILENAME)
    sub(/\.csv$/, "", path[groups])
    base[groups] = path[groups]
    sub(/.*\//, "", base[groups])
    named[base[groups]]++
    if ($0 !~ /^lab,gate,target,value,result *\r?$/)
        refuse("the first line is not \"lab,gate,target,value,result\": LAB_CSV writes such files")
}

/^[ \t\r]*$/ || /^lab,gate,/ { next }

{
    if (split($0, f, ",") < 5)
        refuse("not a row lab,gate,target,value,result")
    lab = trim(f[1])
    gate = trim(f[2])
    if (lab !~ /^[0-9]+[a-z]?$/)
        refuse("\"" lab "\" is not the number of a lab")
    if (gate == "result") {
        attempts[groups, lab]++
        delete failing[groups, lab]
    } else if (gate == "files") { # may stand in front of the row `result` or behind it
        if (trim(f[5]) == "fail")
            edited[groups, lab]
        else
            delete edited[groups, lab]
        next
    }
    if (!(lab in known)) {
        known[lab]
        labs[++all_labs] = lab
    }
    value[groups, lab, gate] = trim(f[4])
    grade[groups, lab, gate] = attempts[groups, lab]
    if (trim(f[5]) == "fail" && !((groups, lab) in failing))
        failing[groups, lab] = gate == "result" ? trim(f[4]) : gate
}

# ---- the tables ----

END {
    if (status)
        exit status
    sort_labs(labs, all_labs)
    for (i = 1; i <= groups; i++)
        cell[i, 0] = group_of(i)

    cell[0, 0] = "lab"
    cell[groups + 1, 0] = "passed"
    for (l = 1; l <= all_labs; l++) {
        cell[0, l] = labs[l]
        count = 0
        for (i = 1; i <= groups; i++) {
            if (!((i, labs[l]) in attempts))
                continue
            count += passed(i, labs[l])
            word = passed(i, labs[l]) ? "ok" : (i, labs[l]) in failing ? failing[i, labs[l]] : "files"
            sub(/does not compile/, "compile", word)
            cell[i, l] = word " " attempts[i, labs[l]]
        }
        cell[groups + 1, l] = count " of " groups
    }
    print_table("The last grade: ok, or the first gate that fails (wrong: the result), and the number of grades.",
                groups + 1, all_labs)

    # A column for each lab and each of these words that its gates count. In front: what decides first.
    contests = split("bytes asked barriers steps", contest, " ")
    columns = 0
    for (l = 1; l <= all_labs; l++) {
        leaders = 0
        for (i = 1; i <= groups; i++)
            if (passed(i, labs[l]))
                leads[++leaders] = i
        title = ""
        for (c = 1; c <= contests; c++) {
            best = ""
            for (i = 1; i <= groups; i++) {
                x = number_of(i, labs[l], contest[c])
                cell[i, columns + 1] = x == "" ? "" : x ""
                if (x != "" && (best == "" || x < best))
                    best = x
            }
            if (best == "")
                continue
            cell[0, ++columns] = labs[l] " " contest[c]
            cell[groups + 1, columns] = best ""
            for (i = 1; i <= groups; i++)
                if (cell[i, columns] != "")
                    cell[i, columns] = cell[i, columns] (cell[i, columns] + 0 == best ? "*" : " ")
            cell[groups + 1, columns] = best " "
            # Of the leaders those stay that have the least number.
            least = ""
            for (k = 1; k <= leaders; k++)
                if (least == "" || cell[leads[k], columns] + 0 < least)
                    least = cell[leads[k], columns] + 0
            for (k = kept = 0; ++k <= leaders;)
                if (cell[leads[k], columns] + 0 == least)
                    leads[++kept] = leads[k]
            leaders = kept
            title = title (title == "" ? "" : ", ") contest[c] " " least
        }
        if (title == "")
            continue
        line = "lab " labs[l] ":"
        for (k = 1; k <= leaders && (k == 1 || length(line title) < 60); k++)
            line = line (k > 1 ? ", " : " ") group_of(leads[k])
        if (k <= leaders)
            line = line " and " leaders - k + 1 " more"
        leading[++lines] = line " (" title ")"
    }
    if (!columns)
        exit 0
    cell[groups + 1, 0] = "best"
    print_table("The contest of those who passed, the fewest with a *. bytes, asked: moved and asked for, over the\n" \
                "least or in elements a row; barriers of a thread; steps of a warp. Sums over the kernels.",
                groups + 1, columns)
    print "Who leads, by the fewest bytes, then asked, barriers, steps:"
    for (l = 1; l <= lines; l++)
        print leading[l]
}
