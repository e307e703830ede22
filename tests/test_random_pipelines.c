/* Random pipelines of threads, see random/pipelines.h: those that are right have no finding in any order, and give what
 * the reference says; those with a fault have one in the first order, and in any other. */
#include "random/pipelines.h"
#include "run_text.h"
#include "sampled.h"

static const char *const orders[] = {"sequential",    "reversed",      "shuffled:1",
                                     "shuffled:77",   "parallel:1",    "parallel:2",
                                     "interleaved:3", "interleaved:9", "interleaved:21"};
enum { MOST_ORDERS = sizeof orders / sizeof *orders, MOST_CHAINS = 2, RIGHT = 80, BROKEN = 500 };

/* A kernel, and what the reference says of it. */
typedef struct trial {
    uint64_t seed;
    char what[160]; /* the fault that was put into it */
    const pipe_kernel *k;
    unsigned faults, strict; /* the latter if there are no faults */
    pipe_value outputs[MOST_CHAINS][PIPE_ROWS];
} trial;

static void judge(trial *t)
{
    t->faults = t->strict = 0;
    for (int c = 0; c < t->k->chains; c++) t->faults |= pipe_judge(t->k, c, t->outputs[c]);
    for (int c = 0; c < t->k->chains && !t->faults; c++) t->strict |= pipe_judge_strictly(t->k, c);
}

static size_t put_faults(unsigned faults, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int f = 0; f < PIPE_FAULTS; f++)
        if (faults >> f & 1)
            used += (size_t)snprintf(out + used, size - used, " %s", pipe_fault_names[f]);
    return used;
}

static void fail(const trial *t, const char *order, const char *why)
{
    char faults[256], *text = pipe_text(t->k), *outline = pipe_outline(t->k);
    put_faults(t->faults, faults, sizeof faults);
    fprintf(stderr, "%s\n%s\n", getenv("TILEGRIND_TEST_SEED") ? text : "", outline);
    free(outline);
    free(text);
    cr_assert_fail("seed %llu, %s: %s: %s; the reference:%s", (unsigned long long)t->seed, t->what,
                   order, why, faults);
}

static const int32_t *wanted_of(const trial *t, pipe_value out[])
{
    const int rows = t->k->memories[pipe_memory_of(t->k, PIPE_OUTPUT)].count;
    for (int c = 0; c < t->k->chains; c++)
        memcpy(out[c * rows], t->outputs[c], (size_t)rows * sizeof(pipe_value));
    return &out[0][0][0];
}

static arrays make_data(const trial *t, const tg_module *module)
{
    static pipe_value x[MOST_CHAINS * PIPE_ROWS];
    static int32_t trip;
    const int rows = t->k->memories[pipe_memory_of(t->k, PIPE_INPUT)].count;
    trip = t->k->turns;
    for (int b = 0; b < t->k->chains * rows; b++) pipe_input(b / rows, b % rows, x[b]);
    return make_arrays(module, NAMED({"x", x}, {"trip", &trip}));
}

static void compare_outputs(const trial *t, const arrays *all, const char *order)
{
    static pipe_value wanted[MOST_CHAINS * PIPE_ROWS];
    const int32_t *found = array_data(all, "o"), *want = wanted_of(t, wanted);
    const int rows = t->k->memories[pipe_memory_of(t->k, PIPE_OUTPUT)].count;
    char why[96];
    for (int e = 0; e < t->k->chains * rows * 4; e++) {
        if (found[e] == want[e]) continue;
        snprintf(why, sizeof why, "element %d of the output is %d, not %d", e, found[e], want[e]);
        fail(t, order, why);
    }
}

static void run_in_order(const trial *t, const tg_module *module, const char *order)
{
    const tg_run_options options = {.size = sizeof options, .order = order, .checks = "all"};
    arrays all = make_data(t, module);
    tg_report *report = run_once(module, &all, &options);
    const size_t count = tg_report_finding_count(report);
    if (count && !t->faults) show_findings(report);
    if (count && !t->faults) fail(t, order, tg_report_finding(report, 0).kind);
    if (!count && t->faults) fail(t, order, "nothing is found");
    if (!t->faults) compare_outputs(t, &all, order);
    tg_report_free(report);
    free_arrays(&all);
}

static unsigned strict_findings(const trial *t, const tg_report *report, const char *order)
{
    unsigned found = 0;
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const char *const kind = tg_report_finding(report, i).kind;
        int s = 0;
        while (s < PIPE_STRICTS && strcmp(kind, pipe_strict_names[s]) != 0) s++;
        if (s == PIPE_STRICTS) {
            show_findings(report);
            fail(t, order, kind);
        }
        found |= 1u << s;
    }
    return found;
}

