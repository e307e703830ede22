/* Findings that would be none if axes were ordered that nobody declares: one for each memory, with the declaration to add. */
#include "ir/ir.h"
#include "run_text.h"

static tg_report *run_checked(const tg_module *module, arrays *all, const char *order)
{
    const tg_run_options options = {
        .size = sizeof options, .order = order, .checks = "races", .max_findings = 1000};
    return run_once(module, all, &options);
}

/* What the findings of a run are, one a line: their lines, how many elements and pairs there are, '!' where there is a hint. */
static const char *told(const char *text, const char *order)
{
    static char out[4096];
    static const int32_t zeros[64];
    tg_module *module = load_kernel(text);
    arrays all = make_arrays(module, NAMED({"x", zeros}, {"y", zeros}));
    tg_report *report = run_checked(module, &all, order);
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        const char *more = strstr(f.message, "; ");
        used += (size_t)snprintf(out + used, sizeof out - used, "%s %s %d", f.kind, f.param,
                                 (int)f.line);
        for (size_t r = 0; r < f.related_count; r++) {
            const tg_related other = tg_report_related(report, i, r);
            used += (size_t)snprintf(out + used, sizeof out - used, ", %s %d (%d)", other.role,
                                     (int)other.line, (int)other.program[0]);
        }
        used += (size_t)snprintf(out + used, sizeof out - used, "%s%s\n", more ? more : "",
                                 f.hint[0] ? " !" : "");
    }
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
    return out;
}

#define TELLS(text, wanted)                                                                        \
    for (int o = 0; o < ORDERS; o++)                                                               \
    cr_assert_str_eq(told(text, every_order[o]), wanted, "%s: %s", every_order[o],                 \
                     told(text, every_order[o]))

#define SUM(grid)                                                                                  \
    "grid " grid "\ninput x i32[2]\noutput o i32[2] alias=x\noutput p i32[2]\nbody\n"              \
    "%10:i32[2] = constant value=0; %11:i32[2] = constant value=1; %12:i32[] = program_id "        \
    "axis=0\n"                                                                                     \
    "store %2 %10 [0:2] loc=1\n"                                                                   \
    "%13:i32[2] = load %2 [0:2] loc=2; %14:i32[2] = add %13 %11; store %2 %14 [0:2] loc=3\n"       \
    "%15:i32[2] = broadcast_in_dim %12 dims=[]; store %3 %15 [0:2] loc=4\n"

Test(assumed_axes, one_finding_for_each_memory)
{
    TELLS(SUM("3"),
          "race o 1, conflicts with 1 (1), conflicts as well: 2 (1), conflicts as well: 3 (1); "
          "2 elements and 5 pairs of lines in all !\n"
          "race p 4, conflicts with 4 (1); 2 elements in all !\n");
}

/* Declared axes have the places told two by two, and no hint. */
Test(assumed_axes, declared)
{
    TELLS(SUM("3p"), "race o 1, conflicts with 1 (1); 2 elements in all\n"
                     "race o 1, conflicts with 2 (1); 2 elements in all\n"
                     "race o 1, conflicts with 3 (1); 2 elements in all\n"
                     "race o 3, conflicts with 2 (1); 2 elements in all\n"
                     "race o 3, conflicts with 3 (1); 2 elements in all\n"
                     "race p 4, conflicts with 4 (1); 2 elements in all\n");
    TELLS(SUM("3a"), "");
}

/* Programs that differ on a declared axis race whatever becomes of the other one, be they not the first two. */
Test(assumed_axes, beside_declared_ones)
{
    static const char text[] = "grid 2p 2\noutput o i32[2] block s at i\noutput p i32[1]\nbody\n"
                               "%10:i32[] = program_id axis=1; store %1 %10 [] loc=1\n"
                               "%11:i32[] = constant value=0; store %2 %10 %11 [@] loc=2\n";
    TELLS(text, "race o 1, conflicts with 1 (0); 2 elements in all !\n"
                "race p 2, conflicts with 2 (0)\n");
}

/* ---- the hint ---- */

