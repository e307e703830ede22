/* Which way a recast goes, and its strides. */
#include <criterion/criterion.h>

#include "plan/recast.h"

static tg_type type_of(tg_dtype dtype, int64_t rows, int64_t columns)
{
    return (tg_type){.dtype = dtype, .rank = 2, .shape = {rows, columns}};
}

static void check(tg_opcode op, const struct tg_inst_recast *recast, bool is_whole,
                  tg_recast_way way, int64_t first, int64_t second)
{
    const int64_t from[TG_MAX_RANK] = {100, 1};
    int64_t stride[TG_MAX_RANK], shift;
    cr_assert_eq(tg_recast_strides(op, recast, from, is_whole, stride, &shift), way);
    cr_assert_eq(shift, 0);
    cr_assert_eq(stride[0], first);
    cr_assert_eq(stride[1], second);
}

Test(plan_recast, transposed)
{
    const struct tg_inst_recast recast = {.from_type = type_of(TG_DT_f32, 4, 6),
                                          .type = type_of(TG_DT_f32, 6, 4),
                                          .permutation = {1, 0}};
    check(TG_OP_view_transpose, &recast, true, TG_RECAST_PERMUTED, 1, 100);
    check(TG_OP_view_transpose, &recast, false, TG_RECAST_PERMUTED, 1, 100);
}

Test(plan_recast, elements_of_the_same_width)
{
    const struct tg_inst_recast recast = {.from_type = type_of(TG_DT_f32, 4, 6),
                                          .type = type_of(TG_DT_i32, 4, 6)};
    check(TG_OP_view_bitcast, &recast, false, TG_RECAST_SAME, 100, 1);
}

Test(plan_recast, elements_of_another_width_are_numbered)
{
    const struct tg_inst_recast recast = {.from_type = type_of(TG_DT_f32, 4, 6),
                                          .type = type_of(TG_DT_i16, 8, 6)};
    check(TG_OP_view_bitcast, &recast, true, TG_RECAST_NUMBERED, 6, 1);
}

Test(plan_recast, rows_that_are_split)
{
    const struct tg_inst_recast recast = {.from_type = type_of(TG_DT_f32, 1, 6),
                                          .type = type_of(TG_DT_f32, 2, 3)};
    check(TG_OP_view_reshape, &recast, true, TG_RECAST_STRIDED, 3, 1);
}

Test(plan_recast, what_is_not_whole_is_numbered)
{
    const struct tg_inst_recast recast = {.from_type = type_of(TG_DT_f32, 1, 6),
                                          .type = type_of(TG_DT_f32, 3, 2)};
    check(TG_OP_view_reshape, &recast, false, TG_RECAST_NUMBERED, 2, 1);
}

Test(plan_recast, rows_with_gaps_cannot_be_joined)
{
    const struct tg_inst_recast recast = {.from_type = type_of(TG_DT_f32, 4, 6),
                                          .type = type_of(TG_DT_f32, 3, 8)};
    check(TG_OP_view_reshape, &recast, true, TG_RECAST_NUMBERED, 8, 1);
}

Test(plan_recast, nothing_has_any_strides)
{
    const struct tg_inst_recast recast = {.from_type = type_of(TG_DT_f32, 4, 0),
                                          .type = type_of(TG_DT_f32, 0, 8)};
    check(TG_OP_view_reshape, &recast, false, TG_RECAST_STRIDED, 100, 1);
}
