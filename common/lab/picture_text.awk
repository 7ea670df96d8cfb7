# Draws requests as text, with picture.awk: a line for each lane, a column for each sector of global memory that is
# touched, with the number of the 4-byte word at which the lane's element begins; or for each bank of shared memory, with
# 0 for the first word that a lane needs, 1 for the next other one, …. An empty line separates lanes that are not served
# together.
function draw(    lane, i, k, mark, text)
{
    printf "%s%s:%d, %s: %s\n", name == "" ? "" : name ", ", file, line, access,
           space == "shared" ? plural(wavefronts, "wavefront") ", " plural(conflicts, "bank conflict") \
                             : plural(units, "sector")
    if (code != "")
        printf "    %s\n", code
    if (space == "shared")
        print "\nlane  bank 0 to 31"
    else
        printf "\nlane  sector %d%s\n", unit[0],
               units == 1 ? "" : " to " unit[units - 1] \
                                 (unit[units - 1] - unit[0] >= units ? ", those that are touched" : "")
    for (lane = 0; lane < 32; lane++) {
        for (i = lane; i < 32 && !(i in offset); i++)
            ;
        if (i > lane + 1) {
            printf "%4d  to %d: no access\n", lane, i - 1
            lane = i - 1
            continue
        }
        text = ""
        for (i = 0; i < (space == "shared" ? 32 : units); i++) {
            mark = "."
            if (lane in offset)
                for (k = int(offset[lane] / 4); k <= int((offset[lane] + width - 1) / 4); k++)
                    if (space == "shared" && k % 32 == i)
                        mark = substr("0123456789abcdefghijklmnopqrstuv", nth[part_of(lane), k] + 1, 1)
                    else if (space != "shared" && mark == "." && column[int(k / 8)] == i)
                        mark = k % 8
            text = text mark
        }
        if (space == "shared" && lane > 0 && lane % part_lanes() == 0)
            print ""
        printf "%4d  %s\n", lane, text
    }
    if (space == "shared")
        print "A column is a bank. 0: its first word, 1: another one, … Different marks in a column conflict" \
              (part_lanes() < 32 ? " (in " part_lanes() " lanes)" : "") ", equal ones are a broadcast."
    else
        print "A column is a sector, a digit the 4-byte word in it."
    print ""
}
function finish() { }
