/* Every sum, product, quotient and root of floats in the rows of a lane says how it is rounded.  One that does not
 * rounds to nearest as well, but ptxas may then make one instruction, rounded once, of a product and a sum. */
#include <regex.h>

#include "ptx_kernel.h"

static regex_t unrounded;

static void compile(void)
{
    cr_assert_eq(regcomp(&unrounded, "(add|sub|mul|div|fma|mad|rcp|sqrt)\\.f(16|32|64|16x2)[ ;]",
                         REG_EXTENDED),
                 0);
}

static void release(void) { regfree(&unrounded); }

static void check(const ptx_lane *lane, void *lanes)
{
    char *const text = ptx_module(lane);
    regmatch_t at = {0};
    cr_assert_not_null(text);
    const bool found = regexec(&unrounded, text, 1, &at, 0) == 0;
    cr_assert(!found, "%s on %s: %.40s", tg_ops[lane->op].name, tg_dtypes[lane->dtype].name,
              text + at.rm_so);
    free(text);
    ++*(size_t *)lanes;
}

Test(ptx_rounding, is_said_of_every_instruction, .init = compile, .fini = release)
{
    size_t lanes = 0;
    for (int d = 0; d < TG_DT_COUNT; d++) {
        for (int op = 0; op < TG_OP_COUNT; op++)
            if (ptx_is_admitted((tg_opcode)op, (tg_dtype)d))
                ptx_each_variant((tg_opcode)op, (tg_dtype)d, check, &lanes);
        for (int to = 0; to < TG_DT_COUNT; to++) {
            const ptx_lane convert = ptx_convert_of((tg_dtype)d, (tg_dtype)to);
            check(&convert, &lanes);
        }
    }
    cr_assert_gt(lanes, 1000);
}

Test(ptx_rounding, is_missed_where_it_is_missing, .init = compile, .fini = release)
{
    cr_assert_eq(regexec(&unrounded, "add.f32 $r, $a, $b;", 0, NULL, 0), 0);
    cr_assert_eq(regexec(&unrounded, "mul.f64 $r, $a, $b;", 0, NULL, 0), 0);
    cr_assert_neq(regexec(&unrounded, "add.rn.f32 $r, $a, $b;", 0, NULL, 0), 0);
    cr_assert_neq(regexec(&unrounded, "neg.f32 $r, $a;", 0, NULL, 0), 0);
}
