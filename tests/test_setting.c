/* What each compat and each target means, question by question. */
#include "ir/setting.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "loaders/elements.h"
#include "report/finding.h"

typedef struct answers {
    const char *compat, *target;
    bool clamps, pads_masked, drops_masked_writes, loads_masked_off, i16_begins_zero;
    bool assumed_axis_is_arbitrary, adds_at_once, has_windows;
} answers;

static const answers wanted[] = {
    {"strict", "any", false, false, false, false, false, false, true, false},
    {"zero", "any", false, false, false, false, false, false, true, false},
    {"jax", "any", true, true, true, true, true, false, true, false},
    {"tpu", "any", false, false, false, false, false, false, true, false},
    {"tpu:zero", "any", false, false, false, false, false, false, true, false},
    {"strict", "tpu", false, false, false, false, false, true, false, true},
    {"jax", "tpu", true, true, true, true, true, true, false, true},
    {"tpu", "tpu", false, false, false, false, false, true, false, true},
    {"tpu:zero", "tpu", false, false, false, false, false, true, false, true},
};

enum { SETTINGS = sizeof wanted / sizeof *wanted };

static tg_setting read(const char *compat, const char *target)
{
    tg_setting setting = tg_setting_default;
    cr_assert(tg_setting_read_compat(&setting, compat));
    cr_assert(tg_setting_read_target(&setting, target));
    return setting;
}

static tg_semantics axis(const tg_setting *setting, tg_semantics semantics, bool is_assumed)
{
    const tg_grid_axis of = {.size = 4, .semantics = semantics, .is_assumed = is_assumed};
    return tg_setting_axis(setting, &of);
}

Test(setting, every_question_has_its_answer_in_every_setting)
{
    for (int i = 0; i < SETTINGS; i++) {
        const answers *w = &wanted[i];
        const tg_setting s = read(w->compat, w->target);
        cr_expect_eq(tg_setting_clamps(&s), w->clamps, "%s %s", w->compat, w->target);
        cr_expect_eq(tg_setting_pads_masked(&s), w->pads_masked, "%s %s", w->compat, w->target);
        cr_expect_eq(tg_setting_drops_masked_writes(&s), w->drops_masked_writes, "%s %s", w->compat,
                     w->target);
        cr_expect_eq(tg_setting_loads_masked_off(&s), w->loads_masked_off, "%s %s", w->compat,
                     w->target);
        cr_expect_eq(tg_setting_begins_zero(&s, TG_DT_i16), w->i16_begins_zero, "%s %s", w->compat,
                     w->target);
        cr_expect_eq(axis(&s, TG_SEMANTICS_PARALLEL, true) == TG_SEMANTICS_ARBITRARY,
                     w->assumed_axis_is_arbitrary, "%s %s", w->compat, w->target);
        cr_expect_eq(tg_setting_adds_at_once(&s), w->adds_at_once, "%s %s", w->compat, w->target);
        cr_expect_eq(tg_setting_has_windows(&s), w->has_windows, "%s %s", w->compat, w->target);
    }
}

Test(setting, an_axis_that_is_declared_means_what_it_says)
{
    for (int i = 0; i < SETTINGS; i++) {
        const tg_setting s = read(wanted[i].compat, wanted[i].target);
        cr_expect_eq(axis(&s, TG_SEMANTICS_PARALLEL, false), TG_SEMANTICS_PARALLEL);
        cr_expect_eq(axis(&s, TG_SEMANTICS_ARBITRARY, false), TG_SEMANTICS_ARBITRARY);
    }
}

Test(setting, semaphores_begin_with_zero_everywhere_and_other_dtypes_nowhere)
{
    for (int i = 0; i < SETTINGS; i++) {
        const tg_setting s = read(wanted[i].compat, wanted[i].target);
        for (tg_dtype d = 0; d < TG_DT_MEMORY_COUNT; d++) {
            if (d == TG_DT_i16 || d == TG_DT_COUNT) continue;
            cr_expect_eq(tg_setting_begins_zero(&s, d), tg_is_semaphore(d), "%s in %s",
                         tg_dtypes[d].name, wanted[i].compat);
        }
    }
}

/* ---- names ---- */

Test(setting, texts_read_back_as_what_was_read)
{
    for (int i = 0; i < SETTINGS; i++) {
        const tg_setting s = read(wanted[i].compat, wanted[i].target);
        cr_expect_str_eq(tg_setting_compat_text(&s), wanted[i].compat);
        cr_expect_str_eq(tg_setting_target_text(&s), wanted[i].target);
    }
}

Test(setting, the_default_is_compat_strict_and_target_any)
{
    cr_assert_str_eq(tg_setting_compat_text(&tg_setting_default), "strict");
    cr_assert_str_eq(tg_setting_target_text(&tg_setting_default), "any");
}

Test(setting, other_texts_are_refused_and_change_nothing)
{
    static const char *const others[] = {"", "tpu:", "tpu:one", "JAX", "strict ", "any,tpu"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        tg_setting s = read("jax", "tpu");
        cr_expect_not(tg_setting_read_compat(&s, others[i]), "\"%s\"", others[i]);
        cr_expect_not(tg_setting_read_target(&s, others[i]), "\"%s\"", others[i]);
        cr_expect_not(tg_setting_read_tensor_core(&s, others[i]), "\"%s\"", others[i]);
        cr_expect_eq(s.tensor_core, TG_TENSOR_CORE_EXACT);
        cr_expect_str_eq(tg_setting_compat_text(&s), "jax");
        cr_expect_str_eq(tg_setting_target_text(&s), "tpu");
    }
}

