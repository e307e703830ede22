/* Every element-wise op on every dtype that ops.def gives it, as PTX rows in the emulator, gives the bits of the
 * interpreter's lanes: all operands of 8 bits and all pairs of them, all of 16 bits, of wider dtypes those at
 * edges and random ones. */
#include "ptx_lanes.h"
#include "sampled.h"

static const tg_elementwise *baseline(void) { return tg_elementwise_get("baseline"); }

/* -- one lane -- */

/* Runs both over operands given as codes. */
static void check(const ptx_lane *lane, ptx_codes *codes)
{
    void *in[PTX_MAX_OPERANDS];
    for (uint32_t k = 0; k < lane->count; k++) {
        ptx_keep_each(&codes[k], sampled(1, 13));
        in[k] = ptx_carriers(lane->in[k], &codes[k]);
    }
    void *const expected = malloc(codes[0].count * 8);
    const tg_elementwise_call op =
        tg_elementwise_op(baseline(), lane->op, lane->dtype, lane->second);
    cr_assert(lanes_run(op, expected, (const void *const *)in, 0, codes[0].count, lane->imm));
    ptx_check(lane, codes[0].count, (const void *const *)in, expected);
    free(expected);
    for (uint32_t k = 0; k < lane->count; k++) free(in[k]);
}

static ptx_codes codes[PTX_MAX_OPERANDS], edges[2];

static void clear(void)
{
    for (int k = 0; k < PTX_MAX_OPERANDS; k++) codes[k].count = 0;
    edges[0].count = edges[1].count = 0;
}

/* Elementary functions are long and have tests of their own (tests/test_ptx_forms.c): edges do for them. */
static void check_one_operand(const ptx_lane *lane)
{
    const bool elementary = ptx_is_elementary(lane->op);
    clear();
    ptx_add_edges(&codes[0], lane->dtype, elementary ? 8 : 16);
    if (elementary || tg_dtypes[lane->dtype].bits > 16)
        ptx_add_random(&codes[0], lane->dtype, lane->op, elementary ? 512 : 8192);
    check(lane, codes);
}

/* Pairs of edges; of elementary functions every 61st. */
static void check_two_operands(const ptx_lane *lane)
{
    const size_t step = ptx_is_elementary(lane->op) ? 61 : 1;
    clear();
    for (int k = 0; k < 2; k++) ptx_add_edges(&edges[k], lane->in[k], 8);
    for (size_t i = 0; i < edges[0].count * edges[1].count; i += step) {
        ptx_add(&codes[0], edges[0].list[i / edges[1].count]);
        ptx_add(&codes[1], edges[1].list[i % edges[1].count]);
    }
    for (int k = 0; k < 2; k++)
        ptx_add_random(&codes[k], lane->in[k], (uint64_t)lane->op + (uint64_t)k, 8192 / step);
    check(lane, codes);
}

/* Random edges; of an index those about the cases. */
static void check_more_operands(const ptx_lane *lane)
{
    static const int32_t indices[] = {INT32_MIN, -1, 0, 1, 2, 3, 4, INT32_MAX};
    uint64_t seed = lane->op;
    clear();
    ptx_add_edges(&edges[0], lane->dtype, 8);
    for (int i = 0; i < sampled(8192, 512); i++)
        for (uint32_t k = 0; k < lane->count; k++) {
            const uint64_t random = random_bits(&seed);
            const bool is_index = k == 0 && lane->in[0] == TG_DT_i32 && lane->op == TG_OP_select;
            ptx_add(&codes[k], is_index ? (uint32_t)indices[random % 8]
                                        : edges[0].list[random % edges[0].count]);
        }
    check(lane, codes);
}

static void check_lane(const ptx_lane *lane, void *context)
{
    (void)context;
    if (lane->count == 1)
        check_one_operand(lane);
    else if (lane->count == 2)
        check_two_operands(lane);
    else
        check_more_operands(lane);
}

static void check_ops(bool (*on)(tg_dtype), bool elementary)
{
    for (int op = 0; op < TG_OP_COUNT; op++)
        for (int d = 0; d < TG_DT_COUNT; d++)
            if (on((tg_dtype)d) && ptx_is_admitted((tg_opcode)op, (tg_dtype)d) &&
                ptx_is_elementary((tg_opcode)op) == elementary)
                ptx_each_variant((tg_opcode)op, (tg_dtype)d, check_lane, NULL);
}

/* -- tests -- */

static bool is_small_int(tg_dtype d) { return !tg_is_float(d) && tg_dtypes[d].bits <= 16; }
static bool is_wide_int(tg_dtype d) { return !tg_is_float(d) && tg_dtypes[d].bits > 16; }
static bool is_tiny_float(tg_dtype d) { return tg_is_float(d) && tg_dtypes[d].bits <= 8; }
static bool is_half(tg_dtype d) { return tg_is_float(d) && tg_dtypes[d].bits == 16; }
static bool is_wide_float(tg_dtype d) { return tg_is_float(d) && tg_dtypes[d].bits > 16; }

Test(ptx_lanes, ints_of_up_to_16_bits) { check_ops(is_small_int, false); }
Test(ptx_lanes, ints_of_32_and_64_bits) { check_ops(is_wide_int, false); }
Test(ptx_lanes, floats_of_up_to_8_bits) { check_ops(is_tiny_float, false); }
Test(ptx_lanes, floats_of_16_bits) { check_ops(is_half, false); }
Test(ptx_lanes, floats_of_32_and_64_bits) { check_ops(is_wide_float, false); }
Test(ptx_lanes, elementary_functions_of_up_to_8_bits) { check_ops(is_tiny_float, true); }
Test(ptx_lanes, elementary_functions_of_16_bits) { check_ops(is_half, true); }
Test(ptx_lanes, elementary_functions_of_32_and_64_bits) { check_ops(is_wide_float, true); }

Test(ptx_lanes, what_ops_def_does_not_have_is_refused)
{
    for (int op = 0; op < TG_OP_COUNT; op++)
        for (int d = 0; d < TG_DT_COUNT; d++) {
            if (ptx_is_admitted((tg_opcode)op, (tg_dtype)d)) continue;
            tg_ptx_writer w = {.tables = {NULL}};
            tg_ptx_reg in[3], out;
            for (int k = 0; k < 3; k++) in[k] = tg_ptx_new(&w, tg_ptx_class_of((tg_dtype)d));
            const tg_ptx_lane_op lane = {&w, (tg_opcode)op, (tg_dtype)d, (tg_dtype)d, 0, 3, in};
            cr_assert_not(tg_ptx_lane(&lane, &out), "%s %s", tg_ops[op].name, tg_dtypes[d].name);
            cr_assert_eq(w.text.length, 0, "%s %s wrote rows", tg_ops[op].name, tg_dtypes[d].name);
            tg_text_drop(&w.text);
        }
}
