# The device of the first timed row that is not a CPU's baseline; nothing if no kernel was timed.
#   awk -f plots/columns.awk -f plots/device.awk FILE
$col["status"] == "ok" && $col["variant"] !~ /^(serial$|cpu_)/ && $col["median_ms"] != "" {
    print $col["device"]
    exit
}
