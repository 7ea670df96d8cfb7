# Prints lines of the report: the number of rows that passed verification, each row that failed, and
# the number of measured times that other load disturbed.
#   awk -f plots/tables/columns.awk -f plots/tables/verified.awk RESULTS/*.csv
!("status" in col) { next }
$col["status"] ~ /^(ok|disturbed)$/ {
    ok++
    disturbed_rows += $col["status"] == "disturbed"
    next
}
{
    wrong++
    list = list sprintf("  - %s %s, type %s, n = %s: %s\n", $col["program"], $col["variant"], $col["type"], $col["n"], $col["status"])
}
END {
    printf "- verification: %d rows ok, %d not\n%s", ok, wrong, list
    if (disturbed_rows)
        printf "- disturbed by other load: %d of these times, hollow in the figures and used for no claim\n", disturbed_rows
}
