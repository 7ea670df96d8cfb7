# Tables of a class:  awk -f class.awk …/N_name/gates.txt … GROUP.csv …
# A row with the gate `result` begins a grade, a row `files` may stand before it. The last grade of a lab counts.
function refuse(words)
{
    printf "class.sh: %s:%d: %s\n", FILENAME, FNR, words >"/dev/stderr"
    status = 2
    exit 2
}

# Where a lab stands in the order 1, 2, 2a, 3.
function rank(lab) { return 100 * int(lab) + index("abcdefghijklmnopqrstuvwxyz", substr(lab, length(lab))) }

# The sum over the gates of the lab that count `word` in a group's last grade, or "" if there is none.
function number_of(group, lab, word,    k, sum, key)
{
    sum = ""
    for (k = 1; k <= gates[lab, word]; k++) {
        key = group SUBSEP lab SUBSEP gate_of[lab, word, k]
        if (grade[key] == attempts[group, lab] && value[key] ~ /[0-9]/)
            sum += value[key]
    }
    return sum == "" ? sum : sprintf("%.6g", sum)
}

# Prints a line for each group that has tried the lab. Of those who passed, the fewest of each word get a *.
function print_lab(lab,    g, c, word, n, best, numbers, passed, tried)
{
    for (c = 1; c <= contests; c++) {
        best[c] = ""
        for (g = 1; g <= groups; g++) {
            n = number_of(g, lab, contest[c])
            if (verdict[g, lab] == "ok" && n != "" && (best[c] == "" || n + 0 < best[c] + 0))
                best[c] = n
        }
    }
    for (g = 1; g <= groups; g++) {
        if (!attempts[g, lab])
            continue
        tried++
        passed += verdict[g, lab] == "ok"
        numbers = ""
        for (c = 1; c <= contests && verdict[g, lab] == "ok"; c++) {
            n = number_of(g, lab, contest[c])
            if (n != "")
                numbers = numbers sprintf("  %s %s%s", contest[c], n, n + 0 == best[c] + 0 ? "*" : "")
        }
        printf "lab %-3s %-20s %-16s %3d  %s\n", lab, name[g], verdict[g, lab], attempts[g, lab], numbers
    }
    printf "lab %-3s passed: %d of %d\n\n", lab, passed, tried
}

BEGIN { contests = split("bytes asked barriers steps", contest, " ") }
{ sub(/\r$/, "") }

FILENAME ~ /gates\.txt$/ {
    if (/^#/ || /^given/ || split($0, f, / *[|] */) != 5)
        next
    lab = FILENAME
    sub(/_[^\/]*\/gates\.txt$/, "", lab)
    sub(/.*\//, "", lab)
    split(f[3], word, " ")
    gate_of[lab, word[1], ++gates[lab, word[1]]] = f[1]
    next
}

FNR == 1 {
    name[++groups] = FILENAME
    sub(/\.csv$/, "", name[groups])
    sub(/.*\//, "", name[groups])
    if ($0 != "lab,gate,target,value,result")
        refuse("the first line is not \"lab,gate,target,value,result\": LAB_CSV writes such files")
}
$0 == "" || /^lab,gate,/ { next }
split($0, f, ",") < 5 { refuse("not a row lab,gate,target,value,result") }
f[1] !~ /^[0-9]+[a-z]?$/ { refuse("\"" f[1] "\" is not the number of a lab") }
f[2] == "files" {
    changed = 1
    next
}
{
    if (!(f[1] in known)) {
        known[f[1]]
        for (i = ++labs; i > 1 && rank(lab_at[i - 1]) > rank(f[1]); i--)
            lab_at[i] = lab_at[i - 1]
        lab_at[i] = f[1]
    }
    if (f[2] == "result") {
        attempts[groups, f[1]]++
        verdict[groups, f[1]] = changed ? "files changed" : "ok"
        changed = 0
    }
    value[groups, f[1], f[2]] = f[4]
    grade[groups, f[1], f[2]] = attempts[groups, f[1]]
    if (f[5] == "fail" && verdict[groups, f[1]] == "ok")
        verdict[groups, f[1]] = f[2] == "result" ? f[4] : f[2]
}

END {
    if (status)
        exit status
    print "Of each group: ok, or the first gate that fails; how many grades; of who passed, bytes and asked (moved and asked"
    print "for, over the least or in elements a row), barriers of a thread, steps of a warp: the fewest have a *."
    print ""
    for (i = 1; i <= labs; i++)
        print_lab(lab_at[i])
}
