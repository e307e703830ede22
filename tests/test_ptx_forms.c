/* The rows of gpu_backend/elementwise/forms.h, run by tests/ptx_rows.h, give the bits of the lane functions that the interpreter
 * runs; and ptxas takes them.  tests/verify_forms.c tries more operands. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "interp/elementwise/elementary_exceptions.h"
#include "tests/ptx_forms_lanes.h"
#include "tests/ptx_forms_operands.h"
#include "find_ptxas.h"

enum { RANDOM_OPERANDS = 1 << 14 };

/* A form's rows, the lane function beside them, and operands that are collected until a strip is full. */
typedef struct trial {
    tg_opcode op;
    tg_ptx_form_variant v;
    ptx_rows *rows;
    int filled;
    uint64_t a[PTX_ROWS_LANES], b[PTX_ROWS_LANES];
} trial;

static ptx_rows *rows_of(tg_opcode op, tg_ptx_form_variant v)
{
    char error[200] = "";
    const char *const text = tg_ptx_form(op, v);
    ptx_rows *const rows =
        text ? ptx_rows_read(text, tg_ptx_form_table(op), error, sizeof error) : NULL;
    cr_assert_not_null(rows, "%s %s: %s", tg_ops[op].name, variant_names[v], error);
    return rows;
}

static void flush(trial *t)
{
    uint64_t got[PTX_ROWS_LANES], want[PTX_ROWS_LANES];
    const char *error = NULL;
    for (int i = t->filled; i < PTX_ROWS_LANES; i++) {
        t->a[i] = t->a[0];
        t->b[i] = t->b[0];
    }
    t->filled = 0;
    const int lane =
        compare_strip(t->rows, lanes_of(t->op, t->v), t->v, t->a, t->b, got, want, &error);
    cr_assert(lane < 0, "%s %s of %#" PRIx64 ", %#" PRIx64 ": the rows give %#" PRIx64 " %s",
              tg_ops[t->op].name, variant_names[t->v], t->a[lane], t->b[lane], got[lane],
              error ? error : "");
}

static void try(trial *t, uint64_t a, uint64_t b)
{
    t->a[t->filled] = a;
    t->b[t->filled] = b;
    if (++t->filled == PTX_ROWS_LANES) flush(t);
}

static double value_of_f16(uint32_t code)
{
    const uint32_t exponent = code >> 10 & 31, fraction = code & 0x3ff;
    const double sign = code >> 15 ? -1.0 : 1.0;
    if (exponent == 31) return fraction ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1024.0 + fraction, (int)exponent - 25) : ldexp(fraction, -24));
}

static void try_exceptions(trial *t)
{
    static const uint32_t operands[] = {
#define OPERAND(operand, result) operand, result, operand ^ 0x80000000, operand + 1, operand - 1,
#define ALL(id) TG_EXCEPTIONS_##id(OPERAND)
        ALL(exp2) ALL(log) ALL(log1p) ALL(sin) ALL(cos) ALL(acos) ALL(atan) ALL(sinh) ALL(asinh)
            ALL(acosh)
#define HARD(function, operand, result) operand, result, operand ^ 0x80000000,
#include "tests/elementary_hard.def"
    };
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        try(t, as_bits(base_of[t->v], (double)f32_of_bits(operands[i])), 0);
}

static void try_one_operand(trial *t)
{
    const tg_dtype d = base_of[t->v];
    for (uint32_t code = 0; code < 1 << 16; code++) try(t, as_bits(d, value_of_f16(code)), 0);
    for (int k = 0; k < special_count(d); k++) try(t, special_operand(d, k), 0);
    try_exceptions(t);
}

static void try_two_operands(trial *t)
{
    const tg_dtype d = base_of[t->v], second = second_of[t->v];
    for (int k = 0; k < special_count(d); k++)
        for (int m = 0; m < special_count(second); m++)
            try(t, special_operand(d, k), special_operand(second, m));
}

static void try_form(tg_opcode op, tg_ptx_form_variant v)
{
    trial t = {.op = op, .v = v, .rows = rows_of(op, v)};
    if (tg_ops[op].in_max == 1)
        try_one_operand(&t);
    else
        try_two_operands(&t);
    for (uint64_t i = 0; i < RANDOM_OPERANDS; i++)
        try(&t, random_operand(base_of[v], 2 * i), random_operand(second_of[v], 2 * i + 1));
    flush(&t);
    ptx_rows_free(t.rows);
}

