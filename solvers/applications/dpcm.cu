/* The program dpcm: decodes an image that was coded by DPCM (differential pulse-code modulation),
 * an example of a recurrence in W12. The encoder predicts each pixel from the decoded one on its
 * left and sends only the quantised residual e_i of the prediction. The decoder of a row is
 * w_i = a_i w_{i-1} + e_i (W12 sec. I, W13 eq. 2). All rows together are a batch for recurrence.h.
 * Run: build/gpu/dpcm --help. With --csv DIR/NAME.csv it also writes DIR/NAME_quality.csv and
 * DIR/NAME_image.csv. */
#include "applications/application.h"
#include "applications/dpcm_image.h"
#include "bench/copy_cpu.h"
#include "csv.h"
#include "expect.h"
#include "recurrence.h"
#include "recurrence_cpu.h"

#include <initializer_list>
#include <math.h>

static const char program_name[] = "dpcm";

enum { FIXED, ADAPTIVE };
static const struct variant variants[] = {
    {"dpcm", "one predictor a; on the device, on CPU cores, by a serial loop"},
    {"dpcm_adaptive", "the same with a predictor a_i for each pixel"},
    {}};

/* Predictors are multiples of 1/64, which are exact in all types. The fixed one is below 1, or
 * leaky, so that an error in the data fades along its row. With adaptive prediction the encoder
 * chooses one of four for each BLOCK pixels of a row: 1 where the grey is even, small ones where it
 * is noise. */
static const double LEAKY = 61. / 64, CHOICES[] = {1, 61. / 64, 3. / 4, 1. / 4};
enum { CHOICE_COUNT = 4, BLOCK = 32 };

/* ---- encoder ---- */

/* An image and its code: predictors s, residuals t, and the decoded image w. p: the decoder in main
 * memory. */
struct codec {
    char type;
    int64_t n;
    double step;
    const float *image;
    void *s, *t, *w, *device_s, *device_t, *device_w, *work;
    size_t work_bytes;
    struct recurrence p;
    struct memory memory;
};

static struct codec codec_open(char type, int64_t n, const float *image, bool adaptive)
{
    struct codec c = {.type = type, .n = n, .image = image};
    size_t bytes = (size_t)(n * n * size_of(type));
    for (void **array : {&c.device_s, &c.device_t, &c.device_w})
        *array = memory_device(&c.memory, bytes);
    for (void **array : {&c.s, &c.t, &c.w})
        *array = memory_host(&c.memory, bytes);
    c.p = {.type = type, .length = n, .batch = n, .constant = !adaptive};
    c.p.s = c.s, c.p.t = c.t, c.p.w = c.w;
    c.work_bytes = recurrence_workspace_of(&c.p);
    c.work = memory_device(&c.memory, c.work_bytes);
    CHECK(recurrence_prepare(c.work, c.work_bytes, 0));
    return c;
}

/* The index of the predictor with the smallest sum of residuals in pixels begin, …, end - 1. */
static int best_choice(const float *row, int64_t begin, int64_t end)
{
    int best = 0;
    double least = INFINITY;
    for (int k = 0; k < CHOICE_COUNT; k++) {
        double sum = 0;
        for (int64_t i = begin; i < end; i++)
            sum += fabs(row[i] - CHOICES[k] * (i > 0 ? row[i - 1] : 0));
        if (sum < least)
            least = sum, best = k;
    }
    return best;
}

/* Encodes the image. The encoder predicts from the pixel that the decoder will have, so errors of
 * the quantiser do not add up: each decoded pixel is at most step/2 from the original. */
static void encode(struct codec *c, double step)
{
    const int64_t n = c->n;
    c->step = step;
    put(c->type, c->s, 0, LEAKY);
#pragma omp parallel for
    for (int64_t k = 0; k < n; k++) {
        const float *row = c->image + k * n;
        double w = 0, a = LEAKY;
        for (int64_t i = 0; i < n; i++) {
            if (!c->p.constant) {
                if (i % BLOCK == 0)
                    a = CHOICES[best_choice(row, i, i + BLOCK < n ? i + BLOCK : n)];
                put(c->type, c->s, k * n + i, a);
            }
            double e = step * rint((row[i] - a * w) / step);
            put(c->type, c->t, k * n + i, e);
            w = a * w + e;
        }
    }
    device_upload(c->device_s, c->s, (size_t)((c->p.constant ? 1 : n * n) * size_of(c->type)));
    device_upload(c->device_t, c->t, (size_t)(n * n * size_of(c->type)));
}