/* A kernel without a fault, with the checks that ask for more than a GPU does: exactly what the reference says. */
static void run_strictly(const trial *t, const tg_module *module, const char *order)
{
    const tg_run_options options = {
        .size = sizeof options, .order = order, .checks = "all,gpu-strict"};
    arrays all = make_data(t, module);
    tg_report *report = run_once(module, &all, &options);
    const unsigned found = strict_findings(t, report, order), differs = found ^ t->strict;
    for (int s = 0; s < PIPE_STRICTS; s++) {
        if (!(differs >> s & 1)) continue;
        char why[96];
        snprintf(why, sizeof why, "%s is %s", pipe_strict_names[s],
                 found >> s & 1 ? "found" : "not found");
        show_findings(report);
        fail(t, order, why);
    }
    compare_outputs(t, &all, order);
    tg_report_free(report);
    free_arrays(&all);
}

/* Of a kernel with a fault, the first order and another one. */
static void run_in_orders(const trial *t)
{
    char *text = pipe_text(t->k);
    tg_module *module = load_kernel(text);
    for (int o = 0; o < MOST_ORDERS; o++)
        if (!t->faults || o == 0 || o == (int)(t->seed % MOST_ORDERS))
            run_in_order(t, module, orders[o]);
    if (!t->faults && t->k->has_faults_of_order) {
        run_strictly(t, module, orders[0]);
        run_strictly(t, module, orders[t->seed % MOST_ORDERS]);
    }
    tg_module_free(module);
    free(text);
}

static int count_of(int all, int sample)
{
    const char *most = getenv("TILEGRIND_TEST_SEEDS");
    if (most) return atoi(most);
    return getenv("TILEGRIND_TEST_SEED") ? 1 : sampled(all, sample);
}

static uint64_t first_seed(uint64_t of_range)
{
    const char *first = getenv("TILEGRIND_TEST_SEED");
    return of_range + (first ? strtoull(first, NULL, 10) : 0);
}

static void try_right_ones(uint64_t of_range, int count)
{
    static pipe_kernel k;
    trial t = {.seed = first_seed(of_range), .k = &k, .what = "right"};
    for (int i = 0; i < count; i++, t.seed++) {
        pipe_make(&k, t.seed);
        judge(&t);
        if (t.faults) fail(&t, "the reference", "it is not right");
        run_in_orders(&t);
    }
    printf("%d kernels without a fault in %d orders\n", count, MOST_ORDERS);
}

Test(random_pipelines, right_ones) { try_right_ones(0, count_of(RIGHT, 20)); }

Test(random_pipelines, right_ones_with_copies_among_products)
{
    try_right_ones(PIPE_COPIES_AMONG, count_of(RIGHT / 2, 10));
}

/* How many have a fault of each kind. */
typedef struct tally {
    int harmless, faults[PIPE_FAULTS];
} tally;

static void print_tally(int count, const tally *all)
{
    printf("%d kernels with a fault, of which %d make no difference to any rule\n", count,
           all->harmless);
    for (int f = 0; f < PIPE_FAULTS; f++) printf("%7d %s\n", all->faults[f], pipe_fault_names[f]);
}

static tally try_broken_ones(uint64_t of_range, int count)
{
    static pipe_kernel k;
    trial t = {.seed = first_seed(of_range), .k = &k};
    tally all = {0};
    for (int i = 0; i < count; i++, t.seed++) {
        pipe_make(&k, t.seed);
        pipe_break(&k, t.seed, t.what, sizeof t.what);
        judge(&t);
        all.harmless += !t.faults;
        for (int f = 0; f < PIPE_FAULTS; f++) all.faults[f] += (t.faults >> f & 1) != 0;
        run_in_orders(&t);
    }
    print_tally(count, &all);
    return all;
}

Test(random_pipelines, broken_ones)
{
    const int count = count_of(BROKEN, 100);
    const tally all = try_broken_ones(0, count);
    for (int f = 0; f < PIPE_FIRST_FAULTS && count >= BROKEN; f++)
        cr_expect(all.faults[f] > 0, "no fault is of the kind \"%s\"", pipe_fault_names[f]);
}

Test(random_pipelines, broken_ones_with_copies_among_products)
{
    try_broken_ones(PIPE_COPIES_AMONG, count_of(BROKEN / 2, 50));
}

Test(random_pipelines, right_ones_with_relays) { try_right_ones(PIPE_RELAYS, count_of(RIGHT, 20)); }

Test(random_pipelines, broken_ones_with_relays)
{
    const int count = count_of(BROKEN, 100);
    const tally all = try_broken_ones(PIPE_RELAYS, count);
    for (int f = 0; f < PIPE_FAULTS && count >= BROKEN; f++)
        cr_expect(all.faults[f] > 0, "no fault is of the kind \"%s\"", pipe_fault_names[f]);
}

Test(random_pipelines, right_ones_with_registers)
{
    try_right_ones(PIPE_REGISTER_COPIES, count_of(RIGHT / 2, 10));
}

Test(random_pipelines, broken_ones_with_registers)
{
    try_broken_ones(PIPE_REGISTER_COPIES, count_of(BROKEN / 2, 50));
}