/* -- forms -- */

Test(ptx_forms, are_there_for_what_the_lanes_have)
{
    int count = 0;
    for (int op = 0; op < TG_OP_COUNT; op++)
        for (int v = 0; v < TG_PTX_FORM_VARIANT_COUNT; v++) {
            const bool is_there = tg_ptx_form((tg_opcode)op, (tg_ptx_form_variant)v) != NULL;
            cr_expect_eq(is_there, lanes_of((tg_opcode)op, (tg_ptx_form_variant)v) != NULL, "%s %s",
                         tg_ops[op].name, variant_names[v]);
            count += is_there;
        }
    cr_expect_gt(count, 75);
}

Test(ptx_forms, say_which_table_they_read)
{
    for (int op = 0; op < TG_OP_COUNT; op++) {
        const char *const form = tg_ptx_form((tg_opcode)op, TG_PTX_FORM_F64);
        const bool reads = form != NULL && strstr(form, "tg_two_over_pi_bits") != NULL;
        cr_expect_eq(tg_ptx_form_table((tg_opcode)op) != NULL, reads, "%s", tg_ops[op].name);
    }
    cr_expect_not_null(tg_ptx_form_table(TG_OP_sin));
}

Test(ptx_forms, give_the_bits_of_the_lanes_for_f32)
{
    for (int op = 0; op < TG_OP_COUNT; op++)
        if (tg_ptx_form((tg_opcode)op, TG_PTX_FORM_F32)) try_form((tg_opcode)op, TG_PTX_FORM_F32);
}

Test(ptx_forms, give_the_bits_of_the_lanes_for_f32_odd)
{
    for (int op = 0; op < TG_OP_COUNT; op++)
        if (tg_ptx_form((tg_opcode)op, TG_PTX_FORM_F32_ODD))
            try_form((tg_opcode)op, TG_PTX_FORM_F32_ODD);
}

Test(ptx_forms, give_the_bits_of_the_lanes_for_f64)
{
    for (int op = 0; op < TG_OP_COUNT; op++)
        if (tg_ptx_form((tg_opcode)op, TG_PTX_FORM_F64)) try_form((tg_opcode)op, TG_PTX_FORM_F64);
}

Test(ptx_forms, give_the_bits_of_the_lanes_for_integer_exponents)
{
    for (int v = TG_PTX_FORM_F32_I32; v < TG_PTX_FORM_VARIANT_COUNT; v++)
        try_form(TG_OP_pow, (tg_ptx_form_variant)v);
}

Test(ptx_forms, give_the_results_known_to_be_right)
{
    static const struct {
        tg_opcode op;
        uint32_t operand, result;
    } cases[] = {
#undef HARD
#define HARD(function, operand, result) {TG_OP_##function, operand, result},
#include "tests/elementary_hard.def"
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ptx_rows *const rows = rows_of(cases[k].op, TG_PTX_FORM_F32);
        uint64_t a[PTX_ROWS_LANES], r[PTX_ROWS_LANES];
        for (int i = 0; i < PTX_ROWS_LANES; i++) a[i] = cases[k].operand;
        cr_assert_null(ptx_rows_run(rows, r, a, a));
        cr_expect_eq(r[k % PTX_ROWS_LANES], cases[k].result, "%s of %#" PRIx32,
                     tg_ops[cases[k].op].name, cases[k].operand);
        ptx_rows_free(rows);
    }
}

