# Fits the cost models of W12 and W13 to the measured times of the three phases. There is one fit
# for each variant, type, n and case of s_i, over all (G, T). With N = n and P = G T threads:
#   pre-computation = alpha N/P (W12 eq. 14, W13 eq. 3)
#   propagation     = beta P    (W12 eq. 15, W13 eq. 4)
#   determination   = gamma N/P (W12 eq. 16, W13 eq. 5)
# The method is least squares with relative weights 1/y^2, so that short and long times have the
# same influence.
#   awk -f plots/tables/columns.awk -f plots/tables/fit.awk RESULTS/pscheme_gpu.csv \
#       RESULTS/pscheme_g.csv > RESULTS/fit.csv
# The times are fitted twice. The first fit has no constants, as in the papers (columns alpha_ns,
# beta_ns, gamma_ns). The second fit adds a constant to each phase, because a kernel that does
# nothing takes time, too (columns alpha1_ns, beta1_ns, gamma1_ns and the constants fixed_…_us).
# popt and popt1: the best P by the first and the second fit, sqrt((alpha+gamma)N/beta) (W12 eq. 18,
# W13 eq. 7). misfit…: the root mean square of the relative residuals. A row with an empty column
# `blocks` holds the fits and the fastest (G, T) that was measured. A row with blocks = G holds the
# fastest T for this G.
BEGIN {
    phases = split("precompute propagate determine", phase_, " ")
}
$col["status"] != "ok" || $col["median_ms"] == "" || $col["blocks"] == "" || $col["threads"] == "" { next }
{
    key = $col["variant"] "," $col["type"] "," $col["n"] "," ("case" in col ? $col["case"] : "")
    phase = $col["phase"]
    G = $col["blocks"] + 0
    T = $col["threads"] + 0
    y = $col["median_ms"] + 0
}
phase == "total" {
    if (!((key, G) in best) || y < best[key, G]) {
        if (!((key, G) in best))
            Gs[key] = Gs[key] " " G
        best[key, G] = y
        best_T[key, G] = T
    }
    next
}
phase == "precompute" || phase == "propagate" || phase == "determine" {
    if (!(key in n)) {
        keys[++key_count] = key
        n[key] = $col["n"] + 0
    }
    i = ++count[key, phase]
    X[key, phase, i] = phase == "propagate" ? G * T : n[key] / (G * T)
    Y[key, phase, i] = y
}
# Fits two lines to the times of one phase: y = origin x and y = slope x + fixed. Sets the variables
# origin and misfit of the first line, and slope, fixed and misfit1 of the second. Returns 0 if
# there are too few different points to fit a line, otherwise 1.
function fit(key, phase, i, u, v, su, sv, suu, suv, svv, det, r0, r1, m)
{
    m = count[key, phase]
    su = sv = suu = suv = svv = r0 = r1 = 0
    for (i = 1; i <= m; i++) {
        u = X[key, phase, i] / Y[key, phase, i]
        v = 1 / Y[key, phase, i]
        su += u; sv += v; suu += u * u; suv += u * v; svv += v * v
    }
    det = suu * svv - suv * suv
    if (m < 3 || !(det > 1e-12 * suu * svv))
        return 0
    origin = su / suu
    slope = (su * svv - sv * suv) / det
    fixed = (sv * suu - su * suv) / det
    for (i = 1; i <= m; i++) {
        u = X[key, phase, i] / Y[key, phase, i]
        v = 1 / Y[key, phase, i]
        r0 += (origin * u - 1) ^ 2
        r1 += (slope * u + fixed * v - 1) ^ 2
    }
    misfit = sqrt(r0 / m)
    misfit1 = sqrt(r1 / m)
    return 1
}
# Returns the best P for alpha = a, beta = b and gamma = c. Returns an empty text if the fitted time
# of propagation does not grow with P, or if that of the other two phases does not shrink with P,
# because then there is no best P.
function popt(a, b, c, n)
{
    return b > 0 && a + c > 0 ? sprintf("%.1f", sqrt((a + c) * n / b)) : ""
}
END {
    print "variant,type,n,case,blocks,alpha_ns,beta_ns,gamma_ns,misfit_precompute,misfit_propagate," \
        "misfit_determine,popt,alpha1_ns,beta1_ns,gamma1_ns,fixed_precompute_us,fixed_propagate_us," \
        "fixed_determine_us,misfit1_precompute,misfit1_propagate,misfit1_determine,popt1," \
        "best_blocks,best_threads,best_parts,best_ms"
    for (k = 1; k <= key_count; k++) {
        key = keys[k]
        for (i = 1; i <= phases; i++) {
            if (!fit(key, phase_[i]))
                break
            a[i] = origin; a1[i] = slope; f1[i] = fixed; e[i] = misfit; e1[i] = misfit1
        }
        if (i <= phases)
            continue
        G_count = split(Gs[key], G_, " ")
        b = ""
        for (i = 1; i <= G_count; i++)
            if (b == "" || best[key, G_[i]] < best[key, b])
                b = G_[i]
        printf "%s,,%.6g,%.6g,%.6g,%.4f,%.4f,%.4f,%s,%.6g,%.6g,%.6g,%.4g,%.4g,%.4g,%.4f,%.4f,%.4f,%s,", key,
            a[1] * 1e6, a[2] * 1e6, a[3] * 1e6, e[1], e[2], e[3], popt(a[1], a[2], a[3], n[key]),
            a1[1] * 1e6, a1[2] * 1e6, a1[3] * 1e6, f1[1] * 1e3, f1[2] * 1e3, f1[3] * 1e3,
            e1[1], e1[2], e1[3], popt(a1[1], a1[2], a1[3], n[key])
        if (b == "")
            print ",,,"
        else
            printf "%d,%d,%d,%.6g\n", b, best_T[key, b], b * best_T[key, b], best[key, b]
        for (i = 1; i <= G_count; i++)
            printf "%s,%d,,,,,,,,,,,,,,,,,,%d,%d,%d,%.6g\n", key, G_[i], G_[i], best_T[key, G_[i]],
                G_[i] * best_T[key, G_[i]], best[key, G_[i]]
    }
}
