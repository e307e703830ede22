#define _POSIX_C_SOURCE 200809L /* clock_gettime */
/* How long operations on layouts take: bench/layouts.py runs it.
 *
 *   layout_speed LAYOUT LAYOUT
 *
 * Two layouts of the same map, in different forms.  Prints seconds of the processor in JSON: of one canonical form, of
 * one comparison, and of the map of all elements of the first on its axis m. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layout/canonical.h"
#include "layout/equal.h"
#include "layout/map.h"
#include "layout/read.h"

enum { ROUNDS = 7 };
static const double budget = 0.05; /* seconds of a round */

static tg_axe a, b;
static int64_t *out;
static volatile int64_t sink; /* so that no work is left out */

static void canonical(void)
{
    static tg_axe form;
    tg_axe_copy(&a, &form);
    tg_axe_canonize(&form);
    sink += form.d.count;
}

static void equal(void)
{
    bool same = false;
    if (tg_axe_equal(&a, &b, &same, NULL) != TG_OK || !same) exit(3);
    sink += same;
}

static void forward(void)
{
    const int64_t size = tg_iters_size(&a.d);
    tg_axe_map_many(&a, TG_AXIS_m, 0, size, out);
    sink += out[size - 1];
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one call, over as many as fill the budget. */
static double time_of(void (*call)(void))
{
    for (long calls = 1;; calls *= 2) {
        const double start = now();
        for (long i = 0; i < calls; i++) call();
        const double took = now() - start;
        if (took > budget) return took / (double)calls;
    }
}

static void measure(const char *name, void (*call)(void), const char *end)
{
    printf("\"%s\": [", name);
    for (int i = 0; i < ROUNDS; i++) printf("%s%.4g", i ? ", " : "", time_of(call));
    printf("]%s", end);
}

int main(int argc, char **argv)
{
    if (argc != 3 || tg_axe_read(argv[1], strlen(argv[1]), &a, NULL) != TG_OK ||
        tg_axe_read(argv[2], strlen(argv[2]), &b, NULL) != TG_OK)
        return 2;
    out = calloc((size_t)tg_iters_size(&a.d), sizeof *out);
    if (!out) return 3;
    printf("{");
    measure("canonical", canonical, ", ");
    measure("equal", equal, ", ");
    measure("forward", forward, "}\n");
    free(out);
    return 0;
}
