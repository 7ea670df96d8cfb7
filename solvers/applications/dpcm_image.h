/* The image that the program dpcm codes: a landscape made of noise. It has what natural images
 * have and what a predictor must cope with: even areas, texture of all scales, and edges. */
#pragma once

#include "device_program.h"
#include "problems.h"

#include <math.h>

/* Value noise, from 0 to 1: random numbers at integer points, and smooth between them. */
static double lattice(int64_t i, int64_t j)
{
    struct random r = {(uint64_t)(i * 1000003 + j)};
    return random_uniform(&r, 0, 1);
}
static double noise(double x, double y)
{
    double i = floor(x), j = floor(y), u = x - i, v = y - j;
    int64_t k = (int64_t)i, l = (int64_t)j;
    u *= u * (3 - 2 * u), v *= v * (3 - 2 * v);
    return (1 - v) * ((1 - u) * lattice(k, l) + u * lattice(k + 1, l)) +
           v * ((1 - u) * lattice(k, l + 1) + u * lattice(k + 1, l + 1));
}
/* Noise of many scales, like clouds and hills, about -1 to 1. Rough: near 1, smooth: near 0. */
static double fractal(double x, double y, int octaves, double roughness)
{
    double sum = 0, weight = 1;
    for (int k = 0; k < octaves; k++, weight *= roughness, x *= 2, y *= 2)
        sum += weight * (noise(x + 17 * k, y) - 0.5);
    return sum;
}

/* The grey, from 0 to 1, at (x, y) in the unit square, y downwards: a moon in a cloudy sky over
 * ranges of hills. The nearer a range, the darker and rougher it is. */
static double scene(double x, double y, double pixel)
{
    double grey = 0.62 + 0.3 * y + 0.25 * fmax(0, fractal(4 * x, 11 * y, 6, 0.6)),
           moon = (0.08 - hypot(x - 0.6, y - 0.3)) / pixel;
    grey += (0.97 - grey) * fmin(fmax(moon, 0), 1);
    for (int k = 0; k < 4; k++) {
        double top = 0.42 + 0.13 * k - (0.2 - 0.03 * k) * fractal((2 + k) * x, 7 * k, 8, 0.5),
               inside = fmin((y - top) / pixel, 1), rough = 0.12 + 0.12 * k;
        if (inside > 0)
            grey += (0.58 - 0.15 * k + rough * fractal(15 * x, 25 * y, 6, 0.8) - grey) * inside;
    }
    return grey;
}

/* Returns the image, 8 bits a pixel, minus 128 so that the mean is near 0. */
static float *image_make(struct memory *memory, int64_t n)
{
    float *image = (float *)memory_host(memory, (size_t)(n * n) * sizeof *image);
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t k = 0; k < n * n; k++) {
        double pixel = 1 / (double)n, x = (double)(k % n) * pixel, y = (double)(k / n) * pixel,
               grain = 4 * lattice(-1 - k, k) - 2;
        image[k] = (float)(rint(fmin(fmax(255 * scene(x, y, pixel) + grain, 0), 255)) - 128);
    }
    return image;
}
