# Judges the claims of W12 by the results of a run, in single precision as in the paper. The claims
# of the other papers are judged in claims_w13.awk, claims_pl19.awk and claims_l22.awk.
#   awk -f plots/tables/columns.awk -f plots/report/claims.awk plots/paper/wakatani2012_best.csv \
#       RESULTS/*.csv
# Prints one line for each claim that could be judged: id, verdict, measured numbers, why, criterion
# and device, separated by tabs. A claim without a line was not measured. The report shows the
# criterion, so that a reader can disagree with it.
# W12-1 is judged by all sizes in the run, so a --quick run is enough. The other claims are judged
# by the paper's sizes, 256K and 1M. They are not judged if one of these sizes is missing.
# These arrays hold times in ms:
#   p_ms    pscheme_cpu: the computation of all p_i (W12 eq. 5) on one CPU thread
#   gpu_ms  pscheme_gpu: P-scheme on the GPU
#   pcr_ms  pcr: cyclic reduction and P-scheme on the GPU, and the plain loop on one CPU thread
#   serial  pscheme_gpu: the plain loop on one CPU thread
BEGIN {
    OFS = "\t"
    K256 = 262144
    M1 = 1048576
    sizes = split(K256 " " M1, size, " ")
    label[K256] = "256K"
    label[M1] = "1M"
    REFERENCE_CPU = "Intel(R) Xeon(R) Processor (16 cores)"
}
"best_threads" in col && !("program" in col) {
    if (!("variant" in col))
        paper_T[$col["n"], $col["blocks"]] = $col["best_threads"] + 0
    else if ($col["variant"] == "rearranged" && $col["type"] == "s") {
        if ($col["blocks"] == "") {
            alpha[$col["n"]] = $col["alpha_ns"] + 0
            beta[$col["n"]] = $col["beta_ns"] + 0
            gamma[$col["n"]] = $col["gamma_ns"] + 0
            popt[$col["n"]] = $col["popt"] + 0
            popt1[$col["n"]] = $col["popt1"] + 0
        }
    }
    next
}
!("program" in col) || $col["status"] != "ok" || $col["type"] != "s" || $col["median_ms"] == "" { next }
$col["program"] == "pscheme_cpu" && $col["phase"] == "p" && $col["cores"] == 1 {
    cpu = $col["device"]
    v = $col["variant"]
    n = $col["n"] + 0
    if (!((v, n) in p_ms) || $col["median_ms"] + 0 < p_ms[v, n])
        p_ms[v, n] = $col["median_ms"] + 0
    p_size[n] = 1
}
$col["program"] == "pscheme_gpu" && $col["blocks"] != "" {
    gpu = $col["device"]
    G = $col["blocks"] + 0
    T = $col["threads"] + 0
    gpu_ms[$col["variant"], $col["n"], G, T, $col["phase"]] = $col["median_ms"] + 0
    is_G[G] = 1
    is_T[T] = 1
}
$col["program"] == "pscheme_gpu" && $col["variant"] == "serial" { serial[$col["n"]] = $col["median_ms"] + 0 }
$col["program"] == "pcr" && $col["phase"] == "total" {
    v = $col["variant"]
    n = $col["n"]
    if (v != "serial")
        pcr_gpu = $col["device"]
    if (!((v, n) in pcr_ms) || $col["median_ms"] + 0 < pcr_ms[v, n]) {
        pcr_ms[v, n] = $col["median_ms"] + 0
        pcr_T[v, n] = $col["threads"]
    }
}
# Statistics of a list of numbers: put(x) appends x to the list. summary() sorts the list, sets low,
# mid (the median) and high, empties the list and returns its former length. range() returns
# mid, low and high as text.
function put(x) { list_v[++list_n] = x }
function summary(i, j, x)
{
    for (i = 2; i <= list_n; i++) {
        x = list_v[i]
        for (j = i - 1; j > 0 && list_v[j] > x; j--)
            list_v[j + 1] = list_v[j]
        list_v[j + 1] = x
    }
    low = list_v[1]
    high = list_v[list_n]
    mid = list_n % 2 ? list_v[(list_n + 1) / 2] : (list_v[list_n / 2] + list_v[list_n / 2 + 1]) / 2
    i = list_n
    list_n = 0
    return i
}
function range() { return sprintf("%.2f (%.2f to %.2f)", mid, low, high) }
function sorted(set, out, i, j, x, count)
{
    for (x in set) {
        for (i = ++count; i > 1 && out[i - 1] > x + 0; i--)
            out[i] = out[i - 1]
        out[i] = x + 0
    }
    return count
}
# failed(text) records that a criterion does not hold. claim() prints the verdict. If failed() was
# not called, the verdict is "reproduced", and claim() prints `reason`. Otherwise it is "not
# reproduced", and claim() prints `otherwise`, which states the cause if it is known. The causes
# were found in the reference runs on an H100 and on a Xeon. On any other device claim() adds that
# the cause holds on the device of the reference run.
function failed(text) { fails = fails (fails == "" ? "" : "; ") text }
function claim(id, measured, criterion, reason, otherwise, device)
{
    if (otherwise != "" && (device == cpu ? device != REFERENCE_CPU : device !~ /H100/))
        otherwise = "On the " (device == cpu ? "CPU" : "H100") " of the reference run: " otherwise
    if (fails == "")
        print id, "reproduced", measured, reason, criterion, device
    else
        print id, "not reproduced", measured, (otherwise == "" ? "" : otherwise " ") "Fails on: " fails ".", criterion, device
    fails = ""
}
# Returns the slope of log(time) against log P for one phase of `rearranged` at size n, fitted over
# all (G, T).
function slope(n, phase, g, h, x, y, m, sx, sy, sxx, sxy)
{
    for (g = 1; g <= Gs; g++)
        for (h = 1; h <= Ts; h++)
            if (("rearranged", n, G_[g], T_[h], phase) in gpu_ms) {
                x = log(G_[g] * T_[h])
                y = log(gpu_ms["rearranged", n, G_[g], T_[h], phase])
                m++; sx += x; sy += y; sxx += x * x; sxy += x * y
            }
    return (m * sxy - sx * sy) / (m * sxx - sx * sx)
}
function all_T(n, variant, g, phase, h, found)
{
    for (h = 1; h <= Ts; h++)
        found += (variant, n, G_[g], T_[h], phase) in gpu_ms
    return found == Ts
}
function w12_1(n, v, i, text, names, sizes_seen, least, most)
{
    split("pscheme_eq13 pscheme_repeat pscheme_map", names, " ")
    for (i = 3; i >= 1; i--) {
        v = names[i]
        for (n in p_size)
            if ((v, n) in p_ms && ("substitution", n) in p_ms) {
                put(p_ms[v, n] / p_ms["substitution", n])
                least = least == "" || n + 0 < least ? n + 0 : least
                most = n + 0 > most ? n + 0 : most
            }
        if (list_n == 0)
            continue
        sizes_seen = summary()
        text = v " " range() (text == "" ? "" : ", ") text
    }
    if (v != "pscheme_eq13" || text !~ /^pscheme_eq13/)
        return
    if (!(mid >= 1.5 && mid <= 3))
        failed(sprintf("the ratio %.2f is outside 1.5 to 3", mid))
    claim("W12-1", "time for p over that of the substitution, median (range) over " sizes_seen " sizes (n = " least " to " most "): " text,
        "the median ratio of pscheme_eq13 (the paper's operations) over all sizes that were run, those of --quick included, is between 1.5 and 3",
        "This agrees with the paper's counts: P-scheme does over twice as many operations.",
        "Each row of the substitution waits for the division of the row before. The operations that W12 eq. 9-13 add lie outside this chain or have no recurrence, so the CPU does them while it waits. pscheme_repeat has two such chains and does cost about 2 times as much.", cpu)
}
# Returns as text the speed-up that rearrangement gives at T threads per block. It compares the sums
# of the times of pre-computation and determination, and takes the median over all N and G.
function at_T(T, s, g, n)
{
    for (s = 1; s <= sizes; s++)
        for (g = 1; g <= Gs; g++) {
            n = size[s]
            if (("block", n, G_[g], T, "determine") in gpu_ms && ("rearranged", n, G_[g], T, "determine") in gpu_ms)
                put((gpu_ms["block", n, G_[g], T, "precompute"] + gpu_ms["block", n, G_[g], T, "determine"]) / (gpu_ms["rearranged", n, G_[g], T, "precompute"] + gpu_ms["rearranged", n, G_[g], T, "determine"]))
        }
    if (list_n == 0)
        return "not measured"
    summary()
    return sprintf("%.2f", mid)
}
function w12_2(s, n, g, h, i, count, share, total, phases, text, few, many, prop)
{
    split("precompute determine", phases, " ")
    for (s = 1; s <= sizes; s++) {
        n = size[s]
        for (g = 1; g <= Gs; g++)
            for (h = 1; h <= Ts; h++)
                for (i = 1; i <= 2; i++)
                    if (("block", n, G_[g], T_[h], phases[i]) in gpu_ms && ("rearranged", n, G_[g], T_[h], phases[i]) in gpu_ms)
                        put(gpu_ms["block", n, G_[g], T_[h], phases[i]] / gpu_ms["rearranged", n, G_[g], T_[h], phases[i]])
        if (list_n == 0)
            return
        summary()
        text = text sprintf("%s: parallel phases %s times faster; ", label[n], range())
        if (!(mid >= 1.3 && mid <= 10))
            failed(sprintf("the median %.2f at %s is outside 1.3 to 10", mid, label[n]))
    }
    for (h = 1; h <= Ts; h++)
        if (T_[h] >= 128 && ("rearranged", K256, 32, T_[h], "propagate") in gpu_ms && ("block", K256, 32, T_[h], "total") in gpu_ms) {
            total = gpu_ms["rearranged", K256, 32, T_[h], "precompute"] + gpu_ms["rearranged", K256, 32, T_[h], "propagate"] + gpu_ms["rearranged", K256, 32, T_[h], "determine"]
            count++
            put(100 * gpu_ms["rearranged", K256, 32, T_[h], "propagate"] / total)
        }
    if (count == 0)
        return
    summary()
    share = sprintf("%.0f%% to %.0f%%", low, high)
    if (!(low > 50))
        failed(sprintf("propagation is only %.0f%% of the phases", low))
    for (h = 1; h <= Ts; h++)
        if (T_[h] >= 128 && ("block", K256, 32, T_[h], "total") in gpu_ms)
            put(gpu_ms["block", K256, 32, T_[h], "total"] / gpu_ms["rearranged", K256, 32, T_[h], "total"])
    summary()
    if (!(low >= 0.8 && high <= 1.25))
        failed(sprintf("at G = 32, T >= 128 the totals differ by a factor of %.2f to %.2f", low, high))
    total = sprintf("%.2f to %.2f", low, high)
    few = at_T(16)
    many = at_T(512)
    for (h = 1; h <= Ts; h++)
        if (T_[h] >= 128 && ("block", K256, 32, T_[h], "propagate") in gpu_ms)
            put(gpu_ms["block", K256, 32, T_[h], "propagate"] / gpu_ms["rearranged", K256, 32, T_[h], "propagate"])
    summary()
    prop = sprintf("%.1f", mid)
    claim("W12-2", text sprintf("G = 32, T >= 128, 256K: propagation takes %s of the phases, total time without rearrangement over that with it %s; parallel phases %s times faster at T = 16, %s at T = 512; propagation %s times faster at G = 32", share, total, few, many, prop),
        "at each N, rearrangement makes pre-computation and determination 1.3 to 10 times faster (median over both phases and all (G, T); the paper's text says 2 to 10, the times that it quotes give 1.3 at least); at G = 32, T >= 128, N = 256K, propagation takes over half of the three phases, and the totals without and with rearrangement agree within 25%",
        "This agrees with the paper's explanation: accesses are coalesced in the parallel phases, while the one thread of propagation gains nothing.",
        "The C1060 had no cache for global memory. With caches, a thread of the block layout finds its next elements in L1 as long as few threads run (T = 16, not T = 512). The single thread of propagation gains, too, because rearrangement makes the last elements of the parts neighbours.", gpu)
}
function w12_3(s, n, g, h, best, best_P, text, a, b)
{
    for (s = 1; s <= sizes; s++) {
        n = size[s]
        for (g = 1; g <= Gs; g++)
            for (h = 1; h <= Ts; h++)
                if (("rearranged", n, G_[g], T_[h], "precompute") in gpu_ms && ("rearranged", n, G_[g], T_[h], "determine") in gpu_ms)
                    put(gpu_ms["rearranged", n, G_[g], T_[h], "precompute"] / gpu_ms["rearranged", n, G_[g], T_[h], "determine"])
        if (list_n < 3)
            return
        summary()
        a = slope(n, "precompute")
        b = slope(n, "propagate")
        text = text sprintf("%s%s: pre-computation over determination %s, slopes against P %.2f and %.2f", s > 1 ? "; " : "", label[n], range(), a, b)
        if (!(mid >= 2 / 3 && mid <= 1.5))
            failed(sprintf("pre-computation over determination is %.2f at %s", mid, label[n]))
        if (!(a >= -1.25 && a <= -0.75))
            failed(sprintf("pre-computation goes as P^%.2f at %s", a, label[n]))
        if (!(b >= 0.75 && b <= 1.25))
            failed(sprintf("propagation goes as P^%.2f at %s", b, label[n]))
        for (g = 1; g <= Gs; g++) {
            best = 0
            for (h = 1; h <= Ts; h++)
                if (("rearranged", n, G_[g], T_[h], "total") in gpu_ms && (best == 0 || gpu_ms["rearranged", n, G_[g], T_[h], "total"] < best)) {
                    best = gpu_ms["rearranged", n, G_[g], T_[h], "total"]
                    best_P = G_[g] * T_[h]
                }
            if (best)
                put(best_P)
        }
        summary()
        text = text sprintf(", G·T at the optimum %d to %d", low, high)
        if (!(high <= 2 * low))
            failed(sprintf("G·T at the optimum spreads from %d to %d at %s", low, high, label[n]))
    }
    claim("W12-3", text,
        "at each N, rearranged: the median ratio of pre-computation to determination is 2/3 to 3/2; the log-log slopes against P are -1 ± 0.25 (pre-computation) and +1 ± 0.25 (propagation); the products G·T at the best T of each G lie within a factor of 2, one step of T",
        "The phases follow N/P and P over the measured range.",
        "In pre-computation a thread loads only the w_{i-1} that it has just stored and finds it in L1; in determination it waits for memory in every row. The C1060 had no such cache, so both waited. The slopes and G·T have criteria of their own.", gpu)
}
function best_T(n, g, h, best, at)
{
    for (h = 1; h <= Ts; h++)
        if (("rearranged", n, G_[g], T_[h], "total") in gpu_ms && (best == 0 || gpu_ms["rearranged", n, G_[g], T_[h], "total"] < best)) {
            best = gpu_ms["rearranged", n, G_[g], T_[h], "total"]
            at = T_[h]
        }
    best_ms = best
    return at
}
function w12_4(s, n, g, T, at, near, as_paper, count, Tlist, text, near_all, count_all)
{
    for (s = 1; s <= sizes; s++) {
        n = size[s]
        if (!(n in popt) || !(alpha[n] > 0) || !(popt[n] > 0))
            return
        near = as_paper = count = 0
        Tlist = ""
        for (g = 1; g <= Gs; g++) {
            if (!((n, G_[g]) in paper_T) || !(T = best_T(n, g)))
                continue
            count++
            Tlist = Tlist (count > 1 ? ", " : "") T
            at = popt[n] / G_[g]
            at = at < T_[1] ? T_[1] : at > T_[Ts] ? T_[Ts] : at
            near += T <= 2 * at && at <= 2 * T
            as_paper += T <= 2 * paper_T[n, G_[g]] && paper_T[n, G_[g]] <= 2 * T
        }
        if (count == 0)
            return
        near_all += near
        count_all += count
        text = text sprintf("%s%s: alpha:beta:gamma = 1:%.2f:%.2f, P_opt = %.0f%s against %.0f, best T %s", s > 1 ? "; " : "", label[n],
            beta[n] / alpha[n], gamma[n] / alpha[n], popt[n], popt1[n] > 0 ? sprintf(" (%.0f with constants fitted)", popt1[n]) : "", sqrt(n / 2), Tlist)
        if (!(beta[n] / alpha[n] >= 2 && beta[n] / alpha[n] <= 8 && gamma[n] / alpha[n] >= 0.5 && gamma[n] / alpha[n] <= 2))
            failed(sprintf("alpha:beta:gamma at %s", label[n]))
        if (near < count - 1)
            failed(sprintf("the best T is near P_opt/G at only %d of %d G at %s", near, count, label[n]))
        if (as_paper < count - 1)
            failed(sprintf("the best T is near the paper's at only %d of %d G at %s", as_paper, count, label[n]))
    }
    claim("W12-4", text " (for G = 4, 8, 16, 32, as far as measured); P_opt/G is within a factor of 2 of the best T at " near_all " of " count_all " (N, G)",
        "at each N, rearranged: beta/alpha within 2 to 8 and gamma/alpha within 1/2 to 2; the best T within a factor of 2 of P_opt/G (fitted P_opt; P_opt/G limited to the measured T) and within a factor of 2 of the paper's best T, each at all G but at most one",
        "The cost ratios and the optimum of W12 eq. 17-18 hold here, too.",
        "W12 eq. 18 holds, its constants do not: 1:4:1 comes from the clocks and latencies of the C1060. With the device's own alpha, beta and gamma the equation predicts the best T.", gpu)
}
function w12_5(s, n, g, low_ms, text)
{
    if (Gs < 2)
        return
    for (s = 1; s <= sizes; s++) {
        n = size[s]
        low_ms = 0
        text = text (s > 1 ? "; " : "") label[n] ":"
        for (g = 1; g <= Gs; g++) {
            if (!all_T(n, "rearranged", g, "total"))
                return
            best_T(n, g)
            text = text sprintf(" %.4g", best_ms)
            if (low_ms == 0 || best_ms < low_ms)
                low_ms = best_ms
        }
        text = text " ms"
        if (!(best_ms <= 1.05 * low_ms))
            failed(sprintf("at %s the largest G is %.0f%% slower than the best", label[n], 100 * (best_ms / low_ms - 1)))
    }
    g = G_[1]
    for (s = 2; s <= Gs; s++)
        g = g ", " G_[s]
    claim("W12-5", "best total over T for G = " g ": " text,
        "at each N, rearranged: the best total at the largest G is within 5% of the best of all (equality passes: the policy then costs nothing)", "The largest G is the best choice or as good as it.",
        "The GPU has several times more multiprocessors than there are blocks, so every thread waits only for its own loads, and the product G·T decides, not G. The totals differ because the powers of two come more or less near to P_opt.", gpu)
}
function w12_6(s, n, text)
{
    for (s = 1; s <= sizes; s++) {
        n = size[s]
        if (!(("pcr", n) in pcr_ms) || !(("pscheme", n) in pcr_ms) || !(("serial", n) in pcr_ms))
            return
        text = text sprintf("%s%s: P-scheme %.2f (T = %d), PCR %.2f (T = %d)", s > 1 ? "; " : "", label[n],
            pcr_ms["serial", n] / pcr_ms["pscheme", n], pcr_T["pscheme", n], pcr_ms["serial", n] / pcr_ms["pcr", n], pcr_T["pcr", n])
        if (!(pcr_ms["pscheme", n] < pcr_ms["pcr", n]))
            failed("PCR is faster at " label[n])
    }
    if (K256 in serial && (n = best_T(K256, 1)) && G_[1] == 4)
        text = text sprintf("; G = 4, 256K: %.2f (T = %d)", serial[K256] / best_ms, n)
    claim("W12-6", "best speed-up over one CPU thread, G = 32: " text, "at each N the least total over T of P-scheme is below that of PCR",
        "This agrees with the paper's explanation: O(N) operations against O(N log N).", "", pcr_gpu)
}
END {
    Gs = sorted(is_G, G_)
    Ts = sorted(is_T, T_)
    w12_1()
    if (Gs > 0) {
        w12_2(); fails = ""; list_n = 0
        w12_3(); fails = ""; list_n = 0
        w12_4(); fails = ""; list_n = 0
        w12_5(); fails = ""; list_n = 0
    }
    w12_6()
}
