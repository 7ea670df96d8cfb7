/* The program depth_of_field: blurs a sharp image as a lens would, from the depth of its pixels, by
 * diffusion (M. Kass, A. Lefohn, J. Owens, Interactive depth of field using simulated diffusion on
 * a GPU, Pixar 2006). Grey flows between neighbouring pixels like heat, and the conductivity is
 * larger where the image is to be less sharp. An implicit step along the rows and one along the
 * columns are two batches of tridiagonal systems for tridiagonal_batch.h.
 * Run: build/gpu/depth_of_field --help. With --csv DIR/NAME.csv it also writes
 * DIR/NAME_image.csv. */
#include "applications/application.h"
#include "applications/depth_of_field_blur.cuh"
#include "applications/depth_of_field_scene.h"
#include "csv.h"
#include "expect.h"

static const char program_name[] = "depth_of_field";

static const struct variant variants[] = {
    {"depth_of_field", "tridiagonal_batch.h on the device"},
    {"depth_of_field_cpu", "tridiagonal_batch_cpu.h on CPU cores", NULL, NULL, HOST_CORES},
    {"depth_of_field_serial", "Thomas's method by loops on one core", NULL, NULL, HOST_CORES},
    {}};

/* ---- times ---- */

/* Elements moved per pixel and half step: to fill a matrix (b; three diagonals), to solve with it,
 * and by the serial loops, 3 along rows, whose c stays in the cache, and 7 along columns (b, x, c
 * and x twice, c). */
enum { FILLS = 4, SOLVES = 5, LOOPS = (3 + 7) / 2 };

/* The half steps alone, the matrix being there, and all. */
static struct share variant_rows(struct results *results, const struct blur *b, int how, int reps)
{
    const char *name = variants[how].name;
    const int cores = how == ON_CORES ? omp_get_max_threads() : 1;
    const double elements = how == SERIAL ? 2 * LOOPS : 2 * (FILLS + SOLVES);
    const struct verdict verdict = run_and_verify(b, how);
    struct row all = how == ON_DEVICE
                         ? device_row(name, b->type, b->n, b->n, elements, verdict)
                         : cpu_row(name, b->type, b->n, b->n, cores, elements, verdict);
    struct share share = {b->n, timing_none(), timing_none()};
    for (int along : {ROWS, COLUMNS}) {
        if (how == SERIAL)
            break;
        struct row row = all;
        struct timing time;
        row.phase = along == ROWS ? "rows" : "columns";
        row.bytes *= SOLVES / elements;
        if (how == ON_DEVICE) {
            CHECK(fill(b, along, 0));
            time = record(results, row, reps,
                          [&](cudaStream_t stream) { return solve(b, along, stream); });
        } else {
            fill_host(b, along, cores);
            time = record_cores(results, row, NULL, reps, [&] { solve_host(b, along, cores); });
        }
        time.median_ms += along == COLUMNS ? share.solver.median_ms : 0;
        share.solver = time;
    }
    if (how == ON_DEVICE)
        share.whole = record(results, all, reps,
                             [&](cudaStream_t stream) { return run_on_device(b, stream); });
    else
        share.whole = record_cores(results, all, NULL, reps, [&] {
            how == SERIAL ? run_serially(b) : run_on_cores(b, cores);
        });
    return share;
}

static void size_rows(struct results *results, const struct options *o, int64_t n,
                      struct share *shares)
{
    struct memory memory = {};
    float *image = (float *)memory_host(&memory, (size_t)(n * n) * sizeof *image),
          *depth = (float *)memory_host(&memory, (size_t)(n * n) * sizeof *depth);
    scene_make(n, image, depth);
    for (const char *type = o->types; *type; type++) {
        struct blur b = blur_open(*type, n);
        blur_set(&b, image, [&](int64_t i) { return conductivity_of(circle_of(depth[i], n)); });
        for (int how = 0; how < VARIANTS; how++)
            if (o->has_variant[how]) {
                const struct share share = variant_rows(results, &b, how, o->reps);
                if (type == o->types)
                    shares[how] = share;
            }
        memory_free(&b.memory);
    }
    memory_free(&memory);
}

/* Blurs a small image. Writes it before and after, and the circle of confusion of each pixel. */
static int run_pictures(const char *prefix, int how)
{
    enum { SIDE = 160 };
    static float image[SIDE * SIDE], depth[SIDE * SIDE];
    struct csv csv;
    if (!csv_open(&csv, program_name, prefix, "image", "x,y,sharp,circle,blurred"))
        return EXIT_USAGE;
    scene_make(SIDE, image, depth);
    struct blur b = blur_open('s', SIDE);
    blur_set(&b, image, [&](int64_t i) { return conductivity_of(circle_of(depth[i], SIDE)); });
    bool right = run_and_verify(&b, how).ok;
    for (int i = 0; csv.file && i < SIDE * SIDE; i++)
        fprintf(csv.file, "%d,%d,%.3f,%.2f,%.3f\n", i % SIDE, i / SIDE, image[i],
                circle_of(depth[i], SIDE), get('s', b.host.result, i));
    memory_free(&b.memory);
    return !csv_close(&csv) ? EXIT_USAGE : right ? EXIT_VERIFIED : EXIT_WRONG;
}

