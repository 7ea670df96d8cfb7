# Converts a table of Nsight Compute (its "raw" page, --print-units base) into the rows of one command for an
# ncu_*.csv. plots/profile.sh calls it:
#   awk -v columns="NAME=SOURCE ..." -v kernels=REGEX -v launches=L -v command="PROGRAM OPTION..." \
#       -v caches=WORD -f plots/tables/ncu.awk FILE
# It takes L launches and fails if there are fewer; if L ends with "-", fewer are enough. A SOURCE is
#   program, options    of the command; options without --variant, --type and --reps
#   --OPTION            the value of this option
#   launch, level       0, 1, 2, ...; level is empty if L is 1
#   kernel              the identifier that matches `kernels`, e.g. a stage that is the argument of for_each_kernel
#   blocks, threads     of a launch
#   caches              the WORD
#   a metric            numbers of a sum are printed whole, others with four digits
function fail(text)
{
    print "ncu.awk: " command ": " text > "/dev/stderr"
    failed = 1
    exit 1
}
function fields(line)
{
    sub(/^"/, "", line)
    sub(/"\r?$/, "", line)
    return split(line, f, /","/)
}
function product(text, n)
{
    gsub(/[() ]/, "", text)
    split(text, n, ",")
    return n[1] * n[2] * n[3]
}
function kernel_of(text)
{
    if (!match(text, "[a-z0-9_]*(" kernels ")[a-z0-9_]*"))
        fail(text " does not match " kernels)
    return substr(text, RSTART, RLENGTH)
}
function metric(name, text)
{
    if (!(name in at))
        fail("no " (name ~ /^--/ ? "option " : "") name)
    text = f[at[name]]
    gsub(/,/, "", text)
    if (text !~ /^[0-9.]+(e[+-]?[0-9]+)?$/)
        fail(name " is '" text "'")
    return sprintf(name ~ /\.sum$/ ? "%.0f" : "%.4g", text)
}
BEGIN {
    n = split(command, word, " ")
    for (i = 2; i < n; i += 2) {
        value[word[i]] = word[i + 1]
        if (word[i] != "--variant" && word[i] != "--type" && word[i] != "--reps")
            options = options (options == "" ? "" : " ") word[i] " " word[i + 1]
    }
    value["program"] = word[1]
    value["caches"] = caches
    value["options"] = options
    count = split(columns, source, " ")
    for (i = 1; i <= count; i++)
        sub(/^[^=]*=/, "", source[i])
}
/^"ID"/ {
    split("", at)
    for (i = fields($0); i > 0; i--)
        at[f[i]] = i
    known = 1
    next
}
# Rows of data begin with a number in quotes. The line of units does not, and lines of the program and the profiler have
# no quotes.
/^"[0-9]/ && known && rows < launches + 0 {
    fields($0)
    value["launch"] = rows + 0
    value["level"] = launches + 0 > 1 ? rows + 0 : ""
    value["kernel"] = kernel_of(f[at["Kernel Name"]])
    value["blocks"] = product(f[at["Grid Size"]])
    value["threads"] = product(f[at["Block Size"]])
    row = ""
    for (i = 1; i <= count; i++)
        row = row (i > 1 ? "," : "") (source[i] in value ? value[source[i]] : metric(source[i]))
    print row
    rows++
}
END {
    if (!failed && (!rows || (rows < launches + 0 && launches !~ /-$/)))
        fail(rows + 0 " launches of " kernels ", not " launches)
    exit failed
}
