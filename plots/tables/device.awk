# Prints the device in the file's header if a row was timed on it. Prints nothing for kernels on the
# CPU device, because these are verified but not timed.
#   awk -f plots/tables/columns.awk -f plots/tables/device.awk FILE
$col["device"] == device && $col["status"] ~ /^(ok|disturbed)$/ && $col["median_ms"] != "" {
    print device
    exit
}
