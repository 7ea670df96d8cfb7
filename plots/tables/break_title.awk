# Breaks the lines of a figure's title (headline() in figures/style.gp) that are wider than `width`
# pixels. A line is {/:Bold TEXT} or {/*0.85 TEXT}, and a break ends and begins such a line.
function length_of(text)
{
    gsub(/[_^]?[{](\/[^ ]* )?|[}\\]/, "", text)
    return length(text)
}
match($0, /^[{]\/[^ ]* /) {
    style = substr($0, 1, RLENGTH)
    most = width / (style ~ /Bold/ ? 8.8 : 7.2)
    count = split(substr($0, RLENGTH + 1, length($0) - RLENGTH - 1), word, " ")
    line = word[1]
    for (i = 2; i <= count; i++)
        if (length_of(line " " word[i]) > most) {
            print style line "}"
            line = word[i]
        } else
            line = line " " word[i]
    print style line "}"
}
