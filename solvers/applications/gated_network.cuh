/* The network of the program gated: a layer whose memory is a gated linear recurrence, its output,
 * the gradient of both, and training by Adam. Layer and task:
 *
 *     h_t = a_t h_{t-1} + (1 - a_t) x_t,   a_t = sigmoid(u[token_t]),   x_t = v[token_t]
 *
 * for each channel: W13 eq. 2 with s = a, t = (1 - a) x. The gate a_t depends on the input alone,
 * not on h_{t-1} as in an LSTM, so a whole sequence is one call of recurrence_solve(), and its
 * gradient one of recurrence_gradient(). A token is a symbol, marked or not. The network has to say
 * at each time which symbol was marked last: it must remember that symbol for any time and ignore
 * all others, so the gate must depend on the token. */
#pragma once

#include "device_program.h"
#include "problems.h"
#include "recurrence.h"
#include "recurrence_cpu.h"

#include <math.h>
#include <omp.h>

/* The solver of the recurrence: on the device, on CPU cores, or a serial loop. */
enum { GATED, GATED_CPU, GATED_SERIAL };

/* A token below SYMBOLS is that symbol, a larger one the same symbol with a mark. */
enum { SYMBOLS = 8, TOKENS = 2 * SYMBOLS, CHANNELS = 16, BATCH = 16, SEQUENCES = BATCH * CHANNELS };
/* The parameters are one array: u and v for each token and channel, and weights and biases of the
 * output, for each symbol. */
enum {
    U = 0,
    V = U + TOKENS * CHANNELS,
    WEIGHT = V + TOKENS * CHANNELS,
    BIAS = WEIGHT + SYMBOLS * CHANNELS,
    PARAMETERS = BIAS + SYMBOLS
};

/* The arrays of the layer, of the shape (BATCH, length, CHANNELS): t is (1 - a) x, and da is the
 * gradient of the loss with respect to a. dh0 has an element for each sequence and channel. */
template <class T> struct layer {
    T *a, *t, *h, *dh, *da, *dt, *dh0;
};
template <class T> struct network {
    char type;
    int64_t length;
    bool gated;          /* false: all tokens have the gate of token 0 */
    int *token, *target; /* of the shape (BATCH, length) */
    T parameter[PARAMETERS], gradient[PARAMETERS];
    T (*part)[PARAMETERS]; /* the gradient of each of the BATCH sequences of tokens */
    layer<T> host, device;
    void *work;
    size_t work_bytes;
    struct memory memory;
};

/* Draws new sequences of tokens. The first one has a mark, later ones one in 64. */
template <class T> static void draw_tokens(network<T> *net, struct random *r)
{
    for (int64_t k = 0, last = 0; k < BATCH * net->length; k++) {
        int64_t symbol = (int64_t)(random_bits(r) % SYMBOLS);
        bool mark = k % net->length == 0 || random_uniform(r, 0, 1) < 1. / 64;
        last = mark ? symbol : last;
        net->token[k] = (int)(symbol + (mark ? SYMBOLS : 0));
        net->target[k] = (int)last;
    }
}

template <class T>
static layer<T> layer_allocate(struct memory *m, void *(*allocate)(struct memory *, size_t),
                               int64_t length)
{
    auto array = [&](int64_t n) { return (T *)allocate(m, (size_t)n * SEQUENCES * sizeof(T)); };
    return {array(length), array(length), array(length), array(length),
            array(length), array(length), array(1)};
}
template <class T> static struct recurrence recurrence_of(const network<T> *net, const layer<T> *x)
{
    struct recurrence p = {.type = net->type, .length = net->length, .batch = SEQUENCES};
    p.s = x->a, p.t = x->t, p.w = x->h;
    p.inner = p.row_stride = CHANNELS, p.plane_stride = CHANNELS * net->length;
    return p;
}
template <class T>
static void network_open(network<T> *net, char type, int64_t length, struct random *r)
{
    *net = {};
    net->type = type, net->length = length, net->gated = true;
    struct memory *m = &net->memory;
    const size_t token_bytes = (size_t)(BATCH * length) * sizeof(int);
    net->host = layer_allocate<T>(m, memory_host, length);
    net->device = layer_allocate<T>(m, memory_device, length);
    net->part = (T(*)[PARAMETERS])memory_host(m, BATCH * sizeof *net->part);
    net->token = (int *)memory_host(m, token_bytes);
    net->target = (int *)memory_host(m, token_bytes);
    struct recurrence p = recurrence_of(net, &net->device);
    net->work_bytes = recurrence_workspace_of(&p);
    net->work = memory_device(m, net->work_bytes);
    CHECK(recurrence_prepare(net->work, net->work_bytes, 0));
    for (int k = 0; k < PARAMETERS; k++) /* all gates start near sigmoid(2) = 0.88 */
        net->parameter[k] = (T)(random_uniform(r, -0.5, 0.5) + (k < V ? 2 : 0));
    draw_tokens(net, r);
}

