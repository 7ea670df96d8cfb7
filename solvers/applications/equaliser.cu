/* The program equaliser: changes the loudness of the bands of a sound by four sections of order 2,
 * as scipy.signal.sosfilt does. Each section is a recurrence of order 2 with constant coefficients,
 * and filter.h solves all four in one pass over memory. The sound is 16-bit PCM, before and after.
 * Run: build/gpu/equaliser --help. With --csv DIR/NAME.csv it also writes DIR/NAME_bands.csv,
 * DIR/NAME_before.wav and DIR/NAME_after.wav. */
#include "applications/application.h"
#include "applications/equaliser_pcm.cuh"
#include "expect.h"

#include <initializer_list>

static const char program_name[] = "equaliser";

static const struct variant variants[] = {
    {"equaliser", "filter.h on the device; and from PCM to PCM"},
    {"equaliser_double", "the same, computed in double precision", NULL, "s"},
    {"equaliser_cpu", "filter_cpu.h on one core; and from PCM to PCM", NULL, NULL, HOST_CORES},
    {"equaliser_serial", "by a loop on one core; and from PCM to PCM", NULL, NULL, HOST_CORES},
    {}};

/* ---- times ---- */

/* The filter alone, the copies alone, and all from PCM to PCM. */
static struct share variant_rows(struct results *results, const struct equaliser *e, int variant,
                                 int reps)
{
    const int64_t n = e->c.p.length;
    const struct verdict verdict = run_and_verify(e, variant);
    struct row row = variant >= ON_CORE
                         ? cpu_row(variants[variant].name, e->c.p.type, n, 0, 1, 2, verdict)
                         : device_row(variants[variant].name, e->c.p.type, n, 0, 2, verdict);
    struct row whole = row;
    row.phase = "filter";
    whole.bytes = 2. * sizeof *e->pcm * (double)n;
    if (variant >= ON_CORE)
        return {n, record_cores(results, row, NULL, reps, [&] { filter_on_core(e, variant); }),
                record_cores(results, whole, NULL, reps, [&] { run_on_core(e, variant); })};
    struct share share = {
        n, record(results, row, reps, [&](cudaStream_t stream) { return filter(e, stream); }),
        record(results, whole, reps,
               [&](cudaStream_t stream) { return run_on_device(e, stream); })};
    whole.phase = "copies";
    if (variant == EQUALISER)
        record(results, whole, reps, [&](cudaStream_t stream) {
            TRY(upload(e, stream));
            return download(e, stream);
        });
    return share;
}

static void size_rows(struct results *results, const struct options *o, const int16_t *sound,
                      int64_t n, struct share *shares)
{
    for (const char *type = o->types; *type; type++)
        for (int variant = 0; variant < VARIANTS; variant++) {
            if (!o->has_variant[variant] || !variant_has_type(&variants[variant], *type))
                continue;
            struct equaliser e = equaliser_open(*type, n, variant);
            for (int64_t i = 0; i < n; i++)
                e.pcm[i] = sound[i % SOUND];
            const struct share share = variant_rows(results, &e, variant, o->reps);
            if (type == o->types)
                shares[variant] = share;
            memory_free(&e.c.memory);
        }
}

/* ---- pictures ---- */

/* The response to an impulse, which has the same level at all frequencies. */
static struct equaliser impulse_response(char type, int variant)
{
    enum { LENGTH = 1 << 15 };
    struct equaliser e = equaliser_open(type, LENGTH, variant);
    memset(e.pcm, 0, LENGTH * sizeof *e.pcm);
    e.pcm[0] = INT16_MIN;
    return e;
}
static double measured_decibels(const struct equaliser *e, double hertz)
{
    const void *y = e->c.host_y;
    return 10 * log10(e->c.p.type == 's'
                          ? power_at((const float *)y, e->c.p.length, hertz, false)
                          : power_at((const double *)y, e->c.p.length, hertz, false));
}

