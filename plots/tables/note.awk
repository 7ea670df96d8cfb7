# Passes the points of a curve on to gnuplot and notes how many they are: adds the line "SOURCE,
# number of points, SERIES", separated by tabs, to the file NOTES.
#   … | awk -v source=SOURCE -v series=SERIES -v notes=NOTES -f plots/tables/note.awk
{ print }
END { printf "%s\t%d\t%s\n", source, NR, series >>notes }