/* ---- the recurrence and its gradient, in three ways ---- */

template <class T>
static cudaError_t run_on_device(const network<T> *net, bool backward, cudaStream_t stream)
{
    const layer<T> *x = &net->device;
    struct recurrence p = recurrence_of(net, x);
    return backward ? recurrence_gradient(&p, x->dh, x->da, x->dt, x->dh0, net->work,
                                          net->work_bytes, stream)
                    : recurrence_solve(&p, net->work, net->work_bytes, stream);
}
template <class T> static void run_with_copies(const network<T> *net, bool backward)
{
    const layer<T> *x = &net->host, *on = &net->device;
    const size_t bytes0 = SEQUENCES * sizeof(T), bytes = (size_t)net->length * bytes0;
    if (!backward) {
        device_upload(on->a, x->a, bytes), device_upload(on->t, x->t, bytes);
        CHECK(run_on_device(net, false, 0));
        device_download(x->h, on->h, bytes);
    } else { /* a and h are still there */
        device_upload(on->dh, x->dh, bytes);
        CHECK(run_on_device(net, true, 0));
        device_download(x->da, on->da, bytes), device_download(x->dt, on->dt, bytes);
        device_download(x->dh0, on->dh0, bytes0);
    }
}
template <class T> static void run_on_cores(const network<T> *net, bool backward)
{
    const layer<T> *x = &net->host;
    struct recurrence p = recurrence_of(net, x);
    if (backward)
        recurrence_cpu_gradient(&p, x->dh, x->da, x->dt, x->dh0, omp_get_max_threads());
    else
        recurrence_cpu_solve(&p, omp_get_max_threads());
}
/* What a user would write. The compiler makes SIMD code of the loops over channels. */
template <class T> static void run_serially(const network<T> *net, bool backward)
{
    const layer<T> x = net->host;
    for (int64_t b = 0; b < BATCH; b++) {
        T carry[CHANNELS] = {};
        int64_t begin = b * net->length * CHANNELS, end = begin + net->length * CHANNELS;
        for (int64_t k = begin; !backward && k < end; k += CHANNELS)
            for (int c = 0; c < CHANNELS; c++)
                x.h[k + c] = carry[c] = x.a[k + c] * carry[c] + x.t[k + c];
        for (int64_t k = end - CHANNELS; backward && k >= begin; k -= CHANNELS)
            for (int c = 0; c < CHANNELS; c++) {
                T dt = x.dh[k + c] + carry[c];
                x.dt[k + c] = dt;
                x.da[k + c] = k > begin ? dt * x.h[k + c - CHANNELS] : 0;
                carry[c] = x.a[k + c] * dt;
            }
        for (int c = 0; backward && c < CHANNELS; c++)
            x.dh0[b * CHANNELS + c] = carry[c];
    }
}
template <class T> static void run(const network<T> *net, int how, bool backward)
{
    how == GATED       ? run_with_copies(net, backward)
    : how == GATED_CPU ? run_on_cores(net, backward)
                       : run_serially(net, backward);
}

/* ---- the rest of the network ---- */

template <class T> static const T *gates_of(const network<T> *net, int token)
{
    return net->parameter + U + (net->gated ? token : 0) * CHANNELS;
}

/* a_t and (1 - a_t) x_t of sequence b. */
template <class T> static void inputs(network<T> *net, int64_t b)
{
    for (int64_t r = b * net->length; r < (b + 1) * net->length; r++) {
        const T *u = gates_of(net, net->token[r]),
                *v = net->parameter + V + net->token[r] * CHANNELS;
        for (int c = 0; c < CHANNELS; c++) {
            T a = 1 / (1 + exp(-u[c]));
            net->host.a[r * CHANNELS + c] = a;
            net->host.t[r * CHANNELS + c] = (1 - a) * v[c];
        }
    }
}

