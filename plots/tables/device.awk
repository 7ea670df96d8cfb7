# Prints the device that a file's header names if a row of the file was timed on this device, and
# nothing otherwise. So it prints nothing for kernels on the CPU device, which are verified but not
# timed.
#   awk -f plots/tables/columns.awk -f plots/tables/device.awk FILE
$col["device"] == device && $col["status"] ~ /^(ok|disturbed)$/ && $col["median_ms"] != "" {
    print device
    exit
}
