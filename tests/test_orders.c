/* Orders: which program runs when, and that it makes no difference where it must not. */
#include "interp/state/order.h"
#include "run_text.h"

/* ---- spelling ---- */

Test(orders, spelling)
{
    static const struct {
        const char *text, *printed;
    } good[] = {{"sequential", "sequential"},
                {"reversed", "reversed"},
                {"shuffled", "shuffled:0"},
                {"shuffled:7", "shuffled:7"},
                {"parallel", "parallel"},
                {"parallel:1024", "parallel:1024"},
                {"interleaved", "interleaved:0"},
                {"interleaved:18446744073709551615", "interleaved:18446744073709551615"},
                {"replay:5-before-2", "replay:5-before-2"},
                {"replay:reversed@3.0", "replay:reversed@3.0"},
                {"replay:shuffled:18446744073709551615@12.34",
                 "replay:shuffled:18446744073709551615@12.34"}};
    static const char *const bad[] = {"",
                                      "seq",
                                      "sequential:",
                                      "sequential:1",
                                      "reversed:0",
                                      "Shuffled",
                                      "shuffled:",
                                      "shuffled:-1",
                                      "shuffled:+1",
                                      "shuffled: 1",
                                      "shuffled:1x",
                                      "shuffled:0x1",
                                      "shuffled:18446744073709551616",
                                      "parallel:0",
                                      "parallel:1025",
                                      "parallel:99999999999999999999",
                                      "interleaved:a",
                                      "shuffled 1",
                                      ":1",
                                      "sequentially",
                                      "replay",
                                      "replay:",
                                      "replay:5",
                                      "replay:5-before-",
                                      "replay:5-before-5",
                                      "replay:-1-before-5",
                                      "replay:5-before-2x",
                                      "replay:5-after-2",
                                      "replay:reversed",
                                      "replay:reversed@1",
                                      "replay:reversed@1.",
                                      "replay:reversed@1.2.3",
                                      "replay:shuffled@1.2",
                                      "replay:shuffled:@1.2",
                                      "replay:shuffled:1@99999999999999999999.2",
                                      "replay:interleaved:1@1.2"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        tg_order order;
        tg_diags diags = {0};
        char text[64];
        cr_assert_eq(tg_order_parse(good[i].text, &order, &diags), TG_OK, "%s", good[i].text);
        cr_assert_str_eq(tg_order_print(&order, text, sizeof text), good[i].printed);
        tg_diags_free(&diags);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tg_order order;
        tg_diags diags = {0};
        cr_assert_eq(tg_order_parse(bad[i], &order, &diags), TG_ERR_USAGE, "%s", bad[i]);
        cr_assert_eq(diags.count, 1);
        tg_diags_free(&diags);
    }
}

/* ---- permutations ---- */

static void check_permutation(tg_order_kind kind, uint64_t seed, int64_t count)
{
    tg_order order = {.kind = kind, .seed = seed};
    bool *seen = calloc((size_t)count, sizeof *seen);
    for (int64_t turn = 0; turn < count; turn++) {
        int64_t pick = tg_order_pick(&order, turn, count);
        cr_assert(pick >= 0 && pick < count && !seen[pick], "seed %d, turn %d of %d", (int)seed,
                  (int)turn, (int)count);
        seen[pick] = true;
    }
    free(seen);
}

/* From the sequence to another order in steps that each let two neighbours change places. */
static void check_steps(tg_order_kind base, uint64_t seed, int64_t count)
{
    const tg_order end = {.kind = base, .seed = seed};
    int64_t *before = NULL;
    for (int64_t done = 0; done < count; done++)
        for (int64_t moved = 0; moved < count; moved++) {
            const tg_order order = {
                .kind = TG_ORDER_REPLAY, .seed = seed, .replay = {base, 0, 0, done, moved}};
            int64_t *list = tg_order_list(&order, count), changed = 0;
            cr_assert_not_null(list);
            for (int64_t i = 0; before && i < count; i++) changed += list[i] != before[i];
            cr_assert(changed == 0 || changed == 2, "%d", (int)changed);
            for (int64_t i = 0; i < done; i++) cr_assert_eq(list[i], tg_order_pick(&end, i, count));
            free(before);
            before = list;
        }
    for (int64_t i = 0; i < count; i++) cr_assert_eq(before[i], tg_order_pick(&end, i, count));
    free(before);
}

Test(orders, replays_lead_from_the_sequence_to_another_order)
{
    for (uint64_t seed = 0; seed < 4; seed++) check_steps(TG_ORDER_SHUFFLED, seed, 12);
    check_steps(TG_ORDER_REVERSED, 0, 9);
}

