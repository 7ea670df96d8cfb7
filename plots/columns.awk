# The header of a CSV file, for the awk programs beside: awk -f plots/columns.awk -f plots/NAME.awk FILE…
# col[name] is the number of the column of that name in the file at hand. What follows this file sees the
# rows of data only: lines that begin with # and the header are passed over. With -v disturbed=ok a row whose time
# other load disturbed passes for one that is ok.
BEGIN { FS = "," }
FNR == 1 { header = 0 }
/^#/ { next }
!header {
    split("", col)
    for (i = 1; i <= NF; i++)
        col[$i] = i
    header = 1
    next
}
disturbed != "" && "status" in col && $col["status"] == "disturbed" { $col["status"] = disturbed }
