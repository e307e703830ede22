#define _POSIX_C_SOURCE 200809L /* clock_gettime */
/* How long operations on layouts take: bench/layouts.py runs it.
 *
 * layout_speed LAYOUT LAYOUT SHAPE
 *
 * Two layouts of the same map, in different forms, and a shape that groups the first.  Prints
 * seconds of the processor in JSON: of one canonical form, one comparison, one grouping, one search
 * of the element at a place, and the map of all elements of the first on its axis m. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layout/canonical.h"
#include "layout/equal.h"
#include "layout/group.h"
#include "layout/map.h"
#include "layout/read.h"
#include "layout/where.h"

enum { ROUNDS = 7 };
static const double budget = 0.05; /* seconds of a round */

static tg_axe a, b;
static tg_shape shape;
static tg_coordinate place; /* of the first */
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

static void group(void)
{
    static tg_groups groups;
    if (tg_axe_group(&a, &shape, &groups, NULL) != TG_OK) exit(3);
    sink += groups.d.count;
}

static void where(void)
{
    tg_element_list found;
    if (tg_axe_where(&a, &place, &found, NULL) != TG_OK || found.count != 1) exit(3);
    sink += found.list[0];
    tg_element_list_free(&found);
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
    if (argc != 4 || tg_axe_read(argv[1], strlen(argv[1]), &a, NULL) != TG_OK ||
        tg_axe_read(argv[2], strlen(argv[2]), &b, NULL) != TG_OK ||
        tg_shape_read(argv[3], strlen(argv[3]), &shape, NULL) != TG_OK)
        return 2;
    tg_axe_map(&a, tg_iters_size(&a.d) / 3, 0, &place);
    out = calloc((size_t)tg_iters_size(&a.d), sizeof *out);
    if (!out) return 3;
    printf("{");
    measure("canonical", canonical, ", ");
    measure("equal", equal, ", ");
    measure("group", group, ", ");
    measure("where", where, ", ");
    measure("forward", forward, "}\n");
    free(out);
    return 0;
}
