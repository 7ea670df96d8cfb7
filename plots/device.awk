# The device of the first timed row that is not a CPU's baseline (in thomas_batch and nshape: has no cores); nothing if no
# kernel was timed.
#   awk -f plots/columns.awk -f plots/device.awk FILE
$col["program"] ~ /^(thomas_batch|nshape)$/ && $col["cores"] != "" { next }
$col["status"] ~ /^(ok|disturbed)$/ && $col["variant"] !~ /^(serial$|cpu_)/ && $col["median_ms"] != "" {
    print $col["device"]
    exit
}