Test(orders, one_chain_before_another)
{
    static const struct {
        int64_t first, second, picks[5];
    } moves[] = {{4, 0, {4, 0, 1, 2, 3}},
                 {3, 1, {0, 3, 1, 2, 4}},
                 {0, 4, {1, 2, 3, 0, 4}},
                 {1, 2, {0, 1, 2, 3, 4}}};
    for (size_t m = 0; m < sizeof moves / sizeof *moves; m++) {
        const tg_order order = {.kind = TG_ORDER_REPLAY,
                                .replay = {.first = moves[m].first, .second = moves[m].second}};
        for (int64_t turn = 0; turn < 5; turn++)
            cr_assert_eq(tg_order_pick(&order, turn, 5), moves[m].picks[turn], "%d, turn %d",
                         (int)m, (int)turn);
    }
}

Test(orders, picks_are_permutations)
{
    static const int64_t counts[] = {97, 1000, 4095, 4096, 4097, 65537};
    for (int64_t count = 1; count < 70; count++)
        for (uint64_t seed = 0; seed < 5; seed++) check_permutation(TG_ORDER_SHUFFLED, seed, count);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check_permutation(TG_ORDER_SHUFFLED, 12345678901234567u, counts[i]);
        check_permutation(TG_ORDER_INTERLEAVED, i, counts[i]);
        check_permutation(TG_ORDER_REVERSED, 0, counts[i]);
        check_permutation(TG_ORDER_SEQUENTIAL, 0, counts[i]);
    }
}

/* As large as grids may be: still in range, and scattered. */
Test(orders, picks_of_huge_grids)
{
    static const int64_t counts[] = {INT64_C(1) << 40, (INT64_C(1) << 62) - 1, INT64_C(1) << 62};
    tg_order order = {.kind = TG_ORDER_SHUFFLED, .seed = 3};
    for (int i = 0; i < 3; i++) {
        int64_t upper = 0;
        for (int64_t turn = 0; turn < 1000; turn++) {
            int64_t pick = tg_order_pick(&order, turn, counts[i]);
            cr_assert(pick >= 0 && pick < counts[i]);
            upper += pick >= counts[i] / 2;
        }
        cr_assert(upper > 400 && upper < 600, "%d", (int)upper);
    }
}

/* ---- what runs when ---- */

enum { MOST_PROGRAMS = 4000 };

typedef struct record {
    int list[MOST_PROGRAMS], count;
} record;

static void take_number(void *context, const char *text)
{
    record *r = context;
    cr_assert(r->count < MOST_PROGRAMS);
    r->list[r->count++] = atoi(text);
}

/* The places in the grid of the programs, in the order in which they came to their print. */
static record programs_of(const char *grid, const char *order_text)
{
    char text[1024],
        *end = text + sprintf(text, "grid %s\nbody\n%%10:i32[] = constant value=0\n", grid);
    record r = {.count = 0};
    int axes = 1, last = 10;
    for (const char *p = grid; *p; p++) axes += *p == ' ';
    for (int a = 0; a < axes; a++) {
        end += sprintf(end,
                       "%%%d:i32[] = num_programs axis=%d; %%%d:i32[] = mul %%%d %%%d; %%%d:i32[] "
                       "= program_id axis=%d\n"
                       "%%%d:i32[] = add %%%d %%%d\n",
                       20 + 4 * a, a, 21 + 4 * a, last, 20 + 4 * a, 22 + 4 * a, a, 23 + 4 * a,
                       21 + 4 * a, 22 + 4 * a);
        last = 23 + 4 * a;
    }
    sprintf(end, "debug_print %%%d format='{}'\n", last);
    tg_module *module = load_kernel(text);
    tg_run_options options = {
        .size = sizeof options, .order = order_text, .print = take_number, .context = &r};
    arrays none = {.count = 0};
    tg_report *report = run_once(module, &none, &options);
    cr_assert_eq(tg_report_stats(report).programs, r.count);
    tg_report_free(report);
    tg_module_free(module);
    return r;
}

static void check_each_once(const record *r, int count)
{
    bool seen[MOST_PROGRAMS] = {false};
    cr_assert_eq(r->count, count, "%d", r->count);
    for (int i = 0; i < r->count; i++) {
        cr_assert(r->list[i] >= 0 && r->list[i] < count && !seen[r->list[i]]);
        seen[r->list[i]] = true;
    }
}

