# Prints which points a figure has drawn of a series: 1 of this run, else 2 of the reference, else 3
# of the paper, else 0 none.
#   awk -v series='variant=block n=262144' -f plots/tables/drawn.awk NOTES
# NOTES is the file that plots/figures/style.gp writes: the lines hold a source (own, ref or
# paper), a number of points and the words that name a series. A line counts if it has all words of
# `series`.
BEGIN {
    FS = "\t"
    count = split(series, words, " ")
}
$2 > 0 {
    for (i = 1; i <= count; i++)
        if (!index(" " $3 " ", " " words[i] " "))
            next
    found[$1] = 1
}
END { print ("own" in found) ? 1 : ("ref" in found) ? 2 : ("paper" in found) ? 3 : 0 }
