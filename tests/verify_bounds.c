/* Holds the bounds of companion kernels against the interpreter and MPFR, in random expressions of f32.  Not part of
 * the test run, but for a few seeds (test_verify_bounds.py).
 *
 *   verify_bounds [--contract NAME] [--exact EVERY] [FIRST [COUNT]]   that many expressions, from seed FIRST on
 *   verify_bounds --sums [FIRST [COUNT]]                              how tight the bounds of sums are
 *
 * Each expression has 16,384 elements.  Of all of them, |v - R| <= B must hold for the interpreter's v; of a row of 64
 * in each EVERYth expression (1 if not given), |R - m| <= B + 2^-40 |m| and |v - m| <= B + 2^-40 |m| too, for
 * MPFR's m of 192 bits.  Prints counts, the worst |v - R| / B and the share without a bound; exit status 1 if an
 * element is outside, after its seed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bounds_expression.h"
#include "tilegrind/arrays.h"
#include "tilegrind/bounds.h"

/* ---- judging ---- */

typedef struct counts {
    uint64_t judged, unbounded, special, by_mpfr, outside, refused;
    double worst;
} counts;

typedef struct launch {
    const float *x, *y, *v;
    const double *exact, *bound;
} launch;

static bool is_outside(double v, double r, double bound, counts *c)
{
    c->judged++;
    if (!isfinite(bound)) {
        c->unbounded++;
        return false;
    }
    if (!isfinite(r)) {
        c->special++;
        return !(v == r || (isnan(v) && isnan(r)));
    }
    const double off = fabs(v - r);
    if (off > 0 && off / bound > c->worst) c->worst = off / bound;
    return !(off <= bound);
}

static bool is_far(double got, const mpfr_t m, double bound, mpfr_t off)
{
    if (!mpfr_number_p(m)) return !mpfr_nan_p(m) && isfinite(got);
    if (!isfinite(got)) return true;
    mpfr_sub_d(off, m, got, MPFR_RNDN);
    return fabs(mpfr_get_d(off, MPFR_RNDN)) > bound + 0x1p-40 * fabs(mpfr_get_d(m, MPFR_RNDN));
}

static void say_outside(uint64_t seed, int i, const launch *l, const char *what, double m,
                        counts *c)
{
    if (c->outside++ < 10)
        printf("seed %" PRIu64 ", element %d: %s: v %a, R %a, B %a, m %a\n", seed, i, what,
               (double)l->v[i], l->exact[i], l->bound[i], m);
}

static void judge_exactly(const expression *e, uint64_t seed, int r, const launch *l, row *value,
                          counts *c)
{
    mpfr_t off;
    mpfr_init2(off, BITS);
    evaluate(e, l->x + r * WIDTH, l->y + r * WIDTH, value);
    for (int k = 0; k < WIDTH; k++) {
        const int i = r * WIDTH + k;
        const mpfr_t *m = &value[NODES - 1][k];
        if (!isfinite(l->bound[i]) || !isfinite(l->exact[i])) continue;
        c->by_mpfr++;
        if (is_far((double)l->v[i], *m, l->bound[i], off))
            say_outside(seed, i, l, "v is far from the exact result", mpfr_get_d(*m, MPFR_RNDN), c);
        if (is_far(l->exact[i], *m, l->bound[i], off))
            say_outside(seed, i, l, "R is far from the exact result", mpfr_get_d(*m, MPFR_RNDN), c);
    }
    mpfr_clear(off);
}

static const void *data_of(const tg_arrays *all, const char *name)
{
    return tg_arrays_get(all, tg_arrays_find(all, name)).tensor.data;
}

static float number(expression *e, int step, int spread)
{
    const double at = (double)draw(e, 1 << 24) / (1 << 23) - 1;
    return (float)(step ? floor(at * 8) : ldexp(at, spread));
}

/* Of every eighth seed, inputs are whole numbers; the others reach from 2^-8 to 2^8. */
static tg_arrays *inputs_of(expression *e, uint64_t seed)
{
    static const char *const names[] = {"x", "y"};
    char type[32];
    tg_arrays *all = tg_arrays_new();
    snprintf(type, sizeof type, "f32[%d]", ROWS * WIDTH);
    for (size_t p = 0; p < INPUTS; p++) {
        if (tg_arrays_add_zeros(all, names[p], type, NULL) != TG_OK) abort();
        float *data = tg_arrays_get(all, p).tensor.data;
        const int spread = (int)draw(e, 17) - 8;
        for (int i = 0; i < ROWS * WIDTH; i++) data[i] = number(e, seed % 8 == 0, spread);
    }
    return all;
}

