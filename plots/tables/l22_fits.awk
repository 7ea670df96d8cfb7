# Prints the fits of fit_l22.csv for double complex numbers as a Markdown table:
#   awk -f plots/tables/columns.awk -f plots/tables/l22_fits.awk RESULTS/fit_l22.csv
# alpha, beta and misfit come from the fit with a constant. The numbers in brackets come from the
# fit without a constant. Only times with n_it = 1 were fitted, so for n_it > 1 the misfit is that
# of a prediction.
function whole(x) { return x == "" ? "-" : sprintf("%.0f", x) }
function pair(x) { return $col["alpha_ns"] == "" ? "" : sprintf("%.4g (%.4g)", $col[x "1_ns"], $col[x "_ns"]) }
$col["type"] != "z" { next }
!rows++ {
    print "| joining | n | n_it | alpha [ns] | beta [ns] | constant [µs] | misfit | predicted P1 | with nshape's blocks | measured optimum | best P1 run | time [ms] | model [ms] |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
}
{
    printf "| %s | %d | %d | %s | %s | %s | %s | %s | %s | %s | %d | %.4g | %s |\n", $col["variant"] == "nshape_atomic" ? "atomic additions" : "extra elements",
        $col["n"], $col["nest"], pair("alpha"), pair("beta"), $col["fixed_us"],
        ($col["misfit1"] == "" ? "-" : sprintf("%.0f%%", 100 * $col["misfit1"])) ($col["misfit"] == "" ? "" : sprintf(" (%.0f%%)", 100 * $col["misfit"])),
        whole($col["popt"]), whole($col["popt_plan"]), whole($col["optimum"]), $col["best_parts"], $col["best_ms"], $col["model_ms"] == "" ? "-" : sprintf("%.4g", $col["model_ms"])
}
