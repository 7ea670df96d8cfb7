# shellcheck shell=bash disable=SC2034,SC2154 # test scripts, which read this file, set base and read passed
# Counts tests in `passed` and `failed`. The script sets `base`, a scratch directory, and may set `log`, a file to show
# when a test fails.
passed=0 failed=0
# check WHAT COMMAND…: a test, which has passed if the command succeeds.
check() {
    local what=$1
    shift
    if "$@" >"$base/said" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what: $*"
        head -n 40 "$base/said"
        [ -z "${log-}" ] || head -n 8 "$log"
    fi
}