static bool same_record(const record *a, const record *b)
{
    return a->count == b->count &&
           memcmp(a->list, b->list, (size_t)a->count * sizeof *a->list) == 0;
}

Test(orders, every_program_once)
{
    static const struct {
        const char *grid;
        int programs;
    } grids[] = {{"1", 1},
                 {"2", 2},
                 {"3", 3},
                 {"16", 16},
                 {"17", 17},
                 {"101", 101},
                 {"7 5 3", 105},
                 {"1 1 1 1", 1},
                 {"5a", 5},
                 {"13 3a", 39},
                 {"3a 13", 39},
                 {"2a 5 3a 2", 60},
                 {"2 2a 2 2a 2 2a 2 2a", 256}};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++)
        for (int o = 0; o < ORDERS; o++) {
            record r = programs_of(grids[g].grid, every_order[o]);
            check_each_once(&r, grids[g].programs);
        }
}

Test(orders, sequential_and_reversed)
{
    record forth = programs_of("3 4 5", "sequential"), back = programs_of("3 4 5", "reversed");
    for (int i = 0; i < 60; i++) {
        cr_assert_eq(forth.list[i], i);
        cr_assert_eq(back.list[i], 59 - i);
    }
    forth = programs_of("6", "parallel:1");
    for (int i = 0; i < 6; i++) cr_assert_eq(forth.list[i], i);
}

/* The programs that share their place on the parallel axes come in the order of the arbitrary ones. */
static void check_chains(const char *grid, int axes, const int *size, const bool *arbitrary,
                         const char *order)
{
    record r = programs_of(grid, order);
    int next[MOST_PROGRAMS] = {0};
    for (int i = 0; i < r.count; i++) {
        int left = r.list[i], chain = 0, step = 0, at[8];
        for (int a = axes - 1; a >= 0; a--) {
            at[a] = left % size[a];
            left /= size[a];
        }
        for (int a = 0; a < axes; a++) {
            int *place = arbitrary[a] ? &step : &chain;
            *place = *place * size[a] + at[a];
        }
        cr_assert_eq(next[chain]++, step, "%s, grid %s: chain %d", order, grid, chain);
    }
}

Test(orders, arbitrary_axes_are_kept)
{
    for (int o = 0; o < ORDERS; o++) {
        check_chains("20 7a", 2, (int[]){20, 7}, (bool[]){false, true}, every_order[o]);
        check_chains("7a 20", 2, (int[]){7, 20}, (bool[]){true, false}, every_order[o]);
        check_chains("5 4a 6", 3, (int[]){5, 4, 6}, (bool[]){false, true, false}, every_order[o]);
        check_chains("3a 5 4a", 3, (int[]){3, 5, 4}, (bool[]){true, false, true}, every_order[o]);
        check_chains("60a", 1, (int[]){60}, (bool[]){true}, every_order[o]);
        check_chains("3a 4a 5a", 3, (int[]){3, 4, 5}, (bool[]){true, true, true}, every_order[o]);
    }
}

Test(orders, seeds)
{
    static const char *const kinds[] = {"shuffled", "interleaved"};
    for (int k = 0; k < 2; k++) {
        char a_text[64], b_text[64];
        int differ = 0;
        for (int seed = 0; seed < 10; seed++) {
            snprintf(a_text, sizeof a_text, "%s:%d", kinds[k], seed);
            snprintf(b_text, sizeof b_text, "%s:%d", kinds[k], seed + 1);
            record a = programs_of("50 2a", a_text), again = programs_of("50 2a", a_text),
                   b = programs_of("50 2a", b_text);
            cr_assert(same_record(&a, &again), "%s", a_text);
            differ += !same_record(&a, &b);
        }
        cr_assert_eq(differ, 10, "%s", kinds[k]);
    }
}

/* ---- races show ---- */

static int32_t racy_result(const char *order)
{
    static const int32_t zero[1] = {0};
    tg_module *module = load_kernel(
        "grid 100\ninput z i32[1]\noutput o i32[1] alias=z\nbody\n"
        "%10:i32[1] = load %2 [0:1]; %11:i32[1] = constant value=1; %12:i32[1] = add %10 %11\n"
        "store %2 %12 [0:1]\n");
    arrays all = make_arrays(module, NAMED({"z", zero}));
    tg_run_options options = {.size = sizeof options, .order = order};
    tg_report *report = run_once(module, &all, &options);
    int32_t result = *(int32_t *)array_data(&all, "o");
    options.order = tg_report_stats(report).order;
    tg_report *again = run_once(module, &all, &options);
    cr_assert_eq(*(int32_t *)array_data(&all, "o"), result, "%s does not repeat %s", options.order,
                 order);
    tg_report_free(again);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
    return result;
}