/* Filters an impulse and the sound. Writes bands a twelfth of an octave apart, and both sounds. */
static int run_pictures(const char *prefix, const int16_t *sound, int variant)
{
    enum { BANDS = 112, KILO = 60 }; /* from 31 Hz to 19 kHz, number KILO is 1 kHz */
    struct csv csv;
    if (!csv_open(&csv, program_name, prefix, "bands",
                  "hertz,before_db,after_db,designed_db,measured_db,section_1_db,section_2_db,"
                  "section_3_db,section_4_db"))
        return EXIT_USAGE;
    struct equaliser impulse = impulse_response('s', variant),
                     e = equaliser_open('s', SOUND, variant);
    memcpy(e.pcm, sound, SOUND * sizeof *sound);
    bool right = run_and_verify(&impulse, variant).ok;
    right = run_and_verify(&e, variant).ok && right;
    double rows[BANDS][5 + SECTIONS], most = 0;
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < BANDS; k++) {
        double *row = rows[k], hertz = row[0] = 1000 * exp2((k - KILO) / 12.);
        row[1] = band_decibels(e.pcm, hertz), row[2] = band_decibels(e.result, hertz);
        row[3] = designed_decibels(e.c.coefficients, 0, SECTIONS, hertz);
        row[4] = measured_decibels(&impulse, hertz);
        for (int n = 0; n < SECTIONS; n++)
            row[5 + n] = designed_decibels(e.c.coefficients, n, n + 1, hertz);
    }
    for (const auto &row : rows) {
        most = larger_error(most, fabs(row[4] - row[3]));
        for (int k = 0; csv.file && k < 5 + SECTIONS; k++)
            fprintf(csv.file, "%.6g%c", row[k], k < 4 + SECTIONS ? ',' : '\n');
    }
    printf("%s: the measured response differs from the design by at most %.2g dB\n",
           variants[variant].name, most);
    bool written =
        csv_close(&csv) &&
        (!prefix || (wav_write(prefix, "before", e.pcm) && wav_write(prefix, "after", e.result)));
    memory_free(&impulse.c.memory);
    memory_free(&e.c.memory);
    return !written ? EXIT_USAGE : right && most <= DECIBELS_OFF ? EXIT_VERIFIED : EXIT_WRONG;
}

static int sweep(const struct program *program, const struct options *o)
{
    static int16_t sound[SOUND];
    const double n = (double)list_largest(&o->n, SOUND);
    struct share shares[VARIANTS] = {};
    sound_make(o->seed, sound);
    return application_sweep(
        program, o, 20 * n, 20 * n,
        [&](struct results *results, int64_t samples) {
            size_rows(results, o, sound, samples, shares);
        },
        [&](const char *prefix) {
            shares_print(variants, "the filter", shares);
            return run_pictures(prefix, sound, first_variant(o));
        });
}

/* ---- tests ---- */

/* The gains that the sections are named after. */
static void check_design(void)
{
    for (const auto &band : bands) {
        double section[SECTION];
        design(&band, section);
        const double hertz = band.shape == PEAK        ? band.hertz
                             : band.shape == LOW_SHELF ? 0
                                                       : RATE / 2.,
                     there = designed_decibels(section, 0, 1, hertz),
                     edge = designed_decibels(section, 0, 1, band.hertz),
                     beyond = designed_decibels(section, 0, 1, hertz == 0 ? RATE / 2. : 0);
        EXPECT(fabs(there - band.decibels) < 1e-9 && fabs(beyond) < 1e-9,
               "section of %g Hz: %g dB, beyond it %g", band.hertz, there, beyond);
        EXPECT(band.shape == PEAK || fabs(edge - band.decibels / 2) < 1e-9,
               "shelf of %g Hz: %g dB at its edge", band.hertz, edge);
    }
}
/* Every length and type; then a wrong sample must be seen. */
static void check_sound(const int16_t *sound, char type, int64_t n, int variant)
{
    struct equaliser e = equaliser_open(type, n, variant);
    memcpy(e.pcm, sound, (size_t)n * sizeof *sound);
    e.pcm[n / 2] = INT16_MIN; /* as loud as can be */
    struct verdict verdict = run_and_verify(&e, variant);
    EXPECT(verdict.ok, "%s, type %c, n = %lld: error %g", variants[variant].name, type,
           (long long)n, verdict.error);
    e.result[n - 1]++;
    EXPECT(!sound_verdict(&e).ok, "a wrong sample was not seen");
    e.result[n - 1]--;
    put(type, e.c.host_y, n / 2, get(type, e.c.host_y, n / 2) + 1e-3);
    EXPECT(!sound_verdict(&e).ok, "a wrong number was not seen");
    memory_free(&e.c.memory);
}
/* The response to an impulse is the design, and the sound has lost its whistle. */
static void check_response(const int16_t *sound, char type, int variant)
{
    struct equaliser e = impulse_response(type, variant);
    run_and_verify(&e, variant);
    for (double hertz : {30., 120., 1000., 2500., 9000., 20000.}) {
        double measured = measured_decibels(&e, hertz),
               designed = designed_decibels(e.c.coefficients, 0, SECTIONS, hertz);
        EXPECT(fabs(measured - designed) < DECIBELS_OFF, "%s, type %c, %g Hz: %g dB, designed %g",
               variants[variant].name, type, hertz, measured, designed);
    }
    memory_free(&e.c.memory);
    if (type != 's' || variant != SERIAL)
        return;
    e = equaliser_open(type, SOUND, variant);
    memcpy(e.pcm, sound, SOUND * sizeof *sound);
    run_on_core(&e, SERIAL);
    double lost = band_decibels(e.pcm, 1000) - band_decibels(e.result, 1000);
    EXPECT(lost > 15, "the whistle is quieter by only %g dB", lost);
    int loudest = 0;
    for (int i = 0; i < SOUND; i++)
        loudest = abs(sound[i]) > loudest ? abs(sound[i]) : loudest;
    EXPECT(loudest > 8000 && loudest < 32000, "the loudest sample is %d", loudest);
    memory_free(&e.c.memory);
}
/* Rounding a sample to 16 bits costs 1/sqrt(12) = 0.29 steps in the root mean square. Rounding
 * states and coefficients in single precision costs about as much, as the low shelf has poles near
 * 1, unless all is computed in double precision. */
