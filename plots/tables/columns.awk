# Reads the header of each CSV file for the awk program that is loaded after this one:
#   awk -f plots/tables/columns.awk -f plots/tables/NAME.awk FILE…
# This program sets two variables. col[NAME] is the number of the column NAME in the current file,
# so $col[NAME] is its value. `device` is the device in the file's line "# device: …". It skips
# comment lines and the line of column names, so the next program sees only rows of data.
# With -v disturbed=ok, the status "disturbed" (other load disturbed the time) is read as "ok".
# A file that is not there counts as empty.
BEGIN {
    FS = ","
    for (i = 1; i < ARGC; i++)
        if (ARGV[i] != "-" && (getline line < ARGV[i]) < 0)
            ARGV[i] = "/dev/null"
        else
            close(ARGV[i])
}
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
