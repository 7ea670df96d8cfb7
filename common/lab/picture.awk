# Measures requests for pictures. The input is the file COUNT_PICTURE_CSV of the count build: a row for each lane.
#   awk -F, -f picture.awk -f picture_text.awk [run=NAME] FILE…      pictures as text
#   awk -F, -f picture.awk -f picture_svg.awk [run=NAME] FILE…       one SVG with all pictures, one below the other
# Run it from the top of the repository: it quotes the source lines. `run`: a name for the requests of the files after it;
# -v only="shared load" (or only=shared): only these accesses; -v source=FILE: the path of a file whose directories the
# counts leave out. The second file has draw(), for each request, and finish(), at the end. They read:
#   run, kernel, file, line, space, op, width, block, warp    the request; width: bytes a lane
#   access         these in words; code: the source line
#   offset[lane]   the first byte of a lane's element; active: the number of lanes that take part
#   units          32-byte sectors of global memory, or rows of 32 words of shared memory, that are touched. Numbers
#                  unit[0 … units - 1], ascending; column[number]: the position in unit
#   least          as few sectors as the bytes fit in
#   wavefronts, conflicts      of shared memory. passes[part, bank]: words of the bank that a part of the warp touches;
#                  nth[part, word]: how many of them a lower lane touches before this word
function measure(    lane, i, k, n, part, bytes, most)
{
    units = active = least = wavefronts = conflicts = 0
    split("", column)
    split("", passes)
    split("", nth)
    for (lane = 0; lane < 32; lane++) {
        if (!(lane in offset))
            continue
        active++
        for (k = offset[lane]; k < offset[lane] + width; k++)
            if (!(k in bytes)) {
                bytes[k]
                least++
            }
        for (k = int(offset[lane] / unit_bytes()); k <= int((offset[lane] + width - 1) / unit_bytes()); k++)
            if (!(k in column)) {
                for (i = units++; i > 0 && unit[i - 1] > k; i--) {
                    unit[i] = unit[i - 1]
                    column[unit[i]] = i
                }
                unit[i] = k
                column[k] = i
            }
    }
    least = int((least + 31) / 32)
    if (space != "shared")
        return
    # A half of the warp after the other if a lane has 8 bytes, a quarter if it has 16 (count_requests.c).
    for (lane = 0; lane < 32; lane++) {
        if (!(lane in offset))
            continue
        part = part_of(lane)
        for (k = int(offset[lane] / 4); k <= int((offset[lane] + width - 1) / 4); k++)
            if (!((part, k) in nth))
                nth[part, k] = passes[part, k % 32]++
    }
    for (part = 0; part < 4; part++) {
        most = 0
        for (i = 0; i < 32; i++) {
            n = (part, i) in passes ? passes[part, i] : 0
            most = n > most ? n : most
        }
        wavefronts += most
        conflicts += most ? most - 1 : 0
    }
}
function unit_bytes() { return space == "shared" ? 128 : 32 }
function part_lanes() { return width <= 4 ? 32 : width == 8 ? 16 : 8 }
function part_of(lane) { return int(lane / part_lanes()) }
function plural(n, word) { return n " " word (n == 1 ? "" : "s") }

function last_name(path)
{
    sub(/.*\//, "", path)
    return path
}
# The source line without its indentation, or "" if there is no such file.
function source_line(    path, text, n)
{
    path = last_name(source) == last_name(file) ? source : file
    while (n < line && (getline text <path) > 0)
        n++
    close(path)
    sub(/^[ \t]+/, "", text)
    return n == line ? text : ""
}

function request_ends()
{
    if (request == "")
        return
    measure()
    access = sprintf("%s %s of %s%s, block %d, warp %d", space, op, plural(width, "byte"),
                     array == "" ? "" : " of " array, block, warp)
    code = source_line()
    draw()
    split("", offset)
    request = ""
}

FNR == 1 {
    request_ends()
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
index($at["space"] " " $at["op"], only) != 1 { next }
("request " $at["request"]) != request {
    request_ends()
    request = "request " $at["request"]
    kernel = $at["kernel"]
    file = $at["file"]
    line = $at["line"]
    space = $at["space"]
    op = $at["op"]
    width = $at["width"]
    array = $at["array"]
    block = $at["block"]
    warp = $at["warp"]
    name = run
}
{
    offset[$at["lane"]] = $at["offset"]
}
END {
    request_ends()
    finish()
}
