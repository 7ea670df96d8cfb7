# Compares the numbers that texts quote with the CSV files that they come from; plots/README.md explains the marks.
# plots/quoted.sh calls this program:
#   awk -f plots/tables/quoted.awk TEXT.md…
# It reads each text twice: first the definitions and the rules below tables, then it compares. With -v fix=FILE it also
# writes the text, with the right numbers, to FILE. Exit status: 1 if a number is wrong or has no mark.
BEGIN {
    for (i = ARGC - 1; i > 0; i--)
        ARGV[2 * i] = ARGV[2 * i - 1] = ARGV[i]
    ARGC = 2 * ARGC - 1
    number = "[0-9]+([.][0-9]+)?(e-?[0-9]+)?"
    unit = "( |-)*(%|ms|us|µs|ns|s|seconds?|minutes?|times|×|[GMk]?B/s|[GM]rows/s|steps a second)([^A-Za-z0-9_/]|$)"
    unit_in_head = "[^A-Za-z0-9](%|ms|us|µs|ns|s|seconds|minutes|×|[GMk]?B/s|share)[^A-Za-z0-9]"
    devices = "[HAVT][0-9]+0[0-9]?([^0-9A-Za-z]|$)|C1060|Xeon|EPYC|Grace"
}

function complain(text)
{
    printf "%s:%d: %s\n", FILENAME, FNR, text
    failed = 1
}

# ---- definitions ----

# Reads a CSV file (RFC 4180) once: rows[FILE], and cell[FILE, ROW, COLUMN] by the column's name.
function read_csv(file, line, i, count, names, values)
{
    if (file in rows)
        return
    rows[file] = 0
    while ((getline line < file) > 0) {
        sub(/\r$/, "", line)
        if (line ~ /^#/ || line == "")
            continue
        count = split_csv(line, values)
        if (!(file in columns)) {
            columns[file] = count
            for (i = 1; i <= count; i++) {
                names[i] = values[i]
                has[file, values[i]] = 1
            }
            continue
        }
        rows[file]++
        for (i = 1; i <= columns[file]; i++)
            cell[file, rows[file], names[i]] = values[i]
    }
    close(file)
}
function split_csv(line, values, count, value)
{
    split("", values)
    count = 0
    while (1) {
        if (line ~ /^"/) {
            match(line, /^"([^"]|"")*"/)
            value = substr(line, 2, RLENGTH - 2)
            gsub(/""/, "\"", value)
            line = substr(line, RLENGTH + 1)
        } else {
            match(line, /^[^,]*/)
            value = substr(line, 1, RLENGTH)
            line = substr(line, RLENGTH + 1)
        }
        values[++count] = value
        if (line == "")
            return count
        line = substr(line, 2)
    }
}

