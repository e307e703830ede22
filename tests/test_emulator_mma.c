/* mma.sync: each way of adding, what it traps on, and that it is counted as inexact. */
#include <criterion/criterion.h>
#include <math.h>

#include "emulator/mma.h"
#include "tests/emulator_text.h"

static float sum(tg_emu_mma_sum how, size_t k, const float *a, float c)
{
    static const float ones[TG_EMU_MMA_MOST] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    return tg_emu_mma(how, k, a, ones, c);
}

/* 2^24 and what is 2^-2 and 2^-1 of a unit of it: cut off at 25 bits or at 24, or rounded away one by one. */
Test(emulator_mma, ways_of_adding)
{
    static const float quarters[16] = {0x1p24f, 0.5f, 0.5f, 0.5f, 0.5f, 0, 0, 0,
                                       0,       0,    0,    0,    0,    0, 0, 0};
    static const float eighths[16] = {0x1p24f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f,
                                      0.25f,   0,     0,     0,     0,     0,     0,     0};
    cr_expect_eq(sum(TG_EMU_MMA_WHOLE, 16, quarters, 0), 0x1p24f + 2);
    cr_expect_eq(sum(TG_EMU_MMA_HALVES, 16, quarters, 0), 0x1p24f);
    cr_expect_eq(sum(TG_EMU_MMA_CHAIN, 16, quarters, 0), 0x1p24f + 2);
    cr_expect_eq(sum(TG_EMU_MMA_WHOLE, 16, eighths, 0), 0x1p24f);
    cr_expect_eq(sum(TG_EMU_MMA_CHAIN, 16, eighths, 0), 0x1p24f + 2);
    /* The chain ends with k = 0, the others are one sum; truncation is toward zero. */
    cr_expect_eq(sum(TG_EMU_MMA_CHAIN, 2, (const float[]){1, 0x1p-25f}, -1), 0);
    cr_expect_eq(sum(TG_EMU_MMA_WHOLE, 2, (const float[]){1, 0x1p-25f}, -1), 0x1p-25f);
    cr_expect_eq(sum(TG_EMU_MMA_WHOLE, 2, (const float[]){-1, -0x1.8p-24f}, 0), -1);
}

Test(emulator_mma, special_values)
{
    for (int how = 0; how < TG_EMU_MMA_SUM_COUNT; how++) {
        const tg_emu_mma_sum way = (tg_emu_mma_sum)how;
        const float big[2] = {0x1p127f, 0x1p127f}, none[2] = {0, 0}, many[2] = {INFINITY, 1};
        cr_expect_eq(sum(way, 2, none, 0), 0);
        cr_expect_eq(sum(way, 2, none, 0x1p-149f), 0x1p-149f);
        cr_expect_eq(sum(way, 2, many, 7), INFINITY);
        cr_expect_eq(sum(way, 2, big, 0), INFINITY);
        cr_expect(isnan(sum(way, 2, many, -INFINITY)));
        cr_expect(isnan(sum(way, 2, none, NAN)));
        cr_expect(isnan(tg_emu_mma(way, 2, many, none, 0)));
    }
}