static int sweep(const struct program *program, const struct options *o)
{
    const double n = (double)list_largest(&o->n, 1);
    struct share shares[VARIANTS] = {};
    return application_sweep(
        program, o, 6.5 * 8 * n * n, (6.5 * 8 + 8 + 16) * n * n,
        [&](struct results *results, int64_t side) { size_rows(results, o, side, shares); },
        [&](const char *prefix) {
            shares_print(variants, "the tridiagonal solver", shares);
            return run_pictures(prefix, first_variant(o));
        });
}

/* ---- tests ---- */

/* The scene: right, as bright as before, and sharp where it is in focus: both conductivities of a
 * pixel are at most its own, b, so half a step changes it by at most 2 b. Then a wrong pixel is
 * seen. An even image stays as it is, but for the solver's rounding, and one without blur, too. */
static void check_scene(char type, int64_t n, int how)
{
    struct memory memory = {};
    float *image = (float *)memory_host(&memory, (size_t)(n * n) * sizeof *image),
          *depth = (float *)memory_host(&memory, (size_t)(n * n) * sizeof *depth);
    struct blur b = blur_open(type, n);
    auto value = [&](int64_t i) { return get(type, b.host.result, i); };
    auto conductivity = [&](int64_t i) { return conductivity_of(circle_of(depth[i], n)); };
    double before = 0, after = 0;
    int64_t sharp = 0, changed = 0, uneven = 0;
    expect_case("%s, type %c, n = %lld: ", variants[how].name, type, (long long)n);
    scene_make(n, image, depth);
    blur_set(&b, image, conductivity);
    struct verdict verdict = run_and_verify(&b, how);
    EXPECT(verdict.ok, "off by %g, %g of the allowed", verdict.error, verdict.used);
    const double allowed = blur_allowed(&b);
    for (int64_t i = 0; i < n * n; i++) {
        const double b_here = get(type, b.host.conductivity, i);
        sharp += b_here < 1. / 64;
        changed += !(fabs(value(i) - get(type, b.host.image, i)) <= 4 * b_here + allowed);
        before += image[i], after += value(i);
    }
    EXPECT(fabs(before - after) <= allowed * (double)(n * n), "mean from %g to %g",
           before / (double)(n * n), after / (double)(n * n));
    EXPECT(changed == 0 && (sharp > 0 || n < 100), "%lld pixels changed too much, %lld are sharp",
           (long long)changed, (long long)sharp);
    put(type, b.host.result, n * n / 2, value(n * n / 2) + 2 * allowed + 0.01);
    EXPECT(!blur_verdict(&b).ok, "a wrong pixel was not seen");
    blur_set(&b, NULL, conductivity);
    EXPECT(run_and_verify(&b, how).ok, "an even image changed");
    for (int along : {ROWS, COLUMNS}) {
        fill_host(&b, along, 1);
        for (int64_t i = 0; i < n * n; i++)
            uneven +=
                get(type, b.host.diag, i) + get(type, b.host.sub, i) + get(type, b.host.super, i) !=
                1;
    }
    EXPECT(uneven == 0, "%lld rows of a matrix do not add up to 1", (long long)uneven);
    blur_set(&b, image, [](int64_t) { return 0.; });
    run_and_verify(&b, how);
    for (int64_t i = 0; i < n * n; i++)
        changed += value(i) != get(type, b.host.image, i);
    EXPECT(changed == 0, "%lld pixels changed without blur", (long long)changed);
    memory_free(&b.memory);
    memory_free(&memory);
    expect_case("");
}
/* A point becomes a spot with the variance 2 b along each axis (conductivity_of). */
static void check_spot(int how)
{
    enum { SIDE = 101, MIDDLE = SIDE / 2 };
    const double CONDUCTIVITY = 6;
    static float point[SIDE * SIDE];
    point[MIDDLE * SIDE + MIDDLE] = 1;
    struct blur b = blur_open('d', SIDE);
    blur_set(&b, point, [&](int64_t) { return CONDUCTIVITY; });
    run_and_verify(&b, how);
    double sum = 0, x = 0, y = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        double value = get('d', b.host.result, i), across = i % SIDE - MIDDLE,
               down = i / SIDE - MIDDLE;
        sum += value, x += value * across * across, y += value * down * down;
    }
    EXPECT(fabs(sum - 1) < 1e-9 && fabs(x / (2 * CONDUCTIVITY) - 1) < 1e-4 &&
               fabs(y / (2 * CONDUCTIVITY) - 1) < 1e-4,
           "%s: a spot of brightness %g, variances %g and %g", variants[how].name, sum, x, y);
    memory_free(&b.memory);
}

static int check(const struct options *o)
{
    for (int how = 0; how < VARIANTS; how++) {
        if (!o->has_variant[how])
            continue;
        for (const char *type = o->types; *type; type++)
            for (int64_t n : {100, 1, 2, 33, 16, 257})
                if (static int turns; !expect_skips(&turns))
                    check_scene(*type, n, how);
        check_spot(how);
    }
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {.name = program_name,
                              .summary = "Depth of field of an image of n x n pixels by diffusion.",
                              .variants = variants,
                              .takes = "n type=sd",
                              .paper = "--n 512,1K,2K,4K,8K --type s,d",
                              .quick = "--n 64,256 --type s,d --reps 3"};
    return device_main(&program, argc, argv, check, sweep);
}