# Returns the value of COLUMN in the only row of FILE that meets all conditions, or the least or the largest value in
# these rows. Rows that failed verification do not count.
function look_up(column, query, which, words, count, file, i, row, found, value, best, name)
{
    count = split(query, words, " ")
    file = (words[1] ~ /\// ? "plots/reference" : folder) "/" words[1] ".csv"
    read_csv(file)
    if (rows[file] == 0)
        return wrong(file ": no such file, or no rows")
    if (!((file, column) in has))
        return wrong(file ": no column " column)
    for (i = 2; i <= count; i++) {
        name = words[i]
        sub(/[<>=].*/, "", name)
        if (!((file, name) in has))
            return wrong(file ": no column " name)
    }
    for (row = 1; row <= rows[file]; row++) {
        if ((file, "status") in has && cell[file, row, "status"] !~ /^(ok|disturbed|)$/)
            continue
        for (i = 2; i <= count && meets(file, row, words[i]); i++)
            ;
        if (i <= count || cell[file, row, column] == "")
            continue
        value = cell[file, row, column] + 0
        if (found && which == "")
            return wrong("several rows: " query)
        if (!found || (which == "least" ? value < best : value > best))
            best = value
        found = 1
    }
    if (!found)
        return wrong("no row: " query)
    return best
}
# Does the row meet the condition COLUMN=VALUE, COLUMN>=NUMBER or COLUMN<=NUMBER?
function meets(file, row, condition, sign, name, value)
{
    match(condition, /[<>]?=/)
    sign = substr(condition, RSTART, RLENGTH)
    name = substr(condition, 1, RSTART - 1)
    value = substr(condition, RSTART + RLENGTH)
    if (sign == "=")
        return cell[file, row, name] == value
    return sign == ">=" ? cell[file, row, name] + 0 >= value + 0 : cell[file, row, name] + 0 <= value + 0
}
# Remembers the first reason why an expression has no value.
function wrong(reason)
{
    if (reason_ == "")
        reason_ = reason
    return 0
}

# Returns the value of an expression; plots/README.md says how they are written. `rest` is what is still to be read.
function value_of(text, keep, result)
{
    keep = rest
    rest = text
    result = sum()
    if (rest !~ /^ *$/)
        wrong("not understood: " rest)
    rest = keep
    return result
}
# Takes what matches the regular expression from the beginning of `rest`, after blanks. Returns "" if nothing does.
function take(regex, token)
{
    sub(/^ +/, "", rest)
    if (!match(rest, "^(" regex ")"))
        return ""
    token = substr(rest, 1, RLENGTH)
    rest = substr(rest, RLENGTH + 1)
    return token
}
function sum(result, sign)
{
    result = product()
    while ((sign = take("[-+]")) != "")
        result += sign == "+" ? product() : -product()
    return result
}
function product(result, sign, by)
{
    result = factor()
    while ((sign = take("[*/]")) != "") {
        by = factor()
        result = sign == "*" ? result * by : by ? result / by : wrong("division by zero")
    }
    return result
}
# The value up to the closing parenthesis, with which = min or max the least or largest of several.
function in_parentheses(which, result, one)
{
    result = sum()
    while (which != "" && take(",") != "") {
        one = sum()
        if (which == "min" ? one < result : one > result)
            result = one
    }
    if (take("[)]") == "")
        wrong("a ) is missing")
    return result
}
function factor(token, name, words, count, result)
{
    if (take("-") != "")
        return -factor()
    if (take("[(]") != "")
        return in_parentheses("")
    if ((token = take(number)) != "")
        return token + 0
    if ((token = take("((least|largest) +)?[A-Za-z_][A-Za-z0-9_]*[{][^}]*[}]")) != "") {
        name = token
        sub(/[{].*/, "", name)
        count = split(name, words, " ")
        return look_up(words[count], substr(token, length(name) + 2, length(token) - length(name) - 2), count > 1 ? words[1] : "")
    }
    if ((token = take("(min|max) *[(]")) != "")
        return in_parentheses(substr(token, 1, 3))
    if ((token = take("[A-Za-z_][A-Za-z0-9_]*([(][^)]*[)])?")) == "") {
        wrong("not understood: " rest)
        rest = ""
        return 0
    }
    name = token
    sub(/[(].*/, "", name)
    count = split(substr(token, length(name) + 2, length(token) - length(name) - 2), words, / *, */)
    if (!((FILENAME, name) in definition))
        return wrong("no definition of " name)
    if (++depth > 20)
        return wrong(name " is defined by itself")
    result = value_of(with_words(definition[FILENAME, name], words, count))
    depth--
    return result
}

# ---- numbers ----

# Returns the number in the form of the quoted one: as many decimals, or, after "about", as many digits before zeros.
function like(quoted, value, is_about, step, mantissa, decimals)
{
    if (is_about && quoted !~ /[.e]/) {
        match(substr(quoted, 2), /0*$/)
        step = 10 ^ RLENGTH
        return sprintf("%.0f", int(value / step + 0.5) * step)
    }
    mantissa = quoted
    sub(/e.*/, "", mantissa)
    decimals = index(mantissa, ".") ? length(mantissa) - index(mantissa, ".") : 0
    value = sprintf("%." decimals (quoted ~ /e/ ? "e" : "f"), value)
    sub(/e[+]/, "e", value)
    sub(/e-0/, "e-", value)
    sub(/e0/, "e", value)
    return value
}

# Compares a quoted number with an expression. Returns the number as it must be.
function compare(quoted, expression, is_about, value, right)
{
    if (expression == "given")
        return quoted
    compared++
    reason_ = expression ~ /[^ ]/ ? "" : "more numbers than expressions"
    depth = 0
    value = value_of(expression)
    right = like(quoted, value, is_about)
    if (reason_ == "" && right == quoted)
        return quoted
    complain(reason_ != "" ? quoted " = " expression ": " reason_ : \
        sprintf("%s is quoted, but %s = %.6g: %s", quoted, expression, value, right))
    return reason_ != "" ? quoted : right
}
# Does a code span begin before the end of the text and not end? It may have begun in a line before.
function is_code(text)
{
    return (ticks + gsub(/`/, "`", text)) % 2
}
# Finds the first mark <!--EXPRESSION--> of a line: sets `before` and `after` to the texts around it, and `mark` to the
# expression. A comment that begins with a blank is no mark.
function find_mark(line, from, length_)
{
    before = ""
    while (from = index(line, "<!--")) {
        before = before substr(line, 1, from - 1)
        line = substr(line, from + 4)
        length_ = index(line, "-->") - 1
        if (length_ > 0 && line !~ /^ / && !is_code(before)) {
            mark = substr(line, 1, length_)
            after = substr(line, length_ + 4)
            return 1
        }
        before = before "<!--"
    }
    return 0
}
# Compares the marked numbers of a line. Returns the line with right numbers.
function compare_line(line, done, expression, quoted)
{
    done = ""
    while (find_mark(line)) {
        line = after
        expression = mark
        done = done before
        if (match(done, number "$")) {
            quoted = substr(done, RSTART)
            done = substr(done, 1, RSTART - 1)
            done = done compare(quoted, expression, (done == "" ? last_word : done) ~ /[Aa]bout *$/)
        } else
            complain("no number before <!--" expression "-->")
        done = done "<!--" expression "-->"
    }
    if (line ~ /[0-9]<!--[^ ]/ && line !~ /`/)
        complain("a mark must end in its line")
    return done line
}
# Compares the numbers of a table's line with the rule below the table, which has expressions for each column. Sets
# `unruled` to the line without the cells that have a rule.
function compare_row(line, rule, cells, count, rules, expressions, i, j, text, row, done, before, quoted)
{
    count = split(line, cells, "|")
    split(rule, rules, "|")
    for (i = 2; i < count; i++) {
        row[i - 1] = cells[i]
        if (match(cells[i], /`[^`]*`/))
            row[i - 1] = substr(cells[i], RSTART + 1, RLENGTH - 2)
        gsub(/^ +| +$|,/, "", row[i - 1])
    }
    done = unruled = cells[1]
    for (i = 2; i <= count; i++) {
        text = cells[i]
        unruled = unruled "|" (rules[i] ~ /^ *$/ ? text : "")
        done = done "|"
        split(rules[i], expressions, / *; */)
        if (i < count && rules[i] !~ /^ *$/ && text !~ /<!--/)
            for (j = 0; match(text, number);) {
                before = substr(text, 1, RSTART - 1)
                quoted = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
                if (before !~ /[A-Za-z0-9_.^]$/) {
                    j++
                    quoted = compare(quoted, with_words(expressions[j], row, count - 2), before ~ /[Aa]bout $/)
                }
                done = done before quoted
            }
        done = done text
    }
    return done
}
# Replaces $1, $2, … by the words.
function with_words(text, words, count, i)
{
    for (i = count; i >= 1; i--)
        gsub("[$]" i, words[i], text)
    return text
}

# Complains of the numbers of a line that have no mark, but a unit. With any=1 they need no unit.
function unmarked(line, at, any, behind)
{
    while (find_mark(line)) {
        sub(number "$", "_", before)
        line = before after
    }
    while (match(line, any ? number : number unit)) {
        behind = substr(line, RSTART + RLENGTH)
        if ((RSTART == 1 || substr(line, RSTART - 1, 1) !~ /[A-Za-z0-9_.^]/) && \
                !(substr(line, RSTART, RLENGTH) ~ /× *$/ && behind ~ /^[0-9]/)) {
            printf "%s: a number without a mark: %s\n", at, substr(line, RSTART, RLENGTH)
            failed = 1
        }
        line = behind
    }
}
# Checks the numbers of the paragraph or table `block` if it names a device, or if the heading above it or the paragraph
# above a table does.
# In a table's column whose head names a unit, the numbers need no unit of their own.
function end_block(is_table, named, i, j, heads, cells, head, with_unit)
{
    is_table = block[1] ~ /^ *[|]/
    named = names_device || section || (is_table && caption)
    heads = is_table ? split(block[1], head, "|") : 0
    for (j = 1; j <= heads; j++)
        with_unit[j] = (" " head[j] " ") ~ unit_in_head
    for (i = 1; named && i <= lines; i++)
        if (!is_table)
            unmarked(block[i], at[i], 0)
        else {
            split(block[i], cells, "|")
            for (j = 1; j <= heads; j++)
                unmarked(cells[j], at[i], i > 1 && with_unit[j])
        }
    if (lines)
        caption = names_device && !is_table
    lines = names_device = 0
}

FNR == 1 {
    end_block() # of the text before
    pass = FILENAME == previous ? 2 : 1
    previous = FILENAME
    table_ended = -1
    table = in_definitions = in_code = ticks = lines = names_device = caption = section = 0
}
/^<!-- numbers of / {
    in_definitions = 1
    if (pass == 1)
        folder_of[FILENAME] = "plots/reference/" $4
    folder = folder_of[FILENAME]
}
in_definitions {
    if (pass == 1 && match($0, /^[a-z][A-Za-z0-9_]* = /)) {
        name = substr($0, 1, RLENGTH - 3)
        if ((FILENAME, name) in definition)
            complain("a second definition of " name)
        definition[FILENAME, name] = substr($0, RLENGTH + 1)
    } else if (pass == 1 && $0 !~ /^<!-- numbers of [^ ]+$/ && $0 != "-->")
        complain("not a definition: " $0)
    if (pass == 2 && fix)
        print > fix
    if ($0 == "-->")
        in_definitions = 0
    next
}
/^ *```/ { in_code = !in_code }
/^ *[|]/ && !in_code && table_ended != FNR - 1 { table = FNR }
/^ *[|]/ && !in_code { table_ended = FNR }
pass == 1 {
    if (/^ *<!-- columns [|].*-->$/) { # in a list the table and its rule are indented
        sub(/^ +/, "")
        if (table_ended != FNR - 1)
            complain("no table above")
        rule[FILENAME, table] = substr($0, index($0, "|"), length($0) - index($0, "|") - 3)
    }
    next
}
{
    folder = folder_of[FILENAME]
    is_row = table_ended == FNR && FNR > table + 1
    if (/^ *$/)
        ticks = 0
    text = in_code ? $0 : compare_line($0)
    if (is_row && (FILENAME, table) in rule)
        text = compare_row(text, rule[FILENAME, table])
    if (fix)
        print text > fix
    ticks += in_code ? 0 : gsub(/`/, "`")
    last_word = $NF
}
in_code || /^ *```/ || /^(    |\t)/ { next }
/^ *$/ || /^#/ || /^ *<!-- / {
    end_block()
    if (/^#/) {
        caption = 0
        section = $0 ~ devices
    }
    next
}
/^ *[|]/ != (lines && block[1] ~ /^ *[|]/) && lines { end_block() }
{
    text = $0
    if (is_row && (FILENAME, table) in rule)
        text = unruled
    gsub(/`[^`]*`/, "", text)
    gsub(/\]\([^)]*\)/, "]", text)
    block[++lines] = text
    at[lines] = FILENAME ":" FNR
    if (text ~ devices)
        names_device = 1
}
END {
    end_block()
    if (!fix)
        printf "%d numbers compared\n", compared
    exit failed
}
