# Draws requests as SVG, with picture.awk, one below the other: above the 32 lanes, below the sectors of global memory or
# the rows of shared memory (32 banks) that are touched, between them a line from each lane to its element. Words of a
# bank that cost passes of their own are orange. 800 pixels wide, for light and dark pages.
BEGIN {
    LEFT = 80 # where lane 0 begins
    LANE = 22 # width of a lane and of a bank
    WIDTH = 32 * LANE
    LINES = 56 # height of the lines
    y = 8
}
function add(text) { body = body text "\n" }
function text_at(x, y, class, text)
{
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    add(sprintf("<text x=\"%g\" y=\"%g\"%s>%s</text>", x, y, class == "" ? "" : " class=\"" class "\"", text))
}
function box(x, y, w, h) { return sprintf("M%g %gh%gv%gh%gz", x, y, w, h, -w) }
function path(class, d)
{
    if (d != "")
        add("<path class=\"" class "\" d=\"" d "\"/>")
}

function draw(    lane, title, lanes, idle)
{
    if (space == "shared")
        title = plural(wavefronts, "wavefront") ", " plural(conflicts, "bank conflict")
    else
        title = plural(units, "sector") (units > least ? "; the bytes would fit in " least : "")
    text_at(16, y + 16, "b", (name == "" ? kernel : name) ": " title)
    text_at(16, y + 33, "", (name == "" || name == kernel ? "" : kernel ", ") access)
    if (code != "")
        text_at(16, y + 50, "c", code)
    y += code == "" ? 41 : 58
    for (lane = 0; lane < 32; lane++) {
        if (lane in offset)
            lanes = lanes box(LEFT + lane * LANE + 1, y, LANE - 2, 18)
        else
            idle = idle box(LEFT + lane * LANE + 1, y, LANE - 2, 18)
        text_at(LEFT + (lane + 0.5) * LANE, y + 13, "m", lane)
    }
    text_at(16, y + 13, "", "lane")
    path("lane", lanes)
    path("lane idle", idle)
    y += 18
    drawn_space[space]
    if (space == "shared")
        draw_banks()
    else
        draw_sectors()
    y += 34
}

# The sectors. One that does not follow its neighbour in memory stands a little apart from it.
function draw_sectors(    i, lane, w, gaps, x, boxes, ticks, lines, words, k, every, at, element, drawn)
{
    for (i = 1; i < units; i++)
        gaps += unit[i] > unit[i - 1] + 1
    w = (WIDTH - 4 * gaps) / units
    w = w > 8 * LANE ? 8 * LANE : w
    x = LEFT + (WIDTH - 4 * gaps - units * w) / 2
    for (i = 0; i < units; i++) {
        x += i > 0 && unit[i] > unit[i - 1] + 1 ? 4 : 0
        at[i] = x
        boxes = boxes box(x, y + LINES, w, 18)
        for (k = 1; w >= 64 && k < 8; k++)
            ticks = ticks sprintf("M%.1f %dv18", x + k * w / 8, y + LINES)
        x += w
    }
    for (lane = 0; lane < 32; lane++) {
        if (!(lane in offset))
            continue
        x = at[column[int(offset[lane] / 32)]] + 0.5 + offset[lane] % 32 * (w - 1) / 32
        element = width * (w - 1) / 32
        if (!(offset[lane] in drawn))
            words = words sprintf("M%.1f %dh%.1fv18h%.1fz", x, y + LINES, element, -element)
        drawn[offset[lane]]
        lines = lines sprintf("M%g %dL%.1f %d", LEFT + (lane + 0.5) * LANE, y, x + element / 2, y + LINES)
    }
    path("line", lines)
    path("word", words)
    path("tick", ticks)
    path("unit", boxes)
    y += LINES + 18
    text_at(16, y - 5, "", "sector")
    every = int((7 * length(unit[units - 1]) + 6) / ((WIDTH + 4) / units)) + 1
    for (i = 0; i < units; i += every)
        text_at(at[i] + w / 2, y + 14, "m", unit[i])
}

# The rows of shared memory. A line ends at the bank; the row shows the element.
function draw_banks(    i, lane, h, k, lines, words, bad, boxes, cell)
{
    h = units == 1 ? 18 : 96 / units < 4 ? 4 : 96 / units > 18 ? 18 : int(96 / units)
    for (lane = 0; lane < 32; lane++) {
        if (!(lane in offset))
            continue
        k = int(offset[lane] / 4)
        lines = lines sprintf("M%g %dL%g %d", LEFT + (lane + 0.5) * LANE, y,
                              LEFT + (k % 32 + (width <= 4 ? 1 : width / 4) / 2) * LANE, y + LINES)
        for (; k <= int((offset[lane] + width - 1) / 4); k++) {
            cell = box(LEFT + k % 32 * LANE + 1, y + LINES + column[int(k / 32)] * h, LANE - 2, h - 1)
            if (passes[part_of(lane), k % 32] > 1)
                bad = bad cell
            else
                words = words cell
        }
    }
    for (i = 0; i <= 32; i++)
        boxes = boxes sprintf("M%d %dv%d", LEFT + i * LANE, y + LINES, units * h)
    boxes = boxes sprintf("M%d %dh%dM%d %dh%d", LEFT, y + LINES, WIDTH, LEFT, y + LINES + units * h, WIDTH)
    path("line", lines)
    path("word", words)
    path("bad", bad)
    path("unit", boxes)
    text_at(16, y + LINES + (units == 1 ? 13 : 10), "", units == 1 ? "row " unit[0] : "rows")
    if (units > 1)
        text_at(16, y + LINES + 24, "", unit[0] " to " unit[units - 1])
    y += LINES + units * h
    text_at(16, y + 14, "", "bank")
    for (i = 0; i < 32; i++)
        text_at(LEFT + (i + 0.5) * LANE, y + 14, "m", i)
}

# One line: a blue box, and an orange one if CONFLICT is not empty, with what they mean.
function legend(word, conflict,    x)
{
    path("word", box(16, y - 10, 12, 12))
    text_at(34, y, "", word)
    if (conflict != "") {
        x = 60 + 6.2 * length(word)
        path("bad", box(x, y - 10, 12, 12))
        text_at(x + 18, y, "", conflict)
    }
    y += 18
}

function finish()
{
    y += 2
    if ("global" in drawn_space)
        legend("bytes that the lanes access. A box is a sector of 32 bytes", "")
    if ("shared" in drawn_space)
        legend("a word that lanes access, alone in its bank", "several words of one bank: a pass for each")
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"%d\" viewBox=\"0 0 800 %d\" ", y, y
    print "role=\"img\">"
    print "<title>The lanes of a warp and the memory that they access</title>"
    print "<style>"
    print "text{font:12px \"DejaVu Sans\",sans-serif;fill:#222}.b{font-weight:bold;font-size:13px}"
    print ".c{font-family:\"DejaVu Sans Mono\",monospace}.m{font-size:11px;text-anchor:middle}path{fill:none}"
    print ".back{fill:#fff}.lane,.unit{stroke:#555}.idle{stroke-dasharray:2 2}.tick{stroke:#555;stroke-opacity:.4}"
    print ".line{stroke:#12355b;stroke-opacity:.5}.word{fill:#5b8fc7}.bad{fill:#d9822b}"
    print "@media(prefers-color-scheme:dark){text{fill:#ddd}.back{fill:#16191d}.lane,.unit,.tick{stroke:#999}"
    print ".line{stroke:#9cc3ee}}"
    print "</style>"
    printf "<rect class=\"back\" width=\"800\" height=\"%d\" rx=\"6\"/>\n", y
    printf "%s</svg>\n", body
}
