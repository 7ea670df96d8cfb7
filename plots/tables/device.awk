# The device of the header, if a row of the file was timed on it: nothing for a run of kernels on the CPU device, which
# are verified but not timed.
#   awk -f plots/tables/columns.awk -f plots/tables/device.awk FILE
$col["device"] == device && $col["status"] ~ /^(ok|disturbed)$/ && $col["median_ms"] != "" {
    print device
    exit
}
