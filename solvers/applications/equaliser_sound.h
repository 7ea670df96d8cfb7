/* The sound that the program equaliser filters: how it is made, and WAV files. */
#pragma once

#include "csv.h"
#include "problems.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { RATE = 44100, SOUND = 4 * RATE }; /* samples a second, and of the sound */

static const double PI = 3.14159265358979323846;

/* Plucked strings: four notes a second of a scale, each rings for a second. The higher a harmonic,
 * the faster it fades. */
static double strings(int64_t t)
{
    enum { NOTE = RATE / 4, RINGS = 4, HARMONICS = 12 };
    static const int semitones[] = {0, 7, 12, 16, 19, 16, 12, 7, -3, 4, 9, 12, 16, 12, 9, 4};
    double sum = 0;
    for (int k = 0; k < RINGS; k++) {
        int64_t note = t / NOTE - k;
        double age = (double)(t - note * NOTE) / RATE,
               hertz = 130.8 * exp2(semitones[(note + 16) % 16] / 12.);
        for (int h = 1; h <= HARMONICS; h++)
            sum += exp(-(2 + h) * age) * sin(2 * PI * h * hertz * age) / h;
    }
    return sum;
}

/* Writes the sound: strings, and what an equaliser is to remove, a hum of 50 Hz, a whistle of 1 kHz
 * and a hiss. */
static void sound_make(uint64_t seed, int16_t *pcm)
{
    struct random r = {seed};
#pragma omp parallel for
    for (int64_t t = 0; t < SOUND; t++) {
        struct random own = r;
        random_skip(&own, t);
        double seconds = (double)t / RATE, hum = 0.15 * sin(2 * PI * 50 * seconds),
               whistle = 0.05 * sin(2 * PI * 1000 * seconds),
               hiss = 0.02 * random_uniform(&own, -1, 1);
        pcm[t] = (int16_t)rint(32767 * (0.12 * strings(t) + hum + whistle + hiss));
    }
}

/* Writes a WAV file of one channel: a header of 44 bytes, whose numbers begin with their lowest
 * byte, and the samples, which all machines of this program store in this order. Returns false
 * after a line on stderr if it cannot be written. */
enum { WAV_HEADER = 44 };
static void wav_header(uint8_t *header, int64_t samples)
{
    const uint32_t bytes = (uint32_t)(2 * samples);
    const struct {
        uint32_t value;
        int at, size;
    } numbers[] = {{bytes + 36, 4, 4}, {16, 16, 4}, {1, 20, 2},  {1, 22, 2},    {RATE, 24, 4},
                   {2 * RATE, 28, 4},  {2, 32, 2},  {16, 34, 2}, {bytes, 40, 4}};
    memcpy(header, "RIFF....WAVEfmt ....................data....", WAV_HEADER);
    for (const auto &number : numbers)
        for (int k = 0; k < number.size; k++)
            header[number.at + k] = (uint8_t)(number.value >> 8 * k);
}
static bool wav_write(const char *prefix, const char *name, const int16_t *pcm)
{
    static uint8_t file[WAV_HEADER + 2 * SOUND];
    char path[4096];
    snprintf(path, sizeof path, "%s_%s.wav", prefix, name);
    wav_header(file, SOUND);
    memcpy(file + WAV_HEADER, pcm, 2 * SOUND);
    int error = write_file(path, file, sizeof file);
    if (error)
        fprintf(stderr, "equaliser: cannot write '%s': %s\n", path, strerror(error));
    return error == 0;
}
