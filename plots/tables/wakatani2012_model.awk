# Models the times of W12's three phases on a Tesla C1060 from counts of memory accesses. This
# reproduces W12 Fig. 3-8 without that GPU.
#   awk -v part=counts -v n=262144 -f plots/tables/wakatani2012_model.awk FILE…
# prints plots/reference/count_c1060.csv: the global memory accesses of each kernel, separately for loads and
# stores. Each FILE was written by the count build:
#   COUNT_CSV=FILE build/count/pscheme_gpu --n 256K --blocks G --threads T --type s \
#       --variant block,rearranged --reps 1
# The second step reads that file and the paper's points:
#   awk -f plots/tables/wakatani2012_model.awk plots/paper/wakatani2012_{fig3,fig8,best,axes}.csv \
#       plots/reference/count_c1060.csv
# prints the modelled times as rows of a results file. -v part=… prints something else instead:
#   fit       the fitted parameters, and the deviation of the model from each point of the paper
#   ratios    the modelled times of the block layout over those of the rearranged layout
#   readings  what follows from the quoted times of propagation if they are read as those of
#             G = 4, 8, 16 or 32, beside what else the paper says
#   implied   for each reading and published speed-up the time of propagation, and the time of one
#             CPU thread that the speed-up implies
#
# The model: in each step a thread waits once for its loads. Meanwhile other warps of the
# multiprocessor run, and each segment (of 32, 64 or 128 bytes) that a half-warp accesses occupies
# the multiprocessor for some cycles. The memory moves the bytes of all multiprocessors. Hence
#   time = overhead + max(steps x latency + segments x cycles, bytes / bandwidth)
# steps: the loads of a warp, divided by those that it has in flight at once (at_once()). segments:
# those of the multiprocessor that has the most blocks.
# From the C1060's data sheet: 30 multiprocessors, 1.296 GHz, 102 GB/s.
# Fitted to W12's eight times of the pre-computation with G = 4, by least squares of the relative
# error: latency, cycles, overhead.
# Chosen so that the model agrees with the paper's points: a segment of 32 bytes occupies the memory
# as long as one of 64 bytes (one point, with G = 32, requires this); and the time of one CPU thread,
# which the speed-ups at N = 256K imply (their geometric mean), N / 256K times as much for another N.
function fail(what)
{
    print "wakatani2012_model.awk: " what > "/dev/stderr"
    failed = 1
    exit 1
}
# A thread waits when it uses a loaded value. The two loads of a step of propagation (the last w and
# the last product of a part) do not depend on each other, nor do the two of determination (w_i and
# a_i). Pre-computation loads w_{i-1} alone.
function at_once(kernel)
{
    return kernel == "precompute" ? 1 : 2
}
# Sets the factors of the three fitted parameters for the launch `key`, which is the variant, N, G, T
# and the phase: x[1] = steps for the latency, x[2] = segments for the cycles, and x[3] = 1 for the
# overhead. Returns the time in ms in which the memory moves the bytes of the launch.
function terms(key, f, blocks, warps)
{
    if (!(key in segments))
        fail("no counts of " key)
    split(key, f, SUBSEP)
    blocks = f[5] == "propagate" ? 1 : f[3]
    warps = f[5] == "propagate" ? 1 : blocks * int((f[4] + 31) / 32)
    x[1] = loads[key] / warps / at_once(f[5])
    x[2] = segments[key] / blocks * int((blocks + 29) / 30)
    x[3] = 1
    return moved[key] / BANDWIDTH
}
function larger(a, b)
{
    return a > b ? a : b
}
# The modelled time of a launch in ms.
function time_of(key, memory)
{
    memory = terms(key)
    return parameter[3] + larger(parameter[1] * x[1] + parameter[2] * x[2], memory)
}
# The modelled time in ms of pre-computation and determination, and of all three phases of a `solve`,
# which is the variant, N, G and T.
function parallel_of(solve)
{
    return time_of(solve SUBSEP "precompute") + time_of(solve SUBSEP "determine")
}
function total_of(solve)
{
    return parallel_of(solve) + time_of(solve SUBSEP "propagate")
}
# Solves the normal equations normal[1..count, 1..count + 1] of the least squares by Gaussian
# elimination and sets parameter[1..count]. Their matrix is positive definite, so no pivoting is
# needed.
function least_squares(count, parameter, i, j, k, factor)
{
    for (i = 1; i <= count; i++)
        for (j = i + 1; j <= count; j++) {
            factor = normal[j, i] / normal[i, i]
            for (k = i; k <= count + 1; k++)
                normal[j, k] -= factor * normal[i, k]
        }
    for (i = count; i >= 1; i--) {
        parameter[i] = normal[i, count + 1]
        for (j = i + 1; j <= count; j++)
            parameter[i] -= normal[i, j] * parameter[j]
        parameter[i] /= normal[i, i]
    }
}
# Adds a point to the normal equations: y is x[1..count] times the parameters, with weight 1 / y.
function add_point(count, y, i, j)
{
    for (i = 1; i <= count; i++) {
        for (j = 1; j <= count; j++)
            normal[i, j] += x[i] * x[j] / y ^ 2
        normal[i, count + 1] += x[i] / y
    }
}
# Fits y = line[1] z + line[2] to the quoted times with rearrangement of one phase, by least squares
# of the relative error. z is P if the times are those of G = `reading`, or N/P if reading is 0.
function fit_line(phase, reading, q, f)
{
    split("", normal)
    for (q = 1; q <= times; q++) {
        split(quoted[q], f, SUBSEP)
        if (f[1] != "rearranged" || f[3] != 4 || f[5] != phase)
            continue
        x[1] = reading ? reading * f[4] : f[2] / f[3] / f[4]
        x[2] = 1
        add_point(2, quoted_ms[q])
    }
    least_squares(2, line)
}
# The time of propagation through P parts in ms by the last fit_line("propagate", reading).
function walk_of(P)
{
    return line[1] * P + line[2]
}
# Prints a statement about a reading. low and high are the bounds that another part of the paper
# sets, "" for none. A value within them speaks for the reading.
function say(reading, statement, value, low, high, from, verdict)
{
    verdict = (low == "" && high == "") ? "" : (low != "" && value < low) || (high != "" && value > high) ? "against" : "for"
    printf "%d,%s,%.4g,%s,%s,%s,%s\n", reading, statement, value, low, high, from, verdict
}
# Where the paper's y axis of a panel ends.
function end_of(panel)
{
    if (!(panel in axis_end))
        fail("no axis of Fig. " panel)
    return axis_end[panel]
}
# Prints what follows from a reading.
function print_reading(reading, alpha, i, b, f, T, ms, best, best_T, cpu_least, cpu_most, hits, four)
{
    fit_line("precompute", 0)
    alpha = line[1]
    fit_line("propagate", reading)
    say(reading, "beta [us]", 1000 * line[1], "", "", "times quoted in V.C")
    say(reading, "beta over alpha", line[1] / alpha, "", "", "times quoted in V.C; eq. 17 assumes 4")
    say(reading, "P_opt at N = 256K for gamma = alpha", sqrt(2 * 262144 * alpha / line[1]), "", "", "eq. 18; the paper's best G·T are 512 and 1024")
    split("4 3b 16 5b 32 3d", f, " ")
    for (i = 1; i < 6; i += 2)
        say(reading, "propagation at G = " f[i] " and T = 512 [ms]", walk_of(f[i] * 512), "", end_of(f[i + 1]), \
            "axis of Fig. " substr(f[i + 1], 1, 1) " (" substr(f[i + 1], 2) ")")
    for (b = 1; b <= bests; b++) {
        split(best_key[b], f, SUBSEP)
        best = 0
        for (T = 16; T <= 512; T *= 2) {
            ms = parallel_of("rearranged" SUBSEP best_key[b] SUBSEP T) + walk_of(f[2] * T)
            if (!best || ms < best) {
                best = ms
                best_T = T
            }
        }
        hits += best_T == best_threads[b]
        if (f[1] == 262144 && f[2] == 4)
            four = best_T
    }
    say(reading, "best T at N = 256K and G = 4", four, 128, 256, "V.C says 256; one step less is within the model's error")
    say(reading, "best T that agree; of " bests, hits, bests - 1, bests, "V.F and Fig. 8; one may be a near tie")
    for (i = 1; i <= points; i++) {
        split(point[i], f, SUBSEP)
        if (f[2] != 262144)
            continue
        ms = speedup[i] * (parallel_of(point[i]) + walk_of(f[3] * f[4]))
        if (!cpu_least || ms < cpu_least)
            cpu_least = ms
        cpu_most = larger(cpu_most, ms)
    }
    say(reading, "CPU time implied by Fig. 4 and 7: least [ms]", cpu_least, "", "", "speed-up times total at N = 256K")
    say(reading, "CPU time implied by Fig. 4 and 7: greatest over least", cpu_most / cpu_least, "", 1.25, "there was one CPU; the model is off by up to 11%")
}
# Prints the rows of part=implied for a reading.
function print_implied(reading, i, f, ms)
{
    fit_line("propagate", reading)
    for (i = 1; i <= points; i++) {
        split(point[i], f, SUBSEP)
        ms = walk_of(f[3] * f[4])
        printf "%d,%d,%d,%d,%d,%.4g,%.4g\n", reading, f[2], f[3], f[4], f[3] * f[4], ms, speedup[i] * (parallel_of(point[i]) + ms)
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
$1 == "variant" || $1 == "launch" || $1 == "figure" || $1 == "n" {
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
    if (kernel !~ /^(precompute|propagate|determine)$/)
        fail(FILENAME ": not W12's kernel: " kernel)
    row = (launch < 3 ? "block" : "rearranged") "," n "," G "," T "," kernel "," $col["op"]
    if (!(row in requests))
        rows[++row_count] = row
    requests[row] += $col["requests"]
    half_warps[row] += $col["half_warps"]
    all_segments[row] += $col["segments"]
    bytes[row] += $col["segment_bytes"]
    next
}
part == "counts" { next }

{ solve = $col["variant"] SUBSEP $col["n"] SUBSEP $col["blocks"] SUBSEP $col["threads"] }
"speedup" in col {
    point[++points] = solve
    speedup[points] = $col["speedup"]
    next
}
"median_ms" in col {
    quoted[++times] = solve SUBSEP $col["phase"]
    quoted_ms[times] = $col["median_ms"]
    quoted_by[times] = $col["reading"]
    next
}
"best_threads" in col {
    best_key[++bests] = $col["n"] SUBSEP $col["blocks"]
    best_threads[bests] = $col["best_threads"]
    next
}
"figure" in col {
    axis_end[$col["figure"] $col["panel"]] = $col["high"]
    next
}
"segments" in col {
    key = solve SUBSEP $col["kernel"]
    if ($col["op"] == "load")
        loads[key] += $col["requests"]
    segments[key] += $col["segments"]
    mean = $col["segment_bytes"] / $col["segments"]
    # The segments of one kernel and operation differ little in size, so their mean size is used for
    # all.
    moved[key] += mean < LEAST ? $col["segments"] * LEAST : $col["segment_bytes"]
    if (!(solve in seen))
        counted[++solves] = solve
    seen[solve] = 1
}

# Fits the parameters and the time of one CPU thread to the paper's points.
function fit(q, i, f, fitted, logs, small)
{
    for (q = 1; q <= times; q++) {
        split(quoted[q], f, SUBSEP)
        if (f[3] != 4 || f[5] != "precompute")
            continue
        terms(quoted[q])
        add_point(3, quoted_ms[q])
        fitted++
    }
    if (!solves || fitted < 4)
        fail("too few points to fit, or no counts")
    least_squares(3, parameter)
    for (i = 1; i <= points; i++) {
        split(point[i], f, SUBSEP)
        if (f[2] != 262144)
            continue
        logs += log(speedup[i] * total_of(point[i]))
        small++
    }
    if (!small)
        fail("no speed-ups at N = 256K")
    cpu = exp(logs / small)
}
function speedup_of(solve, f)
{
    split(solve, f, SUBSEP)
    return cpu * f[2] / 262144 / total_of(solve)
}
function print_deviation(key, what, form, paper, model, f)
{
    split(key, f, SUBSEP)
    printf "%s,N=%dK,G=%d,T=%d,%s,paper " form ",model " form ",%+.0f %%\n", f[1], f[2] / 1024, f[3], f[4], what, paper, model, 100 * (model / paper - 1)
}
function print_fit(i, f)
{
    printf "latency,%.0f cycles\nsegment,%.2f cycles\noverhead,%.3f ms\ncpu,%.2f ms\n", parameter[1] * GHZ * 1e6, parameter[2] * GHZ * 1e6, parameter[3], cpu
    for (i = 1; i <= times; i++) {
        split(quoted[i], f, SUBSEP)
        print_deviation(quoted[i], f[5] " (" quoted_by[i] ")", "%.2f ms", quoted_ms[i], time_of(quoted[i]))
    }
    for (i = 1; i <= points; i++)
        print_deviation(point[i], "speed-up", "%.3f", speedup[i], speedup_of(point[i]))
}
function print_ratios(r, p, f, other, block_ms, rearranged_ms)
{
    print "n,blocks,threads,precompute,determine,precompute_kernel,total"
    for (r = 1; r <= solves; r++) {
        split(counted[r], f, SUBSEP)
        if (f[1] != "block")
            continue
        other = "rearranged" SUBSEP f[2] SUBSEP f[3] SUBSEP f[4]
        for (p = 1; p <= phases; p++) {
            block_ms[p] = time_of(counted[r] SUBSEP phase[p])
            rearranged_ms[p] = time_of(other SUBSEP phase[p])
        }
        printf "%d,%d,%d,%.2f,%.2f,%.2f,%.2f\n", f[2], f[3], f[4], block_ms[1] / rearranged_ms[1], block_ms[3] / rearranged_ms[3], \
            (block_ms[1] - parameter[3]) / (rearranged_ms[1] - parameter[3]), total_of(counted[r]) / total_of(other)
    }
}
function print_times(r, p, f)
{
    print "# Modelled, not measured: Tesla C1060"
    print "variant,type,n,blocks,threads,phase,median_ms,speedup"
    for (r = 1; r <= solves; r++) {
        split(counted[r], f, SUBSEP)
        for (p = 1; p <= phases; p++)
            printf "%s,s,%d,%d,%d,%s,%.6g,\n", f[1], f[2], f[3], f[4], phase[p], time_of(counted[r] SUBSEP phase[p])
        printf "%s,s,%d,%d,%d,total,%.6g,%.6g\n", f[1], f[2], f[3], f[4], total_of(counted[r]), speedup_of(counted[r])
    }
}
END {
    if (failed)
        exit 1
    if (part == "counts") {
        for (i = 1; i <= row_count; i++)
            print rows[i] "," requests[rows[i]] "," half_warps[rows[i]] "," all_segments[rows[i]] "," bytes[rows[i]]
        exit
    }
    fit()
    if (part == "fit")
        print_fit()
    else if (part == "ratios")
        print_ratios()
    else if (part == "readings" || part == "implied") {
        print (part == "readings" ? "reading,statement,value,low,high,from,verdict" : "reading,n,blocks,threads,parts,propagate_ms,cpu_ms")
        for (reading = 4; reading <= 32; reading *= 2)
            if (part == "readings")
                print_reading(reading)
            else
                print_implied(reading)
    } else
        print_times()
}
