# The device of the first timed row that is not the serial baseline; nothing if no kernel was timed.
BEGIN { FS = "," }
/^#/ { next }
!header {
    for (i = 1; i <= NF; i++)
        col[$i] = i
    header = 1
    next
}
$col["status"] == "ok" && $col["variant"] != "serial" && $col["median_ms"] != "" {
    print $col["device"]
    exit
}