Test(setting, a_compat_that_is_read_takes_the_place_of_the_one_before)
{
    tg_setting s = read("tpu", "any");
    cr_assert(tg_setting_read_compat(&s, "jax"));
    cr_expect_eq(s.fill, TG_FILL_UNDEFINED);
    cr_assert(tg_setting_read_compat(&s, "tpu:zero"));
    cr_expect_eq(s.compat, TG_COMPAT_STRICT);
    cr_expect_not(tg_setting_zeroes_masked(&s));
    cr_assert(tg_setting_read_compat(&s, "zero"));
    cr_expect(tg_setting_zeroes_masked(&s));
    cr_assert(tg_setting_read_compat(&s, "strict"));
    cr_expect_not(tg_setting_zeroes_masked(&s));
}

/* ---- memory that nobody has written ---- */

static uint64_t first_bits(const char *compat, tg_dtype dtype, bool in_memory)
{
    const tg_setting s = read(compat, "any");
    unsigned char bytes[2 * sizeof(uint64_t)];
    uint64_t bits = 0;
    memset(bytes, 0x55, sizeof bytes); /* what no setting fills with */
    (in_memory ? tg_setting_fill_memory : tg_setting_fill_carrier)(&s, bytes, dtype, 1);
    const size_t width =
        in_memory ? tg_dtypes[dtype].bytes : tg_carrier_bytes[tg_carrier_of(dtype)];
    cr_assert_eq(bytes[width], 0x55, "%s writes one element only", compat);
    for (size_t i = 0; i < width; i++)
        bits |= (uint64_t)bytes[tg_host_is_big_endian() ? width - 1 - i : i] << (8 * i);
    return bits;
}

Test(setting, memory_that_nobody_has_written_is_filled_as_each_compat_says)
{
    static const struct {
        const char *compat;
        tg_dtype dtype;
        uint64_t in_memory, in_carrier;
    } wants[] = {
        {"strict", TG_DT_f32, 0x7fc0dead, 0x7fc0dead},
        {"jax", TG_DT_f32, 0x7fc0dead, 0x7fc0dead},
        {"tpu", TG_DT_f32, 0x7fc0dead, 0x7fc0dead},
        {"tpu:zero", TG_DT_f32, 0, 0},
        {"strict", TG_DT_bf16, 0x7fc0, 0x7fc0dead},
        {"tpu:zero", TG_DT_bf16, 0, 0},
        {"strict", TG_DT_i16, 0x8000, 0x8000},
        {"jax", TG_DT_i16, 0, 0},
        {"tpu", TG_DT_i16, 0x7fff, 0x7fff},
        {"tpu:zero", TG_DT_i16, 0, 0},
        {"strict", TG_DT_i32, 0x80000000, 0x80000000},
        {"jax", TG_DT_i32, 0x80000000, 0x80000000},
        {"tpu", TG_DT_i32, 0x7fffffff, 0x7fffffff},
        {"tpu:zero", TG_DT_i32, 0, 0},
        {"strict", TG_DT_u8, 0, 0},
        {"tpu", TG_DT_u8, 0xff, 0xff},
        {"strict", TG_DT_bool, 0, 0},
        {"tpu", TG_DT_bool, 1, 1},
        {"strict", TG_DT_sem, 0, 0},
        {"jax", TG_DT_sem, 0, 0},
        {"tpu", TG_DT_sem, 0, 0},
        {"tpu:zero", TG_DT_dma_sem, 0, 0},
    };
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
        const char *name = tg_dtypes[wants[i].dtype].name;
        cr_expect_eq(first_bits(wants[i].compat, wants[i].dtype, true), wants[i].in_memory,
                     "%s in %s, in memory", name, wants[i].compat);
        cr_expect_eq(first_bits(wants[i].compat, wants[i].dtype, false), wants[i].in_carrier,
                     "%s in %s, in its carrier", name, wants[i].compat);
    }
}

/* ---- levels ---- */

Test(setting, two_kinds_of_findings_have_another_level_on_a_tpu)
{
    for (int k = 0; k < TG_FINDING_KIND_COUNT; k++) {
        const tg_level any = tg_finding_level((tg_finding_kind)k, TG_TARGET_ANY);
        const tg_level tpu = tg_finding_level((tg_finding_kind)k, TG_TARGET_TPU);
        const char *name = tg_finding_infos[k].name;
        if (k == TG_FINDING_BLOCK_REVISITED)
            cr_expect(any == TG_LEVEL_NOTE && tpu == TG_LEVEL_ERROR, "%s", name);
        else if (k == TG_FINDING_PREFETCH_WRITTEN)
            cr_expect(any == TG_LEVEL_WARNING && tpu == TG_LEVEL_ERROR, "%s", name);
        else
            cr_expect_eq(any, tpu, "%s", name);
    }
}
