/* What the columns of ops.def say of each other, and that predicates on ops follow from them. */
#include <criterion/criterion.h>
#include <string.h>

#include "ir/op.h"
#include "ir/reduction.h"

static bool has_index(tg_opcode op)
{
    tg_attr_id attrs[TG_MAX_OP_ATTRS];
    int needed, count = tg_op_attrs(op, attrs, &needed);
    for (int i = 0; i < count; i++)
        if (attrs[i] == TG_ATTR_index) return true;
    return false;
}

Test(op, refs_are_operands_that_must_be_there)
{
    for (tg_opcode op = 0; op < TG_OP_COUNT; op++) {
        /* Nobody need be told of a copy; factors may have no scales and no selection. */
        const uint32_t lacking = op == TG_OP_dma_start ? 1 : op == TG_OP_dot_start ? 3 : 0;
        cr_expect_leq(tg_op_ref_count(op), (uint32_t)tg_ops[op].in_min + lacking, "%s",
                      tg_ops[op].name);
        if (has_index(op)) cr_expect_eq(tg_op_ref_count(op), 1, "%s", tg_ops[op].name);
    }
}

Test(op, effects_are_those_on_the_refs)
{
    for (tg_opcode op = 0; op < TG_OP_COUNT; op++) {
        unsigned effects = 0;
        for (uint32_t i = 0; i < tg_op_ref_count(op); i++) effects |= tg_ops[op].refs[i];
        cr_expect_eq(tg_ops[op].traits & TG_TRAITS_OF_MEMORY, effects & TG_TRAITS_OF_MEMORY, "%s",
                     tg_ops[op].name);
        cr_expect_not((effects & TG_TRAITS_OF_MEMORY) && tg_op_may_be_dropped(op), "%s",
                      tg_ops[op].name);
    }
    cr_expect_eq(tg_ops[TG_OP_load].traits & TG_TRAITS_OF_MEMORY, TG_TRAIT_READS);
    cr_expect_eq(tg_ops[TG_OP_dma_start].refs[0], TG_IS_REF | TG_TRAIT_READS | TG_OR_VALUE);
    cr_expect_eq(tg_ops[TG_OP_dma_start].refs[1], TG_IS_REF | TG_TRAIT_WRITES);
}

/* Every op either does something or may go, never both, and never neither. */
Test(op, ops_without_effect_may_be_dropped)
{
    const unsigned effects = TG_TRAITS_OF_MEMORY | TG_TRAIT_CONTROL | TG_TRAIT_REPORTS;
    for (tg_opcode op = 0; op < TG_OP_COUNT; op++)
        cr_expect_eq(tg_op_may_be_dropped(op), !(tg_ops[op].traits & effects), "%s",
                     tg_ops[op].name);
}

Test(op, views_are_the_ops_named_so)
{
    for (tg_opcode op = 0; op < TG_OP_COUNT; op++) {
        cr_expect_eq(tg_is_view_op(op), strncmp(tg_ops[op].name, "view", 4) == 0, "%s",
                     tg_ops[op].name);
        cr_expect_eq(tg_op_gives_ref(op), tg_is_view_op(op) || op == TG_OP_alloc, "%s",
                     tg_ops[op].name);
    }
}

Test(op, reductions_and_scans_have_a_step_of_two_operands)
{
    for (tg_opcode op = 0; op < TG_OP_COUNT; op++) {
        const tg_opcode step = tg_reduction_step(op);
        const bool repeats = tg_ops[op].rule == TG_RULE_REDUCE || tg_ops[op].rule == TG_RULE_SCAN;
        cr_expect_eq(step != TG_OP_COUNT, repeats, "%s", tg_ops[op].name);
        if (!repeats) continue;
        cr_expect_eq(tg_ops[step].in_min, 2, "%s", tg_ops[op].name);
        cr_expect_eq(tg_ops[step].rule, TG_RULE_SAME, "%s", tg_ops[op].name);
        for (tg_dtype d = 0; d < TG_DT_COUNT; d++)
            if (tg_domain_has(tg_ops[op].domain, d))
                cr_expect(tg_domain_has(tg_ops[step].domain, d), "%s", tg_ops[op].name);
    }
}

/* A result of another dtype, or none, can be closed only as a bool. */
Test(op, closed_ops_keep_the_dtype)
{
    int closed = 0, moving = 0;
    for (tg_opcode op = 0; op < TG_OP_COUNT; op++) {
        closed += tg_op_is_closed(op);
        moving += tg_op_moves(op);
        if (tg_op_is_closed(op)) cr_expect_neq(tg_ops[op].rule, TG_RULE_RETYPE);
        if (tg_op_moves(op)) cr_expect_neq(tg_ops[op].rule, TG_RULE_PREDICATE);
    }
    cr_expect_geq(closed, 15);
    cr_expect_geq(moving, 17);
    cr_expect(tg_op_is_closed(TG_OP_max) && !tg_op_is_closed(TG_OP_add));
    cr_expect(tg_op_moves(TG_OP_transpose) && !tg_op_moves(TG_OP_reduce_sum));
    cr_expect(tg_op_reports(TG_OP_check) && !tg_op_reports(TG_OP_for));
}

Test(op, domains_have_the_dtypes_they_name)
{
    cr_expect(tg_domain_has(TG_DOMAIN_FLOAT, TG_DT_f32) &&
              !tg_domain_has(TG_DOMAIN_FLOAT, TG_DT_i32));
    cr_expect(tg_domain_has(TG_DOMAIN_NUM, TG_DT_i4) && !tg_domain_has(TG_DOMAIN_NUM, TG_DT_bool));
    cr_expect(tg_domain_has(TG_DOMAIN_BITS, TG_DT_bool) &&
              !tg_domain_has(TG_DOMAIN_BITS, TG_DT_f32));
    cr_expect(tg_domain_has(TG_DOMAIN_INT, TG_DT_u8) && !tg_domain_has(TG_DOMAIN_INT, TG_DT_bool));
    for (tg_dtype d = 0; d < TG_DT_COUNT; d++) cr_expect(tg_domain_has(TG_DOMAIN_ANY, d));
}
