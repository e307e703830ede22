/* A racy kernel leaves in each order the bits that were recorded once, whatever compiler, kind of build, instruction set and
 * machine runs it: what a finding's order shows here, it shows to everybody (tests/data/replays.tsv). */
#include <inttypes.h>

#include "run_text.h"

/* Of every element of "o" each program takes what it finds on to something else; "p" is each program's own. */
static const char racy[] =
    "grid 24\ninput x f32[24,32] block s b32 at i 0\ninput z f32[32]\noutput o f32[32] alias=z\n"
    "output p f32[24,32] block s b32 at i 0\nbody\n"
    "%10:f32[32] = load %1 [0:32]; %11:f32[32] = exp %10; %12:f32[] = reduce_sum %11 axes=[0]\n"
    "%13:f32[32] = broadcast_in_dim %12 dims=[]; %14:f32[32] = div %11 %13; store %4 %14 [0:32]\n"
    "%15:f32[32] = load %3 [0:32] loc=1; %16:f32[32] = mul %15 %10; %17:f32[32] = sin %16\n"
    "%18:f32[32] = add %17 %14; store %3 %18 [0:32] loc=2\n";

enum { PROGRAMS = 24, LANES = 32 };

/* Values of many magnitudes that need no library to be made. */
static void fill(float *x, float *z)
{
    for (int i = 0; i < PROGRAMS * LANES; i++) x[i] = (float)(i * 37 % 101 - 50) / 16;
    for (int i = 0; i < LANES; i++) z[i] = (float)(i - 16) / 8;
}

static uint64_t digest(const void *data, size_t bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

typedef struct digests {
    char o[32], p[32];
} digests;

static digests run_as(const tg_module *module, const char *order, const char *isa)
{
    static float x[PROGRAMS * LANES], z[LANES];
    const tg_run_options options = {.size = sizeof options, .order = order, .isa = isa};
    digests d;
    fill(x, z);
    arrays all = make_arrays(module, NAMED({"x", x}, {"z", z}));
    tg_report_free(run_once(module, &all, &options));
    snprintf(d.o, sizeof d.o, "%016" PRIx64, digest(array_data(&all, "o"), sizeof z));
    snprintf(d.p, sizeof d.p, "%016" PRIx64, digest(array_data(&all, "p"), sizeof x));
    free_arrays(&all);
    return d;
}

typedef struct record {
    char order[64], o[32], p[32];
} record;

enum { MOST_RECORDS = 64 };

static size_t read_records(record *list)
{
    char line[400];
    size_t count = 0;
    FILE *file = fopen("tests/data/replays.tsv", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        record *r = &list[count];
        if (*line == '#') continue;
        cr_assert(count++ < MOST_RECORDS);
        cr_assert_eq(sscanf(line, "%63[^\t]\t%31[^\t]\t%31[^\n]", r->order, r->o, r->p), 3, "%s",
                     line);
    }
    fclose(file);
    return count;
}

static const record *record_of(const record *list, size_t count, const char *order)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].order, order) == 0) return &list[i];
    cr_assert_fail("no record of %s", order);
    return NULL;
}

static void compare(const tg_module *module, const record *r, const char *isa)
{
    const digests d = run_as(module, r->order, isa);
    if (strcmp(r->o, "-") != 0)
        cr_expect_str_eq(d.o, r->o, "%s on %s leaves %s", r->order, isa ? isa : "the best", d.o);
    cr_expect_str_eq(d.p, r->p, "%s on %s: %s", r->order, isa ? isa : "the best", d.p);
}

Test(replays, every_order_leaves_what_was_recorded)
{
    static const char *const isas[] = {"baseline", "avx2", "avx512"};
    record list[MOST_RECORDS];
    const size_t count = read_records(list);
    tg_module *module = load_kernel(racy);
    cr_assert(count >= 16);
    for (size_t i = 0; i < count; i++) compare(module, &list[i], NULL);
    for (size_t a = 0; a < sizeof isas / sizeof *isas; a++) {
        const tg_run_options options = {.order = "sequential", .isa = isas[a]};
        static float x[PROGRAMS * LANES], z[LANES];
        if (!is_possible(module, NAMED({"x", x}, {"z", z}), options)) continue;
        for (size_t i = 0; i < count; i++) compare(module, &list[i], isas[a]);
    }
    tg_module_free(module);
}

/* The order that a check names is one of those, and shows a value that order sequential does not leave. */
Test(replays, a_check_names_a_recorded_order)
{
    static float x[PROGRAMS * LANES], z[LANES];
    const tg_run_options options = {.size = sizeof options, .checks = "none"};
    record list[MOST_RECORDS];
    const size_t count = read_records(list);
    tg_module *module = load_kernel(racy);
    tg_report *report;
    fill(x, z);
    arrays all = make_arrays(module, NAMED({"x", x}, {"z", z}));
    cr_assert_eq(tg_check(module, NULL, all.list, all.count, &options, NULL, &report, NULL), TG_OK);
    cr_assert_eq(tg_report_finding_count(report), 1);
    const tg_finding f = tg_report_finding(report, 0);
    cr_assert_str_eq(f.kind, "order-dependence");
    const record *found = record_of(list, count, f.order),
                 *usual = record_of(list, count, "sequential");
    cr_assert_str_neq(found->o, usual->o);
    cr_assert_str_eq(found->p, usual->p);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}
