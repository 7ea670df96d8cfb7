# Judges the claims of PL19 by thomas_batch.csv. This file is loaded before claims.awk and uses its
# functions and lists:
#   awk -f plots/tables/columns.awk -f plots/report/claims_pl19.awk -f plots/report/claims.awk \
#       RESULTS/*.csv
# The paper names neither its precision nor its layout, and it does not say whether its times
# include transfers. The claims are judged in single precision, for contiguous systems (the layout
# that a reader of the paper would assume), and without transfers, which take the same time for all
# its kernels. The report shows the other precision, the other layout and the times with transfers
# beside the verdict.
# A ratio over several batches is the geometric mean over the batches of the paper's table that were
# run. Each variant is taken at its fastest T.
# Variables and functions of this file have names that begin with tb_. The array tb_ms holds the
# shortest time in ms for each variant, type, n, batch and phase.
BEGIN {
    tb_n = 4095
    split("s d", tb_types, " ")
    split("single double", tb_precision, " ")
    # A variant's name ends in the suffix of its layout.
    tb_suffix[1] = ""
    tb_suffix[2] = "_interleaved"
    split("contiguous interleaved", tb_layout, " ")
}
"program" in col && $col["program"] == "thomas_batch" && $col["status"] == "ok" && $col["median_ms"] != "" {
    tb_v = $col["variant"]
    if ($col["cores"] != "") {
        tb_cores = $col["cores"] + 0 > tb_cores ? $col["cores"] + 0 : tb_cores
        # A CPU variant NAME is stored twice: as NAME@all with the shortest time over all numbers of
        # cores, and as NAME@1 with the time of one thread.
        tb_keep(tb_v "@all")
        if ($col["cores"] != 1)
            next
        tb_v = tb_v "@1"
    } else if ($col["batch"] != "")
        tb_gpu = $col["device"]
    if (tb_v == "copy")
        tb_copy = $col["bytes"] / $col["median_ms"] / 1e6
    tb_keep(tb_v)
}
function tb_keep(v, key, x)
{
    key = v SUBSEP $col["type"] SUBSEP ($col["n"] + 0) SUBSEP ($col["batch"] + 0) SUBSEP $col["phase"]
    x = $col["median_ms"] + 0
    if (!(key in tb_ms) || x < tb_ms[key]) {
        tb_ms[key] = x
        tb_bytes[key] = $col["bytes"] + 0
    }
    if ($col["batch"] == 1)
        tb_size[$col["n"] + 0] = 1
}
function tb_time(v, type, n, batch, phase, key)
{
    # CPU code has no transfers, so its total is also its time with transfers.
    key = v SUBSEP type SUBSEP n SUBSEP batch SUBSEP (v ~ /@/ ? "total" : phase)
    return key in tb_ms ? tb_ms[key] : 0
}
# Returns the speed-up of the variant v over the variant `over`, as the geometric mean over all
# batches from 5000 to `last` that both variants have run. Returns 0 if there is no such batch. Sets
# tb_used to the list of these batches.
function tb_ratio(v, over, type, phase, last, batch, a, b, sum, m)
{
    tb_used = ""
    for (batch = 5000; batch <= last; batch += 5000) {
        a = tb_time(v, type, tb_n, batch, phase)
        b = tb_time(over, type, tb_n, batch, phase)
        if (a > 0 && b > 0) {
            sum += log(b / a)
            m++
            tb_used = tb_used (m > 1 ? ", " : "") batch
        }
    }
    return m ? exp(sum / m) : 0
}
function tb_number(x) { return x > 0 ? sprintf("%.3g", x) : "-" }
# Computes the memory traffic of variant v. Sets tb_batch to the largest batch, at most `last`, that
# v has run. Sets tb_words to the minimum number of words per row that the algorithm must move. Sets
# tb_gbs to the bandwidth in GB/s with which v moves these words. Returns 0 if v was not run.
function tb_traffic(v, last, batch, ms, bytes)
{
    tb_words = tb_gbs = tb_batch = 0
    for (batch = last; batch >= 5000 && !ms; batch -= 5000)
        if (ms = tb_time(v, "s", tb_n, batch, "total")) {
            bytes = tb_bytes[v, "s", tb_n, batch, "total"]
            tb_words = bytes / 4 / tb_n / batch
            tb_gbs = bytes / ms / 1e6
            tb_batch = batch
        }
    return tb_words > 0
}
function tb_speed(v, last)
{
    return tb_traffic(v, last) ? sprintf("%s moves its %.3g words a row at %.4g GB/s%s", v, tb_words, tb_gbs, tb_copy ? sprintf(" (%.0f%% of a large copy)", 100 * tb_gbs / tb_copy) : "") : ""
}
# Returns the speed-ups of a claim in the cases that are not judged: with the other precision, with
# the other layout, and with transfers. The result is text such as "; single, interleaved: …".
# `pairs` is "variant baseline variant baseline …"; each speed-up is that of a variant over its
# baseline.
function tb_others(pairs, last, i, j, k, n, f, text, one, some)
{
    n = split(pairs, f, " ")
    for (i = 1; i <= 2; i++)
        for (j = 1; j <= 2; j++) {
            if (i == 1 && j == 1)
                continue
            one = ""
            some = 0
            for (k = 1; k < n; k += 2) {
                some += tb_ratio(f[k] tb_suffix[j], f[k + 1] (f[k + 1] ~ /@/ ? "" : tb_suffix[j]), tb_types[i], "total", last)
                one = one (k > 1 ? ", " : " ") tb_number(tb_ratio(f[k] tb_suffix[j], f[k + 1] (f[k + 1] ~ /@/ ? "" : tb_suffix[j]), tb_types[i], "total", last))
            }
            if (some)
                text = text sprintf("; %s, %s:%s", tb_precision[i], tb_layout[j], one)
        }
    one = ""
    some = 0
    for (k = 1; k < n; k += 2) {
        some += tb_ratio(f[k], f[k + 1], "s", "total+transfers", last)
        one = one (k > 1 ? ", " : " ") tb_number(tb_ratio(f[k], f[k + 1], "s", "total+transfers", last))
    }
    return text (some ? "; single, contiguous with transfers:" one : "")
}
# Returns the speed-ups of the variants in the list `variants` over the CPU variant `base` on all
# cores, as text "; over NAME on N cores: …, with transfers: …". They are for single precision and
# contiguous systems.
function tb_over_cores(variants, base, last, k, n, f, text, moved)
{
    if (tb_cores < 2)
        return ""
    n = split(variants, f, " ")
    for (k = 1; k <= n; k++) {
        text = text (k > 1 ? ", " : " ") tb_number(tb_ratio(f[k], base "@all", "s", "total", last))
        moved = moved (k > 1 ? ", " : " ") tb_number(tb_ratio(f[k], base "@all", "s", "total+transfers", last))
    }
    return "; over " base " on " tb_cores " cores:" text ", with transfers:" moved
}
# Prints the verdict, as claim() in claims.awk does. `why` states numbers of the run, so it is
# printed whether the claim holds or not.
function tb_claim(id, measured, criterion, why)
{
    print id, fails == "" ? "reproduced" : "not reproduced", measured, why (fails == "" ? "" : (why == "" ? "" : " ") "Fails on: " fails "."), criterion, tb_gpu
    fails = ""
}
function pl19_1(a, b, c, used, why, words)
{
    a = tb_ratio("thomas_global", "thomas_cpu@1", "s", "total", 20000)
    b = tb_ratio("thomas_shared", "thomas_cpu@1", "s", "total", 20000)
    c = tb_ratio("thomas_shared", "thomas_global", "s", "total", 20000)
    used = tb_used
    if (!a || !b || !c)
        return
    if (!(a >= 1.26))
        failed(sprintf("global memory gives %.3g times", a))
    if (!(b >= 1.86))
        failed(sprintf("shared memory gives %.3g times", b))
    if (!(c >= 1.47 / 1.25 && c <= 1.47 * 1.25))
        failed(sprintf("shared memory is %.3g times as fast as global", c))
    why = tb_speed("thomas_global", 20000)
    words = tb_words
    why = "With " tb_batch " systems: " why ", " tb_speed("thomas_shared", 20000) "."
    if (words > 0.99 * tb_words && words < 1.01 * tb_words)
        why = why " Both move the same words, so they differ only in the bandwidth that they reach."
    if (tb_cores > 1 && tb_time("transfers", "s", tb_n, 20000, "pinned") && tb_time("thomas_cpu@all", "s", tb_n, 20000, "total"))
        why = why sprintf(" For 20000 systems the transfers alone take %.3g ms (pinned memory); the CPU solves them on %d cores in %.3g ms.", tb_time("transfers", "s", tb_n, 20000, "pinned"), tb_cores, tb_time("thomas_cpu@all", "s", tb_n, 20000, "total"))
    tb_claim("PL19-1", sprintf("n = %d, batches %s; speed-ups of global and of shared over thomas_cpu on one thread, and of shared over global; single, contiguous: %s, %s, %s", tb_n, used, tb_number(a), tb_number(b), tb_number(c)) \
            tb_others("thomas_global thomas_cpu@1 thomas_shared thomas_cpu@1 thomas_shared thomas_global", 20000) tb_over_cores("thomas_global thomas_shared", "thomas_cpu", 20000),
        "geometric means over the batches of Table 1 that were run, single precision, contiguous, without transfers: speed-ups over one CPU thread of at least 1.26 (global) and 1.86 (shared), which a newer GPU should reach; shared over global within a factor of 1.25 of 1.47; the other precision and layout and the transfers are shown, not judged", why)
}
function pl19_2(a, b, used, why, words, t)
{
    a = tb_ratio("sericr_global", "sericr_cpu@1", "s", "total", 25000)
    b = tb_ratio("sericr_shared", "sericr_cpu@1", "s", "total", 25000)
    used = tb_used
    if (!a || !b)
        return
    if (!(a < 1))
        failed(sprintf("with global memory the GPU is %.3g times as fast", a))
    if (!(b < 1))
        failed(sprintf("with shared memory the GPU is %.3g times as fast", b))
    why = tb_speed("sericr_global", 25000)
    words = tb_words
    why = "With " tb_batch " systems: " why ", " tb_speed("sericr_shared", 25000)
    t = tb_ratio("thomas_global", "sericr_global", "s", "total", 25000)
    if (t && tb_traffic("thomas_global", 25000))
        why = why sprintf("; sericr_global moves %.3g times the words of thomas_global, which recomputes nothing, and takes %.3g times as long", words / tb_words, t)
    if (tb_traffic("sericr_cpu@1", 25000))
        why = why sprintf("; the CPU thread, which keeps all levels, moves %.3g words a row at %.3g GB/s", tb_words, tb_gbs)
    tb_claim("PL19-2", sprintf("n = %d, batches %s; speed-ups of global and of shared over sericr_cpu on one thread; single, contiguous: %s, %s", tb_n, used, tb_number(a), tb_number(b)) \
            tb_others("sericr_global sericr_cpu@1 sericr_shared sericr_cpu@1", 25000) tb_over_cores("sericr_global sericr_shared", "sericr_cpu", 25000),
        "geometric mean over the batches of Table 2 that were run, single precision, contiguous, without transfers: both kernels slower than one CPU thread, which is the paper's baseline", why ".")
}
function pl19_3(a, b, used, why)
{
    a = tb_ratio("paracr_partial", "paracr_global", "s", "total", 25000)
    b = tb_ratio("paracr_partial", "paracr_shared", "s", "total", 25000)
    used = tb_used
    if (!a || !b)
        return
    if (!(a >= 0.97 && a <= 1.07))
        failed(sprintf("partial is %.3g times as fast as global", a))
    if (!(b >= 1.41 / 1.1 && b <= 1.67 * 1.1))
        failed(sprintf("partial is %.3g times as fast as all shared", b))
    why = tb_speed("paracr_partial", 25000)
    why = "With " tb_batch " systems: " why ", " tb_speed("paracr_global", 25000) ", " tb_speed("paracr_shared", 25000) "."
    if (tb_copy && tb_traffic("paracr_global", 25000) && tb_gbs >= 0.8 * tb_copy)
        why = why " With global memory alone PARACR is near the speed of a copy, so shared memory has little left to gain."
    tb_claim("PL19-3", sprintf("n = %d, batches %s; speed-ups of partial over global and over all shared; single, contiguous: %s, %s", tb_n, used, tb_number(a), tb_number(b)) \
            tb_others("paracr_partial paracr_global paracr_partial paracr_shared", 25000) "; partial over sericr_cpu on one thread, single, contiguous: " tb_number(tb_ratio("paracr_partial", "sericr_cpu@1", "s", "total", 25000)) \
            tb_over_cores("paracr_partial paracr_global paracr_shared", "sericr_cpu", 25000),
        "geometric means over the batches of Table 3 that were run, single precision, contiguous, without transfers: partial over global within 5% of 1.02, partial over all shared from 1.41 (text) to 1.67 (Table 3), give or take 10%", why)
}
function pl19_4(a, used, why, words)
{
    a = tb_ratio("thomas_shared", "paracr_partial", "s", "total", 25000)
    used = tb_used
    if (!a)
        return
    if (!(a >= 4 && a <= 9))
        failed(sprintf("Thomas is %.3g times as fast", a))
    why = tb_speed("thomas_shared", 25000)
    why = "With " tb_batch " systems: " why ", " tb_speed("paracr_partial", 25000)
    words = tb_words
    if (tb_traffic("thomas_shared", 25000))
        why = why sprintf(". Fewer words make a factor of %.3g of the speed-up, the bandwidth reached a factor of %.3g in the mean", words / tb_words, a * tb_words / words)
    tb_claim("PL19-4", sprintf("n = %d, batches %s; speed-up of thomas_shared over paracr_partial; single, contiguous: %s", tb_n, used, tb_number(a)) \
            tb_others("thomas_shared paracr_partial", 25000) (tb_ratio("thomas_tile", "paracr_block", "s", "total", 25000) ? "; our thomas_tile over paracr_block, single, contiguous: " tb_number(tb_ratio("thomas_tile", "paracr_block", "s", "total", 25000)) : ""),
        "geometric mean over the batches of Table 4 that were run, single precision, contiguous, without transfers: 6 within a factor of 1.5 (4 to 9)", why ".")
}
function pl19_5(i, k, n, m, N, a, b, r, from, last, text, why, type)
{
    m = sorted(tb_size, N)
    for (i = 1; i <= 2; i++) {
        type = tb_types[i]
        last = from = 0
        for (k = m; k >= 1; k--) {
            n = N[k]
            a = tb_time("thomas_shared", type, n, 1, "total")
            b = tb_time("paracr_partial", type, n, 1, "total")
            if (!a || !b)
                continue
            if (!last)
                last = n
            if (b > a)
                break
            from = n
        }
        # The claim is about large systems, here 256K rows or more.
        if (last < 262144) {
            if (type == "s")
                return
            continue
        }
        a = tb_time("thomas_shared", type, last, 1, "total")
        b = tb_time("paracr_partial", type, last, 1, "total")
        text = text (i > 1 ? "; double: " : "single: ") sprintf("n = %d %s times (%.4g against %.4g ms)", last, tb_number(a / b), a, b)
        text = text (from ? sprintf(", PARACR faster from n = %d", from) : "")
        n = tb_time("paracr_partial", type, last, 1, "total+transfers")
        if (n && tb_time("thomas_shared", type, last, 1, "total+transfers"))
            text = text sprintf(", with transfers %s times", tb_number(tb_time("thomas_shared", type, last, 1, "total+transfers") / n))
        n = tb_time("thomas_cpu@1", type, last, 1, "total")
        if (n)
            text = text sprintf(", one CPU thread %.4g ms", n)
        if (type == "s") {
            r = a / b
            why = sprintf("Thomas takes %.3g ns a row on one thread; PARACR takes %.3g ns a row on all threads, which move its %.3g words a row at %.0f GB/s", 1e6 * a / last, 1e6 * b / last,
                tb_bytes["paracr_partial", "s", last, 1, "total"] / 4 / last, tb_bytes["paracr_partial", "s", last, 1, "total"] / b / 1e6)
        }
    }
    if (!(r >= 7))
        failed(sprintf("PARACR is %.3g times as fast", r))
    tb_claim("PL19-5", "one system, speed-up of paracr_partial over thomas_shared: " text,
        "single precision, without transfers, at the largest n that both ran, if that is 256K or more (the paper's n is illegible): PARACR at least 7 times as fast as Thomas, which a GPU with more threads should reach", why ".")
}
END {
    pl19_1(); fails = ""
    pl19_2(); fails = ""
    pl19_3(); fails = ""
    pl19_4(); fails = ""
    pl19_5(); fails = ""
}
