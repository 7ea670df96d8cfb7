# The header of a CSV file, for the awk programs beside: awk -f plots/tables/columns.awk -f plots/tables/NAME.awk FILE…
# col[name] is the number of the column of that name in the current file, `device` the device that its header names. The
# programs that follow see rows of data only, neither the lines that begin with # nor the line of column names. With
# -v disturbed=ok a row whose time was disturbed by other load counts as ok.
BEGIN { FS = "," }
FNR == 1 {
    header = 0
    device = ""
}
/^# device: / { device = substr($0, length("# device: ") + 1) }
/^#/ { next }
!header {
    split("", col)
    for (i = 1; i <= NF; i++)
        col[$i] = i
    header = 1
    next
}
disturbed != "" && "status" in col && $col["status"] == "disturbed" { $col["status"] = disturbed }