static void verify(uint64_t seed, const char *contract, uint64_t every, row *value, counts *c)
{
    expression e = random_expression(seed);
    tg_module *module = kernel_of(&e, false), *companion;
    tg_errors *errors = tg_errors_new();
    if (tg_module_companion(module, NULL, contract, TG_BOUNDS_CERTAIN, &companion, errors) !=
        TG_OK) {
        printf("seed %" PRIu64 ": %s\n", seed, tg_errors_get(errors, 0).message);
        c->refused++;
    } else {
        tg_arrays *inputs = inputs_of(&e, seed), *outputs = tg_arrays_new();
        tg_report *report;
        if (tg_arrays_run(companion, NULL, inputs, NULL, NULL, outputs, &report, errors) != TG_OK)
            abort();
        const launch l = {data_of(inputs, "x"), data_of(inputs, "y"), data_of(outputs, "o"),
                          data_of(outputs, "o exact"), data_of(outputs, "o bound")};
        const uint64_t before = c->outside;
        for (int i = 0; i < ROWS * WIDTH; i++)
            if (is_outside((double)l.v[i], l.exact[i], l.bound[i], c))
                say_outside(seed, i, &l, "v is outside", (double)NAN, c);
        if (c->outside > before) tg_module_free(kernel_of(&e, true));
        if (seed % every == 0) judge_exactly(&e, seed, (int)(seed / every % ROWS), &l, value, c);
        tg_report_free(report);
        tg_arrays_free(inputs);
        tg_arrays_free(outputs);
        tg_module_free(companion);
    }
    tg_errors_free(errors);
    tg_module_free(module);
}

/* ---- sums ---- */

enum { TERMS = 1024, SHUFFLES = 8 };

static float added(const float *x, const int *order)
{
    float sum = 0;
    for (int i = 0; i < TERMS; i++) sum += x[order[i]];
    return sum;
}

static float added_in_blocks(const float *x, int block)
{
    float sum = 0;
    for (int i = 0; i < TERMS; i += block) {
        float part = 0;
        for (int k = i; k < i + block; k++) part += x[k];
        sum += part;
    }
    return sum;
}

