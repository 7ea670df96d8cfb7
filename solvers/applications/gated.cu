/* The program gated: trains a gated linear recurrent network (gated_network.cuh) and times its
 * recurrence. Run: build/gpu/gated --help. With --csv DIR/NAME.csv it also writes
 * DIR/NAME_training.csv and DIR/NAME_gate.csv. */
#include "applications/application.h"
#include "applications/gated_network.cuh"
#include "bench/sequences.h"
#include "csv.h"
#include "expect.h"

#include <initializer_list>

static const char program_name[] = "gated";

static const struct variant variants[] = {
    {"gated", "solve and gradient of the layer by recurrence.h"},
    {"gated_cpu", "by recurrence_cpu.h; and a whole training step", NULL, NULL, HOST_CORES},
    {"gated_serial", "by a loop over time on one core", NULL, NULL, HOST_CORES},
    {}};

/* ---- times ---- */

/* Verifies h and the gradients da, dt and dh0 that the network holds. */
template <class T> static struct verdict layer_verdict(const network<T> *net)
{
    struct memory memory = {};
    const layer<T> *x = &net->host;
    struct recurrence p = recurrence_of(net, x);
    struct sequences a = {};
    a.type = p.type, a.n = SEQUENCES * net->length, a.batch = SEQUENCES, a.host_dw0 = x->dh0;
    struct {
        T *from;
        void **to;
    } arrays[] = {{x->a, &a.host_s},   {x->t, &a.host_t},   {x->h, &a.host_w},
                  {x->dh, &a.host_dw}, {x->da, &a.host_ds}, {x->dt, &a.host_dt}};
    for (auto &array : arrays) {
        *array.to = memory_host(&memory, (size_t)a.n * sizeof(T));
        sequences_arrange(&p, array.from, *array.to, true);
    }
    struct verdict verdict = sequences_verdict(&a, &p, SOLUTION, true),
                   other = sequences_verdict(&a, &p, GRADIENTS, true);
    memory_free(&memory);
    return other.used > verdict.used ? other : verdict;
}
template <class T> static struct verdict evaluate_and_verify(network<T> *net, int how)
{
    const size_t bytes = (size_t)(SEQUENCES * net->length) * sizeof(T);
    T *const host[] = {net->host.h, net->host.da, net->host.dt};
    T *const device[] = {net->device.h, net->device.da, net->device.dt};
    for (int k = 0; k < 3; k++)
        host_poison(host[k], bytes), device_poison(device[k], bytes);
    evaluate(net, how);
    return layer_verdict(net);
}

/* The time of the recurrence, solve and gradient, by each variant, and of a step on CPU cores. */
template <class T>
static void time_layer(struct results *results, char type, int64_t length, const struct options *o)
{
    const int cores = omp_get_max_threads();
    struct random r = {o->seed};
    network<T> net;
    network_open(&net, type, length, &r);
    for (int how : {GATED, GATED_CPU, GATED_SERIAL}) {
        if (!o->has_variant[how])
            continue;
        struct verdict verdict = evaluate_and_verify(&net, how);
        struct row row = how == GATED
                             ? device_row(variants[how].name, type, length, SEQUENCES, 8, verdict)
                             : cpu_row(variants[how].name, type, length, SEQUENCES,
                                       how == GATED_CPU ? cores : 1, 8, verdict);
        row.phase = "recurrence";
        if (how == GATED)
            record(results, row, o->reps, [&](cudaStream_t stream) {
                TRY(run_on_device(&net, false, stream));
                return run_on_device(&net, true, stream);
            });
        else
            record_cores(results, row, NULL, o->reps,
                         [&] { run(&net, how, false), run(&net, how, true); });
        row.phase = "total";
        if (how == GATED_CPU)
            record_cores(results, row, NULL, o->reps, [&] { evaluate(&net, how); });
    }
    memory_free(&net.memory);
}

/* ---- training ---- */

/* Writes the mean gate at each time of the sequence with the most marks. */
static void write_gate(const network<float> *net, FILE *file)
{
    int64_t marks[BATCH] = {}, b = 0;
    for (int64_t r = 0; r < BATCH * net->length; r++)
        marks[r / net->length] += net->token[r] >= SYMBOLS;
    for (int64_t k = 1; k < BATCH; k++)
        b = marks[k] > marks[b] ? k : b;
    for (int64_t t = 0, r = b * net->length; file && t < net->length; t++, r++) {
        double sum = 0;
        for (int c = 0; c < CHANNELS; c++)
            sum += (double)net->host.a[r * CHANNELS + c];
        fprintf(file, "%d,%d,%.5f\n", (int)t, net->token[r] >= SYMBOLS, sum / CHANNELS);
    }
}

