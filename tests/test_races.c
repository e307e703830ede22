/* Races between programs: what is found and what is not, the same in every order, and by chance against a count of all pairs. */
#include "run_text.h"

typedef struct side {
    const char *op;
    int line;
    int64_t program;
} side;

typedef struct wanted {
    const char *kind, *param;
    side here, there;
    int64_t first, last, count;
} wanted;

static tg_report *run_checked(const tg_module *module, arrays *all, const char *order)
{
    const tg_run_options options = {
        .size = sizeof options, .order = order, .checks = "races", .max_findings = 1000};
    return run_once(module, all, &options);
}

static void check_finding(const tg_report *report, size_t index, const wanted *w, const char *order)
{
    const tg_finding f = tg_report_finding(report, index);
    cr_assert_str_eq(f.kind, w->kind, "%s: %s", order, f.message);
    cr_assert_str_eq(f.level, strcmp(f.kind, "race") == 0 ? "error" : "warning");
    cr_assert_str_eq(f.param, w->param, "%s: %s", order, f.message);
    cr_assert_str_eq(f.op, w->here.op, "%s: %s", order, f.message);
    cr_assert_eq(f.line, w->here.line, "%s: line %d of %s", order, (int)f.line, f.message);
    cr_assert_eq(f.program[0], w->here.program, "%s: %s", order, f.message);
    cr_assert_eq(f.first, w->first, "%s: from %d: %s", order, (int)f.first, f.message);
    cr_assert_eq(f.last, w->last, "%s: to %d: %s", order, (int)f.last, f.message);
    cr_assert_eq(f.count, w->count, "%s: %d times %s", order, (int)f.count, f.message);
    cr_assert_eq(f.related_count, 1);
    const tg_related other = tg_report_related(report, index, 0);
    cr_assert_str_eq(other.role, "conflicts with");
    cr_assert_str_eq(other.op, w->there.op, "%s: %s", order, f.message);
    cr_assert_str_eq(other.param, w->param);
    cr_assert_eq(other.line, w->there.line, "%s: line %d, %s", order, (int)other.line, f.message);
    cr_assert_eq(other.program[0], w->there.program, "%s: %s", order, f.message);
}

