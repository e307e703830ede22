/* Random kernels: what the plan and the machine make of them must be what evaluating the IR op by
 * op gives; and of kernels with every op and dtype, what random/programs.h says. */
#include "random/evaluate.h"
#include "random/maker.h"
#include "random/programs.h"
#include "sampled.h"

static void check_seed(uint64_t seed)
{
    static const char *const orders[] = {"sequential", "shuffled:3", "parallel:2", "interleaved:5"};
    static int32_t x[24 * 20], y[7 * 600], z[3 * 5 * 8], r[20 * 20], o[24 * 20], q[3 * 600],
        zo[3 * 5 * 8];
    static int8_t w[20 * 16], b[22 * 4];
    for (int i = 0; i < 24 * 20; i++) x[i] = i % 37 - 11, o[i] = INT32_MIN;
    for (int i = 0; i < 20 * 20; i++) r[i] = i * 5 % 83 - 30;
    for (int i = 0; i < 7 * 600; i++) y[i] = i * 7 % 101 - 50;
    for (int i = 0; i < 3 * 600; i++) q[i] = INT32_MIN;
    for (int i = 0; i < 3 * 5 * 8; i++) z[i] = i;
    for (int i = 0; i < 20 * 16; i++) w[i] = (int8_t)(i * 3);
    memset(b, 0, sizeof b);
    const named *list = NAMED({"x", x}, {"y", y}, {"w", w}, {"z", z}, {"r", r}, {"o", o}, {"q", q},
                              {"zo", zo}, {"b", b});
    char *json = random_json(RANDOM_PLAIN, seed, RANDOM_OPS);
    tg_module *module = load_json(json);
    evaluate_module(module, list);
    for (int i = 0; i < 4; i++) {
        tg_run_options options = {.size = sizeof options, .order = orders[i]};
        arrays all = make_arrays(module, list);
        tg_report *report = run_once(module, &all, &options);
        for (size_t f = 0; f < tg_report_finding_count(report); f++)
            cr_assert_str_eq(tg_report_finding(report, f).kind, "output-unwritten", "seed %d: %s",
                             (int)seed, tg_report_finding(report, f).message);
        char what[64];
        snprintf(what, sizeof what, "seed %d, %s", (int)seed, orders[i]);
        compare_arrays(&all, what);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
    free(json);
}

enum { SEEDS = 150 };

Test(machine_random, agrees_with_evaluation)
{
    const char *only = getenv("TILEGRIND_TEST_SEED");
    if (only) {
        char *json = random_json(RANDOM_PLAIN, strtoull(only, NULL, 10), RANDOM_OPS);
        puts(json);
        free(json);
        check_seed((uint64_t)atoi(only));
        return;
    }
    const char *most = getenv("TILEGRIND_TEST_SEEDS");
    const int seeds = most ? atoi(most) : sampled(SEEDS, 60);
    for (int seed = 0; seed < seeds; seed++) check_seed((uint64_t)seed);
}

static void note_ops(const tg_region *region, bool has_op[TG_OP_COUNT])
{
    for (uint32_t i = 0; i < region->op_count; i++) {
        const tg_op *op = &region->ops[i];
        has_op[op->code] = true;
        for (uint32_t r = 0; r < op->region_count; r++) note_ops(&op->regions[r], has_op);
    }
}

/* An op or dtype that no kernel has is one that nothing above looks at: it wants a maker in
 * tests/random. */
Test(machine_random, draws_every_op_and_dtype)
{
    static const uint64_t first[] = {
        0, RANDOM_COPIES, RANDOM_LAYOUTS, RANDOM_GROUPS, RANDOM_PRODUCTS, RANDOM_PTX};
    bool has_op[TG_OP_COUNT] = {false}, has_dtype[TG_DT_MEMORY_COUNT] = {false};
    for (uint64_t i = 0; i < 1000; i++) {
        tg_module *module = random_kernel(RANDOM_TYPED, first[i % 6] + i, PROGRAM_OPS);
        const tg_kernel *k = &module->kernels[0];
        note_ops(&k->body, has_op);
        for (uint32_t v = 0; v < k->value_count; v++) has_dtype[k->values[v].type.dtype] = true;
        tg_module_free(module);
    }
    /* random_pipelines, machine_threads/random_rounds, barrier_laws, machine_products, cancel,
     * collectives */
    static const tg_opcode of_barriers[] = {TG_OP_barrier_arrive, TG_OP_barrier_wait,
                                            TG_OP_barrier_expect, TG_OP_dot_arrive,
                                            TG_OP_cancel_launch,  TG_OP_collective};
    for (size_t i = 0; i < sizeof of_barriers / sizeof *of_barriers; i++)
        has_op[of_barriers[i]] = true;
    for (int op = 0; op < TG_OP_COUNT; op++) cr_expect(has_op[op], "no %s", tg_ops[op].name);
    for (int d = 0; d < TG_DT_COUNT; d++) cr_expect(has_dtype[d], "no %s", tg_dtypes[d].name);
}

/* `is_ptx`: the PTX backend takes them all. */
static void check_programs(uint64_t first, uint64_t count, bool is_ptx)
{
    char why[512];
    for (uint64_t seed = first; seed < first + count; seed++) {
        const random_verdict verdict =
            random_program_check(seed, PROGRAM_OPS, RANDOM_ALL, why, sizeof why);
        cr_assert(verdict == RANDOM_HOLDS || (verdict == RANDOM_REFUSED && !is_ptx),
                  "seed %llu: %s", (unsigned long long)seed, why);
    }
}

/* A slice of what `random_programs` does. */
Test(machine_random, every_op_and_dtype) { check_programs(0, (uint64_t)sampled(300, 16), true); }

Test(machine_random, with_copies)
{
    check_programs(RANDOM_COPIES, (uint64_t)sampled(150, 8), true);
}

Test(machine_random, with_layouts)
{
    check_programs(RANDOM_LAYOUTS, (uint64_t)sampled(150, 12), true);
}

Test(machine_random, with_groups)
{
    check_programs(RANDOM_GROUPS, (uint64_t)sampled(100, 10), true);
}

Test(machine_random, with_products)
{
    check_programs(RANDOM_PRODUCTS, (uint64_t)sampled(100, 10), false);
}

Test(machine_random, with_copies_that_combine)
{
    check_programs(RANDOM_COMBINED, (uint64_t)sampled(100, 10), false);
}

Test(machine_random, with_scaled_products)
{
    check_programs(RANDOM_SCALED, (uint64_t)sampled(100, 10), false);
}

Test(machine_random, with_ptx) { check_programs(RANDOM_PTX, (uint64_t)sampled(100, 10), false); }
