# One line: how many rows of the results were verified, and each that failed.
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
!("status" in col) { next }
$col["status"] == "ok" { ok++; next }
{
    wrong++
    list = list sprintf("  - %s %s, type %s, n = %s: %s\n", $col["program"], $col["variant"], $col["type"], $col["n"], $col["status"])
}
END { printf "- verification: %d rows ok, %d not\n%s", ok, wrong, list }