/* Programs that are interrupted between load and store lose counts; others do not. */
Test(orders, interleaving_loses_counts)
{
    cr_assert_eq(racy_result("sequential"), 100);
    cr_assert_eq(racy_result("reversed"), 100);
    cr_assert_eq(racy_result("shuffled:4"), 100);
    cr_assert_lt(racy_result("interleaved"), 100);
    cr_assert_lt(racy_result("interleaved:1"), 100);
    cr_assert_gt(racy_result("interleaved"), 0);
}

/* The same with a store in place: what it stores is computed after the machine stopped. */
Test(orders, stops_before_each_access)
{
    static int32_t o[64];
    int finished[64] = {0}, mixed = 0;
    tg_module *module =
        load_kernel("grid 30\noutput o i32[64]\nbody\n"
                    "%10:i32[] = program_id axis=0; %11:i32[32] = broadcast_in_dim %10 dims=[]\n"
                    "store %1 %11 [0:32]; %12:i32[32] = add %11 %11; %13:i32[32] = sub %12 %11; "
                    "store %1 %13 [32:32]\n");
    for (int seed = 0; seed < 40; seed++) {
        char order[32];
        snprintf(order, sizeof order, "interleaved:%d", seed);
        tg_run_options options = {.size = sizeof options, .order = order};
        arrays all = make_arrays(module, NAMED({"o", o}));
        tg_report_free(run_once(module, &all, &options));
        const int32_t *found = array_data(&all, "o");
        for (int i = 1; i < 64; i++) cr_assert_eq(found[i], found[i < 32 ? 0 : 32]);
        mixed += found[0] != found[32];
        finished[found[0]]++;
        free_arrays(&all);
    }
    cr_assert_gt(mixed, 0);
    cr_assert_lt(finished[29], 40);
    tg_module_free(module);
}

/* ---- grids at the limits ---- */

static void check_empty(const char *grid)
{
    char text[256];
    int32_t o[2] = {INT32_MIN, INT32_MIN};
    snprintf(
        text, sizeof text,
        "grid %s\noutput o i32[2]\nbody\n%%10:i32[2] = constant value=1; store %%1 %%10 [0:2]\n",
        grid);
    expect_with(text, NAMED({"o", o}), (tg_run_options){0}, 1);
}

Test(orders, empty_grids)
{
    check_empty("0");
    check_empty("3 0");
    check_empty("0a 3");
    check_empty("3 0a 2");
    check_empty("2147483647 2147483647 0a");
    check_empty("0 2147483647a 2147483647a");
}

/* No axes: one program.  No params either: nothing to see. */
Test(orders, single_program)
{
    static const int32_t o[1] = {5};
    expect("output o i32[1]\nbody\n%10:i32[1] = constant value=5; store %1 %10 [0:1]\n",
           NAMED({"o", o}));
    tg_module *module = load_kernel("body\n");
    for (int k = 0; k < ORDERS; k++) {
        arrays none = {.count = 0};
        tg_run_options options = {.size = sizeof options, .order = every_order[k]};
        tg_report *report = run_once(module, &none, &options);
        cr_assert_eq(tg_report_stats(report).programs, 1);
        cr_assert_eq(tg_report_finding_count(report), 0);
        tg_report_free(report);
    }
    tg_module_free(module);
}

Test(orders, stats)
{
    tg_module *module = load_kernel("grid 10 3a\nbody\n");
    static const struct {
        const char *order, *printed;
        int threads;
    } rows[] = {{NULL, "sequential", 1},
                {"parallel:2", "parallel:2", 2},
                {"parallel:4", "parallel:4", 4},
                {"shuffled", "shuffled:0", 1},
                {"interleaved:3", "interleaved:3", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tg_run_options options = {
            .size = sizeof options, .order = rows[i].order, .isa = "baseline"};
        arrays none = {.count = 0};
        tg_report *report = run_once(module, &none, &options);
        tg_run_stats stats = tg_report_stats(report);
        cr_assert_eq(stats.programs, 30);
        cr_assert_eq(stats.threads, rows[i].threads);
        cr_assert_str_eq(stats.order, rows[i].printed);
        cr_assert_str_eq(stats.isa, "baseline");
        cr_assert(stats.seconds >= 0 && stats.seconds < 100);
        tg_report_free(report);
    }
    tg_module_free(module);
}
