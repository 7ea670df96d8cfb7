#!/bin/bash
# Tests dist.sh in a scratch repository with the files of this one: two archives are equal, small, and build; the build
# names the commit. Without Chromium a made-up PDF stands for the article's. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
export -n MAKEFLAGS
copy="$base/a copy" name=recurrences-$(cat VERSION)
if [ ! -e .git ]; then
    echo "left out: no git repository here"
    finish
    exit
fi
if ! command -v chromium chromium-browser google-chrome >/dev/null; then
    echo "no Chromium: the article is not printed"
    mkdir "$base/bin"
    cat >"$base/bin/chromium" <<'END'
#!/bin/bash
for word; do case $word in --print-to-pdf=*) date "+/ModDate (D:%Y%m%d%H%M%S+00'00')" >"${word#*=}" ;; esac; done
END
    chmod +x "$base/bin/chromium"
    PATH=$base/bin:$PATH
fi
mkdir "$copy"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
git -C "$copy" init -q && git -C "$copy" add -A
git -C "$copy" -c user.name=test -c user.email=test commit -q -m Test

gives 0 "dist: " "$copy/plots/dist.sh" "$base/1"
sleep 1 # so that a time of today would differ
gives 0 "sha256" make -C "$copy" dist NVCC=
check "the same bytes" cmp "$base/1/$name.tar.gz" "$copy/build/dist/$name.tar.gz"
check "less than 30 MB" test "$(stat -c %s "$base/1/$name.tar.gz")" -lt 30000000
# shellcheck disable=SC2016 # single quotes on purpose: the other bash expands $0
refuses 3 "no Chromium" bash -c 'command() { false; }; . "$0"' "$copy/plots/dist.sh"
touch "$copy/new"
refuses 1 "uncommitted" "$copy/plots/dist.sh" "$base/2"
check "an archive" tar -xzf "$base/1/$name.tar.gz" -C "$base"
check "the article" grep -qa "ModDate (D:20" "$base/$name/plots/article.pdf"
check "a build" make -C "$base/$name" NVCC= OPT=-O0 build/cpu/pcr
gives 0 "$(git -C "$copy" rev-parse HEAD | cut -c1-8)" "$base/$name/build/cpu/pcr" --version
finish