/* ---- decoders ---- */

static cudaError_t decode_on_device(const struct codec *c, cudaStream_t stream)
{
    struct recurrence p = c->p;
    p.s = c->device_s, p.t = c->device_t, p.w = c->device_w;
    return recurrence_solve(&p, c->work, c->work_bytes, stream);
}
/* What a user would write. */
template <class T> static void serial_loop(const struct recurrence *p)
{
    const T *s = (const T *)p->s, *t = (const T *)p->t;
    T *w = (T *)p->w;
    for (int64_t k = 0; k < p->batch; k++) {
        T last = 0;
        for (int64_t i = k * p->length; i < (k + 1) * p->length; i++)
            w[i] = last = s[p->constant ? 0 : i] * last + t[i];
    }
}
static void decode_serially(const struct codec *c)
{
    c->type == 's' ? serial_loop<float>(&c->p) : serial_loop<double>(&c->p);
}

/* Is the decoded image right? Compares it with a serial decoder in long double: (i + 12) u B_i are
 * allowed (recurrence.h), twice that because a CPU may have no fused multiply-add, and TINY where
 * values underflow. The error is relative to the range of a pixel. Then compares it with the
 * original, from which the encoder keeps it within step/2. */
static struct verdict decoded_verdict(const struct codec *c)
{
    const double u = unit_roundoff(c->type), RANGE = 256, TINY = 1e-30;
    double error = 0;
    int64_t wrong = 0;
#pragma omp parallel for reduction(max : error) reduction(+ : wrong)
    for (int64_t k = 0; k < c->n; k++) {
        long double exact = 0, bound = 0;
        for (int64_t at = k * c->n; at < (k + 1) * c->n; at++) {
            double a = get(c->type, c->s, c->p.constant ? 0 : at), e = get(c->type, c->t, at),
                   w = get(c->type, c->w, at);
            exact = a * exact + e;
            bound = fabs(a) * bound + fabs(e);
            double steps = (double)(at - k * c->n) + 12, off = (double)fabsl(w - exact),
                   allowed = 2 * steps * u * (double)bound + TINY;
            wrong += !(off <= allowed && fabs(w - c->image[at]) <= c->step / 2 + allowed);
            error = larger_error(error, off / RANGE);
        }
    }
    return {wrong == 0, error, 0, -1};
}
/* cores: how many, or one of these. */
static const int SERIALLY = 0, ON_DEVICE = -1;
static struct verdict decode_and_verify(struct codec *c, int cores)
{
    size_t bytes = (size_t)(c->n * c->n * size_of(c->type));
    host_poison(c->w, bytes);
    if (cores == ON_DEVICE) {
        device_poison(c->device_w, bytes);
        CHECK(decode_on_device(c, 0));
        device_download(c->w, c->device_w, bytes);
    } else if (cores != SERIALLY) {
        recurrence_cpu_solve(&c->p, cores);
    } else {
        decode_serially(c);
    }
    return decoded_verdict(c);
}

/* ---- quality: bits and error of the decoded image ---- */

struct quality {
    double bits, psnr; /* bits a pixel, and the peak signal-to-noise ratio in dB */
};

/* The bits of an entropy coder for these counts of symbols. */
static double entropy_bits(const int64_t *count, int symbols)
{
    double all = 0, bits = 0;
    for (int k = 0; k < symbols; k++)
        all += (double)count[k];
    for (int k = 0; k < symbols; k++)
        bits += count[k] ? (double)count[k] * log2(all / (double)count[k]) : 0;
    return bits;
}
/* The residuals e/step are coded, and with adaptive prediction the choice for each block. */
static struct quality quality_of(const struct codec *c)
{
    enum { MOST = 512 }; /* |e| is at most 255 + 128 + step/2 */
    int64_t residuals[2 * MOST] = {}, choices[CHOICE_COUNT] = {};
    double squares = 0, pixels = (double)c->n * c->n;
    for (int64_t k = 0; k < c->n * c->n; k++) {
        residuals[MOST + (int)rint(get(c->type, c->t, k) / c->step)]++;
        double w = rint(fmin(fmax(get(c->type, c->w, k), -128), 127)) - c->image[k];
        squares += w * w;
        for (int a = 0; !c->p.constant && k % c->n % BLOCK == 0 && a < CHOICE_COUNT; a++)
            choices[a] += get(c->type, c->s, k) == CHOICES[a];
    }
    double bits = entropy_bits(residuals, 2 * MOST) + entropy_bits(choices, CHOICE_COUNT);
    return {bits / pixels, 10 * log10(255 * 255 * pixels / squares)};
}