/* Wide exponents of an f32 base: by the helper form, then that of an i32. */
static void try_far(tg_dtype exponent)
{
    char error[200] = "";
    ptx_rows *const far = ptx_rows_read(tg_ptx_form_exponent(exponent), NULL, error, sizeof error);
    cr_assert_not_null(far, "%s", error);
    ptx_rows *const pow = rows_of(TG_OP_pow, TG_PTX_FORM_F32_I32);
    tg_elementwise_fn *const lanes =
        tg_elementwise_op(tg_elementwise_get(NULL), TG_OP_pow, TG_DT_f32, exponent).compute;
    uint64_t a[PTX_ROWS_LANES], b[PTX_ROWS_LANES], near[PTX_ROWS_LANES], got[PTX_ROWS_LANES];
    for (int k = 0; k < special_count(TG_DT_f32); k++) {
        for (int i = 0; i < PTX_ROWS_LANES; i++) {
            a[i] = special_operand(TG_DT_f32, k);
            b[i] = i < special_count(exponent) ? special_operand(exponent, i)
                                               : random_operand(exponent, (uint64_t)(k * 64 + i));
        }
        cr_assert_null(ptx_rows_run(far, near, b, b));
        cr_assert_null(ptx_rows_run(pow, got, a, near));
        uint64_t x[PTX_ROWS_LANES], y[PTX_ROWS_LANES];
        uint32_t want[PTX_ROWS_LANES] = {0};
        narrow_lanes(TG_DT_f32, x, a);
        narrow_lanes(exponent, y, b);
        const void *const src[2] = {x, y};
        lanes(want, src, 0, PTX_ROWS_LANES, 0);
        for (int i = 0; i < PTX_ROWS_LANES; i++)
            cr_assert_eq(got[i], want[i], "%#" PRIx64 " to %s %#" PRIx64, a[i],
                         tg_dtypes[exponent].name, b[i]);
    }
    ptx_rows_free(far);
    ptx_rows_free(pow);
}

Test(ptx_forms, bring_wide_exponents_into_reach)
{
    for (int d = 0; d < TG_DT_COUNT; d++) {
        const bool is_wide = d == TG_DT_u32 || d == TG_DT_i64 || d == TG_DT_u64;
        cr_expect_eq(tg_ptx_form_exponent((tg_dtype)d) != NULL, is_wide, "%s", tg_dtypes[d].name);
        if (is_wide) try_far((tg_dtype)d);
    }
}

/* -- the judge itself -- */

Test(ptx_forms, a_changed_constant_is_noticed)
{
    const char *const text = tg_ptx_form(TG_OP_exp, TG_PTX_FORM_F32);
    const char *const constant = strstr(text, "0d3FF71547652B82FE"); /* log2(e) */
    cr_assert_not_null(constant);
    char changed[8192], error[200];
    cr_assert_lt(strlen(text), sizeof changed);
    memcpy(changed, text, strlen(text) + 1);
    changed[constant - text + 3] = 'E'; /* about 2^-16 of it */
    trial t = {.op = TG_OP_exp, .v = TG_PTX_FORM_F32};
    t.rows = ptx_rows_read(changed, NULL, error, sizeof error);
    cr_assert_not_null(t.rows);
    uint64_t got[PTX_ROWS_LANES], want[PTX_ROWS_LANES];
    for (int i = 0; i < PTX_ROWS_LANES; i++) t.a[i] = t.b[i] = bits_of_f32(1.0f + (float)i);
    const char *what = NULL;
    cr_expect_geq(compare_strip(t.rows, lanes_of(t.op, t.v), t.v, t.a, t.b, got, want, &what), 0);
    ptx_rows_free(t.rows);
}

Test(ptx_forms, rows_that_say_nothing_are_refused)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"mov.b64 $r, $a;\n", "no scope"},
        {"{\nmov.b64 $r, $a;\n", "the scope is not closed"},
        {"{\nmov.b64 $r, $a;\n}\nret;\n", "text behind the scope"},
        {"{\nmov.b64 $r, $a\n}\n", "no semicolon: mov.b64 $r, $a"},
        {"{\nex2.approx.f32 $r, $a;\n}\n", "unknown: ex2.approx.f32"},
        {"{\nadd.f64 $r, $a, $b;\n}\n", "unknown: add.f64"},
        {"{\nadd.rn.f64 $r, $a;\n}\n", "add.rn.f64: too few operands"},
        {"{\nneg.f64 $r, $a, $b;\n}\n", "neg.f64: too many operands"},
        {"{\nmov.b64 $r, x;\n}\n", "mov.b64: neither register nor constant: x"},
        {"{\n.reg .b64 x;\nmov.b64 $r, x;\n}\n", "mov.b64: read before written: x"},
        {"{\n.reg .b64 x;\n.reg .b32 x;\n}\n", "declared twice: x"},
        {"{\nmov.b64 x, $a;\n}\n", "undeclared: x"},
        {"{\nmov.b64 $r, $a;\nmov.b64 $r, $b;\n}\n", "a row behind that of $r"},
        {"{\n.reg .b64 x;\nmov.b64 x, $a;\n}\n", "$r is not written"},
        {"{\n@$a bra away;\nmov.b64 $r, $a;\n}\n", "no label ahead: away"},
        {"{\nadd.rn.f64 $r, $a, 0d3FF;\n}\n", "add.rn.f64: neither register nor constant: 0d3FF"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char error[200] = "";
        cr_expect_null(ptx_rows_read(cases[k].text, NULL, error, sizeof error));
        cr_expect_str_eq(error, cases[k].error);
    }
}

