# One line: how many rows of the results were verified, and each that failed.
#   awk -f plots/columns.awk -f plots/verified.awk RESULTS/*.csv
!("status" in col) { next }
$col["status"] == "ok" { ok++; next }
{
    wrong++
    list = list sprintf("  - %s %s, type %s, n = %s: %s\n", $col["program"], $col["variant"], $col["type"], $col["n"], $col["status"])
}
END { printf "- verification: %d rows ok, %d not\n%s", ok, wrong, list }
