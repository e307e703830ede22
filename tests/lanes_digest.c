/* Prints a digest of the results of every element-wise op, conversion, reduction, scan and product on fixed
 * pseudo-random operands: a line each, the same on every machine and instruction set.  Needs no library but
 * libc, so that it can be built for other machines alone; tools/check_aarch64.sh compares them.
 *
 *   lanes_digest [ISA]
 *
 * Exit status 77 where this machine has no such instruction set. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "interp/blocks/blocks.h"
#include "tests/lanes_oracle.h"

enum { COUNT = 8192, OPERANDS = 3, ROWS = 64, COLUMNS = COUNT / ROWS };

static uint64_t operand[OPERANDS][COUNT], result[COUNT], workspace[1 << 18];

/* FNV-1a of the results; which NaN it is does not count. */
static uint64_t digest_of(tg_carrier c, size_t count)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    const size_t bytes = tg_carrier_bytes[c];
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        memcpy(&value, (const char *)result + i * bytes, bytes);
        if (c == TG_C_f32 && isnan(f32_of_bits((uint32_t)value))) value = 0x7fc00000;
        if (c == TG_C_f64 && isnan(f64_of_bits(value))) value = 0x7ff8000000000000;
        digest = (digest ^ value) * UINT64_C(0x100000001b3);
    }
    return digest;
}

static void print_digest(const char *what, const char *first, const char *second, tg_carrier c,
                         size_t count)
{
    printf("%s %s %s %016" PRIx64 "\n", what, first, second, digest_of(c, count));
}

static void fill_operands(tg_dtype first, tg_dtype second, uint64_t seed)
{
    for (int k = 0; k < OPERANDS; k++)
        random_values(k == 1 ? second : first, seed + (uint64_t)k, COUNT, operand[k]);
}

static void elementwise(const tg_elementwise *lanes, tg_opcode op, tg_dtype d, tg_dtype second)
{
    const void *const src[OPERANDS] = {operand[0], operand[1], operand[2]};
    fill_operands(op == TG_OP_select ? second : d, op == TG_OP_pow ? second : d, (uint64_t)op);
    if (op == TG_OP_select) random_values(d, 3, COUNT, operand[2]);
    if (!lanes_run(tg_elementwise_op(lanes, op, d, second), result, src, 0, COUNT, sample_imm(op)))
        return;
    const tg_carrier c = tg_ops[op].rule == TG_RULE_PREDICATE ? TG_C_b8 : tg_carrier_of(d);
    print_digest(tg_ops[op].name, tg_dtypes[d].name, tg_dtypes[second].name, c, COUNT);
}

static void convert(const tg_elementwise *lanes, tg_dtype from, tg_dtype to)
{
    const void *const src[1] = {operand[0]};
    lanes_run(tg_elementwise_convert(lanes, from, to), result, src, 0, COUNT, 0);
    print_digest("convert", tg_dtypes[from].name, tg_dtypes[to].name, tg_carrier_of(to), COUNT);
}

static void *room_for(size_t bytes)
{
    if (bytes <= sizeof workspace) return workspace;
    fprintf(stderr, "lanes_digest: the workspace is too small\n");
    exit(2);
}

static void reduce(const tg_elementwise *lanes, tg_opcode op, tg_dtype d, const tg_view *in)
{
    for (unsigned axes = 1; axes <= 3; axes++) {
        const char axes_name[2] = {(char)('0' + axes), '\0'};
        tg_reduce(lanes, op, d, in, axes, result, room_for(tg_reduce_workspace(in, axes, d)));
        print_digest(tg_ops[op].name, tg_dtypes[d].name, axes_name, tg_carrier_of(d),
                     axes == 1   ? COLUMNS
                     : axes == 2 ? ROWS
                                 : 1);
    }
}

static void scan(const tg_elementwise *lanes, tg_opcode op, tg_dtype d, const tg_view *in)
{
    tg_scan(lanes, op, d, in, 0, false, result, room_for(tg_scan_workspace(in, 0, d)));
    print_digest(tg_ops[op].name, tg_dtypes[d].name, "0", tg_carrier_of(d), COUNT);
    tg_scan(lanes, op, d, in, 1, true, result, room_for(tg_scan_workspace(in, 1, d)));
    print_digest(tg_ops[op].name, tg_dtypes[d].name, "1", tg_carrier_of(d), COUNT);
}

static void blocks_of(const tg_elementwise *lanes, tg_dtype d)
{
    const tg_view in = {operand[0], 2, {ROWS, COLUMNS}, {COLUMNS, 1}};
    if (d == TG_DT_bool) return;
    fill_operands(d, d, 11);
    for (tg_opcode op = TG_OP_reduce_sum; op <= TG_OP_reduce_min; op++) reduce(lanes, op, d, &in);
    for (tg_opcode op = TG_OP_cumsum; op <= TG_OP_cummin; op++) scan(lanes, op, d, &in);
}

static void dot(const tg_elementwise *lanes, tg_dtype d)
{
    const tg_dot_shape shape = {.b = 1,
                                .m = ROWS,
                                .n = ROWS,
                                .k = COLUMNS,
                                .lhs_m = COLUMNS,
                                .lhs_k = 1,
                                .rhs_k = 1,
                                .rhs_n = COLUMNS};
    fill_operands(d, d, 13);
    tg_dot(lanes, d, &shape, operand[0], operand[1], result, room_for(tg_dot_workspace(&shape, d)));
    print_digest("dot", tg_dtypes[d].name, tg_dtypes[d].name, tg_carrier_of(d), ROWS * ROWS);
}

static void all_of(const tg_elementwise *lanes, tg_dtype d)
{
    for (int op = 0; op < TG_OP_COUNT; op++) {
        if (!is_elementwise((tg_opcode)op)) continue;
        elementwise(lanes, (tg_opcode)op, d, op == TG_OP_select ? TG_DT_bool : d);
        for (int e = 0; op == TG_OP_pow && tg_is_float(d) && e < TG_DT_COUNT; e++)
            if (tg_is_int((tg_dtype)e)) elementwise(lanes, (tg_opcode)op, d, (tg_dtype)e);
    }
    fill_operands(d, d, 5);
    for (int to = 0; to < TG_DT_COUNT; to++) convert(lanes, d, (tg_dtype)to);
    blocks_of(lanes, d);
}

int main(int argc, char **argv)
{
    const tg_dtype products[] = {TG_DT_f32, TG_DT_f64, TG_DT_i32, TG_DT_i64};
    const tg_elementwise *const lanes = tg_elementwise_get(argc > 1 ? argv[1] : NULL);
    if (lanes == NULL) return 77;
    for (int d = 0; d < TG_DT_COUNT; d++) all_of(lanes, (tg_dtype)d);
    for (size_t k = 0; k < sizeof products / sizeof *products; k++) dot(lanes, products[k]);
    return 0;
}
