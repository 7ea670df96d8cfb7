# Reads the header of a CSV file. Loaded before every other awk program:
#   awk -f plots/tables/columns.awk -f plots/tables/NAME.awk FILE…
# col[NAME] is the number of column NAME in the current file. `device` is the device that the file's
# header names. The programs loaded after it see only rows of data, neither comment lines nor the
# line of column names.
# With -v disturbed=ok, a row whose time other load disturbed counts as ok.
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
