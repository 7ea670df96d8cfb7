# Judges the claims of W13 by pscheme_g.csv and fit.csv, in single precision as in the paper. This
# file is loaded before claims.awk and uses its functions and lists:
#   awk -f plots/tables/columns.awk -f plots/report/claims_w13.awk -f plots/report/claims.awk \
#       RESULTS/*.csv
# The paper's text gives 10^6 for its size "1M". The claims are judged at 10^6 if this size was
# measured, otherwise at 2^20.
# pg_ms: the times of pscheme_g on the GPU in ms. tr_ms and tr_bytes: the times and bytes of its
# transpositions.
BEGIN {
    split("L M H", case_, " ")
    paper_alpha["L"] = 1.6; paper_alpha["M"] = 20; paper_alpha["H"] = 91.7 # alpha/beta, W13 eq. 6
    paper_gamma = 1.1
    paper_popt["L"] = 1643; paper_popt["M"] = 4593; paper_popt["H"] = 9633
    paper_P["L"] = 2048; paper_P["M"] = 4096; paper_P["H"] = 8192
    paper_speedup["L"] = 7.1; paper_speedup["M"] = 183; paper_speedup["H"] = 370
}
"popt" in col && "case" in col && $col["variant"] == "extended" && $col["type"] == "s" && $col["blocks"] == "" {
    c = $col["case"] SUBSEP $col["n"]
    fit_alpha[c] = $col["alpha_ns"] / $col["beta_ns"]
    fit_gamma[c] = $col["gamma_ns"] / $col["beta_ns"]
    fit_beta[c] = $col["beta_ns"] + 0
    fit_popt[c] = $col["popt"] + 0
    fit_popt1[c] = $col["popt1"] + 0
    fit_misfit[c] = sprintf("%.0f%%, %.0f%%, %.0f%%", 100 * $col["misfit_precompute"], 100 * $col["misfit_propagate"], 100 * $col["misfit_determine"])
}
FILENAME ~ /ncu_wakatani2013\.csv$/ { profiled = 1 }
"program" in col && FILENAME !~ /_(16M|one_pass)/ && $col["program"] == "pscheme_g" && $col["status"] == "ok" && $col["type"] == "s" && $col["median_ms"] != "" {
    v = $col["variant"]
    n = $col["n"] + 0
    ms = $col["median_ms"] + 0
    if (v ~ /^cpu_/)
        cpu_ms[v, $col["case"], n] = ms
    else if ($col["blocks"] != "") {
        pg_gpu = $col["device"]
        pg_ms[v, $col["case"], n, $col["blocks"] + 0, $col["threads"] + 0, $col["phase"]] = ms
        pg_is_G[$col["blocks"] + 0] = 1
        pg_is_T[$col["threads"] + 0] = 1
    } else if (v ~ /^transpose_/) {
        tr_gpu = $col["device"]
        tr_ms[v, n] = ms
        tr_bytes[n] = $col["bytes"]
    } else if (v == "copy" && !copy_gbs)
        copy_gbs = $col["bytes"] / ms / 1e6
}
# Returns the shortest total time of variant v in case c at size n, over all T at this G, or over
# all T and G if G is empty. Sets best_G and best_at_T to the G and T of this time. Returns 0 if
# nothing was measured.
function least_total(v, c, n, G, g, h, ms, low_ms)
{
    for (g = 1; g <= PGs; g++)
        for (h = 1; h <= PTs; h++)
            if ((G == "" || G == PG[g]) && (v, c, n, PG[g], PT[h], "total") in pg_ms) {
                ms = pg_ms[v, c, n, PG[g], PT[h], "total"]
                if (!low_ms || ms < low_ms) {
                    low_ms = ms
                    best_G = PG[g]
                    best_at_T = PT[h]
                }
            }
    return low_ms + 0
}
function within(x, y, factor) { return x > 0 && x <= factor * y && y <= factor * x }
function w13_1(i, c, a, b, T1, gain, text)
{
    for (i = 2; i <= 3; i++) {
        c = case_[i]
        a = least_total("block", c, K256, 32)
        T1 = best_at_T
        b = least_total("extended", c, K256, 32)
        if (!a || !b || !(("cpu_paper", c, K256) in cpu_ms))
            return
        gain[c] = a / b
        text = text sprintf("%scase %s: speed-up over cpu_paper %.2f (T = %d) without, %.2f (T = %d) with rearrangement: %.2f times", i > 2 ? "; " : "", c,
            cpu_ms["cpu_paper", c, K256] / a, T1, cpu_ms["cpu_paper", c, K256] / b, best_at_T, gain[c])
        if (!(gain[c] >= 1.1))
            failed(sprintf("in case %s the gain is %.2f", c, gain[c]))
    }
    if (!(gain["M"] >= 1.05 * gain["H"]))
        failed(sprintf("the gain in case M is only %.2f times that in case H", gain["M"] / gain["H"]))
    claim("W13-1", text, "N = 256K, G = 32, least total over T of each layout, without the time of the transposition itself (the paper seems not to count it, either): rearrangement gains at least a factor of 1.1 in cases M and H, and the factor in M is at least 1.05 times that in H (the paper: 1.18 times); the speed-ups and best T are shown, not judged",
        "This agrees with the paper: rearrangement speeds up memory accesses, so its gain shrinks as the arithmetic for each access grows.",
        "The factor agrees, its cause does not: rearrangement does not speed up the pre-computation of M and H. The gain comes from the serial propagation, whose elements become neighbours in L1, and is the same in both cases.", pg_gpu)
}
function w13_2(i, n, sizes_, count, gain, text)
{
    count = split("256000 262144 1000000 1048576", sizes_, " ")
    if (!(("transpose_tile", 256000) in tr_ms) || !(("transpose_tile", 1000000) in tr_ms))
        return
    for (i = 1; i <= count; i++) {
        n = sizes_[i]
        if (!(("transpose_global", n) in tr_ms) || !(("transpose_tile", n) in tr_ms) || !(("transpose_padded", n) in tr_ms))
            continue
        gain = tr_ms["transpose_global", n] / tr_ms["transpose_tile", n]
        text = text sprintf("%sN = %d: %.2f times (%.4f, %.4f ms), with a padded row %.2f times (%.0f GB/s)", text == "" ? "" : "; ", n, gain,
            tr_ms["transpose_global", n], tr_ms["transpose_tile", n], tr_ms["transpose_global", n] / tr_ms["transpose_padded", n], tr_bytes[n] / tr_ms["transpose_padded", n] / 1e6)
        if (n % 1000 == 0 && !(gain >= 1.8 && gain <= 3.3))
            failed(sprintf("%.2f times at N = %d", gain, n))
    }
    claim("W13-2", "tiles against global memory: " text (copy_gbs ? sprintf("; a large copy: %.0f GB/s", copy_gbs) : ""),
        "at the text's sizes, 256·10^3 and 10^6, the time through global memory is 1.8 to 3.3 times that through tiles (2 to 3 within 10%); the padded tiles are shown, not judged",
        "Through tiles both accesses to global memory are coalesced.", "", tr_gpu)
}
function w13_3(i, c, k, text)
{
    for (i = 1; i <= 3; i++) {
        c = case_[i]
        k = c SUBSEP n_1M
        if (!(fit_alpha[k] > 0))
            return
        text = text sprintf("%s%s %.3g:1:%.3g (beta = %.3g ns; misfit of the phases %s)", i > 1 ? "; " : "", c, fit_alpha[k], fit_gamma[k], fit_beta[k], fit_misfit[k])
        if (!within(fit_alpha[k], paper_alpha[c], 2))
            failed(sprintf("alpha/beta in case %s", c))
        if (!within(fit_gamma[k], paper_gamma, 2))
            failed(sprintf("gamma/beta in case %s", c))
    }
    claim("W13-3", sprintf("extended, N = %d: %s; alpha of H over alpha of M: %.2f (ratio of their operations: 2.5; the paper: 4.6)", n_1M, text,
            fit_alpha["H", n_1M] * fit_beta["H", n_1M] / (fit_alpha["M", n_1M] * fit_beta["M", n_1M])),
        "alpha/beta and gamma/beta of the fit through the origin within a factor of 2 of the paper's, in each case",
        "The cost ratios of W13 eq. 6 hold here, too.",
        "Beta is the latency of a load from L1 for each part, gamma that of a load from memory for each row, alpha the time to compute a coefficient: their ratio is not that of the GTX 590. Alpha grows with the operations of s_i, as it should.", pg_gpu)
}
function w13_4(i, c, k, g, P, Ps, text)
{
    for (i = 1; i <= 3; i++) {
        c = case_[i]
        k = c SUBSEP n_1M
        if (!(fit_popt[k] > 0) || !least_total("extended", c, n_1M, ""))
            return
        P = best_G * best_at_T
        text = text sprintf("%s%s: P_opt = %.0f%s, best G·T = %d (G = %d, T = %d)", i > 1 ? "; " : "", c, fit_popt[k],
            fit_popt1[k] > 0 ? sprintf(" (%.0f with constants fitted)", fit_popt1[k]) : "", P, best_G, best_at_T)
        Ps = ""
        for (g = 1; g <= PGs; g++)
            if (least_total("extended", c, n_1M, PG[g]))
                Ps = Ps (Ps == "" ? "" : ", ") best_G * best_at_T
        text = text ", of each G " Ps
        if (!within(fit_popt[k], P, 2))
            failed(sprintf("in case %s P_opt is %.0f, the best G·T %d", c, fit_popt[k], P))
        if (!within(fit_popt[k], paper_popt[c], 2))
            failed(sprintf("in case %s P_opt is %.0f, the paper's %d", c, fit_popt[k], paper_popt[c]))
        if (!within(P, paper_P[c], 2))
            failed(sprintf("in case %s the best G·T is %d, the paper's about %d", c, P, paper_P[c]))
    }
    claim("W13-4", sprintf("extended, N = %d: %s (for G = %s)", n_1M, text, G_list()),
        "in each case P_opt of the device's own fit within a factor of 2 of the best G·T measured, and each of the two within a factor of 2 of the paper's",
        "W13 eq. 7 with the device's own constants predicts the best number of threads, and both are near the paper's.",
        "W13 eq. 7 with the device's own constants does predict the best number of threads. Where s_i costs much, this number is larger than the paper's, because alpha/beta is larger here: a chain of divisions costs more in comparison with a step of propagation, which hits L1.", pg_gpu)
}
function G_list(g, text)
{
    for (g = 1; g <= PGs; g++)
        text = text (g > 1 ? ", " : "") PG[g]
    return text
}
function w13_5(i, j, c, g, ms, few, most, base, names, text, each)
{
    split("cpu_paper cpu_lanes cpu_cores", names, " ")
    for (i = 1; i <= 3; i++) {
        c = case_[i]
        if (!(ms = least_total("extended", c, n_1M, "")) || !(("cpu_paper", c, n_1M) in cpu_ms))
            return
        text = text sprintf("%s%s (G = %d, T = %d):", i > 1 ? "; " : "", c, best_G, best_at_T)
        for (j = 1; j <= 3; j++)
            if ((names[j], c, n_1M) in cpu_ms)
                text = text sprintf("%s %.2f over %s", j > 1 ? "," : "", cpu_ms[names[j], c, n_1M] / ms, names[j])
        base = cpu_ms["cpu_paper", c, n_1M]
        if (!(base / ms >= paper_speedup[c]))
            failed(sprintf("the best of case %s is %.2f", c, base / ms))
        if (c == "L")
            continue
        # The text lists the best time of each G. The criterion compares the best time at G = 128,
        # the paper's largest G, with the best time at all smaller G.
        few = most = 0
        each = ""
        for (g = 1; g <= PGs; g++)
            if (ms = least_total("extended", c, n_1M, PG[g])) {
                each = each sprintf(" %.4g", base / ms)
                if (PG[g] < 128 && (!few || ms < few))
                    few = ms
                if (PG[g] == 128)
                    most = ms
            }
        if (!few || !most)
            return
        text = text ", best of each G" each
        if (!(most > few && most <= 1.2 * few))
            failed(sprintf("in case %s G = 128 is %.2f times as fast as the best smaller G", c, few / most))
    }
    claim("W13-5", sprintf("best speed-ups of extended, N = %d: %s (for G = %s)", n_1M, text, G_list()),
        "speed-ups over cpu_paper (one thread without SIMD, the paper's baseline) of at least 7.1 (L), 183 (M) and 370 (H), which a newer GPU should reach; in M and H, the best time at G = 128 is longer than the best at smaller G, by at most 20%; the other baselines are shown, not judged",
        "The more each s_i costs, the more of the time is arithmetic, which parallelises.",
        "The speed-ups exceed the paper's. But the GTX 590 has 16 multiprocessors, each of which ran eight of 128 blocks; here each block has a multiprocessor of its own.", pg_gpu)
}
function w13_6(i, j, p, g, h, sizes_, count, text, phases, at)
{
    split("precompute determine total", phases, " ")
    count = split(K256 " 1000000 " M1, sizes_, " ")
    for (i = 1; i <= 3; i++)
        for (p = 1; p <= 3; p++) {
            for (j = 1; j <= count; j++)
                for (g = 1; g <= PGs; g++)
                    for (h = 1; h <= PTs; h++) {
                        at = case_[i] SUBSEP sizes_[j] SUBSEP PG[g] SUBSEP PT[h] SUBSEP phases[p]
                        if (("soa" SUBSEP at) in pg_ms && ("extended" SUBSEP at) in pg_ms)
                            put(pg_ms["soa" SUBSEP at] / pg_ms["extended" SUBSEP at])
                    }
            if (list_n == 0)
                return
            summary()
            text = text (p > 1 ? ", " : i > 1 ? "; " case_[i] ": " : case_[i] ": ") phases[p] " " range()
            if (p == 1 && !(mid >= 1.05))
                failed(sprintf("pre-computation gains a factor of %.2f in case %s", mid, case_[i]))
        }
    claim("W13-6", "time of soa over that of extended, median (range) over all N and (G, T): " text \
            "; divergence " (profiled ? "is counted by the profiler: ncu_wakatani2013.csv" : "was not profiled"),
        "in each case the pre-computation of extended is at least 5% faster than that of soa, in the median over N = 256K, 10^6, 1M and all (G, T); divergence is counted by a profiler, not judged",
        "Every thread finds w_{i-1} P elements before w_i, without a branch.",
        "There is no divergence to remove: the test i = 0 has one outcome for all threads of a warp (ncu_wakatani2013.csv: no divergent branch in pre-computation, one in determination). The layout saves instructions in case L and in determination. In M and H its pre-computation needs 2% more, and its propagation stores the end of each part twice, so soa has the shorter total.", pg_gpu)
}
END {
    PGs = sorted(pg_is_G, PG)
    PTs = sorted(pg_is_T, PT)
    n_1M = least_total("extended", "L", 1000000, "") ? 1000000 : M1
    w13_1(); fails = ""
    w13_2(); fails = ""
    w13_3(); fails = ""
    w13_4(); fails = ""
    w13_5(); fails = ""
    w13_6(); fails = ""
    list_n = 0
}
