/* Tests of recurrence.h with sequences of different lengths (`offset`), and with an s for each
 * sequence or channel, in all layouts: against serial loops, with padding that must not change, and
 * with NaN in some sequences, which must not reach the others. Run: build/cpu/recurrence --check. */
#include "bench/recurrence_bench.h"
#include "device_program.h"
#include "expect.h"
#include "problems.h"
#include "recurrence.h"

#include <complex>
#include <math.h>
#include <vector>

typedef std::complex<long double> number;

/* An array of the test on the host and on the device. Some elements before and after it must not
 * change. */
struct packed_array {
    std::vector<char> host;
    char *device;
};
enum { EDGE = 64 }; /* bytes before and after an array */

struct packed_trial {
    struct recurrence p;
    std::vector<int64_t> offset; /* of the sequences, also if all have the same length */
    int64_t elements, shift;     /* of an array; shift: of its begin, in elements */
    struct memory memory;
    packed_array s, t, w0, w, dw, ds, dt, dw0;
};

static number read(char type, const packed_array *a, int64_t i, int64_t shift)
{
    const char *at = a->host.data() + EDGE + shift * size_of(type);
    return is_complex(type)
               ? number(get(real_type(type), at, 2 * i), get(real_type(type), at, 2 * i + 1))
               : number(get(type, at, i));
}
/* Fills an array with numbers from [-1, 1), or of a modulus just below 1, so that no product
 * vanishes. Copies it to the device. */
static void *make(struct packed_trial *t, packed_array *a, int64_t n, struct random *r,
                  bool unit = false)
{
    const int64_t size = size_of(t->p.type), real = is_complex(t->p.type) ? size / 2 : size;
    a->host.resize((size_t)(2 * EDGE + (n + t->shift) * size));
    for (int64_t i = 0; i < (int64_t)a->host.size() / real; i++)
        put(real_type(t->p.type), a->host.data(), i, random_uniform(r, -1, 1));
    for (int64_t i = 0; unit && i < (int64_t)a->host.size() / size; i++) {
        const double q = random_uniform(r, -1, 1), modulus = 1 - 1e-3 * fabs(q);
        if (is_complex(t->p.type)) {
            put(real_type(t->p.type), a->host.data(), 2 * i, modulus * (1 - q * q) / (1 + q * q));
            put(real_type(t->p.type), a->host.data(), 2 * i + 1, modulus * 2 * q / (1 + q * q));
        } else
            put(t->p.type, a->host.data(), i, copysign(modulus, q));
    }
    a->device = (char *)memory_device(&t->memory, a->host.size());
    device_upload(a->device, a->host.data(), a->host.size());
    return a->device + EDGE + t->shift * size;
}
/* Brings a result back. `used`: which elements the call may write. */
static void fetch(const struct packed_trial *t, packed_array *a, const std::vector<char> &used)
{
    const std::vector<char> before = a->host;
    const int64_t size = size_of(t->p.type), from = EDGE + t->shift * size;
    device_download(a->host.data(), a->device, a->host.size());
    int64_t wrong = 0;
    for (int64_t i = 0; i < (int64_t)before.size(); i++) {
        const int64_t element = i < from ? -1 : (i - from) / size;
        if (element < 0 || element >= (int64_t)used.size() || !used[(size_t)element])
            wrong += before[(size_t)i] != a->host[(size_t)i];
    }
    EXPECT(wrong == 0, "type %c, length %lld, inner %lld: %lld bytes written beside the result",
           t->p.type, (long long)t->p.length, (long long)t->p.inner, (long long)wrong);
}
static void poison(struct packed_trial *t, const packed_array *a, int64_t at)
{
    char *where = (char *)a->host.data() + EDGE + (t->shift + at) * size_of(t->p.type);
    put(real_type(t->p.type), where, 0, NAN);
    device_upload(a->device, a->host.data(), a->host.size());
}

/* ---- the loop ---- */