static void check_hint(const char *text, tg_dialect dialect, const char *wanted)
{
    static const int32_t zeros[2];
    tg_module *module = load_kernel(text);
    module->kernels[0].dialect = dialect;
    arrays all = make_arrays(module, NAMED({"x", zeros}));
    tg_report *report = run_checked(module, &all, "sequential");
    cr_assert_gt(tg_report_finding_count(report), 0);
    cr_assert_str_eq(tg_report_finding(report, 0).hint, wanted);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

#define GPU                                                                                        \
    "on a GPU no axis is ordered: there one program makes the steps in a loop, or they add by "    \
    "atomics"
#define SAY(tuple)                                                                                 \
    "programs run in order, as on a TPU, say "                                                     \
    "compiler_params=pltpu.CompilerParams(dimension_semantics=(" tuple                             \
    ")) to pallas_call, or to Tilegrind target=\"tpu\" or grid_semantics=(" tuple "); " GPU

Test(assumed_axes, hint)
{
    check_hint(
        SUM("3"), TG_DIALECT_XLA,
        "axis 0 of the grid has no declared semantics and was taken as parallel; if its " SAY(
            "\"arbitrary\","));
    check_hint(SUM("2 1 3"), TG_DIALECT_XLA,
               "axes 0 and 2 of the grid have no declared semantics and were taken as parallel; if "
               "their " SAY("\"arbitrary\", \"parallel\", \"arbitrary\""));
    check_hint(
        SUM("2 2 3"), TG_DIALECT_TRITON,
        "axes 0, 1 and 2 of the grid have no declared semantics and were taken as parallel; " GPU);
}

/* ---- against a count ---- */

enum { PROGRAMS = 12, ROW = 3, EACH = 2, PLACES = 16 };
enum { STORES, LOADS };

typedef struct draw {
    int32_t index[2][PROGRAMS * EACH];
} draw;

/* Most programs of a row keep to 4 places of their own. */
static void draw_some(draw *d, uint64_t seed)
{
    uint64_t state = seed * 2 + 1;
    for (int site = 0; site < 2; site++)
        for (int i = 0; i < PROGRAMS * EACH; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const int32_t number = (int32_t)(state >> 33), row = i / EACH / ROW;
            d->index[site][i] = number % 50 < 1 ? number / 50 % PLACES : row * 4 + number / 50 % 4;
        }
}

static bool accesses(const draw *d, int site, int program, int place)
{
    const int32_t *own = &d->index[site][program * EACH];
    return own[0] == place || own[1] == place;
}

typedef struct pair_count {
    bool races, crosses_rows;
} pair_count;

static pair_count count_pairs(const draw *d, int a, int b)
{
    pair_count out = {false, false};
    for (int place = 0; place < PLACES; place++) {
        int low = PROGRAMS, high = -1;
        bool races = false;
        for (int p = 0; p < PROGRAMS; p++)
            for (int q = 0; q < PROGRAMS; q++)
                races = races || (p != q && accesses(d, a, p, place) && accesses(d, b, q, place));
        for (int p = 0; races && p < PROGRAMS; p++) {
            if (!accesses(d, a, p, place) && !accesses(d, b, p, place)) continue;
            low = p < low ? p : low;
            high = p;
        }
        out.races = out.races || races;
        out.crosses_rows = out.crosses_rows || (races && low / ROW != high / ROW);
    }
    return out;
}

static size_t hold_against(const draw *d, const tg_module *module, const char *order)
{
    static const int32_t zeros[PLACES];
    const pair_count pairs[] = {count_pairs(d, STORES, STORES), count_pairs(d, STORES, LOADS)};
    size_t apart = 0, folded = 0, seen = 0;
    for (int i = 0; i < 2; i++) {
        apart += pairs[i].races && pairs[i].crosses_rows;
        folded += pairs[i].races && !pairs[i].crosses_rows;
    }
    arrays all =
        make_arrays(module, NAMED({"w", d->index[STORES]}, {"r", d->index[LOADS]}, {"x", zeros}));
    tg_report *report = run_checked(module, &all, order);
    cr_assert_eq(tg_report_finding_count(report), apart + (folded > 0), "%s", order);
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        cr_assert_eq(strstr(f.message, "2 pairs of lines") != NULL, f.hint[0] && folded == 2);
        cr_assert(!f.hint[0] || strncmp(f.hint, "axis 1 of", 9) == 0, "%s", f.hint);
        seen += f.hint[0] != '\0';
    }
    cr_assert_eq(seen, folded > 0, "%s", order);
    tg_report_free(report);
    free_arrays(&all);
    return folded;
}

Test(assumed_axes, against_all_pairs)
{
    size_t seen[3] = {0};
    tg_module *module = load_kernel(
        "grid 4p 3\ninput w i32[4,3,2] block s s b2 at i j 0\ninput r i32[4,3,2] block s s b2 at i "
        "j 0\ninput x i32[16]\noutput o i32[16] alias=x\noutput p i32[4,3,2] block s s b2 at i j "
        "0\n"
        "body\n%10:i32[2] = load %1 [0:2]; %11:i32[2] = load %2 [0:2]; %12:i32[] = program_id "
        "axis=1\n%13:i32[2] = broadcast_in_dim %12 dims=[]; store %4 %13 %10 [@] loc=1\n"
        "%14:i32[2] = load %4 %11 [@] loc=2; store %5 %14 [0:2]\n");
    for (uint64_t seed = 0; seed < 100; seed++) {
        draw d;
        draw_some(&d, seed);
        for (int o = 0; o < ORDERS; o++) seen[hold_against(&d, module, every_order[o])]++;
    }
    for (int i = 0; i < 3; i++) cr_assert_gt(seen[i], 0, "%d folded: never", i);
    tg_module_free(module);
}
