# Finds what the counts miss: gcc calls no function before an access to memory whose struct is an argument or the result
# of a function, f(s[i]) or s[i] = f(). (Structs with FIELDS are counted.)
#   awk -v file=KERNEL.cu -f structs.awk DUMP       the dump of gcc's -fdump-tree-gimple-lineno
# Prints a line for each source line of the file. Exit status: 1 if there are any.
{
    place = match($0, /\[[^][ ]*:[0-9]+:[0-9]+( discrim [0-9]+)?\]/) ? substr($0, RSTART + 1, RLENGTH - 2) : ""
    gsub(/\[[^][ ]*:[0-9]+:[0-9]+( discrim [0-9]+)?\] ?/, "")
    split(place, at, ":")
}
at[1] == file && !(at[2] in seen) &&
(/(\(|, )(MEM[^,()]*)?(\*[A-Za-z_.0-9]+|[A-Za-z_.0-9]+\[[^]]*\])[,)]/ ||
 /^ *(\*[^ ]+|[A-Za-z_.0-9]+\[[^]]*\]) = [^&(]*[A-Za-z0-9_>] \(/) {
    seen[at[2]]
    sub(/.*\//, "", at[1])
    print "result: FAIL: " at[1] ":" at[2] ": a function takes or returns a struct in an array, which nothing counts: " \
          "copy it to a variable first"
    found = 1
}
END { exit found }
