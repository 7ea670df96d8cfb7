# Prints the device that the header of a file names, if at least one row of the file was timed on
# this device. Otherwise it prints nothing. For example, kernels on the CPU device are verified but
# not timed.
#   awk -f plots/tables/columns.awk -f plots/tables/device.awk FILE
$col["device"] == device && $col["status"] ~ /^(ok|disturbed)$/ && $col["median_ms"] != "" {
    print device
    exit
}
