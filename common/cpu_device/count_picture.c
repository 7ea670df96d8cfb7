/* Keeps single requests for pictures. If COUNT_PICTURE is KERNEL:LINE, the file COUNT_PICTURE_CSV
 * gets for each access in that source line one request: a row a lane. It is the first request with
 * the most lanes; with COUNT_PICTURE_WORST=sectors or conflicts that with the most of these, with
 * =lanes that with the fewest lanes. An offset is the distance in bytes from the beginning of the
 * allocation, of the dynamic shared memory, or of the static shared memory that the kernel touches.
 */
#include "count_internal.h"

#ifdef CPU_DEVICE_COUNT

struct picture {
    int launch, place;
    long merit; /* of the requests of an access, one with the largest merit is kept */
    const char *array;
    uint8_t width, space, op;
    bool is_static; /* static shared memory */
    long block;
    int warp;
    uint32_t occurrence;
    long offset[WARP]; /* NONE: the lane does not take part */
};
static struct picture *pictures;
static size_t picture_count, picture_room;

bool count_is_pictured(const char *name)
{
    const char *wanted = getenv("COUNT_PICTURE"), *colon = wanted ? strrchr(wanted, ':') : NULL;
    size_t length = strlen(name);
    return colon && (size_t)(colon - wanted) == length && strncmp(wanted, name, length) == 0;
}

const char *(*count_array_name)(uintptr_t address);

static long merit(int lanes, const struct sums *sums)
{
    const char *worst = getenv("COUNT_PICTURE_WORST");
    if (!worst)
        return lanes;
    return worst[0] == 'l' ? -lanes : (long)(worst[0] == 's' ? sums->sectors : sums->conflicts);
}

/* Does `new` show its access better: with more merit, or as much and earlier? */
static bool is_better(const struct picture *new, const struct picture *old)
{
    if (new->merit != old->merit)
        return new->merit > old->merit;
    if (new->launch != old->launch)
        return new->launch < old->launch;
    if (new->block != old->block)
        return new->block < old->block;
    return new->warp != old->warp ? new->warp < old->warp : new->occurrence < old->occurrence;
}

void count_picture(const struct access *lane, int lanes, const struct sums *sums)
{
    if (lane->space == LOCAL)
        return;
    struct picture new = {.launch = count_here->launch,
                          .place = (int)lane->place,
                          .merit = merit(lanes, sums),
                          .array = count_array_name ? count_array_name(lane->address) : "",
                          .width = lane->width,
                          .space = lane->space,
                          .op = lane->op,
                          .is_static = is_in(count_here->static_shared, lane->address),
                          .block = cpu_block_index(),
                          .warp = lane->thread / WARP,
                          .occurrence = lane->occurrence};
    for (int i = 0; i < WARP; i++)
        new.offset[i] = NONE;
    long begin = LONG_MAX;
    for (int i = 0; i < lanes; i++) {
        long offset = (long)(lane[i].address - count_base(lane[i].address));
        new.offset[lane[i].thread % WARP] = offset;
        begin = offset < begin ? offset : begin;
    }
    pthread_mutex_lock(&count_lock);
    struct launch_record *launch = &count_launches[new.launch];
    if (new.is_static && begin < launch->static_begin)
        launch->static_begin = begin;
    size_t i = 0;
    while (i < picture_count && (pictures[i].place != new.place || pictures[i].width != new.width ||
                                 pictures[i].space != new.space || pictures[i].op != new.op))
        i++;
    if (i == picture_count) {
        *COUNT_ADD(pictures, picture_count, picture_room) = new;
    } else if (is_better(&new, &pictures[i])) {
        pictures[i] = new;
    }
    pthread_mutex_unlock(&count_lock);
}

/* The order in which accesses stand in the kernel's code. */
static int by_code(const void *a, const void *b)
{
    const struct picture *x = a, *y = b;
    const struct place *p = &count_places[x->place], *q = &count_places[y->place];
    for (int d = 0; d <= p->depth && d <= q->depth; d++)
        if (p->pc[d] != q->pc[d])
            return p->pc[d] < q->pc[d] ? -1 : 1;
    return (x->width > y->width) - (x->width < y->width);
}

void count_write_pictures(void)
{
    const char *wanted = getenv("COUNT_PICTURE"), *path = getenv("COUNT_PICTURE_CSV");
    const char *colon = wanted ? strrchr(wanted, ':') : NULL;
    if (!colon || !path)
        return;
    FILE *file = count_open(path);
    fputs("request,launch,kernel,arguments,block,warp,file,line,space,op,width,lane,offset,array\n",
          file);
    qsort(pictures, picture_count, sizeof *pictures, by_code);
    int request = 0;
    for (size_t i = 0; i < picture_count; i++) {
        const struct picture *p = &pictures[i];
        const struct where *where = count_where(p->place);
        long begin = p->is_static ? count_launches[p->launch].static_begin : 0;
        if (where->line != atoi(colon + 1))
            continue;
        for (int lane = 0; lane < WARP; lane++)
            if (p->offset[lane] != NONE)
                fprintf(file, "%d,%d,%s,%s,%ld,%d,%s,%d,%s,%s,%d,%d,%ld,%s\n", request, p->launch,
                        count_launches[p->launch].name, count_launches[p->launch].arguments,
                        p->block, p->warp, where->file, where->line, count_space_names[p->space],
                        count_op_names[p->op], p->width, lane, p->offset[lane] - begin, p->array);
        request++;
    }
    count_close(file, path);
}
#endif