Test(ptx_forms, a_load_outside_of_the_table_is_noticed)
{
    char error[200] = "";
    ptx_rows *const rows =
        ptx_rows_read("{\n.reg .b64 x;\nmov.u64 x, t;\nld.const.b64 $r, [x+8];\n}\n",
                      ".const .align 8 .b64 t[1] = {\n0x0000000000000001};\n", error, sizeof error);
    cr_assert_not_null(rows, "%s", error);
    uint64_t a[PTX_ROWS_LANES] = {0}, r[PTX_ROWS_LANES];
    cr_expect_not_null(ptx_rows_run(rows, r, a, a));
    ptx_rows_free(rows);
}

/* -- ptxas -- */

static void put_form(FILE *to, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '$')
            fputc('%', to);
        else
            fputc(*text, to);
    }
}

/* A kernel for each form, whose floats are in registers of their type; those in `twice` are untyped. */
static void put_kernel(FILE *to, tg_opcode op, tg_ptx_form_variant v)
{
    const int bits = is_32(base_of[v]) ? 32 : 64, second = is_32(second_of[v]) ? 32 : 64;
    fprintf(to, ".visible .entry %s_%s(.param .u64 at)\n{\n.reg .b64 %%at;\n", tg_ops[op].name,
            variant_names[v]);
    fprintf(to, ".reg .f%d %%r, %%a;\n.reg .%c%d %%b;\n", bits, tg_is_int(second_of[v]) ? 'b' : 'f',
            second);
    fprintf(to, "ld.param.u64 %%at, [at];\nld.global.b%d %%a, [%%at];\n", bits);
    fprintf(to, "ld.global.b%d %%b, [%%at+8];\n", second);
    put_form(to, tg_ptx_form(op, v));
    fprintf(to, "st.global.b%d [%%at+16], %%r;\nret;\n}\n", bits);
}

static void put_module(FILE *to, const char *version, const char *target)
{
    fprintf(to, ".version %s\n.target %s\n.address_size 64\n", version, target);
    fputs(tg_ptx_form_table(TG_OP_sin), to);
    for (int op = 0; op < TG_OP_COUNT; op++)
        for (int v = 0; v < TG_PTX_FORM_VARIANT_COUNT; v++)
            if (tg_ptx_form((tg_opcode)op, (tg_ptx_form_variant)v))
                put_kernel(to, (tg_opcode)op, (tg_ptx_form_variant)v);
    /* twice in one function, so that nothing in a scope is seen outside of it */
    fputs(".visible .entry twice(.param .u64 at)\n{\n.reg .b64 %at;\n.reg .b32 %r, %a;\n"
          "ld.param.u64 %at, [at];\nld.global.b32 %a, [%at];\n",
          to);
    put_form(to, tg_ptx_form(TG_OP_sin, TG_PTX_FORM_F32));
    fputs("mov.b32 %a, %r;\n", to);
    put_form(to, tg_ptx_form(TG_OP_sin, TG_PTX_FORM_F32));
    fputs("st.global.b32 [%at], %r;\nret;\n}\n", to);
}

static void assemble(const char *ptxas, const char *version, const char *target)
{
    char path[] = "/tmp/tg_forms_XXXXXX", command[300];
    const int file = mkstemp(path);
    cr_assert_geq(file, 0);
    FILE *const to = fdopen(file, "w");
    cr_assert_not_null(to);
    put_module(to, version, target);
    cr_assert_eq(fclose(to), 0);
    snprintf(command, sizeof command, "timeout 120 %s -arch=%s -o /dev/null %s", ptxas, target,
             path);
    cr_expect_eq(system(command), 0, "%s", command);
    cr_assert_eq(unlink(path), 0);
}

Test(ptx_forms, are_taken_by_ptxas)
{
    const char *const ptxas = find_ptxas();
    assemble(ptxas, "7.8", "sm_80");
    assemble(ptxas, "7.8", "sm_90");
    assemble(ptxas, "8.6", "sm_100");
}