/* Writes a part of the decoded image; step 0: of the original. */
static void write_image(const struct codec *c, double step, FILE *file)
{
    enum { SHOWN = 128 };
    const int64_t x = c->n / 2, y = c->n / 4;
    for (int64_t j = 0; file && j < SHOWN; j++)
        for (int64_t i = 0; i < SHOWN; i++) {
            int64_t at = (y + j) * c->n + x + i;
            double grey = (step == 0 ? c->image[at] : get(c->type, c->w, at)) + 128;
            fprintf(file, "%g,%d,%d,%.0f\n", step, (int)i, (int)j, grey);
        }
}

/* Decodes an image on the device with several steps of the quantiser. */
static int run_quality(const struct options *o, const char *prefix)
{
    enum { SIDE = 512, COARSE = 32 };
    struct csv csv, picture;
    struct memory memory = {};
    int status = EXIT_VERIFIED;
    if (!csv_open(&csv, program_name, prefix, "quality", "predictor,step,bits,psnr_db") ||
        !csv_open(&picture, program_name, prefix, "image", "step,x,y,grey"))
        return EXIT_USAGE;
    const float *image = image_make(&memory, SIDE);
    for (int predictor : {FIXED, ADAPTIVE}) {
        if (!o->has_variant[predictor])
            continue;
        struct codec c = codec_open('s', SIDE, image, predictor == ADAPTIVE);
        for (int step = 2; step <= 64; step *= 2) {
            encode(&c, step);
            bool good = decode_and_verify(&c, ON_DEVICE).ok;
            struct quality q = quality_of(&c);
            const char *name = predictor == ADAPTIVE ? "adaptive" : "fixed";
            printf("dpcm: %-8s step %2d: %.2f bits a pixel, PSNR %.1f dB%s\n", name, step, q.bits,
                   q.psnr, good ? "" : " (wrong)");
            status = good ? status : EXIT_WRONG;
            if (csv.file)
                fprintf(csv.file, "%s,%d,%.4f,%.3f\n", name, step, q.bits, q.psnr);
            if (step == COARSE && predictor == FIXED)
                write_image(&c, 0, picture.file), write_image(&c, step, picture.file);
        }
        memory_free(&c.memory);
    }
    memory_free(&memory);
    bool written = csv_close(&csv);
    return csv_close(&picture) && written ? status : EXIT_USAGE;
}

/* ---- times ---- */

/* The decoders, and for comparison a copy of the image on CPU cores. */
static void decoder_rows(struct results *results, struct codec *c, int predictor, int reps)
{
    static const char *const names[][3] = {
        {"dpcm", "dpcm_cpu", "dpcm_serial"},
        {"dpcm_adaptive", "dpcm_adaptive_cpu", "dpcm_adaptive_serial"}};
    const int cores = omp_get_max_threads(), elements = predictor == ADAPTIVE ? 3 : 2;
    const size_t bytes = (size_t)(c->n * c->n * size_of(c->type));
    auto row_of = [&](const char *name, int of_cores, struct verdict verdict) {
        return cpu_row(name, c->type, c->n, c->n, of_cores, elements, verdict);
    };
    struct verdict verdict = decode_and_verify(c, ON_DEVICE);
    record(results, device_row(names[predictor][0], c->type, c->n, c->n, elements, verdict), reps,
           [&](cudaStream_t stream) { return decode_on_device(c, stream); });
    verdict = decode_and_verify(c, cores);
    record_cores(results, row_of(names[predictor][1], cores, verdict), NULL, reps,
                 [&] { recurrence_cpu_solve(&c->p, cores); });
    verdict = decode_and_verify(c, SERIALLY);
    record_cores(results, row_of(names[predictor][2], 1, verdict), NULL, reps,
                 [&] { decode_serially(c); });
    if (predictor == FIXED)
        record_cores(results, row_of("copy_cpu", cores, {.ok = true}), NULL, reps,
                     [&] { copy_by_cores(c->w, c->t, bytes, cores); });
}