static int64_t inner_of(const struct recurrence *p)
{
    return p->inner > 0 ? p->inner : 1;
}
/* The element of row i of sequence o inner + k */
static int64_t place(const struct packed_trial *t, int64_t o, int64_t k, int64_t i)
{
    const struct recurrence_layout l = recurrence_layout_of(&t->p);
    return (t->p.offset ? t->offset[(size_t)o] * l.row : o * l.plane) + i * l.row + k;
}
static number s_at(const struct packed_trial *t, int64_t o, int64_t k, int64_t i)
{
    const int64_t inner = inner_of(&t->p);
    const int64_t at = t->p.constant == RECURRENCE_S_EACH       ? place(t, o, k, i)
                       : t->p.constant == RECURRENCE_S_ONE      ? 0
                       : t->p.constant == RECURRENCE_S_SEQUENCE ? o * inner + k
                                                                : k;
    return read(t->p.type, &t->s, at, t->shift);
}
/* Is the difference within the bound of recurrence.h? */
static bool near(char type, number got, number exact, long double bound, int64_t steps)
{
    const long double v = type == 'h'   ? 0x1p-11L
                          : type == 'b' ? 0x1p-8L
                                        : 0,
                      u = unit_roundoff(type) * (is_complex(type) ? 2 : 1);
    return abs(got - exact) <= (long double)(steps + 12) * u * bound +
                                   v * (abs(exact) + bound * u) + (v > 0 ? 0x1p-25L : 0);
}
/* The elements of one sequence that are wrong: of w, or of dt, ds and dw0 */
static int64_t wrong_of(const struct packed_trial *t, int64_t o, int64_t k, bool gradient)
{
    const struct recurrence *p = &t->p;
    const char type = p->type;
    const int64_t length = t->offset[(size_t)o + 1] - t->offset[(size_t)o],
                  at0 = o * inner_of(p) + k;
    auto value = [&](const packed_array *a, int64_t i) { return read(type, a, i, t->shift); };
    auto row = [&](int64_t i) { return p->reverse ? length - 1 - i : i; };
    const number w0 = value(&t->w0, at0);
    number x = gradient ? 0 : w0;
    long double bound = abs(x);
    int64_t wrong = 0;
    for (int64_t step = 0; step < length; step++) {
        const int64_t i = gradient ? length - 1 - step : step, at = place(t, o, k, row(i));
        if (!gradient) {
            const number s = s_at(t, o, k, row(i));
            x = s * x + value(&t->t, at);
            bound = abs(s) * bound + abs(value(&t->t, at));
            wrong += !near(type, value(&t->w, at), x, bound, step + 1);
            continue;
        }
        const number s = step == 0 ? number(0) : conj(s_at(t, o, k, row(i + 1))),
                     before = conj(i == 0 ? w0 : value(&t->w, place(t, o, k, row(i - 1))));
        x = s * x + value(&t->dw, at);
        bound = abs(s) * bound + abs(value(&t->dw, at));
        wrong += !near(type, value(&t->dt, at), x, bound, step + 2);
        wrong += !near(type, value(&t->ds, at), x * before, bound * abs(before), step + 3);
    }
    if (gradient) {
        const number s = length == 0 ? number(0) : conj(s_at(t, o, k, row(0)));
        wrong += !near(type, value(&t->dw0, at0), s * x, bound * abs(s), length + 2);
    }
    return wrong;
}

/* ---- cases ---- */