/* fp8 in mma.sync, and sums in f16: as seen on an H200. */
Test(emulator_mma, as_hopper_has_them)
{
    static const float ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const float lower[8] = {0x1p24f, 0.5f, 0, 0, 0.5f, 0.5f, 0, 0},
                upper[8] = {0x1p24f, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f};
    /* k of 0, 1, 4, 5 are one sum, to which the others are added */
    cr_expect_eq(tg_emu_mma_sync_fp8(TG_EMU_MMA_WHOLE, 8, lower, ones, 0), 0x1p24f);
    cr_expect_eq(tg_emu_mma_sync_fp8(TG_EMU_MMA_WHOLE, 8, upper, ones, 0), 0x1p24f + 2);
    /* c is added last, rounded to nearest */
    cr_expect_eq(tg_emu_mma_sync_fp8(TG_EMU_MMA_WHOLE, 8, (const float[8]){1}, ones, 0x1.8p-24f),
                 1 + 0x1p-23f);
    cr_expect_eq(tg_emu_mma_fp8(TG_EMU_MMA_WHOLE, 8, (const float[8]){1}, ones, 0x1.8p-24f), 1);
    /* just above the middle of two f16, by a bit that f32 lacks */
    const float middle[3] = {1, 0x1p-11f, 0x1p-25f};
    cr_expect_eq(tg_emu_mma_in_f16(TG_EMU_MMA_WHOLE, 3, middle, ones, 0), 0x3c01);
    cr_expect_eq(tg_emu_mma_in_f16(TG_EMU_MMA_CHAIN, 3, middle, ones, 0), 0x3c00);
    cr_expect_eq(tg_emu_mma_to_f16(1 + 0x1p-11), 0x3c00);
}

/* -- in a text -- */

#define MMA                                                                                        \
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r2, %r2, %r2, "     \
    "%r2}, {%r2, %r2}, {%f1, %f2, %f3, %f4};"
#define ONES                                                                                       \
    "mov.b32 %r2, 0x3c003c00; mov.f32 %f1, 0f3F800000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; "       \
    "mov.f32 %f4, %f1;"
#define SAVED "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; st.global.f32 [%rd2], %f4; ret;"

Test(emulator_mma, sums_of_ones)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        const emulator_run r =
            emulator_run_body(ONES MMA SAVED, 64, (tg_emu_launch){.seed = seed, .races = true});
        cr_assert_eq(r.status, TG_OK, "%s", r.message);
        cr_assert_not(r.result.trapped, "%s", r.result.trap.text);
        cr_expect_eq(r.result.inexact, 2);
        for (int i = 0; i < 64; i++) cr_expect_eq(r.words[i], 0x41880000, "%d", i); /* 17 */
    }
}

Test(emulator_mma, wants_the_whole_warp)
{
    static const struct {
        const char *body;
        uint32_t threads;
        const char *text;
    } cases[] = {
        {ONES "setp.lt.u32 %p1, %r1, 5; @!%p1 " MMA SAVED, 32, "the predicate keeps lane 0 out"},
        {ONES MMA SAVED, 40, "lane 8 is not there"},
        {ONES "setp.lt.u32 %p1, %r1, 7; @%p1 ret; " MMA SAVED, 32, "lane 0 is not there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const emulator_run r =
            emulator_run_body(cases[i].body, cases[i].threads, (tg_emu_launch){0});
        cr_assert_eq(r.status, TG_OK, "%s", r.message);
        cr_assert(r.result.trapped, "case %zu", i);
        cr_expect_eq(r.result.trap.kind, TG_EMU_TRAP_DIVERGENT_SYNC);
        cr_expect_not_null(strstr(r.result.trap.text, cases[i].text), "%s", r.result.trap.text);
    }
}

Test(emulator_mma, rejects)
{
    static const struct {
        const char *body, *text;
    } cases[] = {
        {"mma.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1, "
         "%r1, "
         "%r1}, {%r1, %r1}, {%f1, %f2, %f3, %f4};",
         "tf32"},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, "
         "%r1}, {%r1, %r1}, {%f1, %f2, %f3, %f4};",
         "bf16"},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1}, "
         "{%r1, "
         "%r1}, {%f1, %f2, %f3, %f4};",
         "expected a vector of 4 registers"},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%rd1, %r1, %r1, "
         "%r1}, {%r1, %r1}, {%f1, %f2, %f3, %f4};",
         ".b32 is wanted"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const emulator_run r = emulator_run_body(cases[i].body, 32, (tg_emu_launch){0});
        cr_expect_neq(r.status, TG_OK, "case %zu", i);
        cr_expect_not_null(strstr(r.message, cases[i].text), "%s", r.message);
    }
}