static int by_float(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Terms of one sign first: the partial sums are as great as they can be. */
static double error_of_sorted(const float *x, const int *order, double exact)
{
    float sorted[TERMS];
    memcpy(sorted, x, sizeof sorted);
    qsort(sorted, TERMS, sizeof *sorted, by_float);
    double error = fabs((double)added(sorted, order) - exact);
    for (int i = 0; i < TERMS / 2; i++) {
        const float kept = sorted[i];
        sorted[i] = sorted[TERMS - 1 - i];
        sorted[TERMS - 1 - i] = kept;
    }
    return fmax(error, fabs((double)added(sorted, order) - exact));
}

/* The largest error of sums in several orders, which may depend on the numbers. */
static double observed(expression *e, const float *x, double exact, bool may_sort)
{
    int order[TERMS];
    double most = 0;
    for (int i = 0; i < TERMS; i++) order[i] = i;
    if (may_sort) most = error_of_sorted(x, order, exact);
    for (int s = 0; s < SHUFFLES; s++) {
        most = fmax(most, fabs((double)added(x, order) - exact));
        for (int i = TERMS - 1; i > 0; i--) {
            const int other = (int)draw(e, (uint64_t)i + 1), kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
    }
    for (int block = 4; block < TERMS; block *= 4)
        most = fmax(most, fabs((double)added_in_blocks(x, block) - exact));
    return most;
}

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How tight bounds of sums are: the medians over many sums, and whether one was outside. */
typedef struct tightness {
    double
        of_orders; /* the bound over the largest error in orders that do not depend on the numbers */
    double of_any; /* in any order */
    uint64_t outside;
} tightness;

static double median(double *ratio, uint64_t count)
{
    qsort(ratio, count, sizeof *ratio, by_number);
    return ratio[count / 2];
}

/* Of sums of positive numbers, or of numbers of both signs. */
static tightness of_sums(uint64_t first, uint64_t count, bool is_positive, tg_bounds bounds)
{
    tg_module *module = load_kernel(
                  "input x f32[1024]\noutput o f32[1]\nbody\n%10:f32[1024] = load %1 [0:1024]; "
                  "%11:f32[] = reduce_sum %10 axes=[0]; %12:f32[1] = broadcast_in_dim %11 dims=[]; "
                  "store %2 %12 [0:1]\n"),
              *companion;
    if (tg_module_companion(module, NULL, "ieee", bounds, &companion, NULL) != TG_OK) abort();
    double *of_orders = calloc(2 * count + 1, sizeof *of_orders), *of_any = of_orders + count;
    tightness found = {0};
    for (uint64_t s = 0; s < count && of_orders; s++) {
        expression e = {.state = first + s};
        tg_arrays *inputs = tg_arrays_new(), *outputs = tg_arrays_new();
        tg_report *report;
        if (tg_arrays_add_zeros(inputs, "x", "f32[1024]", NULL) != TG_OK) abort();
        float *x = tg_arrays_get(inputs, 0).tensor.data;
        for (int i = 0; i < TERMS; i++)
            x[i] = is_positive ? fabsf(number(&e, 0, 0)) : number(&e, 0, 0);
        if (tg_arrays_run(companion, NULL, inputs, NULL, NULL, outputs, &report, NULL) != TG_OK)
            abort();
        const double bound = *(const double *)data_of(outputs, "o bound"),
                     exact = *(const double *)data_of(outputs, "o exact");
        of_orders[s] = bound / observed(&e, x, exact, false);
        of_any[s] = fmin(of_orders[s], bound / observed(&e, x, exact, true));
        if (of_any[s] < 1) found.outside++;
        tg_report_free(report);
        tg_arrays_free(inputs);
        tg_arrays_free(outputs);
    }
    if (of_orders) {
        found.of_orders = median(of_orders, count);
        found.of_any = median(of_any, count);
    }
    free(of_orders);
    tg_module_free(companion);
    tg_module_free(module);
    return found;
}

static int verify_sums(uint64_t first, uint64_t count)
{
    uint64_t outside = 0;
    printf("sums of %d terms, %" PRIu64 " of each kind: median of bound / largest error\n", TERMS,
           count);
    for (int which = 0; which < 4; which++) {
        const bool is_positive = which % 2 != 0;
        const tg_bounds bounds = which < 2 ? TG_BOUNDS_CERTAIN : TG_BOUNDS_PROBABLE;
        const tightness found = of_sums(first, count, is_positive, bounds);
        printf("%s bounds, %s: %.1f in fixed orders, %.1f in any; outside %" PRIu64 "\n",
               bounds == TG_BOUNDS_CERTAIN ? "certain" : "probable",
               is_positive ? "positive terms" : "terms of both signs", found.of_orders,
               found.of_any, found.outside);
        outside += found.outside;
    }
    return outside > 0;
}

/* ---- command ---- */

static int verify_all(const char *contract, uint64_t every, uint64_t first, uint64_t count)
{
    counts c = {0};
    row *value = calloc(NODES, sizeof *value);
    for (int k = 0; k < NODES * WIDTH; k++) mpfr_init2(value[k / WIDTH][k % WIDTH], BITS);
    for (uint64_t seed = first; seed < first + count; seed++) {
        verify(seed, contract, every, value, &c);
        if ((seed - first + 1) % 1000 == 0)
            fprintf(stderr, "seed %" PRIu64 ": %" PRIu64 " elements, %" PRIu64 " outside\n", seed,
                    c.judged, c.outside);
    }
    for (int k = 0; k < NODES * WIDTH; k++) mpfr_clear(value[k / WIDTH][k % WIDTH]);
    free(value);
    printf("elements=%" PRIu64 " outside=%" PRIu64
           " worst=%.4f unbounded=%.4f special=%.4f by_mpfr=%" PRIu64 " refused=%" PRIu64 "\n",
           c.judged, c.outside, c.worst, (double)c.unbounded / (double)c.judged,
           (double)c.special / (double)c.judged, c.by_mpfr, c.refused);
    return c.outside > 0 || c.refused > 0;
}

int main(int argc, char **argv)
{
    const char *contract = "reference";
    uint64_t every = 1, number[2] = {0, 100};
    bool sums = false;
    int given = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--sums") == 0)
            sums = true;
        else if (strcmp(argv[i], "--contract") == 0 && i + 1 < argc)
            contract = argv[++i];
        else if (strcmp(argv[i], "--exact") == 0 && i + 1 < argc)
            every = strtoull(argv[++i], NULL, 10);
        else if (given < 2)
            number[given++] = strtoull(argv[i], NULL, 10);
    }
    if (sums) return verify_sums(number[0], number[1]);
    return verify_all(contract, every ? every : 1, number[0], number[1]);
}