/* Some sequences, of no element up to more than a tile. Their number in all is small. */
static std::vector<int64_t> offsets(int64_t count, int kind, struct random *r)
{
    std::vector<int64_t> at = {0};
    for (int64_t o = 0; o < count; o++) {
        const int64_t any = (int64_t)(random_bits(r) % 1000);
        at.push_back(at.back() + (kind == 0   ? 1
                                  : kind == 1 ? any % 4
                                  : kind == 2 ? any % 300
                                  : o % 7 > 2 ? 0
                                              : any * any / 100 + (o == count / 2 ? 25000 : 0)));
    }
    return at;
}
static void check_trial(struct packed_trial *t, uint64_t seed)
{
    struct random r = {seed};
    struct recurrence *p = &t->p;
    const int64_t inner = inner_of(p), count = (int64_t)t->offset.size() - 1;
    const int64_t s_count = p->constant == RECURRENCE_S_EACH       ? t->elements
                            : p->constant == RECURRENCE_S_SEQUENCE ? p->batch
                            : p->constant == RECURRENCE_S_CHANNEL  ? inner
                                                                   : 1;
    p->s = make(t, &t->s, s_count, &r, true);
    p->t = make(t, &t->t, t->elements, &r);
    p->w0 = make(t, &t->w0, p->batch, &r);
    p->w = make(t, &t->w, t->elements, &r);
    const void *dw = make(t, &t->dw, t->elements, &r);
    void *ds = make(t, &t->ds, t->elements, &r), *dt = make(t, &t->dt, t->elements, &r),
         *dw0 = make(t, &t->dw0, p->batch, &r);
    const size_t bytes = recurrence_workspace_of(p);
    void *work = memory_device(&t->memory, bytes);
    std::vector<char> used((size_t)t->elements), heads((size_t)p->batch, 1);
    auto each = [&](auto f) {
        for (int64_t o = 0; o < count; o++)
            for (int64_t k = 0; k < inner; k++)
                f(o, k);
    };
    each([&](int64_t o, int64_t k) {
        for (int64_t i = 0; i < t->offset[(size_t)o + 1] - t->offset[(size_t)o]; i++)
            used[(size_t)place(t, o, k, i)] = 1;
        if ((o * inner + k) % 5 == 3 && t->offset[(size_t)o + 1] > t->offset[(size_t)o])
            poison(t, &t->t, place(t, o, k, 0)); /* must not reach another sequence */
    });
    int64_t wrong = 0;
    auto count_wrong = [&](bool gradient) {
        wrong = 0;
        each([&](int64_t o, int64_t k) {
            if ((o * inner + k) % 5 != 3)
                wrong += wrong_of(t, o, k, gradient);
        });
        EXPECT(wrong == 0, "type %c, %lld x %lld (inner %lld, s %d, %s%s): %lld wrong in %s",
               p->type, (long long)count, (long long)p->length, (long long)inner, p->constant,
               p->offset ? "packed" : "equal", p->reverse ? ", reverse" : "", (long long)wrong,
               gradient ? "the gradient" : "w");
    };
    CHECK(recurrence_prepare(work, bytes, 0));
    CHECK(recurrence_solve(p, work, bytes, 0));
    fetch(t, &t->w, used);
    count_wrong(false);
    if (p->constant == RECURRENCE_S_EACH) {
        CHECK(recurrence_gradient(p, dw, ds, dt, dw0, work, bytes, 0));
        fetch(t, &t->ds, used);
        fetch(t, &t->dt, used);
        fetch(t, &t->dw0, heads);
        count_wrong(true);
    }
    memory_free(&t->memory);
}
/* `number` selects direction, s, gaps between rows, and alignment. */
static void check_case(char type, const std::vector<int64_t> &offset, bool packed, int64_t inner,
                       int number, uint64_t seed)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct packed_trial t = {};
    const int64_t count = (int64_t)offset.size() - 1, gap = number % 3 == 1 ? 4 : number % 3;
    t.offset = offset;
    t.shift = number % 4 == 3;
    t.p = {.type = type, .length = packed ? offset.back() : offset[1], .batch = count * inner};
    t.p.inner = inner;
    t.p.row_stride = gap > 0 ? inner + gap : 0;
    t.p.reverse = number % 2;
    t.p.constant = number / 2 % 4;
    t.p.blocks = number % 5;
    if (packed) {
        int64_t *device = (int64_t *)memory_device(&t.memory, offset.size() * sizeof(int64_t));
        device_upload(device, offset.data(), offset.size() * sizeof(int64_t));
        t.p.offset = device;
    }
    t.elements = (packed ? 1 : count) * t.p.length * (inner + gap);
    if (t.elements > 0)
        check_trial(&t, seed + (uint64_t)number);
    else
        memory_free(&t.memory);
}

void recurrence_packed_check(uint64_t seed, bool all)
{
    struct random r = {seed};
    int number = 0;
    for (const char *type = "sdczhb"; *type; type++)
        for (int kind = 0; kind < 4; kind++)
            for (int64_t inner : {1, 1, 1, 3, 8, 36, 100})
                for (int k = 0; k < (all ? 8 : 2); k++)
                    check_case(*type, offsets(kind == 3 ? inner > 8 ? 10 : 30 : 200, kind, &r),
                               true, inner, number++, seed);
    /* sequences of equal lengths, for s */
    for (const char *type = "sdczhb"; *type; type++)
        for (int64_t length : {1, 37, 3000})
            for (int64_t inner : {1, 3, 8, 40})
                for (int k = 0; k < (all ? 8 : 2); k++) {
                    std::vector<int64_t> offset;
                    for (int64_t o = 0; o <= (length > 37 ? 2 : 20); o++)
                        offset.push_back(o * length);
                    check_case(*type, offset, false, inner, number++, seed);
                }
}