/* The softmax of the output at each time of sequence b. Returns the sum of the losses, -log of the
 * probability of the right symbol, and adds the number of right answers to *right. Also computes dh
 * and the gradient of the output's parameters. */
template <class T> static double outputs(network<T> *net, int64_t b, int64_t *right)
{
    const T *weight = net->parameter + WEIGHT, share = (T)1 / (T)(BATCH * net->length);
    double loss = 0;
    for (int64_t r = b * net->length; r < (b + 1) * net->length; r++) {
        const T *h = net->host.h + r * CHANNELS;
        T *dh = net->host.dh + r * CHANNELS, y[SYMBOLS], e[SYMBOLS], sum = 0;
        int best = 0;
        for (int k = 0; k < SYMBOLS; k++) {
            y[k] = net->parameter[BIAS + k];
            for (int c = 0; c < CHANNELS; c++)
                y[k] += weight[k * CHANNELS + c] * h[c];
            best = y[k] > y[best] ? k : best;
        }
        *right += best == net->target[r];
        for (int k = 0; k < SYMBOLS; k++)
            sum += e[k] = exp(y[k] - y[best]);
        loss -= (double)(y[net->target[r]] - y[best] - log(sum));
        for (int c = 0; c < CHANNELS; c++)
            dh[c] = 0;
        for (int k = 0; k < SYMBOLS; k++) {
            T dy = (e[k] / sum - (k == net->target[r])) * share;
            net->part[b][BIAS + k] += dy;
            for (int c = 0; c < CHANNELS; c++) {
                net->part[b][WEIGHT + k * CHANNELS + c] += dy * h[c];
                dh[c] += dy * weight[k * CHANNELS + c];
            }
        }
    }
    return loss;
}

/* From da and dt to the gradient of u and v: t = (1 - a) v, and a is the sigmoid of u. */
template <class T> static void input_gradients(network<T> *net, int64_t b)
{
    for (int64_t r = b * net->length; r < (b + 1) * net->length; r++) {
        const int64_t gate = gates_of(net, net->token[r]) - net->parameter,
                      value = V + net->token[r] * CHANNELS;
        for (int c = 0; c < CHANNELS; c++) {
            T a = net->host.a[r * CHANNELS + c], dt = net->host.dt[r * CHANNELS + c];
            net->part[b][value + c] += dt * (1 - a);
            net->part[b][gate + c] +=
                (net->host.da[r * CHANNELS + c] - dt * net->parameter[value + c]) * a * (1 - a);
        }
    }
}

/* Forward and backward: the mean loss, its gradient, and the share of right answers. */
struct score {
    double loss, right;
};
template <class T> static struct score evaluate(network<T> *net, int how)
{
    double loss = 0;
    int64_t right = 0;
    memset(net->part, 0, BATCH * sizeof *net->part);
#pragma omp parallel for
    for (int64_t b = 0; b < BATCH; b++)
        inputs(net, b);
    run(net, how, false);
#pragma omp parallel for reduction(+ : loss, right)
    for (int64_t b = 0; b < BATCH; b++)
        loss += outputs(net, b, &right);
    run(net, how, true);
#pragma omp parallel for
    for (int64_t b = 0; b < BATCH; b++)
        input_gradients(net, b);
    for (int k = 0; k < PARAMETERS; k++) {
        net->gradient[k] = 0;
        for (int b = 0; b < BATCH; b++) /* in order, so that a run can be repeated */
            net->gradient[k] += net->part[b][k];
    }
    const double rows = (double)(BATCH * net->length);
    return {loss / rows, (double)right / rows};
}

/* Trains by Adam (Kingma and Ba 2015), with new sequences for each step. after(step, score) is
 * called after each. */
template <class T, class After>
static void train(network<T> *net, int how, int steps, struct random *r, After after)
{
    const double RATE = 0.03, MEAN = 0.9, SQUARE = 0.99;
    double mean[PARAMETERS] = {}, square[PARAMETERS] = {};
    for (int step = 1; step <= steps; step++) {
        draw_tokens(net, r);
        after(step, evaluate(net, how));
        for (int k = 0; k < PARAMETERS; k++) {
            double g = (double)net->gradient[k];
            mean[k] += (1 - MEAN) * (g - mean[k]);
            square[k] += (1 - SQUARE) * (g * g - square[k]);
            net->parameter[k] -= (T)(RATE * mean[k] / (1 - pow(MEAN, step)) /
                                     (sqrt(square[k] / (1 - pow(SQUARE, step))) + 1e-8));
        }
    }
}
