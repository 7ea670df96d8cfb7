/* The Schroedinger equation in two dimensions by operator splitting (L22 section 3): a step is
 *
 *   exp(-i V dt/2) Ty^-1 Ty^dagger Tx^-1 Tx^dagger exp(-i V dt/2)
 *
 * with a batch of tridiagonal systems of the form of eq. 2 along each axis. The rows of the plane
 * are contiguous systems, its columns interleaved ones, so nothing is transposed, as in
 * solvers/applications/heat.h. tridiagonal_batch.h computes T^-1 T^dagger in place, with one read
 * and one write of psi. */
#include "tridiagonal_batch.h"
#include "wave.h"

#include <algorithm>
#include <math.h>

/* V = (x^2 + y^2)/2. A displaced ground state moves on a circle of this radius, once in 2 pi. The
 * n x n points lie between -HALF and HALF. */
static const double RADIUS = 2, HALF = 8;
enum { THREADS = 128 };

struct plane {
    struct memory memory;
    int64_t n;
    double dx, dt;
    double *psi;                /* on the device: n * n pairs, x faster than y */
    double *matrix;             /* on the device: off-diagonal and diagonal of T */
    void *work;                 /* of the batch solver */
    std::complex<double> *host; /* psi */
};

static double at(const struct plane *p, int64_t i)
{
    return -HALF + ((double)i + 0.5) * p->dx;
}

/* psi *= exp(-i V t) */
static __global__ void turn_phases(int64_t n, double dx, double t, double *psi)
{
    int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k >= n * n)
        return;
    double x = -HALF + ((double)(k % n) + 0.5) * dx, y = -HALF + ((double)(k / n) + 0.5) * dx;
    double phase = -(x * x + y * y) / 2 * t, c = cos(phase), s = sin(phase);
    double re = psi[2 * k], im = psi[2 * k + 1];
    psi[2 * k] = re * c - im * s;
    psi[2 * k + 1] = re * s + im * c;
}

static struct tridiagonal_batch along(const struct plane *p, bool y)
{
    struct tridiagonal_batch b = {};
    b.type = 'z', b.n = b.batch = p->n, b.matrix = TRIDIAGONAL_BATCH_CONSTANT;
    b.inner = y ? p->n : 1, b.crank_nicolson = true;
    b.sub = b.super = p->matrix, b.diag = p->matrix + 2;
    b.rhs = b.x = p->psi, b.work = p->work;
    return b;
}

static void step_plane(const struct plane *p)
{
    unsigned blocks = (unsigned)((p->n * p->n + THREADS - 1) / THREADS);
    struct tridiagonal_batch x = along(p, false), y = along(p, true);
    CHECK(LAUNCH(turn_phases, blocks, THREADS, 0, 0, p->n, p->dx, p->dt / 2, p->psi));
    CHECK(tridiagonal_batch_solve(&x, 0));
    CHECK(tridiagonal_batch_solve(&y, 0));
    CHECK(LAUNCH(turn_phases, blocks, THREADS, 0, 0, p->n, p->dx, p->dt / 2, p->psi));
}

static std::complex<double> exact(double x, double y, double t)
{
    double px = -RADIUS * sin(t), py = RADIUS * cos(t); /* the momentum; the centre is (py, -px) */
    double square = (x - py) * (x - py) + (y + px) * (y + px);
    return std::polar(exp(-square / 2) / sqrt(PI), px * x + py * y - t);
}

/* The 2-norm of psi - exact. Writes every stride-th point to `file` unless it is NULL. */
static double fetch_plane(const struct plane *p, double t, FILE *file)
{
    int64_t stride = (p->n + 63) / 64;
    double sum = 0;
    device_download(p->host, p->psi, (size_t)(p->n * p->n) * sizeof *p->host);
    for (int64_t k = 0; k < p->n * p->n; k++) {
        double x = at(p, k % p->n), y = at(p, k / p->n);
        sum += std::norm(p->host[k] - exact(x, y, t)) * p->dx * p->dx;
        if (file && k % p->n % stride == 0 && k / p->n % stride == 0)
            fprintf(file, "%.4g,%.4g,%.4g,%.4g\n", t, x, y, std::norm(p->host[k]));
    }
    return sqrt(sum);
}

double plane_error(int64_t n, int steps, int quarters, FILE *file)
{
    struct plane p = {.n = n, .dx = 2 * HALF / (double)n, .dt = PI / 2 / steps};
    size_t bytes = (size_t)(n * n) * sizeof *p.host;
    double error = 0, c = p.dt / (2 * p.dx * p.dx), t_of_row[] = {0, -c / 2, 1, c};
    p.psi = (double *)memory_device(&p.memory, bytes);
    p.matrix = (double *)memory_device(&p.memory, sizeof t_of_row);
    struct tridiagonal_batch x = along(&p, false), y = along(&p, true);
    p.work = memory_device(&p.memory,
                           std::max(tridiagonal_batch_work(&x), tridiagonal_batch_work(&y)) + 16);
    p.host = (std::complex<double> *)memory_host(&p.memory, bytes);
    for (int64_t k = 0; k < n * n; k++)
        p.host[k] = exact(at(&p, k % n), at(&p, k / n), 0);
    device_upload(p.matrix, t_of_row, sizeof t_of_row);
    device_upload(p.psi, p.host, bytes);
    for (int i = 0; i <= quarters * steps; i++) {
        if (i % steps == 0)
            error = fetch_plane(&p, i * p.dt, file);
        if (i < quarters * steps)
            step_plane(&p);
    }
    memory_free(&p.memory);
    return error;
}