static void check_inputs(const char *text, const named *inputs, const wanted *list, size_t count)
{
    tg_module *module = load_kernel(text);
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(module, inputs);
        tg_report *report = run_checked(module, &all, every_order[o]);
        if (tg_report_finding_count(report) != count) show_findings(report);
        cr_assert_eq(tg_report_finding_count(report), count, "%s: %s", every_order[o], text);
        for (size_t i = 0; i < count; i++) check_finding(report, i, &list[i], every_order[o]);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

static void check(const char *text, const wanted *list, size_t count)
{
    static int32_t zeros[4096];
    check_inputs(text, NAMED({"x", zeros}, {"y", zeros}), list, count);
}

#define CHECK(text, ...)                                                                           \
    check(text, (const wanted[]){__VA_ARGS__},                                                     \
          sizeof((const wanted[]){__VA_ARGS__}) / sizeof(wanted))
#define CLEAN(text) check(text, NULL, 0)

/* ---- what is a race ---- */

#define PROGRAM_ID "%10:i32[] = program_id axis=0\n"

Test(races, two_writes)
{
    CHECK("grid 4\noutput o i32[3]\nbody\n" PROGRAM_ID
          "%11:i32[3] = broadcast_in_dim %10 dims=[]; store %1 %11 [0:3] loc=7\n",
          {"race", "o", {"store", 7, 0}, {"store", 7, 1}, 0, 2, 3});
    CHECK("grid 4\noutput o i32[3]\nbody\n"
          "%11:i32[3] = constant value=5; store %1 %11 [0:3] loc=7\n",
          {"race-same-value", "o", {"store", 7, 0}, {"store", 7, 1}, 0, 2, 3});
}

/* Of a load and a store in one line it is the store that is told of. */
Test(races, write_and_read)
{
    CHECK("grid 3\ninput x i32[4]\noutput o i32[4] alias=x\noutput p i32[3] block s at "
          "i\nbody\n" PROGRAM_ID "store %2 %10 %10 [@] loc=3\n%12:i32[] = constant value=2; "
          "%13:i32[] = load %2 %12 [@] loc=4; store "
          "%3 %13 [] loc=5\n",
          {"race", "o", {"store", 3, 2}, {"load", 4, 0}, 2, 2, 1});
    CHECK("grid 2\ninput x i32[1]\noutput o i32[1] alias=x\nbody\n"
          "%11:i32[1] = load %2 [0:1] loc=2; %12:i32[1] = constant value=1; %13:i32[1] = add %11 "
          "%12; store %2 "
          "%13 [0:1] loc=2\n",
          {"race", "o", {"store", 2, 0}, {"load", 2, 1}, 0, 0, 1});
}

Test(races, atomic_and_plain)
{
    CHECK("grid 3p\ninput x i32[2]\noutput o i32[2] alias=x\nbody\n" PROGRAM_ID
          "%12:i32[] = constant value=1; add_update %2 %12 %12 [@] loc=3\n"
          "%13:i32[] = constant value=0; store %2 %13 %12 [@] loc=4\n",
          {"race", "o", {"store", 4, 0}, {"add_update", 3, 1}, 1, 1, 1},
          {"race", "o", {"store", 4, 0}, {"store", 4, 1}, 1, 1, 1});
}

/* Only what is written by two at the least, and that with another value, counts. */
Test(races, elements)
{
    CHECK("grid 3\noutput o i32[5] block e3:0:2 { (%900:i32[]) yield %900 }\nbody\n" PROGRAM_ID
          "%11:i32[3] = broadcast_in_dim %10 dims=[]; store %1 %11 [0:3] loc=1\n",
          {"race", "o", {"store", 1, 0}, {"store", 1, 1}, 1, 3, 3});
}

Test(races, none)
{
    CLEAN("grid 4\noutput o i32[4] block s at i\nbody\n" PROGRAM_ID "store %1 %10 []\n");
    CLEAN("grid 4a\noutput o i32[3]\nbody\n" PROGRAM_ID
          "%11:i32[3] = broadcast_in_dim %10 dims=[]; store %1 %11 [0:3]\n");
    CLEAN("grid 4 3a\noutput o i32[4] block s at i\nbody\n%10:i32[] = program_id axis=1; store %1 "
          "%10 []\n");
    CLEAN("grid 5\ninput x i32[2]\noutput o i32[2] alias=x\nbody\n%11:i32[2] = constant value=1; "
          "add_update %2 %11 "
          "[0:2]\n");
    CLEAN("grid 4\ninput x i32[8]\noutput o i32[4] block s at i\nbody\n%11:i32[] = constant "
          "value=1; %12:i32[] = "
          "load %1 %11 [@]; store %2 %12 []\n");
    CLEAN("grid 0\noutput o i32[0]\nbody\n%11:i32[] = constant value=1\n");
    CLEAN("grid 1\noutput o i32[1]\nbody\n%11:i32[1] = constant value=1; store %1 %11 [0:1]; store "
          "%1 %11 [0:1]\n");
}

/* A chain of programs that run in order against another one. */
Test(races, chains)
{
    CHECK("grid 2a 2\noutput o i32[1]\nbody\n" PROGRAM_ID
          "%11:i32[1] = broadcast_in_dim %10 dims=[]; store %1 %11 [0:1] loc=1\n",
          {"race", "o", {"store", 1, 0}, {"store", 1, 0}, 0, 0, 1});
}

/* Lanes that a mask turns off touch nothing. */
Test(races, masks)
{
    CLEAN("grid 2\noutput o i32[4]\nbody\n" PROGRAM_ID
          "%11:i32[4] = iota axis=0; %12:i32[] = constant value=2; %13:i32[] = mul %10 %12; "
          "%14:i32[] = add "
          "%13 %12\n%15:i32[4] = broadcast_in_dim %13 dims=[]; %16:i32[4] = broadcast_in_dim %14 "
          "dims=[]\n"
          "%17:bool[4] = ge %11 %15; %18:bool[4] = lt %11 %16; %19:bool[4] = and %17 %18; store %1 "
          "%11 %19 [0:4] "
          "mask=true\n");
}

/* ---- narrower than elements ---- */

#define BYTES(place)                                                                               \
    "grid 2\ninput x i32[1,4]\noutput o i32[1,4] alias=x\nbody\n" PROGRAM_ID                       \
    "%20:ref<i8[4,4]> = view_bitcast %2; %12:i32[] = constant value=1; %13:i32[] = " place         \
    "; %14:i8[] = convert %10; store %20 %14 %13 %12 [@,@] loc=6\n"

Test(races, parts_of_elements)
{
    CLEAN(BYTES("mul %10 %12"));
    CHECK(BYTES("mul %12 %12"), {"race", "o", {"store", 6, 0}, {"store", 6, 1}, 1, 1, 1});
}

/* ---- what atomics order ---- */

#define LOCKED(inside, behind)                                                                     \
    "grid 5p\ninput l i32[1]\ninput x i32[1]\noutput lock i32[1] alias=l\noutput o i32[1] "        \
    "alias=x\nbody\n"                                                                              \
    "%10:i32[] = constant value=0; %11:i32[] = constant value=1; %15:i32[1] = constant value=1\n"  \
    "while { %12:i32[] = atomic_cas %3 %10 %11 %10 [@]; %13:bool[] = ne %12 %10; yield %13 } { "   \
    "}\n" inside "%18:i32[] = atomic_rmw %3 %10 %10 [@] kind='xchg'\n" behind

#define COUNT_UP                                                                                   \
    "%14:i32[1] = load %4 [0:1] loc=1; %16:i32[1] = add %14 %15; store %4 %16 [0:1] loc=2\n"

Test(races, locks)
{
    static const int32_t zero[1] = {0};
    const named *const inputs = NAMED({"l", zero}, {"x", zero});
    const wanted outside[] = {{"race", "o", {"store", 2, 0}, {"load", 1, 1}, 0, 0, 1},
                              {"race", "o", {"store", 2, 0}, {"store", 2, 1}, 0, 0, 1}};
    check_inputs(LOCKED(COUNT_UP, ""), inputs, NULL, 0);
    tg_module *module = load_kernel(LOCKED("", COUNT_UP));
    for (int o = 0; o < ORDERS; o++) {
        arrays all = make_arrays(module, inputs);
        tg_report *report = run_checked(module, &all, every_order[o]);
        cr_assert_eq(tg_report_finding_count(report), 2, "%s", every_order[o]);
        for (size_t i = 0; i < 2; i++) {
            cr_assert_str_eq(tg_report_finding(report, i).kind, outside[i].kind);
            cr_assert_eq(tg_report_finding(report, i).line, outside[i].here.line);
        }
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* Programs leave what they have and count up; the one that finds that it is the last gathers. */
#define GATHER(condition, before)                                                                  \
    "grid 4\ninput c i32[1]\ninput x i32[4]\noutput count i32[1] alias=c\noutput p i32[4] "        \
    "alias=x\n"                                                                                    \
    "output o i32[1]\nbody\n" PROGRAM_ID "%11:i32[] = constant value=0; %12:i32[] = constant "     \
    "value=1; %13:i32[] = constant value=3\n" before                                               \
    "%14:i32[] = atomic_rmw %3 %12 %11 [@] kind='add'; %15:bool[] = eq " condition                 \
    " %13\nswitch %15 { } { %16:i32[4] = load %4 [0:4] loc=2; %17:i32[] = reduce_sum %16 "         \
    "axes=[0]; "                                                                                   \
    "store %5 %17 %11 [@] loc=3 }\n"

Test(races, the_last_one_gathers)
{
    static const int32_t zeros[4] = {0};
    const named *const inputs = NAMED({"c", zeros}, {"x", zeros});
    check_inputs(GATHER("%14", "store %4 %10 %10 [@] loc=1\n"), inputs, NULL, 0);
    /* Who does not look at the count knows nothing. */
    const wanted deaf[] = {{"race", "p", {"store", 1, 0}, {"load", 2, 3}, 0, 2, 3}};
    check_inputs(GATHER("%10", "store %4 %10 %10 [@] loc=1\n"), inputs, deaf, 1);
    const wanted too_late[] = {{"race", "o", {"store", 4, 0}, {"store", 4, 1}, 0, 0, 1}};
    tg_module *module =
        load_kernel(GATHER("%14", "store %4 %10 %10 [@] loc=1\nstore %5 %10 %11 [@] loc=4\n"));
    arrays all = make_arrays(module, inputs);
    tg_report *report = run_checked(module, &all, "sequential");
    cr_assert_eq(tg_report_finding_count(report), 1);
    check_finding(report, 0, too_late, "sequential");
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* One hands on to the next, who hands on to the one after: through two places. */
Test(races, what_is_handed_on_twice)
{
    static const int32_t zeros[3] = {0};
    const char *const kernel =
        "grid 3\ninput f i32[3]\ninput x i32[1]\noutput flags i32[3] alias=f\noutput o i32[1] "
        "alias=x\nbody\n" PROGRAM_ID
        "%11:i32[] = constant value=0; %12:i32[] = constant value=1; %13:i32[] = constant value=2\n"
        "while { %14:i32[] = atomic_rmw %3 %11 %10 [@] kind='add'; %15:bool[] = lt %14 %10; "
        "%16:bool[] = lt %14 %12; "
        "%17:bool[] = gt %10 %11; %18:bool[] = and %16 %17; yield %18 } { }\n"
        "store %4 %10 %11 [@] loc=2\n"
        "%20:i32[] = add %10 %12; %21:i32[] = min %20 %13; %22:i32[] = atomic_rmw %3 %12 %21 [@] "
        "kind='add'\n";
    tg_module *module = load_kernel(kernel);
    arrays all = make_arrays(module, NAMED({"f", zeros}, {"x", zeros}));
    tg_report *report = run_checked(module, &all, "sequential");
    show_findings(report);
    cr_assert_eq(tg_report_finding_count(report), 0);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* ---- any accesses at all, against a count of all pairs ---- */

enum { PROGRAMS = 12, EACH = 3, PLACES = 24, SITES = 3 };
enum { STORES, LOADS, ATOMICS };
static const char *const site_ops[SITES] = {"store", "load", "add_update"};

typedef struct draw {
    int32_t index[SITES][PROGRAMS * EACH], values[PROGRAMS * EACH];
} draw;

static int chain_of(int program, bool has_chains) { return has_chains ? program / 3 : program; }

static bool accesses(const draw *d, int site, int program, int place)
{
    for (int i = 0; i < EACH; i++)
        if (d->index[site][program * EACH + i] == place) return true;
    return false;
}

/* Whether all that is stored at the place is one value, and nothing else changes it. */
static bool is_one_value(const draw *d, int place)
{
    int32_t seen = -1;
    for (int p = 0; p < PROGRAMS; p++) {
        if (accesses(d, ATOMICS, p, place)) return false;
        for (int i = 0; i < EACH; i++) {
            if (d->index[STORES][p * EACH + i] != place) continue;
            if (seen >= 0 && seen != d->values[p * EACH + i]) return false;
            seen = d->values[p * EACH + i];
        }
    }
    return true;
}

/* The least pair of programs that conflicts at the place. */
static bool find_pair(const draw *d, int a, int b, int place, bool has_chains, int *p, int *q)
{
    int best = PROGRAMS * PROGRAMS;
    for (int x = 0; x < PROGRAMS; x++)
        for (int y = 0; y < PROGRAMS; y++) {
            if (chain_of(x, has_chains) == chain_of(y, has_chains)) continue;
            if (!accesses(d, a, x, place) || !accesses(d, b, y, place)) continue;
            const int low = x < y ? x : y, high = x < y ? y : x;
            if (low * PROGRAMS + high >= best) continue;
            best = low * PROGRAMS + high;
            *p = a == b ? low : x;
            *q = a == b ? high : y;
        }
    return best < PROGRAMS * PROGRAMS;
}

static bool find_race(const draw *d, int a, int b, bool has_chains, wanted *w)
{
    int worst = -1;
    for (int place = 0; place < PLACES; place++) {
        int p = 0, q = 0;
        if (!find_pair(d, a, b, place, has_chains, &p, &q)) continue;
        const int rank = a == STORES && b == STORES ? is_one_value(d, place) ? 0 : 1 : 2;
        if (rank < worst) continue;
        if (rank > worst)
            *w = (wanted){rank ? "race" : "race-same-value",
                          "o",
                          {site_ops[a], a + 1, p},
                          {site_ops[b], b + 1, q},
                          place,
                          place,
                          0};
        worst = rank;
        w->last = place;
        w->count++;
    }
    return worst >= 0;
}

static const wanted *find(const wanted *list, size_t count, const tg_finding *f,
                          const tg_related *other)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].here.line == f->line && list[i].there.line == other->line) return &list[i];
    return NULL;
}

static void hold_against_pairs(const draw *d, bool has_chains, const tg_module *module,
                               const char *order)
{
    static const int pairs[4][2] = {
        {STORES, STORES}, {STORES, LOADS}, {STORES, ATOMICS}, {ATOMICS, LOADS}};
    static const int32_t zeros[PLACES];
    wanted list[4];
    size_t count = 0;
    for (int i = 0; i < 4; i++)
        count += find_race(d, pairs[i][0], pairs[i][1], has_chains, &list[count]);
    arrays all =
        make_arrays(module, NAMED({"w", d->index[STORES]}, {"r", d->index[LOADS]},
                                  {"a", d->index[ATOMICS]}, {"v", d->values}, {"x", zeros}));
    tg_report *report = run_checked(module, &all, order);
    if (tg_report_finding_count(report) != count) show_findings(report);
    cr_assert_eq(tg_report_finding_count(report), count, "%s: wanted %zu", order, count);
    for (size_t i = 0; i < count; i++) {
        const tg_finding f = tg_report_finding(report, i);
        const tg_related other = tg_report_related(report, i, 0);
        const wanted *w = find(list, count, &f, &other);
        cr_assert_not_null(w, "%s: %s", order, f.message);
        wanted flat = *w; /* of a grid of two axes only the first number is looked at there */
        if (has_chains) {
            cr_assert_eq(f.program[0] * 3 + f.program[1], w->here.program, "%s: %s", order,
                         f.message);
            cr_assert_eq(other.program[0] * 3 + other.program[1], w->there.program, "%s",
                         f.message);
            flat.here.program = f.program[0];
            flat.there.program = other.program[0];
        }
        check_finding(report, i, &flat, order);
    }
    tg_report_free(report);
    free_arrays(&all);
}

static void draw_some(draw *d, uint64_t seed, int values)
{
    uint64_t state = seed * 2 + 1;
    int32_t *numbers = &d->index[0][0];
    for (size_t i = 0; i < sizeof *d / sizeof(int32_t); i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        numbers[i] = (int32_t)((state >> 33) % PLACES);
    }
    for (int i = 0; i < PROGRAMS * EACH; i++) d->values[i] = d->values[i] % values;
}

#define ANY_BODY                                                                                   \
    "body\n%10:i32[3] = load %1 [0:3]; %11:i32[3] = load %2 [0:3]; %12:i32[3] = load %3 [0:3]; "   \
    "%13:i32[3] = load %4 [0:3]\nstore %6 %13 %10 [@] loc=1\n%14:i32[3] = load %6 %11 [@] loc=2\n" \
    "add_update %6 %13 %12 [@] loc=3\nstore %7 %14 [0:3]\n"

Test(races, against_all_pairs)
{
    tg_module *flat = load_kernel(
        "grid 12p\ninput w i32[12,3] block s b3 at i 0\ninput r i32[12,3] "
        "block s b3 at i 0\ninput a i32[12,3] block s b3 "
        "at i 0\ninput v i32[12,3] block s b3 at i 0\ninput x "
        "i32[24]\noutput o i32[24] alias=x\noutput p i32[12,3] block s b3 at i 0\n" ANY_BODY);
    tg_module *chained = load_kernel(
        "grid 4p 3a\ninput w i32[4,3,3] block s s b3 at i j 0\ninput r i32[4,3,3] block s s b3 at "
        "i "
        "j 0\n"
        "input a i32[4,3,3] block s s b3 at i j 0\ninput v i32[4,3,3] block s s b3 at i j 0\ninput "
        "x i32[24]\n"
        "output o i32[24] alias=x\noutput p i32[4,3,3] block s s b3 at i j 0\n" ANY_BODY);
    static const char *const orders[] = {"sequential", "reversed", "shuffled:5", "interleaved:3",
                                         "parallel:2"};
    for (uint64_t seed = 0; seed < 60; seed++) {
        draw d;
        draw_some(&d, seed, seed % 3 == 0 ? 1 : 2);
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
            hold_against_pairs(&d, false, flat, orders[o]);
            hold_against_pairs(&d, true, chained, orders[o]);
        }
    }
    tg_module_free(flat);
    tg_module_free(chained);
}