static void check_precision(const int16_t *sound, int variant)
{
    struct equaliser e = equaliser_open('s', SOUND, variant),
                     exact = equaliser_open('d', SOUND, SERIAL);
    memcpy(e.pcm, sound, SOUND * sizeof *sound);
    memcpy(exact.pcm, sound, SOUND * sizeof *sound);
    run_and_verify(&e, variant);
    run_on_core(&exact, SERIAL);
    double squares = 0;
    for (int i = 0; i < SOUND; i++) {
        double off = 32768 * get('d', exact.c.host_y, i) - e.result[i];
        squares += off * off / SOUND;
    }
    const double times = sqrt(12 * squares);
    EXPECT(variant == IN_DOUBLE ? times < 1.1 : times > 1.1 && times < 2,
           "%s: off by %g times the rounding to PCM", variants[variant].name, times);
    memory_free(&e.c.memory);
    memory_free(&exact.c.memory);
}
static void check_wav(void)
{
    static const uint8_t right[WAV_HEADER] =
        "RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0D\xac\0\0\x88X\1\0"
        "\2\0\x10\0data\4\0\0";
    uint8_t header[WAV_HEADER];
    wav_header(header, 2);
    EXPECT(memcmp(header, right, WAV_HEADER) == 0, "the header of a WAV file");
    EXPECT(sample_of(2.) == 32767 && sample_of(-2.f) == -32768 && sample_of(0.5) == 16384 &&
               sample_of(1.4 / 32768) == 1 && sample_of((double)NAN) == -32768,
           "samples are not rounded or not clipped");
}

static int check(const struct options *o)
{
    static int16_t sound[SOUND];
    sound_make(o->seed, sound);
    check_design();
    check_wav();
    for (const char *type = o->types; *type; type++)
        for (int variant = 0; variant < VARIANTS; variant++) {
            if (!o->has_variant[variant] || !variant_has_type(&variants[variant], *type))
                continue;
            for (int64_t n : {1000, 1, 2, 9000, 20001})
                if (static int turns; !expect_skips(&turns))
                    check_sound(sound, *type, n, variant);
            if (static int turns; !expect_skips(&turns))
                check_response(sound, *type, variant);
            if (static int turns; *type == 's' && !expect_skips(&turns))
                check_precision(sound, variant);
        }
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {.name = program_name,
                              .summary = "An equaliser of four sections for n samples of sound.",
                              .variants = variants,
                              .takes = "n type=sd",
                              .paper = "--n 64K,1M,16M,64M --type s,d",
                              .quick = "--n 4K,64K --type s,d --reps 3"};
    return device_main(&program, argc, argv, check, sweep);
}
