/* The bands of the program equaliser: the design of its sections, and levels that it measures. */
#pragma once

#include "applications/equaliser_sound.h"

/* The sections: against hum, against the whistle, for clear voices, against hiss. */
enum shape { LOW_SHELF, PEAK, HIGH_SHELF };
enum { SECTIONS = 4, SECTION = 6 /* coefficients of one */ };
static const struct band {
    enum shape shape;
    double hertz, decibels, q;
} bands[SECTIONS] = {{LOW_SHELF, 120, -12, 0.7},
                     {PEAK, 1000, -24, 8},
                     {PEAK, 3000, 6, 1},
                     {HIGH_SHELF, 8000, -12, 0.7}};

/* How far a measured gain may be from the designed one. In single precision it is off by 0.003 dB
 * at 31 Hz, close to the poles of section 1 (equaliser_bands.csv). */
static const double DECIBELS_OFF = 0.01;

/* A section b0 b1 b2 a0 a1 a2, after R. Bristow-Johnson, Audio EQ Cookbook. A high shelf is a low
 * shelf with z replaced by -z. */
static void design(const struct band *band, double *section)
{
    const double a = pow(10, band->decibels / 40), w = 2 * PI * band->hertz / RATE,
                 alpha = sin(w) / (2 * band->q), cosine = cos(w);
    if (band->shape == PEAK) {
        const double peak[SECTION] = {1 + alpha * a, -2 * cosine, 1 - alpha * a,
                                      1 + alpha / a, -2 * cosine, 1 - alpha / a};
        memcpy(section, peak, sizeof peak);
        return;
    }
    const double sign = band->shape == LOW_SHELF ? 1 : -1, c = sign * cosine, up = a + 1,
                 down = a - 1, root = 2 * sqrt(a) * alpha;
    const double shelf[SECTION] = {a * (up - down * c + root),  sign * 2 * a * (down - up * c),
                                   a * (up - down * c - root),  up + down * c + root,
                                   sign * -2 * (down + up * c), up + down * c - root};
    memcpy(section, shelf, sizeof shelf);
}

/* The gain of sections [first, last), in dB: |b(z)/a(z)| at z = exp(i w). */
static double designed_decibels(const double *coefficients, int first, int last, double hertz)
{
    const double w = 2 * PI * hertz / RATE;
    double power[2] = {1, 1};
    for (int k = 2 * first; k < 2 * last; k++) {
        const double *p = coefficients + SECTION / 2 * k,
                     re = p[0] + p[1] * cos(w) + p[2] * cos(2 * w),
                     im = p[1] * sin(w) + p[2] * sin(2 * w);
        power[k % 2] *= re * re + im * im;
    }
    return 10 * log10(power[0] / power[1]);
}

/* |sum of x_t exp(-i w t)|^2; hann: the elements are weighted by a Hann window. Both waves are
 * turned from element to element, which is faster than sin and cos, with an error of some n
 * roundings. */
template <class T> static double power_at(const T *x, int64_t n, double hertz, bool hann)
{
    const double w = 2 * PI * hertz / RATE, v = 2 * PI / (double)n;
    double c = 1, s = 0, hc = 1, hs = 0, re = 0, im = 0;
    for (int64_t t = 0; t < n; t++) {
        double weighted = (hann ? 0.5 - 0.5 * hc : 1) * x[t], turned = c * cos(w) - s * sin(w),
               moved = hc * cos(v) - hs * sin(v);
        re += weighted * c, im += weighted * s;
        s = s * cos(w) + c * sin(w), c = turned;
        hs = hs * cos(v) + hc * sin(v), hc = moved;
    }
    return re * re + im * im;
}

/* The level in dB of a band a twelfth of an octave wide; 0 dB: that of the loudest sine wave. It is
 * the mean over windows that overlap by half. Their length is in cycles, so low notes are resolved
 * and high ones follow fast. */
static double band_decibels(const int16_t *pcm, double hertz)
{
    const double CYCLES = 34.6; /* then a Hann window falls to half over a twelfth of an octave */
    const int64_t length = (int64_t)(CYCLES * RATE / hertz);
    double sum = 0, windows = 0, amplitude = (double)length / 4 * 32768;
    for (int64_t begin = 0; begin + length <= SOUND; begin += length / 2, windows++)
        sum += power_at(pcm + begin, length, hertz, true);
    return 10 * log10(sum / windows / (amplitude * amplitude));
}
