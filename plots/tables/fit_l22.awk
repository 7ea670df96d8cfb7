# Fits L22's cost model to the total times of nshape.csv with n_it = 1 (one application of the
# method) on the GPU. There is one fit for each type, n and variant (nshape or nshape_atomic), over
# all nbl = P1 blocks, each with its fastest T:
#   t = alpha n/nbl + beta nbl  (L22 eq. 7)
# The method is least squares with relative weights 1/t^2, so that short and long times have the
# same influence.
#   awk -f plots/tables/columns.awk -f plots/tables/fit_l22.awk RESULTS/nshape.csv \
#       > RESULTS/fit_l22.csv
# The times are fitted twice: without a constant as in the paper (columns alpha_ns, beta_ns,
# misfit), and with a constant (columns alpha1_ns, beta1_ns, fixed_us, misfit1), because kernels
# that do nothing take time, too. A misfit is the root mean square of the relative residuals.
# From alpha1 and beta1 three predictions are computed for every n_it:
#   popt       the best P1 if every application l has the best number of blocks: n/ratio with
#              ratio = (n beta/alpha)^(1/(n_it+1)), L22 eq. 8 without its assumption alpha = beta
#   popt_plan  the best P1 if application l = 0, 1, … has P1^((n_it-l)/n_it) blocks, which is how
#              nshape chooses them
#   model_ms   alpha (n/P1 + (n_it-1) P1^(1/n_it)) + beta P1^(1/n_it) + fixed, at P1 = best_parts
# In rows with n_it > 1, misfit1 compares this model with measured times that were not used in the
# fit.
# best_parts and best_ms: the fastest P1 that was run, and its time. optimum: an estimate of the
# best P1 between those that were run. It is the vertex of the parabola (log time against log P1)
# through the fastest P1 and its two neighbours. It is empty if the fastest P1 is the first or the
# last one.
$col["variant"] !~ /^nshape(_atomic)?$/ || $col["status"] != "ok" || $col["median_ms"] == "" || $col["phase"] != "total" || $col["parts"] == "" || $col["nest"] == "" || $col["cores"] != "" { next }
{
    key = $col["variant"] "," $col["type"] "," $col["n"]
    nest = $col["nest"] + 0
    P = $col["parts"] + 0
    y = $col["median_ms"] + 0
    if (!(key in n)) {
        keys[++key_count] = key
        n[key] = $col["n"] + 0
    }
    most[key] = nest > most[key] ? nest : most[key]
    if (!((key, nest, P) in time)) {
        for (i = ++count[key, nest]; i > 1 && X[key, nest, i - 1] > P; i--)
            X[key, nest, i] = X[key, nest, i - 1]
        X[key, nest, i] = P
    }
    if (!((key, nest, P) in time) || y < time[key, nest, P])
        time[key, nest, P] = y
}
function det3(a, b, c, d, e, f, g, h, i) { return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) }
# Sets alpha and beta of the fit without the constant, and alpha1, beta1 and fixed of the fit with
# it. Returns 0 if there are too few points or if the equations are nearly singular, otherwise 1. u,
# v and w are the factors of alpha, beta and fixed in the model, each divided by the time.
function fit(key, i, m, P, y, u, v, w, uu, uv, uw, vv, vw, ww, su, sv, det)
{
    m = count[key, 1]
    uu = uv = uw = vv = vw = ww = su = sv = 0
    for (i = 1; i <= m; i++) {
        P = X[key, 1, i]
        y = time[key, 1, P]
        u = n[key] / P / y
        v = P / y
        w = 1 / y
        uu += u * u; uv += u * v; uw += u * w; vv += v * v; vw += v * w; ww += w * w; su += u; sv += v
    }
    # The determinant of the normal equations, over the product of their diagonal elements, is near
    # 0 if the columns u, v and w are nearly linearly dependent.
    if (m < 4 || !(det = det3(uu, uv, uw, uv, vv, vw, uw, vw, ww)) || !(det > 1e-9 * uu * vv * ww))
        return 0
    alpha = (su * vv - sv * uv) / (uu * vv - uv * uv)
    beta = (sv * uu - su * uv) / (uu * vv - uv * uv)
    alpha1 = det3(su, uv, uw, sv, vv, vw, w_sum(key), vw, ww) / det
    beta1 = det3(uu, su, uw, uv, sv, vw, uw, w_sum(key), ww) / det
    fixed = det3(uu, uv, su, uv, vv, sv, uw, vw, w_sum(key)) / det
    return 1
}
function w_sum(key, i, sum)
{
    for (i = 1; i <= count[key, 1]; i++)
        sum += 1 / time[key, 1, X[key, 1, i]]
    return sum
}
function model(a, b, c, n, nest, P) { return a * (n / P + (nest - 1) * P ^ (1 / nest)) + b * P ^ (1 / nest) + c }
function misfit(key, nest, a, b, c, i, P, sum)
{
    for (i = 1; i <= count[key, nest]; i++) {
        P = X[key, nest, i]
        sum += (model(a, b, c, n[key], nest, P) / time[key, nest, P] - 1) ^ 2
    }
    return sprintf("%.4f", sqrt(sum / count[key, nest]))
}
# A parabola goes through the three points (log x, log y). Returns the x of its lowest point. (x1,
# y1) must be the lowest of the three points.
function vertex(x0, y0, x1, y1, x2, y2, d0, d2)
{
    x0 = log(x0 / x1); x2 = log(x2 / x1); d0 = log(y0 / y1); d2 = log(y2 / y1)
    return d0 + d2 > 0 ? x1 * exp((d0 * x2 * x2 - d2 * x0 * x0) / (d0 * x2 - d2 * x0) / 2) : x1
}
END {
    print "variant,type,n,nest,alpha_ns,beta_ns,misfit,alpha1_ns,beta1_ns,fixed_us,misfit1,popt,popt_plan,model_ms,optimum,best_parts,best_ms"
    for (k = 1; k <= key_count; k++) {
        key = keys[k]
        fitted = fit(key)
        for (nest = 1; nest <= most[key]; nest++) {
            m = count[key, nest]
            if (!m)
                continue
            best = 1
            for (i = 2; i <= m; i++)
                if (time[key, nest, X[key, nest, i]] < time[key, nest, X[key, nest, best]])
                    best = i
            P = X[key, nest, best]
            y = time[key, nest, P]
            printf "%s,%d,", key, nest
            if (fitted && nest == 1)
                printf "%.6g,%.6g,%s,%.6g,%.6g,%.4g,", alpha * 1e6, beta * 1e6, misfit(key, 1, alpha, beta, 0), alpha1 * 1e6, beta1 * 1e6, fixed * 1e3
            else
                printf ",,,,,,"
            printf "%s,", fitted ? misfit(key, nest, alpha1, beta1, fixed) : ""
            # The model has a minimum only if both terms are positive.
            if (fitted && alpha1 > 0 && beta1 > 0)
                printf "%.1f,%.1f,%.6g,", n[key] / (n[key] * beta1 / alpha1) ^ (1 / (nest + 1)),
                    (nest * alpha1 * n[key] / (beta1 + (nest - 1) * alpha1)) ^ (nest / (nest + 1)), model(alpha1, beta1, fixed, n[key], nest, P)
            else
                printf ",,,"
            if (best > 1 && best < m)
                printf "%.1f", vertex(X[key, nest, best - 1], time[key, nest, X[key, nest, best - 1]], P, y, X[key, nest, best + 1], time[key, nest, X[key, nest, best + 1]])
            printf ",%d,%.6g\n", P, y
        }
    }
}
