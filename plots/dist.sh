#!/bin/bash
# Makes the archive of a release, `make dist`: plots/dist.sh [DIRECTORY], by default build/dist
#   recurrences-VERSION.tar.gz   the files of the commit, and plots/article.pdf, which Chromium prints
# The same commit gives the same bytes, where Chromium and the fonts are the same: every time in it is the commit's.
# Exit status: 1 something is not committed, or a file cannot be written; 3 no Chromium.
set -u
unset CDPATH
fail() { # status, message
    echo "dist.sh: $2" >&2
    exit "$1"
}
cd "$(dirname "$0")/.." || exit 1
[ -z "$(git status --porcelain 2>&1)" ] || fail 1 "uncommitted changes, or no repository (git status)"
browser=$(command -v chromium chromium-browser google-chrome | head -n 1)
[ -n "$browser" ] || fail 3 "no Chromium (package chromium), which prints the article"
out=${1:-build/dist} name=recurrences-$(cat VERSION)
mkdir -p "$out" || fail 1 "'$out' cannot be made"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TZ=UTC

"$browser" --headless --no-sandbox --user-data-dir="$work/profile" --no-pdf-header-footer \
    --print-to-pdf="$work/article.pdf" "file://$PWD/plots/article.html" 2>/dev/null >&2
[ -s "$work/article.pdf" ] || fail 1 "$browser does not print plots/article.html"
# The bytes of a PDF are counted in it, so its two dates keep their length.
time=$(git log -1 --format=%cd --date=format-local:%Y%m%d%H%M%S) || exit 1
LC_ALL=C sed -i -E "s/(\/(CreationDate|ModDate) \(D:)[0-9]{14}/\1$time/" "$work/article.pdf"
# Chromium numbers the tags differently from run to run; here they are 1, 2, 3, ...
LC_ALL=C perl -0pi -e 's/\bnode(\d{8})\b/sprintf "node%08d", $id{$1} \/\/= ++$n/ge' "$work/article.pdf"
set -o pipefail
git -c tar.umask=0022 archive --prefix="$name/plots/" --add-file="$work/article.pdf" --prefix="$name/" HEAD |
    gzip -9n >"$out/$name.tar.gz" || fail 1 "'$out/$name.tar.gz' cannot be written"
echo "dist: $out/$name.tar.gz, $(stat -c %s "$out/$name.tar.gz") bytes, sha256:"
sha256sum "$out/$name.tar.gz"
