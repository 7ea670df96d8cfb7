# Judges the claims of L22 by nshape.csv and fit_l22.csv. This file is loaded before claims.awk and
# uses its functions and lists:
#   awk -f plots/tables/columns.awk -f plots/report/claims_l22.awk -f plots/report/claims.awk \
#       RESULTS/*.csv
# Unless its criterion says otherwise, a claim is judged on a GPU at n = 300000, as in L22 Fig. 2,
# and in double complex. The paper's numbers are complex, but it does not name their precision. Two
# neighbouring blocks both add to the joint line between them. The variant `nshape` stores the terms
# of one of the blocks in extra elements; this variant is judged. The variant `nshape_atomic` uses
# atomic additions; its results are shown beside the verdict.
# Three claims need other files. L22-5 also needs the profiler's table ncu_lutsyshyn2022.csv (see
# ncu_l22.awk). L22-6 is judged by nshape_divisions.csv. L22-7 is judged by nshape_mpi_*.csv; its
# waiting times come only from runs whose ranks do not share cores.
# Variables and functions for nshape have names that begin with ns_, those for nshape_mpi with mp_.
# The arrays of times are indexed by variant, type, n and n_it.
BEGIN {
    ns_n = 300000
    mp_size["s"] = 4; mp_size["d"] = mp_size["c"] = 8; mp_size["z"] = 16
}
"popt_plan" in col {
    key = $col["variant"] SUBSEP $col["type"] SUBSEP ($col["n"] + 0) SUBSEP ($col["nest"] + 0)
    ns_alpha[key] = $col["alpha1_ns"] + 0
    ns_beta[key] = $col["beta1_ns"] + 0
    ns_fixed[key] = $col["fixed_us"] + 0
    ns_misfit[key] = $col["misfit1"]
    ns_misfit0[key] = $col["misfit"]
    ns_popt[key] = $col["popt"] + 0
    ns_plan[key] = $col["popt_plan"] + 0
    ns_model[key] = $col["model_ms"] + 0
    ns_optimum[key] = $col["optimum"] + 0
    ns_parts[key] = $col["best_parts"] + 0
    ns_ms[key] = $col["best_ms"] + 0
    if ($col["variant"] == "nshape" && $col["type"] == "z")
        ns_size[$col["n"] + 0] = 1
    next
}
# The profiler's table has a row for each kernel. This rule adds up the numbers of all kernels of
# one solve.
"load_sectors_l1" in col && "stage" in col {
    if ($col["n"] == ns_n && $col["nest"] == 1)
        for (ns_c in col)
            if (ns_c ~ /sectors|bytes|instructions|duration/)
                ns_profile[$col["variant"], $col["parts"] + 0, ns_c] += $col[ns_c]
    if ($col["variant"] == "nshape")
        ns_profiled[$col["parts"] + 0] = $col["threads"]
    next
}
"parallel" in col && "serial" in col && "thomas" in col {
    ns_counted++
    ns_n_counted[$col["n"] + 0] = 1
    ns_deviate($col["parallel"] - 3 * ($col["n"] - $col["parts"]), "parallel")
    ns_deviate($col["serial"] - 3 * $col["parts"], "serial")
    ns_deviate($col["parallel"] - 3 * ($col["n"] - $col["parts"] - 1), "parallel exact")
    ns_deviate($col["serial"] - (2 * $col["parts"] + 1), "serial exact")
    ns_deviate($col["thomas"] - (2 * $col["n"] - 1), "thomas exact")
    next
}
function ns_deviate(x, what)
{
    x = x < 0 ? -x : x
    if (!(what in ns_deviation) || x > ns_deviation[what])
        ns_deviation[what] = x
}
"program" in col && $col["program"] == "nshape" && $col["status"] == "ok" && $col["phase"] == "total" && $col["median_ms"] != "" {
    ns_v = $col["variant"]
    if (ns_v == "copy")
        ns_copy = $col["bytes"] / $col["median_ms"] / 1e6
    else if (ns_v == "nshape")
        ns_gpu = $col["device"]
    # A CPU variant NAME is stored twice: as NAME@all with the shortest time over all numbers of
    # cores, and as NAME@1 with the time of one thread.
    if ($col["cores"] != "")
        ns_keep(ns_v "@all")
    if ($col["cores"] <= 1)
        ns_keep(ns_v ($col["cores"] == 1 ? "@1" : ""))
    # nshape_complex_type is run with only one T, so it is compared with nshape at the same T.
    if (ns_v ~ /^nshape(_complex_type)?$/)
        ns_keep(ns_v "@T" $col["threads"])
    if (ns_v == "nshape_complex_type" && $col["n"] == ns_n)
        ns_type_T = $col["threads"] + 0
}
"program" in col && $col["program"] == "nshape_mpi" && $col["ranks"] >= 2 {
    if ($col["status"] !~ /^(ok|disturbed)$/)
        mp_bad++
    mp_rows++
    ns_c = match($col["device"], /\([0-9]+ cores?\)/) ? substr($col["device"], RSTART + 1) + 0 : 0
    if (!mp_seen[$col["device"]]++)
        mp_devices = mp_devices (mp_devices == "" ? "" : "; ") $col["device"]
    if ($col["device"] ~ / \+ /)
        mp_mixed = 1
    if ($col["phase"] == "wait" && $col["bytes"] != "") {
        ns_v = $col["bytes"] / mp_size[$col["type"]] / $col["parts"] / $col["batch"]
        mp_elements($col["variant"] == "step_kept" ? "kept" : "all", ns_v)
        mp_n[$col["n"] + 0] = 1
    }
    if ($col["phase"] == "wait" && $col["type"] == "z" && $col["median_ms"] != "" && $col["status"] == "ok" && (!ns_c || $col["ranks"] <= ns_c)) {
        ns_v = $col["device"] SUBSEP ($col["ranks"] + 0) SUBSEP ($col["n"] + 0)
        mp_wait[ns_v, $col["variant"]] = $col["median_ms"] / $col["batch"]
        mp_runs[ns_v] = 1
    }
    next
}
# x is a number of elements sent per part. Updates the minimum and the maximum of these numbers for
# `what`: "kept" for the variant step_kept, "all" for all other variants.
function mp_elements(what, x)
{
    if (!((what, "least") in mp_count) || x < mp_count[what, "least"])
        mp_count[what, "least"] = x
    if (!((what, "most") in mp_count) || x > mp_count[what, "most"])
        mp_count[what, "most"] = x
}
# If the time of the current row is the shortest of variant v so far, stores it with its P1 and
# n_it. This is done twice: among the rows with the same n_it, and among all rows (index nest = 0).
function ns_keep(v, key, nest, x)
{
    x = $col["median_ms"] + 0
    for (nest = $col["nest"] + 0; ; nest = 0) {
        key = v SUBSEP $col["type"] SUBSEP ($col["n"] + 0) SUBSEP nest
        if (!(key in ns_best) || x < ns_best[key]) {
            ns_best[key] = x
            ns_bytes[key] = $col["bytes"] + 0
            ns_best_parts[key] = $col["parts"] + 0
            ns_best_nest[key] = $col["nest"] + 0
        }
        if (!nest)
            return
    }
}
function ns_time(v, type, n, nest, key)
{
    key = v SUBSEP type SUBSEP n SUBSEP nest
    return key in ns_best ? ns_best[key] : 0
}
function ns_at(n, nest) { return "nshape" SUBSEP "z" SUBSEP n SUBSEP nest }
function ns_claim(id, measured, criterion, why, device)
{
    print id, fails == "" ? "reproduced" : "not reproduced", measured, why (fails == "" ? "" : (why == "" ? "" : " ") "Fails on: " fails "."), criterion, device == "" ? ns_gpu : device
    fails = ""
}
# Returns the slope of log y[n] against log n, fitted for n in from … to. Returns 0 if there are
# fewer than three sizes or if the largest is less than 30 times the smallest.
function ns_slope(y, from, to, n, u, v, m, su, sv, suu, suv, first, last)
{
    for (n in y)
        if (y[n] > 0 && n + 0 >= from && n + 0 <= to) {
            u = log(n)
            v = log(y[n])
            m++; su += u; sv += v; suu += u * u; suv += u * v
            first = first == "" || n + 0 < first ? n + 0 : first
            last = n + 0 > last ? n + 0 : last
        }
    return m >= 3 && last >= 30 * first ? (m * suv - su * sv) / (m * suu - su * su) : 0
}
# Returns text about the best P1 at this n and n_it = nest, such as "measured optimum 400 (best of
# the P1 run: 300, 0.5 ms)".
function ns_against(n, nest, key)
{
    key = ns_at(n, nest)
    return sprintf("measured optimum %s (best of the P1 run: %d, %.4g ms)", ns_optimum[key] ? sprintf("%.0f", ns_optimum[key]) : "none", ns_parts[key], ns_ms[key])
}
function ns_near(n, nest, key)
{
    key = ns_at(n, nest)
    return ns_popt[key] > 0 && ns_optimum[key] > 0 && ns_popt[key] <= 2 * ns_optimum[key] && ns_optimum[key] <= 2 * ns_popt[key]
}
function ns_judge_optimum(n, nest, key)
{
    key = ns_at(n, nest)
    if (!(ns_popt[key] > 0))
        failed("n_it = " nest ": the fitted alpha or beta is not positive")
    else if (!(ns_optimum[key] > 0))
        failed("n_it = " nest ": the best P1 is at an end of those that were run")
    else if (!ns_near(n, nest))
        failed(sprintf("n_it = %d: predicted %.0f, measured %.0f", nest, ns_popt[key], ns_optimum[key]))
}
# Returns text such as "; at other n within a factor of 2 at 3 of 4 (n, n_it)". It counts for how
# many (n, n_it) the predicted best P1 is this close to the measured optimum; n_it goes from least
# to most.
function ns_elsewhere(least, most, n, nest, near, count)
{
    for (n in ns_size)
        for (nest = least; nest <= most; nest++)
            if (n + 0 != ns_n && ns_optimum[ns_at(n, nest)] > 0) {
                count++
                near += ns_near(n, nest)
            }
    return count ? sprintf("; at other n within a factor of 2 at %d of %d %s", near, count, least < most ? "(n, n_it)" : "n") : ""
}
# Returns text with a bandwidth in GB/s and as a percentage of a large copy's bandwidth. The
# bandwidth is the minimum number of bytes that the method must move, divided by the time of the
# fastest P1.
function ns_traffic(n, nest, gbs, key)
{
    key = ns_at(n, nest)
    if (!(key in ns_best))
        return ""
    gbs = ns_bytes[key] / ns_best[key] / 1e6
    return sprintf("n_it = %d moves its least bytes at %.4g GB/s%s", nest, gbs, ns_copy ? sprintf(" (%.0f%% of a large copy)", 100 * gbs / ns_copy) : "")
}
function l22_1(key, n, optimum, slope, text)
{
    key = ns_at(ns_n, 1)
    if (!(key in ns_popt) || ns_misfit[key] == "")
        return
    text = sprintf("n = %d, n_it = 1: alpha %.4g ns, beta %.4g ns, constant %.3g µs, misfit %.0f%% (without the constant %.0f%%)", ns_n, ns_alpha[key], ns_beta[key], ns_fixed[key], 100 * ns_misfit[key], 100 * ns_misfit0[key])
    if (ns_popt[key] > 0)
        text = text sprintf("; delta = %.3g, so nbl* = %.0f", sqrt(ns_alpha[key] / ns_beta[key]), ns_popt[key])
    text = text ", " ns_against(ns_n, 1) ns_elsewhere(1, 1)
    if (!(ns_misfit[key] <= 0.25))
        failed(sprintf("the misfit is %.0f%%", 100 * ns_misfit[key]))
    ns_judge_optimum(ns_n, 1)
    for (n in ns_size)
        optimum[n] = ns_optimum[ns_at(n, 1)]
    slope = ns_slope(optimum, 0, 1e18)
    if (slope) {
        text = text sprintf("; the measured optimum grows as n^%.2f", slope)
        if (!(slope >= 0.35 && slope <= 0.65))
            failed(sprintf("the optimum grows as n^%.2f", slope))
    }
    ns_claim("L22-1", text,
        "double complex, extra elements, n = 300000: the fit alpha n/nbl + beta nbl + constant to all nbl has a misfit (root mean square, relative) of at most 25%; sqrt(alpha n/beta) is within a factor of 2 of the measured optimum, the vertex of a parabola through the best nbl and its neighbours in logarithms (by the model a factor of 2 costs a quarter of the time; a best nbl at an end of those run is no optimum and fails); if at least three n over a factor of 30 were run, the measured optimum grows as n^(0.5 ± 0.15)",
        ns_alpha[key] > 0 && ns_beta[key] > 0 ? sprintf("alpha/beta = %.3g; the paper expects both of one order of magnitude.", ns_alpha[key] / ns_beta[key]) : "")
}
# Returns the n_it and the P1 with which variant v is fastest at this n, and its time, as text such
# as "n_it = 3, P1 = 10000, 0.13 ms".
function ns_choice(v, n, key)
{
    key = v SUBSEP "z" SUBSEP n SUBSEP 0
    return sprintf("n_it = %d, P1 = %d, %.4g ms", ns_best_nest[key], ns_best_parts[key], ns_best[key])
}
# The variant nshape_model chooses n_it and P1 by the cost model. The variant nshape is run with
# many n_it and P1. Returns text that divides the time of nshape_model by the shortest time of
# nshape, for each n that both have run.
function ns_chosen(n, N, m, i, t, least, most, count)
{
    if (!ns_time("nshape_model", "z", ns_n, 0) || !ns_time("nshape", "z", ns_n, 0))
        return ""
    m = sorted(ns_size, N)
    for (i = 1; i <= m; i++)
        if (ns_time("nshape_model", "z", N[i], 0)) {
            t = ns_time("nshape_model", "z", N[i], 0) / ns_time("nshape", "z", N[i], 0)
            least = !count || t < least ? t : least
            most = t > most ? t : most
            n = n sprintf("%s%.2f (%.0f)", count++ ? ", " : "", t, N[i])
        }
    return sprintf("; nshape_model, which fits the model to a few times of n_it = 1 and chooses by it: %s, %.2f times the best time of all that were run (%s); over all n: %.2f to %.2f times, %s", ns_choice("nshape_model", ns_n),
        ns_time("nshape_model", "z", ns_n, 0) / ns_time("nshape", "z", ns_n, 0), ns_choice("nshape", ns_n), least, most, n)
}
function l22_2(nest, key, text, why)
{
    for (nest = 2; nest <= 3; nest++) {
        key = ns_at(ns_n, nest)
        if (!(key in ns_popt) || ns_misfit[key] == "")
            return
        text = text sprintf("%sn_it = %d: predicted P1* = %.0f (%.0f with the blocks that nshape takes, P1^((n_it-l)/n_it)), %s", nest > 2 ? "; " : "", nest, ns_popt[key], ns_plan[key], ns_against(ns_n, nest))
        why = why sprintf("%sn_it = %d: the best time is %.3g times that of the model, misfit over all P1 %.0f%%", nest > 2 ? "; " : "", nest, ns_model[key] ? ns_ms[key] / ns_model[key] : 0, 100 * ns_misfit[key])
        ns_judge_optimum(ns_n, nest)
    }
    ns_claim("L22-2", "n = " ns_n ", alpha and beta of n_it = 1; " text ns_elsewhere(2, 3) ns_chosen(),
        "double complex, extra elements, n = 300000, n_it = 2 and 3: n/(n beta/alpha)^(1/(n_it+1)), with alpha and beta fitted to n_it = 1 alone, is within a factor of 2 of the measured optimum (parabola as in L22-1); the time that the model predicts and the choice of nshape_model are shown, not judged, and the limit n_it* ~ log n is not judged",
        "The model against measured times that it has not seen: " why ".")
}
function l22_3(nest, t, u, text, why, beside, names, i)
{
    for (nest = 1; nest <= 3; nest++)
        if (!(t[nest] = ns_time("nshape", "z", ns_n, nest)))
            return
    for (nest = 2; nest <= 3; nest++)
        if (!(t[nest] < t[nest - 1]))
            failed(sprintf("n_it = %d is not faster than %d", nest, nest - 1))
    text = sprintf("n = %d, best over P1, n_it = 1, 2, 3: %.4g, %.4g, %.4g ms", ns_n, t[1], t[2], t[3])
    for (nest = 1; nest <= 3; nest++)
        u[nest] = ns_time("nshape_atomic", "z", ns_n, nest)
    if (u[1] && u[2] && u[3])
        text = text sprintf("; with atomic additions %.4g, %.4g, %.4g", u[1], u[2], u[3])
    for (nest = 1; nest <= 3; nest++)
        u[nest] = ns_time("nshape", "c", ns_n, nest)
    if (u[1] && u[2] && u[3])
        text = text sprintf("; single complex %.4g, %.4g, %.4g", u[1], u[2], u[3])
    split("thomas_gpu cusparse_gtsv2 cusparse_gtsv2_nopivot thomas_cpu@1 lapack_gtsv@1 nshape_cpu@all", names, " ")
    for (i = 1; i <= 6; i++)
        if (ns_time(names[i], "z", ns_n, 0)) {
            text = text (beside++ ? ", " : "; beside: ") names[i] sprintf(" %.4g ms", ns_time(names[i], "z", ns_n, 0))
            sub(/@1/, " (one thread)", text)
            sub(/@all/, " (best over cores)", text)
        }
    for (nest = 1; nest <= 3; nest++)
        why = why (nest > 1 ? ", " : "") ns_traffic(ns_n, nest)
    ns_claim("L22-3", text, "double complex, extra elements, n = 300000: the best total over P1 falls from n_it = 1 to 2 and from 2 to 3", "At the best P1: " why ".")
}
function l22_4(nest, n, y, slope, want, text, why, ends, name, N, m, i)
{
    for (nest = 1; nest <= 4; nest++) {
        split("", y)
        for (n in ns_size) {
            name = nest < 4 ? "nshape" : ns_time("thomas_gpu", "z", ns_n, 0) ? "thomas_gpu" : "thomas_cpu@1"
            y[n] = ns_time(name, "z", n + 0, nest < 4 ? nest : 0)
        }
        slope = ns_slope(y, ns_n / 10, ns_n * 10)
        if (!slope)
            return
        want = nest < 4 ? 1 / (nest + 1) : 1
        sub(/@1/, " (one thread)", name)
        name = nest < 4 ? "n_it = " nest : name
        text = text sprintf("%s%s n^%.2f", nest > 1 ? ", " : "", name, slope)
        if (!(slope >= want - 0.1 && slope <= want + 0.1))
            failed(sprintf("%s grows as n^%.2f, not n^%.2f", name, slope, want))
    }
    m = sorted(ns_size, N)
    while (m > 1 && N[m] > ns_n * 10)
        m--
    for (nest = 1; nest <= 3; nest++) {
        why = why (nest > 1 ? ", " : "") ns_traffic(N[m], nest)
        for (i = 1; i <= m; i++)
            if (N[i] >= ns_n / 10 && (ns_at(N[i], nest) in ns_parts) && !(ns_optimum[ns_at(N[i], nest)] > 0))
                ends = ends sprintf("%sn = %d, n_it = %d", ends == "" ? "" : "; ", N[i], nest)
    }
    ns_claim("L22-4", "best over P1, from n = " ns_n / 10 " to " ns_n * 10 " as far as run: " text,
        "double complex, extra elements, all n within a factor of 10 of 300000 (at least three, over a factor of 30): the log-log slope of the best total over P1 is 1/2, 1/3, 1/4 for n_it = 1, 2, 3, that of Thomas on one thread (of the GPU, else of the CPU) 1, each ± 0.1",
        "The exponents hold only with a processor for each block and with memory that keeps up; at n = " N[m] ": " why "." \
            (ends == "" ? "" : " At the following sizes the best P1 is at an end of those that were run, so a better one may lie beyond: " ends "."))
}
# Returns the sum of the column `what` of the profiler's table over all kernels of variant v at
# P1 = parts, or 0 if there are no such rows.
function ns_sum(v, parts, what) { return ns_profile[v, parts, what] + 0 }
function l22_5(best, parts, P, nest, type, a, b, l1, memory, sectors, text, slower, why)
{
    best = ns_best_parts[ns_at(ns_n, 1)]
    for (P in ns_profiled)
        if (parts == "" || P + 0 == best)
            parts = P + 0
    if (!best || parts == "" || !ns_type_T)
        return
    for (type = 1; type <= 2; type++)
        for (nest = 1; nest <= 3; nest++) {
            a = ns_time("nshape@T" ns_type_T, substr("zc", type, 1), ns_n, nest)
            b = ns_time("nshape_complex_type@T" ns_type_T, substr("zc", type, 1), ns_n, nest)
            if (type == 1 && !(a && b))
                return
            if (!(a && b))
                continue
            slower = slower (nest > 1 ? ", " : type > 1 ? "; single complex " : "") sprintf("%.2f", b / a)
            if (type == 1 && !(b > a))
                failed(sprintf("n_it = %d: the complex type is not slower", nest))
        }
    sectors = ns_sum("nshape", parts, "load_sectors")
    l1 = ns_sum("nshape", parts, "load_sectors_l1") / sectors
    memory = ns_sum("nshape", parts, "dram_read_bytes") / 32 / sectors
    if (!(l1 >= 0.67 && l1 <= 0.87))
        failed(sprintf("%.0f%% of the load sectors hit L1", 100 * l1))
    text = sprintf("n = %d, n_it = 1, P1 = %d (the best P1 of this run: %d), T = %d: of the load sectors %.0f%% hit L1, %.0f%% come from L2, %.0f%% from memory; of the sectors read from L2 %.0f%% hit it, of those stored %.0f%%", ns_n, parts, best, ns_profiled[parts], 100 * l1, 100 * (1 - l1 - memory), 100 * memory,
        100 * ns_sum("nshape", parts, "l2_read_sectors_l2") / ns_sum("nshape", parts, "l2_read_sectors"), 100 * ns_sum("nshape", parts, "l2_write_sectors_l2") / ns_sum("nshape", parts, "l2_write_sectors"))
    text = text sprintf("; time with cuda::std::complex over time with real and imaginary parts, each at its best P1, T = %d, n_it = 1, 2, 3: %s", ns_type_T, slower)
    why = "A double complex number fills half a sector of 32 bytes. If a kernel reads its rows once, at most half of the loads hit L1; more do only where RU finds rows that RD left there. (An L1 that fills lines of 128 bytes gives 7 of 8.) The profiler empties the caches before each kernel."
    if (ns_sum("nshape_complex_type", parts, "instructions") && ns_sum("nshape", parts, "instructions"))
        why = why sprintf(" With the complex type a solve takes %.2f times the instructions: each product checks for NaN, and 1/x scales its operand.", ns_sum("nshape_complex_type", parts, "instructions") / ns_sum("nshape", parts, "instructions"))
    ns_claim("L22-5", text,
        "double complex, extra elements, n = 300000: at n_it = 1, 2 and 3, cuda::std::complex takes longer than real and imaginary parts written out, with the same kernels and T, each at its best P1; and 67 to 87% of the sectors that the kernels of one solve load (n_it = 1) hit L1. Shown, not judged: the shares of memory (bytes read from it) and of L2 (the rest), and the stores that hit L2", why)
}
function l22_6(N, m)
{
    if (!ns_counted)
        return
    m = sorted(ns_n_counted, N)
    if (!(ns_deviation["parallel"] <= 3))
        failed("the divisions of the blocks are not 3(n - nbl)")
    if (!(ns_deviation["serial"] <= 3))
        failed("the divisions of RS are not 3 nbl" (ns_deviation["serial exact"] ? "" : " but 2 nbl + 1, a third less"))
    ns_claim("L22-6", sprintf("counted in %d runs, n from %d to %d, nbl from 1 to n/2: %s in parallel, %s serially; Thomas %s", ns_counted, N[1], N[m],
            ns_deviation["parallel exact"] ? "not 3(n - nbl - 1)" : "exactly 3(n - nbl - 1)", ns_deviation["serial exact"] ? "not 2 nbl + 1" : "exactly 2 nbl + 1", ns_deviation["thomas exact"] ? "not 2n - 1" : "exactly 2n - 1"),
        "calls of inverse(), the only division that the stages have: those of all blocks (RD, JD, RU, JU, SS) differ from 3(n - nbl) by at most 3, those of RS from 3 nbl by at most 3, for every n and nbl counted",
        "A row between joint lines costs 1 division in RD or JD, 1 in RU or JU, 1 in SS. A row of Thomas costs 2, one in each direction: the paper's 3 nbl, and its 3n for Thomas alone, are both too large by half, so their ratio nbl/n, which it compares, stays the same.", "counted")
}
function l22_7(run, part, n, best, names, text, plain, x, i, least, most, N, m)
{
    for (run in mp_runs) {
        split(run, part, SUBSEP)
        if (part[3] + 0 > n)
            n = part[3] + 0
    }
    if (!n)
        return
    m = split("early inverse kept ahead flight", names, " ")
    # Judge every combination of device and number of ranks that was run at the largest n.
    for (run in mp_runs) {
        split(run, part, SUBSEP)
        if (part[3] + 0 != n)
            continue
        if (!((run, "step") in mp_wait)) {
            failed(part[2] " ranks: no plain step")
            continue
        }
        plain = mp_wait[run, "step"]
        text = text sprintf("; %s: plain %.4g µs", part[1], 1e3 * plain)
        for (i = 1; i <= m; i++) {
            if (!((run, "step_" names[i]) in mp_wait)) {
                failed(part[1] ": no step_" names[i])
                continue
            }
            x = mp_wait[run, "step_" names[i]]
            text = text sprintf(", %s %.4g", names[i], 1e3 * x)
            if (names[i] != "ahead" && !(x < plain))
                failed(sprintf("%s: %s waits %.2f times as long as plain", part[1], names[i], x / plain))
        }
    }
    if (mp_bad)
        failed(mp_bad " of " mp_rows " rows are not ok")
    least = mp_count["all", "least"]
    most = mp_count["all", "most"]
    if (!(least == 8 && most == 8))
        failed(sprintf("%g to %g elements for each part", least, most))
    m = sorted(mp_n, N)
    if (m < 2)
        failed("only one n was run")
    ns_claim("L22-7", sprintf("%d rows, %d ok, of 2 ranks or more; elements sent for each part in a step, n from %d to %d: %s%s; waiting time per step and wave function, n = %d%s", mp_rows, mp_rows - mp_bad, N[1], N[m],
            least == most ? least : least " to " most, ("kept", "least") in mp_count ? " (factors kept: " mp_count["kept", "most"] ")" : "", n, text),
        "every row of two ranks or more is ok; at every n (two at least) and with every measure but kept factors, 8 elements are sent for each part, 6 to the root and 2 back; double complex, the largest n, every set of devices whose ranks do not share cores: the median wait per step and wave function is shorter than that of a plain step if JD is sent early, if 1/a is computed while RS runs, if factors are kept, and if several systems are in flight. Shown, not judged: factors made ahead",
        mp_mixed ? "GPUs and CPU cores were mixed." : "GPUs and CPU cores were not mixed in this run, so that part is not judged.", mp_devices)
}
END {
    l22_1(); fails = ""
    l22_2(); fails = ""
    l22_3(); fails = ""
    l22_4(); fails = ""
    l22_5(); fails = ""
    l22_6(); fails = ""
    l22_7(); fails = ""
}
