# Models the times of W12's three phases on a Tesla C1060 from counts of memory accesses. This
# reproduces W12 Fig. 3 and Fig. 4 without that GPU.
#   awk -v part=counts -v n=262144 -f plots/tables/wakatani2012_model.awk FILE…
# prints count_c1060.csv: the global memory accesses of each kernel, separately for loads and
# stores. Each FILE was written by the count build:
#   COUNT_CSV=FILE build/count/pscheme_gpu --n 256K --blocks G --threads T --type s \
#       --variant block,rearranged --reps 1
# The second step reads count_c1060.csv and the paper's points:
#   awk -f plots/tables/wakatani2012_model.awk plots/paper/wakatani2012_fig3.csv \
#       plots/paper/wakatani2012_fig4.csv plots/tables/count_c1060.csv
# prints the modelled times as rows of a results file. With -v part=fit it prints the fitted
# parameters and the deviation of the model from each point of the paper instead. With -v
# part=ratios it prints the modelled times of the block layout over those of the rearranged layout.
#
# The model: in each step a thread waits once for its loads. Meanwhile other warps of the
# multiprocessor run, and each segment (of 32, 64 or 128 bytes) that a half-warp accesses occupies
# the multiprocessor for some cycles. The memory moves the bytes of all multiprocessors. Hence
#   time = overhead + max(steps x latency + segments x cycles, bytes / bandwidth)
# steps is the number of loads of a warp, divided by the number of loads that it has in flight at
# once. segments is the number of segments of the multiprocessor that has the most blocks.
# Parameters from the C1060's data sheet: 30 multiprocessors, 1.296 GHz, 102 GB/s.
# Parameters fitted to W12's eight times of the pre-computation with G = 4, by least squares of the
# relative error: latency, cycles, overhead.
# Parameters chosen so that the model agrees with the paper's points:
#   - A segment of 32 bytes occupies the memory as long as one of 64 bytes. One point, with G = 32,
#     requires this.
#   - A warp has 2 loads in flight at once in determination and 1 in the other phases. The 2 is
#     chosen because W12 finds determination as long as pre-computation.
#   - The speed-up needs the time of one CPU thread, which the counts do not contain. Each point of
#     Fig. 4 implies such a time; the model uses their geometric mean.
function fail(what)
{
    print "wakatani2012_model.awk: " what > "/dev/stderr"
    failed = 1
    exit 1
}
function at_once(kernel)
{
    return kernel == "determine" ? 2 : 1
}
# Sets the factors of the three fitted parameters for the launch `key`: x[1] = steps for the
# latency, x[2] = segments for the cycles, and x[3] = 1 for the overhead. Returns the time in ms in
# which the memory moves the bytes of the launch.
function terms(key, f)
{
    if (!(key in segments))
        fail("no counts of " key)
    split(key, f, SUBSEP)
    blocks = f[2]
    if (f[4] == "propagate")
        blocks = 1
    warps = f[4] == "propagate" ? 1 : blocks * int((f[3] + 31) / 32)
    x[1] = loads[key] / warps / at_once(f[4])
    x[2] = segments[key] / blocks * int((blocks + 29) / 30)
    x[3] = 1
    return moved[key] / BANDWIDTH
}
function larger(a, b)
{
    return a > b ? a : b
}
function time_of(key, memory)
{
    memory = terms(key)
    return parameter[3] + larger(parameter[1] * x[1] + parameter[2] * x[2], memory)
}
function total_of(variant, G, T)
{
    return time_of(variant SUBSEP G SUBSEP T SUBSEP "precompute") + time_of(variant SUBSEP G SUBSEP T SUBSEP "propagate") + time_of(variant SUBSEP G SUBSEP T SUBSEP "determine")
}
# Solves the normal equations of the least squares by Gaussian elimination. Their matrix is positive
# definite, so no pivoting is needed.
function solve(i, j, k, factor)
{
    for (i = 1; i <= 3; i++)
        for (j = i + 1; j <= 3; j++) {
            factor = normal[j, i] / normal[i, i]
            for (k = i; k <= 4; k++)
                normal[j, k] -= factor * normal[i, k]
        }
    for (i = 3; i >= 1; i--) {
        parameter[i] = normal[i, 4]
        for (j = i + 1; j <= 3; j++)
            parameter[i] -= normal[i, j] * parameter[j]
        parameter[i] /= normal[i, i]
    }
}
BEGIN {
    FS = ","
    BANDWIDTH = 102e9 / 1e3 # bytes per ms
    LEAST = 64              # bytes; a smaller segment occupies the memory as long as this one
    GHZ = 1.296
    if (part == "counts" && n == "")
        fail("-v n=ROWS is missing")
    if (part == "counts")
        print "variant,n,blocks,threads,kernel,op,requests,half_warps,segments,segment_bytes"
    phases = split("precompute propagate determine", phase, " ")
}
/^#/ { next }
$1 == "variant" || $1 == "launch" {
    split("", col)
    for (i = 1; i <= NF; i++)
        col[$i] = i
    next
}

