/* The picture that the program depth_of_field blurs, and the depth of its pixels: balls on a floor
 * of tiles before a striped wall. */
#pragma once

#include "applications/depth_of_field_blur.cuh"

/* The second ball is in focus. */
static const double WALL = 16;
static const struct ball {
    double x, y, z, radius;
} balls[] = {{-0.75, 0.5, 2.2, 0.5}, {0.25, 0.6, FOCUS, 0.6}, {2.6, 1, 8, 1}, {-2.4, 0.7, 7, 0.7}};

struct point {
    double grey, depth;
};

/* What a ray from the eye, one unit above the floor, in the direction (x, y, 1) meets first. */
static struct point trace(double x, double y)
{
    const double squares = x * x + y * y + 1;
    struct point p = {0, WALL};
    if (y < -1 / WALL) {
        p.depth = -1 / y;
        p.grey = ((int)floor(2 * x * p.depth) + (int)floor(2 * p.depth)) % 2 ? 0.25 : 0.85;
    } else {
        p.grey = ((int)floor(x * WALL) + 64) % 2 ? 0.45 : 0.7;
        p.grey = y * WALL > 5 && y * WALL < 5.6 ? 1 : p.grey;
    }
    for (const struct ball &ball : balls) {
        /* |t (x, y, 1) - (ball.x, ball.y - 1, ball.z)| = radius; t is the depth, too */
        double cx = ball.x, cy = ball.y - 1, cz = ball.z, half = x * cx + y * cy + cz,
               rest = cx * cx + cy * cy + cz * cz - ball.radius * ball.radius,
               root = half * half - squares * rest, t = (half - sqrt(fmax(root, 0))) / squares;
        if (root <= 0 || t >= p.depth)
            continue;
        double nx = (t * x - cx) / ball.radius, ny = (t * y - cy) / ball.radius,
               nz = (t - cz) / ball.radius, light = 0.5 * ny - 0.6 * nz - 0.6 * nx;
        double band = fmod(fabs(6 * ny + 2 * nx), 1) < 0.5 ? 0.95 : 0.55;
        p = {fmin(1, band * (0.25 + 0.75 * fmax(light, 0)) + pow(fmax(light, 0), 40)), t};
    }
    return p;
}

/* Writes an image of n x n pixels from 0 to 1, row by row from above, and their depths. A pixel has
 * the mean of SUB x SUB rays, so that edges are smooth, and the depth in its middle. */
static void scene_make(int64_t n, float *image, float *depth)
{
    enum { SUB = 3 };
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double grey = 0;
            for (int k = 0; k < SUB * SUB; k++) {
                double x = ((double)i + (k % SUB + 0.5) / SUB) / (double)n - 0.5,
                       y = 0.4 - ((double)j + (k / SUB + 0.5) / SUB) / (double)n;
                struct point p = trace(x, y);
                grey += p.grey / (SUB * SUB);
                if (k == SUB * SUB / 2)
                    depth[j * n + i] = (float)p.depth;
            }
            image[j * n + i] = (float)grey;
        }
}
