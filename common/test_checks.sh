# shellcheck shell=bash disable=SC2034 # test scripts, which read this file, may set log
# What test scripts share. `base` is a scratch directory, removed at the end. A script may set `log` to a file that is
# shown when a test fails. Its last command must be `finish`.
passed=0 failed=0 log=''
base=$(mktemp -d) || exit 2
trap 'rm -rf "$base"' EXIT

# verdict STATUS WHAT: counts a test, which has passed if STATUS is 0. Else shows WHAT and what was printed.
verdict() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n' "$2"
        head -n 40 "$base/said"
        [ ! -s "$log" ] || head -n 8 "$log"
    fi
}
# check WHAT COMMAND…: the command succeeds.
check() {
    local what=$1
    shift
    "$@" >"$base/said" 2>&1
    verdict $? "$what: $*"
}
# gives STATUS WORDS COMMAND…: the command exits with STATUS, and prints WORDS, which may be lines.
gives() {
    local want=$1 words=$2 status
    shift 2
    "$@" >"$base/said" 2>&1
    status=$?
    [ $status -eq "$want" ] && [[ $(<"$base/said") == *"$words"* ]]
    verdict $? "$*: exit status $status, wanted $want and '$words'"
}
# refuses STATUS WORDS COMMAND…: the command exits with STATUS, and prints one line on stderr, which contains WORDS, and
# nothing on stdout.
refuses() {
    local want=$1 words=$2 status
    shift 2
    "$@" >"$base/out" 2>"$base/said"
    status=$?
    [ $status -eq "$want" ] && [ ! -s "$base/out" ] && [ "$(wc -l <"$base/said")" -eq 1 ] &&
        grep -qF -- "$words" "$base/said"
    verdict $? "$*: exit status $status, wanted $want and one line with '$words'"
}
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