/* Trains a network whose gates depend on the token, and one whose gates do not. */
static int run_training(const char *prefix, int how, uint64_t seed)
{
    enum { LENGTH = 128, STEPS = 200, SHOWN = 25 };
    struct csv csv, gate;
    double last[2] = {};
    if (!csv_open(&csv, program_name, prefix, "training", "gates,step,loss,right") ||
        !csv_open(&gate, program_name, prefix, "gate", "t,mark,gate"))
        return EXIT_USAGE;
    for (bool gated : {false, true}) {
        const char *name = gated ? "by_token" : "fixed";
        struct random r = {seed};
        network<float> net;
        network_open(&net, 's', LENGTH, &r);
        net.gated = gated;
        train(&net, how, STEPS, &r, [&](int step, struct score score) {
            if (csv.file)
                fprintf(csv.file, "%s,%d,%.6g,%.5f\n", name, step, score.loss, score.right);
            if (step % SHOWN == 0)
                progress(program_name, step / SHOWN, STEPS / SHOWN, "25 training steps");
            last[gated] = score.loss;
        });
        printf("gated: gates %-8s loss after %d steps: %.4f\n", name, STEPS, last[gated]);
        if (gated)
            write_gate(&net, gate.file);
        memory_free(&net.memory);
    }
    bool learned = last[true] < 0.05 && last[true] < last[false], written = csv_close(&csv);
    return !csv_close(&gate) || !written ? EXIT_USAGE : learned ? EXIT_VERIFIED : EXIT_WRONG;
}

static int sweep(const struct program *program, const struct options *o)
{
    const double bytes = 8. * SEQUENCES * (double)list_largest(&o->n, 1);
    return application_sweep(
        program, o, 6.5 * bytes, 12.5 * bytes,
        [&](struct results *results, int64_t length) {
            for (const char *type = o->types; *type; type++)
                *type == 's' ? time_layer<float>(results, 's', length, o)
                             : time_layer<double>(results, 'd', length, o);
        },
        [&](const char *prefix) {
            const int how = o->has_variant[GATED] ? GATED : GATED_CPU;
            return o->has_variant[how] ? run_training(prefix, how, o->seed) : EXIT_VERIFIED;
        });
}

/* ---- tests ---- */

/* The gradient of the whole network against differences of the loss. */
static void check_gradient(uint64_t seed, int how, bool gated)
{
    const double STEP = 1e-5;
    struct random r = {seed};
    network<double> net;
    network_open(&net, 'd', 40, &r);
    net.gated = gated;
    evaluate(&net, how);
    double computed[PARAMETERS], worst = 0;
    memcpy(computed, net.gradient, sizeof computed);
    for (int k = 0; k < PARAMETERS; k += 7) {
        double here = net.parameter[k];
        net.parameter[k] = here + STEP;
        double above = evaluate(&net, how).loss;
        net.parameter[k] = here - STEP;
        double difference = (above - evaluate(&net, how).loss) / (2 * STEP);
        net.parameter[k] = here;
        double off = fabs(difference - computed[k]);
        worst = off <= worst ? worst : off;
    }
    /* Truncation is of order STEP^2, rounding 1e-16/STEP; gradients are some 1e-3. */
    EXPECT(worst < 1e-9, "%s, gates by token %d: gradient off by %g", variants[how].name, gated,
           worst);
    memory_free(&net.memory);
}
template <class T> static void check_layer(uint64_t seed, char type, int64_t length, int how)
{
    struct random r = {seed};
    network<T> net;
    network_open(&net, type, length, &r);
    struct verdict verdict = evaluate_and_verify(&net, how);
    EXPECT(verdict.ok, "%s, type %c, length %lld: error %g", variants[how].name, type,
           (long long)length, verdict.error);
    memory_free(&net.memory);
}

static int check(const struct options *o)
{
    for (int how : {GATED, GATED_CPU, GATED_SERIAL}) {
        if (!o->has_variant[how])
            continue;
        for (int64_t length : {257, 1, 2, 3, 31, 64, 1000}) {
            if (static int turns; expect_skips(&turns))
                continue;
            check_layer<float>(o->seed, 's', length, how);
            check_layer<double>(o->seed, 'd', length, how);
        }
        check_gradient(o->seed, how, true);
        check_gradient(o->seed, how, false);
    }
    struct score first = {}, last = {};
    struct random r = {o->seed};
    network<float> net;
    network_open(&net, 's', 64, &r);
    train(&net, GATED_CPU, 150, &r,
          [&](int step, struct score score) { *(step == 1 ? &first : &last) = score; });
    EXPECT(first.loss > 1.5 && last.loss < 0.05 && last.right > 0.99,
           "loss from %g to %g, %g right", first.loss, last.loss, last.right);
    memory_free(&net.memory);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {.name = program_name,
                              .summary = "Trains a gated linear recurrent network; n is the length "
                                         "of its sequences.",
                              .variants = variants,
                              .takes = "n type=sd",
                              .paper = "--n 1K,4K,16K,64K --type s,d",
                              .quick = "--n 64,256,1K --type s,d --reps 3"};
    return device_main(&program, argc, argv, check, sweep);
}
