# Draws requests as text: a line for each lane, a column for each 32-byte sector of global memory, or for each of the 32
# banks of shared memory. The input is the file COUNT_PICTURE_CSV of the count build.
#   awk -F, [-v access="shared load"] -f picture.awk FILE
# `access` chooses the requests by memory and operation; without it all are drawn.
# A sector's column has the number of the 4-byte word in it (0-7) at which the lane's element begins. A bank's column
# has the word's row in shared memory (0-9, then letters): different rows in one column are a conflict.
function draw(    lane, i, k, line, count, sector, column, passes, used, most, title)
{
    count = most = 0
    split("", column)
    split("", sector)
    split("", used)
    split("", passes)
    for (lane = 0; lane < 32; lane++)
        for (k = first(lane); k <= last(lane); k++)
            if (space == "shared") {
                if (!((k % 32, int(k / 32)) in used) && ++passes[k % 32] > most)
                    most = passes[k % 32]
                used[k % 32, int(k / 32)]
            } else if (!(k in column)) {
                for (i = count++; i > 0 && sector[i - 1] > k; i--) {
                    sector[i] = sector[i - 1]
                    column[sector[i]] = i
                }
                sector[i] = k
                column[k] = i
            }
    title = sprintf("%s, %s %s of %d bytes, block %d, warp %d", place, space, op, width, block, warp)
    if (space == "shared")
        printf "%s: at most %d row%s in a bank\n\nlane  bank 0 to 31\n", title, most, most == 1 ? "" : "s"
    else
        printf "%s: %d sector%s\n\nlane  sector %d%s\n", title, count, count == 1 ? "" : "s", sector[0],
               count == 1 ? "" : sprintf(" to %d%s", sector[count - 1],
                                         sector[count - 1] - sector[0] >= count ? ", those that are touched" : "")
    for (lane = 0; lane < 32; lane++) {
        line = ""
        for (i = 0; i < (space == "shared" ? 32 : count); i++) {
            mark = "."
            for (k = first(lane); k <= last(lane); k++)
                if (space == "shared" && k % 32 == i)
                    mark = substr("0123456789abcdefghijklmnopqrstuvwxyz", int(k / 32) % 36 + 1, 1)
                else if (space != "shared" && column[k] == i)
                    mark = k == first(lane) ? int(offset[lane] % 32 / 4) : "0"
            line = line mark
        }
        printf "%4d  %s\n", lane, line
    }
    print ""
}

# The first and the last sector or word of a lane. Of a lane that takes no part the last is before the first.
function first(lane)
{
    return lane in offset ? int(offset[lane] / (space == "shared" ? 4 : 32)) : 0
}
function last(lane)
{
    return lane in offset ? int((offset[lane] + width - 1) / (space == "shared" ? 4 : 32)) : -1
}

FNR == 1 {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
access != "" && access != $at["space"] " " $at["op"] { next }
drawing && $at["request"] != request {
    draw()
    split("", offset)
}
{
    drawing = 1
    request = $at["request"]
    space = $at["space"]
    op = $at["op"]
    width = $at["width"]
    block = $at["block"]
    warp = $at["warp"]
    place = $at["file"] ":" $at["line"]
    offset[$at["lane"]] = $at["offset"]
}
END {
    if (drawing)
        draw()
}
