# Prints the line of figures.csv for one figure: figure,own_points,reference_points,paper_points,
# title,caption.
#   awk -v figure=NAME -v title=TITLE -f plots/tables/figures.awk NOTES FIGURE.gp
# NOTES is the file that plots/figures/style.gp writes, with lines "SOURCE, number of points,
# SERIES". A series that stands in several panels is counted once. The caption is made of the first
# two sentences of the comment at the top of FIGURE.gp.
BEGIN { FS = "\t" }
function quoted(text)
{
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}
FNR == 1 { file++ }
file == 1 && !seen[$0]++ { points[$1] += $2 }
file == 2 && !closed && /^# [A-Z][a-z]+: .*[.]csv/ { closed = 1 } # "# Shows: FILES"
file == 2 && !/^#/ { closed = 1 }
file == 2 && !closed { text = text (text == "" ? "" : " ") substr($0, 3) }
END {
    # A sentence ends with a full stop before a capital letter.
    for (i = 0; i < 2 && match(substr(text, end + 1), /[.] [A-Z]/); i++)
        end += RSTART
    if (i < 2)
        end = length(text)
    printf "%s,%d,%d,%d,%s,%s\n", figure, points["own"], points["ref"], points["paper"], quoted(title), quoted(substr(text, 1, end))
}
