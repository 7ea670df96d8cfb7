# The device of the first timed row that is not the serial baseline; nothing if no kernel was timed.
#   awk -f plots/columns.awk -f plots/device.awk FILE
$col["status"] == "ok" && $col["variant"] != "serial" && $col["median_ms"] != "" {
    print $col["device"]
    exit
}