# A file of the count build has seven launches: 0 to 2 are the phases of the block layout, 3
# rearranges the arrays, and 4 to 6 are the phases of the rearranged layout.
part == "counts" && $col["space"] == "global" {
    launch = $col["launch"]
    kernel = $col["kernel"]
    if (kernel == "precompute" && launch == 0) {
        G = $col["blocks"]
        T = $col["threads"]
    }
    if (kernel == "move")
        next
    if (kernel != "precompute" && kernel != "propagate" && kernel != "determine")
        fail(FILENAME ": not W12's kernel: " kernel)
    key = (launch < 3 ? "block" : "rearranged") SUBSEP kernel SUBSEP $col["op"]
    if (!((FILENAME, key) in requests)) {
        order[++keys] = FILENAME SUBSEP key
        row[keys] = (launch < 3 ? "block" : "rearranged") "," n "," G "," T "," kernel "," $col["op"]
    }
    requests[FILENAME, key] += $col["requests"]
    half_warps[FILENAME, key] += $col["half_warps"]
    all_segments[FILENAME, key] += $col["segments"]
    bytes[FILENAME, key] += $col["segment_bytes"]
    next
}
part == "counts" { next }

"speedup" in col {
    point[++points] = $col["variant"] SUBSEP $col["blocks"] SUBSEP $col["threads"]
    speedup[points] = $col["speedup"]
    next
}
"median_ms" in col {
    quoted[++times] = $col["variant"] SUBSEP $col["blocks"] SUBSEP $col["threads"] SUBSEP $col["phase"]
    quoted_ms[times] = $col["median_ms"]
    next
}
"segments" in col {
    n = $col["n"]
    key = $col["variant"] SUBSEP $col["blocks"] SUBSEP $col["threads"] SUBSEP $col["kernel"]
    if ($col["op"] == "load")
        loads[key] += $col["requests"]
    segments[key] += $col["segments"]
    mean = $col["segment_bytes"] / $col["segments"]
    # The segments of one kernel and operation differ little in size, so their mean size is used for
    # all.
    moved[key] += mean < LEAST ? $col["segments"] * LEAST : $col["segment_bytes"]
    launch_of = $col["variant"] SUBSEP $col["blocks"] SUBSEP $col["threads"]
    if (!(launch_of in seen)) {
        seen[launch_of] = 1
        run[++runs] = launch_of
    }
}

END {
    if (failed)
        exit 1
    if (part == "counts") {
        for (i = 1; i <= keys; i++)
            print row[i] "," requests[order[i]] "," half_warps[order[i]] "," all_segments[order[i]] "," bytes[order[i]]
        exit
    }
    for (q = 1; q <= times; q++)
        if (quoted[q] ~ (SUBSEP "4" SUBSEP) && quoted[q] ~ /precompute/) {
            terms(quoted[q])
            for (i = 1; i <= 3; i++) {
                for (j = 1; j <= 3; j++)
                    normal[i, j] += x[i] * x[j] / quoted_ms[q] ^ 2
                normal[i, 4] += x[i] / quoted_ms[q]
            }
            fitted_points++
        }
    if (!runs || fitted_points < 4)
        fail("too few points to fit, or no counts")
    solve()
    for (i = 1; i <= points; i++) {
        split(point[i], f, SUBSEP)
        logs += log(speedup[i] * total_of(f[1], f[2], f[3]))
    }
    cpu = exp(logs / points)

    if (part == "fit") {
        printf "latency,%.0f cycles\nsegment,%.2f cycles\noverhead,%.3f ms\ncpu,%.2f ms\n", parameter[1] * GHZ * 1e6, parameter[2] * GHZ * 1e6, parameter[3], cpu
        for (q = 1; q <= times; q++) {
            split(quoted[q], f, SUBSEP)
            t = time_of(quoted[q])
            printf "%s,G=%d,T=%d,%s,paper %.2f ms,model %.2f ms,%+.0f %%\n", f[1], f[2], f[3], f[4], quoted_ms[q], t, 100 * (t / quoted_ms[q] - 1)
        }
        for (i = 1; i <= points; i++) {
            split(point[i], f, SUBSEP)
            s = cpu / total_of(f[1], f[2], f[3])
            printf "%s,G=%d,T=%d,speed-up,paper %.3f,model %.3f,%+.0f %%\n", f[1], f[2], f[3], speedup[i], s, 100 * (s / speedup[i] - 1)
        }
        exit
    }
    if (part == "ratios") {
        print "blocks,threads,precompute,determine,precompute_kernel,total"
        for (r = 1; r <= runs; r++) {
            split(run[r], f, SUBSEP)
            if (f[1] != "block")
                continue
            here = SUBSEP f[2] SUBSEP f[3] SUBSEP
            printf "%d,%d,%.2f,%.2f,%.2f,%.2f\n", f[2], f[3], time_of("block" here "precompute") / time_of("rearranged" here "precompute"), time_of("block" here "determine") / time_of("rearranged" here "determine"), (time_of("block" here "precompute") - parameter[3]) / (time_of("rearranged" here "precompute") - parameter[3]), total_of("block", f[2], f[3]) / total_of("rearranged", f[2], f[3])
        }
        exit
    }
    print "# Modelled, not measured: Tesla C1060"
    print "variant,type,n,blocks,threads,phase,median_ms,speedup"
    for (r = 1; r <= runs; r++) {
        split(run[r], f, SUBSEP)
        for (p = 1; p <= phases; p++)
            printf "%s,s,%d,%d,%d,%s,%.6g,\n", f[1], n, f[2], f[3], phase[p], time_of(run[r] SUBSEP phase[p])
        t = total_of(f[1], f[2], f[3])
        printf "%s,s,%d,%d,%d,total,%.6g,%.6g\n", f[1], n, f[2], f[3], t, cpu / t
    }
}
