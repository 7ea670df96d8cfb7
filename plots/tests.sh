# shellcheck shell=bash disable=SC2154 # common/test.sh sets the variables failed, scratch and log
# The tests of this directory. common/test.sh reads this file and explains the functions that are called here.
job 35 run run_all.sh plots/test_run_all.sh
job 3 run "W12's own numbers" plots/test_model.sh
job 1 run "quoted.sh" plots/test_quoted.sh
job 1 succeeds "quoted numbers" plots/quoted.sh
job 1 succeeds "article and slides" plots/article.sh --check
full job 4 run "slides.html in a browser" plots/test_slides.sh
job 4 run "pictures of requests" plots/test_pictures.sh
job 2 run "revisions of the reference" plots/test_revisions.sh
job 8 run "make dist" plots/test_dist.sh
full job 12 run "profile.sh" plots/test_profile.sh
job 6 run "explore.html" plots/report/test_explore.sh build/cpu/report build/count/pscheme_gpu

# The tests of common run every build/*/test_*, so also this one.
for flavour in cpu san; do
    is_chosen common || [ ! -x "build/$flavour/test_report" ] ||
        job 2 run "$flavour test_report" "build/$flavour/test_report"
done

report_command_line() {
    local before=$failed
    expect 2 "'--nonsense'" build/cpu/report --nonsense
    expect 2 "'-xy'" build/cpu/report -xy
    expect 2 "'--reference': the value is missing" build/cpu/report --reference
    expect 2 "not 0" build/cpu/report
    expect 2 "not 2" build/cpu/report plots plots
    expect 2 "'none': no such directory" build/cpu/report none
    expect 2 "'none': no such directory" build/cpu/report --reference none "$scratch"
    expect 1 "standard output" bash -c "build/cpu/report --help >/dev/full"
    cp plots/reference/nvidia-h100-80gb-hbm3/pscheme_gpu.csv "$scratch"
    mkdir "$scratch/fit.csv.new"
    expect 1 "fit.csv' cannot be written" build/cpu/report --fits "$scratch"
    echo odd >"$scratch/odd.csv"
    echo 1,2 >>"$scratch/odd.csv"
    expect 1 "odd.csv" build/cpu/report "$scratch"
    rm -r "${scratch:?}"/*
    succeeds "report --help: 80 columns" \
        bash -c "build/cpu/report --help >'$log.help' && ! grep '.\{81\}' '$log.help'"
    echo "report: command line, $((failed - before)) failed"
}
# whole_report FLAVOUR: the reports of an empty run and of the committed run of a GPU.
whole_report() {
    local program="build/$1/report" file gpu_run=plots/reference/nvidia-h100-80gb-hbm3
    mkdir "$scratch/empty" "$scratch/gpu"
    succeeds "$1 report of an empty run" "$program" --reference $gpu_run "$scratch/empty"
    cp $gpu_run/*.csv "$scratch/gpu"
    succeeds "$1 report of a GPU" "$program" "$scratch/gpu"
    succeeds "$1 report: at most ten lines" test "$(wc -l <"$log")" -le 10
    for file in report.html report.md explore.html claims.csv; do
        [ -s "$scratch/empty/$file" ] && [ -s "$scratch/gpu/$file" ]
        verdict $? "$1 report: $file"
    done
}
# old_times VERSION FILE: prints the rows of FILE that are older than the release before VERSION, which is X.(Y-1) for
# X.Y, and any of X-1 for X.0. Exit status: 1 if there are any.
old_times() {
    awk -F , -v version="$1" '
        BEGIN { split(version, now, ".") }
        /^#/ || $5 == "release" { next }
        { split($5, then, "."); major = now[1] - then[1] }
        major == 0 ? now[2] - then[2] > 1 : major > 1 || now[2] > 0 { print; old = 1 }
        END { exit old }' "$2"
}
# The times that README.md quotes are of this release or of the one before.
times_of_releases() {
    local before=$failed file=plots/reference/times.csv version
    succeeds "times of README.md are of the last two releases" old_times "$(cat VERSION)" "$file"
    printf 'run,machine,seconds,date,release\nmake,2-cores,60,2026-01-31,1.4\n' >"$scratch/times.csv"
    for version in 1.4 1.5 2.0; do succeeds "times of 1.4 in $version" old_times $version "$scratch/times.csv"; done
    for version in 1.6 1.10 2.1 3.0; do
        ! old_times $version "$scratch/times.csv" >"$log"
        verdict $? "times of 1.4 are old in $version"
    done
    echo "times of README.md: $((failed - before)) failed"
}
job 1 times_of_releases
# The options of each line of paper_runs.list are valid.
paper_runs() {
    local name program options before=$failed
    # shellcheck disable=SC2162 # without -r, so that a backslash continues a line
    while read name program options; do
        case $name in '' | '#'* | ---) continue ;; esac
        [ -x "build/cpu/${program#*/}" ] || continue
        # shellcheck disable=SC2086 # unquoted on purpose: a list of options
        "build/cpu/${program#*/}" $options --list >/dev/null 2>"$log"
        verdict $? "paper_runs.list: $name"
    done <plots/paper_runs.list
    echo "paper_runs.list: options, $((failed - before)) failed"
}
job 1 paper_runs
# article.sh --check finds a page that is older than its text, and quoted code that its file does not have.
old_pages() {
    local before=$failed directory
    for directory in */; do [ "$directory" = plots/ ] || ln -s "$PWD/$directory" "$scratch"; done
    mkdir "$scratch/plots"
    ln -s "$PWD/plots/reference" "$scratch/plots"
    cp plots/article.* plots/slides* "$scratch/plots"
    succeeds "article.sh: a copy" "$scratch/plots/article.sh" --check
    echo >>"$scratch/plots/article.css"
    expect 1 "article.html is old" "$scratch/plots/article.sh" --check
    cp plots/article.css "$scratch/plots"
    echo >>"$scratch/plots/slides.md"
    expect 1 "slides.html is old" "$scratch/plots/article.sh" --check
    sed -i 's/^    current = scale/    current = 2 * scale/' "$scratch/plots/slides.md"
    succeeds "article.sh: code" bash -c '"$@" 2>&1 | grep -q "slides.md:.*not in pscheme_gpu"' - \
        "$scratch/plots/article.sh" --check
    echo "article.sh: $((failed - before)) failed"
}
job 1 old_pages
# record.sh makes a folder from results: once of one revision, once of two.
record() {
    local before=$failed folder="$scratch/a folder" file
    expect 2 "usage" plots/record.sh
    expect 2 "has no report.html" plots/record.sh "$scratch"
    mkdir "$scratch/run" "$scratch/run/figures"
    for file in report.html explore.html run.txt pcr.txt figures/a.svg; do echo x >"$scratch/run/$file"; done
    echo "# Report: A GPU" >"$scratch/run/report.md"
    printf '# cpu: 2 cores\n# revision: 0123456\na,b\n1,2\n' >"$scratch/run/pcr.csv"
    printf '# revision: 0123456789\nrun,seconds\npcr,7\nnshape_mpi_1,30\nnshape_mpi_16,4\n' >"$scratch/run/times.csv"
    succeeds "record" plots/record.sh "$scratch/run" "$folder"
    succeeds "record: files" test "$(cd "$folder" && printf '%s ' *)" = \
        "README.md explore.html figures pcr.csv report.html report.md times.csv "
    for file in "# A GPU" "- cpu: 2 cores" "- revision: 0123456" "| pcr | 7 |" "| nshape_mpi | 34 |" "| all | 41 |"; do
        succeeds "record: $file" grep -qxF -- "$file" "$folder/README.md"
    done
    plots/record.sh --times "$folder" "$scratch" "$scratch/run" >"$scratch/times"
    succeeds "record: times" test "$(sed -n '1p;3p;$p' "$scratch/times" | xargs)" = \
        "| run | a folder | run | | pcr | 7 | 7 | | all | 41 | 41 |"
    printf '# revision: fedcba9\na,b\n' >"$scratch/run/pcr.csv"
    succeeds "record: two revisions" bash -c '! plots/record.sh "$@"' - "$scratch/run" "$folder"
    echo "record.sh: $((failed - before)) failed"
}
job 1 record
job 2 report_command_line
for flavour in cpu san; do
    [ ! -x "build/$flavour/report" ] || job 3 whole_report "$flavour"
done