static void size_rows(struct results *results, const struct options *o, int64_t n)
{
    struct memory memory = {};
    const float *image = image_make(&memory, n);
    for (const char *type = o->types; *type; type++)
        for (int predictor : {FIXED, ADAPTIVE})
            if (o->has_variant[predictor]) {
                struct codec c = codec_open(*type, n, image, predictor == ADAPTIVE);
                encode(&c, 8);
                decoder_rows(results, &c, predictor, o->reps);
                memory_free(&c.memory);
            }
    memory_free(&memory);
}

static int sweep(const struct program *program, const struct options *o)
{
    const double n = (double)list_largest(&o->n, 1);
    return application_sweep(
        program, o, 3 * 8 * n * n, (3 * 8 + 4) * n * n,
        [&](struct results *results, int64_t side) { size_rows(results, o, side); },
        [&](const char *prefix) { return run_quality(o, prefix); });
}

/* ---- tests ---- */

/* Every decoder, with fine and coarse steps, and what an error in the first residual of a row does:
 * it fades by the factor a from pixel to pixel and does not reach another row. */
static void check_codec(char type, int64_t n, bool adaptive)
{
    struct memory memory = {};
    struct codec c = codec_open(type, n, image_make(&memory, n), adaptive);
    expect_case("type %c, n = %lld, %s: ", type, (long long)n, adaptive ? "adaptive" : "fixed");
    for (double step : {1., 8., 100.}) {
        encode(&c, step);
        for (int cores : {SERIALLY, 1, 2, ON_DEVICE}) {
            struct verdict verdict = decode_and_verify(&c, cores);
            EXPECT(verdict.ok, "step %g, cores %d: off by %g", step, cores, verdict.error);
        }
    }
    decode_serially(&c);
    double *right = (double *)memory_host(&memory, (size_t)(n * n) * sizeof *right), fading = 1024;
    for (int64_t k = 0; k < n * n; k++)
        right[k] = get(type, c.w, k);
    const int64_t begin = n / 2 * n;
    put(type, c.t, begin, get(type, c.t, begin) + fading);
    decode_serially(&c);
    EXPECT(!decoded_verdict(&c).ok, "a wrong residual was not seen");
    bool fades = true;
    for (int64_t k = 0; k < n * n; k++) {
        bool hit = k >= begin && k < begin + n;
        if (hit && k > begin)
            fading *= get(type, c.s, adaptive ? k : 0);
        fades = fades && fabs(get(type, c.w, k) - right[k] - (hit ? fading : 0)) < 1e-2;
    }
    EXPECT(fades, "a wrong residual has another effect");
    memory_free(&c.memory);
    memory_free(&memory);
}
/* The error of a fine quantiser is uniform in (-step/2, step/2), whatever the predictor, and that
 * of 8 bits a pixel is added. Adaptive prediction must save more bits than its choices cost. */
static void check_quality(void)
{
    enum { SIDE = 256, STEP = 8 };
    struct memory memory = {};
    const float *image = image_make(&memory, SIDE);
    struct quality q[2];
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        struct codec c = codec_open('s', SIDE, image, adaptive);
        encode(&c, STEP);
        decode_serially(&c);
        q[adaptive] = quality_of(&c);
        double expected = 10 * log10(255. * 255 * 12 / (STEP * STEP + 1));
        EXPECT(fabs(q[adaptive].psnr - expected) < 0.3, "PSNR %g, expected %g", q[adaptive].psnr,
               expected);
        memory_free(&c.memory);
    }
    EXPECT(q[1].bits < q[0].bits, "bits: fixed %g, adaptive %g", q[0].bits, q[1].bits);
    const int64_t even[4] = {5, 5, 5, 5}, one[4] = {0, 20, 0, 0};
    EXPECT(fabs(entropy_bits(even, 4) - 40) < 1e-9 && entropy_bits(one, 4) == 0, "entropy");
    memory_free(&memory);
}

static int check(const struct options *o)
{
    for (const char *type = o->types; *type; type++)
        for (int64_t n : {100, 1, 2, 33, 15, 16, 257})
            for (int predictor : {FIXED, ADAPTIVE})
                if (static int turns; o->has_variant[predictor] && !expect_skips(&turns))
                    check_codec(*type, n, predictor == ADAPTIVE);
    expect_case("");
    check_quality();
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {.name = program_name,
                              .summary = "Decodes a DPCM-coded image of n x n pixels: a recurrence "
                                         "for each row.",
                              .variants = variants,
                              .takes = "n type=sd",
                              .paper = "--n 1K,2K,4K,8K --type s,d",
                              .quick = "--n 64,256 --type s,d --reps 3"};
    return device_main(&program, argc, argv, check, sweep);
}
