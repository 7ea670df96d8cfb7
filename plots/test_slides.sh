#!/bin/bash
# Tests in a browser that every slide of slides.html fits on its page: at 1280 x 720 nothing is higher or wider than the
# window, and it prints as one page. Without chromium it tests nothing.
set -u
cd "$(dirname "$0")" || exit 2
browser=$(command -v chromium chromium-browser google-chrome | head -n 1)
[ -n "$browser" ] || { echo "no chromium: nothing tested"; echo "0 passed, 0 failed"; exit; }
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
verdict() { # verdict STATUS TEXT
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2"
    fi
}
visit() { "$browser" --headless --no-sandbox --user-data-dir="$scratch/profile" "$@" 2>/dev/null; }

cat slides.html - >"$scratch/measured.html" <<'END'
<script>addEventListener('load', () => {
    const lines = Array.from(document.querySelectorAll('section')).map(page => {
        const wide = Array.from(page.querySelectorAll('*')).some(part =>
            part.getBoundingClientRect().right > page.getBoundingClientRect().right + 1 ||
            /PRE|TABLE/.test(part.tagName) && part.scrollWidth > part.clientWidth + 1);
        return `slide ${page.id}: ${page.offsetHeight > innerHeight + 1 ? 'high' : wide ? 'wide' : 'fits'}`;
    });
    document.body.innerHTML = `<pre>\n\n${lines.join('\n')}\n</pre>`;
});</script>
END
visit --window-size=1280,807 --hide-scrollbars --virtual-time-budget=5000 --dump-dom "file://$scratch/measured.html" |
    grep '^slide ' >"$scratch/slides"
slides=$(grep -c '<section' slides.html)
[ "$(wc -l <"$scratch/slides")" -eq "$slides" ]
verdict $? "$slides slides, but $(wc -l <"$scratch/slides") are measured"
while read -r line; do
    [[ $line == *fits ]]
    verdict $? "$line"
done <"$scratch/slides"
visit --print-to-pdf="$scratch/slides.pdf" "file://$PWD/slides.html" >/dev/null
pages=$(grep -ac '/Type */Page$' "$scratch/slides.pdf")
[ "$pages" -eq "$slides" ]
verdict $? "$slides slides print as $pages pages"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
