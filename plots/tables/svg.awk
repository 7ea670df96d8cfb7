# Prepares an SVG of gnuplot for a page that contains several: all identifiers begin with `name`,
# and the title is `title` (a browser shows it). It also leaves out what nobody sees, which makes
# the file three times smaller: unused symbols, transparent curves, groups without content, titles
# of curves, default attributes, and decimals below a tenth of a pixel.
#   awk -v name=NAME -v title=TITLE -f plots/tables/svg.awk gnuplot.svg >NAME.svg
BEGIN {
    gsub(/&/, "\\&amp;", title)
    gsub(/</, "\\&lt;", title)
}
# Returns the line with one decimal in each number.
function rounded(text, out)
{
    while (match(text, /[.][0-9][0-9]+/)) {
        out = out substr(text, 1, RSTART + 1)
        text = substr(text, RSTART + RLENGTH)
    }
    out = out text
    gsub(/[.]0 /, " ", out)
    gsub(/[.]0,/, ",", out)
    gsub(/[.]0"/, "\"", out)
    gsub(/[.]0'/, "'", out)
    gsub(/[.]0[)]/, ")", out)
    return out
}
# Adds an element to the output. The end of a group that has no content removes its beginning.
function add(element)
{
    if (element == "</g>" && body[count] ~ /^<g [^>]*>$/ && body[count] !~ / id=/)
        count--
    else
        body[++count] = element
    while (match(element, /#[^']*_gpPt[0-9]+'/)) {
        used[substr(element, RSTART + 1, RLENGTH - 2)] = 1
        element = substr(element, RSTART + RLENGTH)
    }
}
/<defs>/ { in_defs = 1 }
/<filter/ { in_filter = 1 }
/<\/filter>/ {
    in_filter = 0
    next
}
/<\/defs>/ {
    in_defs = 0
    at = count # the symbols stand before the element that follows
    next
}
in_filter || /<defs>/ || /<desc>/ || /<rect [^>]*fill="none"\/>$/ { next }
/^<title>/ {
    print "<title>" title "</title>"
    next
}
!begun && !/gnuplot_canvas/ {
    if ($0 != "")
        print
    next
}
{
    begun = 1
    gsub(/<title>[^<]*<\/title>/, "")
    gsub(/ id="[^"]*_plot_[^"]*" /, " class=\"c\"")
    gsub(/'gp/, "'" name "_gp")
    gsub(/'#gp/, "'#" name "_gp")
}
in_defs {
    sub(/^[ \t]+/, "")
    if ($0 != "")
        symbol[++symbols] = $0
    next
}
# The pixels of an image stand in several lines of their own.
/<image / { in_image = 1 }
in_image {
    body[++count] = $0
    if (/\/>/)
        in_image = 0
    next
}
{
    gsub(/ *font-family="DejaVu Sans[^"]*"/, "")
    gsub(/id="gnuplot_canvas"/, "id=\"" name "\" font-family=\"DejaVu Sans,sans-serif\"")
    gsub(/^[ \t]+|[ \t]+$/, "")
}
/^<text>/ {
    gsub(/<tspan[^>]*dy="0.00"><\/tspan>/, "")
    gsub(/<tspan *>/, "<tspan>")
    # A single part without a style of its own needs no element.
    if (gsub(/<tspan/, "<tspan") == 1 && sub(/<tspan>/, ""))
        sub(/<\/tspan>/, "")
    add($0)
    next
}
{
    gsub(/<use [^>]*opacity='0.00'\/>/, "")
    gsub(/ stroke-linecap="butt" stroke-linejoin="miter"/, "")
    gsub(/ stroke-width="1.00"/, "")
    gsub(/ class="(gridline|c)"/, "")
    gsub(/rgb\( */, "rgb(")
    gsub(/, +/, ",")
    gsub(/ +>/, ">")
    gsub(/ +'\/>/, "'/>")
    gsub(/  +/, " ")
}
{
    gsub(/>[ \t]*</, ">\n<")
    parts = split(rounded($0), part, "\n")
    for (i = 1; i <= parts; i++) {
        # A path goes on in further lines. A transparent one is left out as a whole.
        if (part[i] ~ /^<path [^>]*opacity='0'/)
            hidden = 1
        if (!hidden && part[i] != "")
            add(part[i])
        if (part[i] ~ /\/>$/)
            hidden = 0
    }
}
END {
    for (i = symbols; i >= 1; i--) {
        match(symbol[i], /id='[^']*'/)
        if (substr(symbol[i], RSTART + 4, RLENGTH - 5) in used) {
            keep[i] = 1
            if (match(symbol[i], /href='#[^']*'/))
                used[substr(symbol[i], RSTART + 7, RLENGTH - 8)] = 1
        }
    }
    for (i = 1; i <= count; i++) {
        print body[i]
        if (i == at) {
            print "<defs>"
            for (k = 1; k <= symbols; k++)
                if (k in keep)
                    print symbol[k]
            print "</defs>"
        }
    }
}
