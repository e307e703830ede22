/* Which way a recast goes, and its strides. */
#include <criterion/criterion.h>
#include <string.h>

#include "layout/canonical.h"
#include "layout/map.h"
#include "layout/read.h"
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

/* ---- layouts ---- */

static struct tg_inst_recast laid_out(const char *text, int64_t rows, int64_t columns, tg_axe *axe,
                                      int32_t *runs)
{
    struct tg_inst_recast recast = {.type = type_of(TG_DT_f32, rows, columns),
                                    .from_type = {.dtype = TG_DT_f32, .rank = 1, .shape = {1000}}};
    cr_assert_eq(tg_axe_read(text, strlen(text), axe, NULL), TG_OK);
    tg_axe_canonize(axe);
    tg_recast_lay_out(&recast, axe, runs);
    return recast;
}

/* The strides in a source whose elements are two apart; 0: there are none. */
static void check_layout(const char *text, int64_t first, int64_t second, int64_t shift)
{
    static const int64_t apart[TG_MAX_RANK] = {2};
    tg_axe axe;
    int64_t stride[TG_MAX_RANK], moved;
    const struct tg_inst_recast recast = laid_out(text, 4, 6, &axe, NULL);
    const tg_recast_way way =
        tg_recast_strides(TG_OP_view_layout, &recast, apart, true, stride, &moved);
    cr_assert_eq(way, first ? TG_RECAST_STRIDED : TG_RECAST_NUMBERED, "%s", text);
    cr_assert_eq(stride[0], first ? first : 6, "%s", text);
    cr_assert_eq(stride[1], first ? second : 1, "%s", text);
    cr_assert_eq(moved, shift, "%s", text);
    cr_assert_eq(tg_recast_strides(TG_OP_view_layout, &recast, apart, false, stride, &moved),
                 TG_RECAST_NUMBERED);
}

Test(plan_recast, layouts_with_strides)
{
    check_layout("24:1", 12, 2, 0);
    check_layout("(4,6):(1,4) + 3", 2, 8, 6);
    check_layout("(2,2,6):(14,7,1)", 14, 2, 0);
    check_layout("(2,12):(50,1)", 0, 0, 0);
    check_layout("(4,2,3):(6,1,2)", 0, 0, 0);
    check_layout("(4,6):(6,-1) + 5", 0, 0, 0);
    check_layout("(4,6):(1,1)", 0, 0, 0);
    check_layout("(4,6):(1,0)", 0, 0, 0);
    check_layout("Sw<1,0,1> o 24:1", 0, 0, 0);
}

static void check_runs(const char *text, int64_t run, const int32_t *first, int count)
{
    tg_axe axe;
    int32_t runs[24];
    const struct tg_inst_recast recast = laid_out(text, 4, 6, &axe, runs);
    cr_assert_eq(recast.run, run, "%s: %d", text, (int)recast.run);
    for (int i = 0; i < count; i++) cr_assert_eq(runs[i], first[i], "%s: %d", text, (int)runs[i]);
    for (int i = 0; i < 24; i++) {
        tg_coordinate at;
        tg_axe_map(&axe, i, 0, &at);
        cr_assert_eq(tg_recast_number(&recast, i), at.at[TG_AXIS_m]);
    }
}

Test(plan_recast, runs_of_layouts)
{
    check_runs("24:1 + 7", 24, (int32_t[]){7}, 1);
    check_runs("(4,6):(10,1)", 6, (int32_t[]){0, 10, 20, 30}, 4);
    check_runs("Sw<1,1,1> o 24:1", 2, (int32_t[]){0, 2, 6, 4, 8, 10, 14, 12}, 8);
    check_runs("24:-1 + 23", 1, (int32_t[]){23, 22, 21}, 3);
}

/* Pieces of 16 bytes: how many are a row in which a swizzle has permuted them, and how many rows
 * follow each other in which it does so alike. */
Test(plan_recast, rows_of_pieces)
{
    static const struct {
        const char *layout;
        tg_dtype dtype;
        int pieces;
        int64_t repeat;
        int kinds;
    } rows[] = {
        {"Sw<3,2,3> o 1024:1", TG_DT_f32, 8, 1, 8},
        {"Sw<2,3,3> o 1024:1", TG_DT_f16, 8, 1, 4},
        {"Sw<1,4,1> o 1024:1", TG_DT_u8, 2, 1, 2},
        {"Sw<3,1,3> o 1024:1", TG_DT_f64, 8, 1, 8},
        {"Sw<1,2,3> o 1024:1", TG_DT_f32, 8, 1, 2},
        {"Sw<3,2,3> o (8,4,32):(32,256,1)", TG_DT_f32, 8, 4, 8}, /* tiles of 128 bytes */
        {"Sw<2,2,3> o (8,4,16):(16,128,1)", TG_DT_f32, 4, 8, 4}, /* of 64 bytes */
        {"Sw<2,2,4> o 1024:1", TG_DT_f32, 8, 2, 4},
        {"Sw<3,2,3> o (2,16,32):(32,64,1)", TG_DT_f32, 8, 0, 0},   /* every other row first */
        {"Sw<3,2,3> o (32,32):(-32,1) + 992", TG_DT_f32, 8, 0, 0}, /* from the last row on */
        {"Sw<3,3,3> o 1024:1", TG_DT_f32, 0, 0, 0},                /* of 32 bytes */
        {"(2,128,4):(4,8,1)", TG_DT_f32, 0, 0, 0},                 /* every other piece */
        {"(256,4):(4,1)", TG_DT_f32, 0, 0, 0},                     /* one run */
        {"(2,2,64,4):(8,4,16,1)", TG_DT_f32, 0, 0, 0},             /* transposed */
    };
    static int32_t runs[1024];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tg_inst_recast recast = {
            .type = {.dtype = rows[i].dtype, .rank = 1, .shape = {1024}}};
        tg_axe layout;
        cr_assert_eq(tg_axe_read(rows[i].layout, strlen(rows[i].layout), &layout, NULL), TG_OK);
        tg_axe_canonize(&layout);
        tg_recast_lay_out(&recast, &layout, runs);
        cr_expect_eq(recast.row_pieces, rows[i].pieces, "%s: %d", rows[i].layout,
                     recast.row_pieces);
        cr_expect_eq(recast.row_repeat, rows[i].repeat, "%s: %d", rows[i].layout,
                     (int)recast.row_repeat);
        cr_expect_eq(recast.row_kinds, rows[i].kinds, "%s: %d", rows[i].layout, recast.row_kinds);
    }
}
