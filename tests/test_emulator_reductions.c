/* Bulk copies that reduce, cp.reduce.async.bulk: what each element becomes, and what races.  Those of tensors are
 * in test_emulator_tensor_copies.c. */
#include <criterion/criterion.h>
#include <inttypes.h>

#include "tests/emulator_text.h"

enum { SEEDS = 8 };

#define TO_GLOBAL "cp.reduce.async.bulk.global.shared::cta.bulk_group"
#define TO_SHARED "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
#define END "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; "

/* ---- values ---- */

/* Eight bytes of elements: those that are there, those that are in the source, those that are there then. */
typedef struct reduction {
    const char *form;
    bool to_shared; /* whether it exists there too */
    uint64_t old, operand, result;
} reduction;

static const reduction reductions[] = {
    {"add.u32", true, 0xfffffffe00000005, 0x0000000300000002, 0x0000000100000007},
    {"add.s32", true, 0x80000000ffffffff, 0xffffffff00000001, 0x7fffffff00000000},
    {"add.u64", true, 0xffffffffffffffff, 2, 1},
    /* subnormal numbers are zeros of their sign */
    {"add.f32", false, 0x800000013f800000, 0x8000000240000000, 0x8000000040400000},
    {"add.f64", false, 0x3ff0000000000000, 0x3ff8000000000000, 0x4004000000000000},
    {"add.noftz.f16", false, 0x80007bff00013c00, 0x80007bff00013800, 0x80007c0000023e00},
    {"add.noftz.bf16", false, 0x80007f7f00013f80, 0x80007f7f00013f00, 0x80007f8000023fc0},
    {"min.u32", true, 0xffffffff00000003, 0x0000000100000005, 0x0000000100000003},
    {"max.u32", true, 0xffffffff00000003, 0x0000000100000005, 0xffffffff00000005},
    {"min.s32", true, 0xffffffff00000003, 0x0000000100000005, 0xffffffff00000003},
    {"max.s32", true, 0xffffffff00000003, 0x0000000100000005, 0x0000000100000005},
    {"min.u64", false, 0xffffffff00000003, 0x0000000100000005, 0x0000000100000005},
    {"max.u64", false, 0xffffffff00000003, 0x0000000100000005, 0xffffffff00000003},
    {"min.s64", false, 0xffffffff00000003, 0x0000000100000005, 0xffffffff00000003},
    {"max.s64", false, 0xffffffff00000003, 0x0000000100000005, 0x0000000100000005},
    /* a NaN loses, -0 is less than +0 */
    {"min.f16", false, 0x80007e00c0003c00, 0x00003c0040004000, 0x80003c00c0003c00},
    {"max.f16", false, 0x80007e00c0003c00, 0x00003c0040004000, 0x00003c0040004000},
    {"min.bf16", false, 0x80007fc0c0003f80, 0x00003f8040004000, 0x80003f80c0003f80},
    {"max.bf16", false, 0x80007fc0c0003f80, 0x00003f8040004000, 0x00003f8040004000},
    {"inc.u32", true, 0x0000000500000003, 0x0000000500000005, 0x0000000000000004},
    {"dec.u32", true, 0x0000000000000003, 0x0000000500000005, 0x0000000500000002},
    {"and.b32", true, 0xff00ff00f0f0f0f0, 0x0ff00ff000ff00ff, 0x0f000f0000f000f0},
    {"or.b32", true, 0xff00ff00f0f0f0f0, 0x0ff00ff000ff00ff, 0xfff0fff0f0fff0ff},
    {"xor.b32", true, 0xff00ff00f0f0f0f0, 0x0ff00ff000ff00ff, 0xf0f0f0f0f00ff00f},
    {"and.b64", false, 0xff00ff00f0f0f0f0, 0x0ff00ff000ff00ff, 0x0f000f0000f000f0},
    {"or.b64", false, 0xff00ff00f0f0f0f0, 0x0ff00ff000ff00ff, 0xfff0fff0f0fff0ff},
    {"xor.b64", false, 0xff00ff00f0f0f0f0, 0x0ff00ff000ff00ff, 0xf0f0f0f0f00ff00f},
};

static void expect_words(const reduction *c, const char *body)
{
    const tg_emu_launch launch = {.races = true, .instruction_limit = 100000};
    const emulator_run r = emulator_run_body(body, 1, launch);
    cr_assert_eq(r.status, TG_OK, "%s: %s", body, r.message);
    cr_assert_not(r.result.trapped, "%s: %s", body, r.result.trap.text);
    for (unsigned i = 0; i < 4; i++)
        cr_expect_eq(r.words[i], (uint32_t)(c->result >> 32 * (i % 2)), "%s: word %u is %08" PRIx32,
                     c->form, i, r.words[i]);
}

Test(emulator_reductions, to_global_memory)
{
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        const reduction *c = &reductions[i];
        char body[1024];
        snprintf(body, sizeof body,
                 ".shared .align 16 .b64 s[2]; mov.u64 %%rd2, 0x%" PRIx64
                 "; st.global.u64 [%%rd1], %%rd2; st.global.u64 [%%rd1+8], %%rd2; "
                 "mov.u64 %%rd2, 0x%" PRIx64 "; st.shared.u64 [s], %%rd2; "
                 "st.shared.u64 [s+8], %%rd2; fence.proxy.async; " TO_GLOBAL
                 ".%s [%%rd1], [s], 16; " END "ret;",
                 c->old, c->operand, c->form);
        expect_words(c, body);
    }
}

Test(emulator_reductions, to_shared_memory)
{
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        const reduction *c = &reductions[i];
        char body[1024];
        if (!c->to_shared) continue;
        snprintf(body, sizeof body,
                 ".shared .align 16 .b64 s[2]; .shared .align 16 .b64 t[2]; .shared .b64 b; "
                 "mov.u64 %%rd2, 0x%" PRIx64 "; st.shared.u64 [t], %%rd2; "
                 "st.shared.u64 [t+8], %%rd2; mov.u64 %%rd2, 0x%" PRIx64
                 "; st.shared.u64 [s], %%rd2; st.shared.u64 [s+8], %%rd2; "
                 "mbarrier.init.shared.b64 [b], 1; fence.proxy.async; "
                 "mbarrier.arrive.expect_tx.shared.b64 _, [b], 16; " TO_SHARED
                 ".%s [t], [s], 16, [b]; L: mbarrier.try_wait.parity.shared.b64 %%p1, [b], 0; "
                 "@!%%p1 bra L; ld.shared.u64 %%rd2, [t]; st.global.u64 [%%rd1], %%rd2; "
                 "ld.shared.u64 %%rd2, [t+8]; st.global.u64 [%%rd1+8], %%rd2; ret;",
                 c->old, c->operand, c->form);
        expect_words(c, body);
    }
}

/* ---- order ---- */

/* The words of `s` are 1, those of `out` 0; %p6 is the first thread. */
#define BEGIN                                                                                      \
    ".shared .align 16 .b8 s[64]; setp.eq.u32 %p6, %r1, 0; @%p6 mov.u64 %rd2, 0x100000001; "       \
    "@%p6 st.shared.u64 [s], %rd2; @%p6 st.shared.u64 [s+8], %rd2; fence.proxy.async; bar.sync "   \
    "0; "
#define ADD TO_GLOBAL ".add.u32 [%rd1], [s], 16; "
#define WAIT "@%p6 cp.async.bulk.commit_group; @%p6 cp.async.bulk.wait_group 0; "
#define WAIT_READ "@%p6 cp.async.bulk.commit_group; @%p6 cp.async.bulk.wait_group.read 0; "

static void expect_sum(uint32_t sum, const char *body)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const tg_emu_launch launch = {.races = true, .seed = seed, .instruction_limit = 100000};
        const emulator_run r = emulator_run_body(body, 64, launch);
        cr_assert_eq(r.status, TG_OK, "%s: %s", body, r.message);
        cr_expect_not(r.result.trapped, "%s: %s", body, r.result.trap.text);
        cr_expect_eq(r.words[3], sum, "%s: %" PRIu32, body, r.words[3]);
    }
}

static void expect_trap(tg_emu_trap_kind kind, const char *text, const char *body)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const tg_emu_launch launch = {.races = true, .seed = seed, .instruction_limit = 100000};
        const emulator_run r = emulator_run_body(body, 64, launch);
        cr_assert_eq(r.status, TG_OK, "%s: %s", body, r.message);
        cr_expect(r.result.trapped, "%s: no trap", body);
        if (!r.result.trapped) continue;
        cr_expect_eq(r.result.trap.kind, kind, "%s: %s", body, r.result.trap.text);
        cr_expect(strstr(r.result.trap.text, text), "%s: %s", body, r.result.trap.text);
    }
}

Test(emulator_reductions, of_the_same_elements_do_not_race)
{
    expect_sum(2, BEGIN "@%p6 " ADD "@%p6 " ADD WAIT "ret;");
    expect_sum(64, BEGIN ADD END "ret;");
    expect_sum(3, BEGIN "@%p6 " ADD WAIT "@%p6 red.global.add.u32 [%rd1+12], 2; ret;");
    expect_sum(3, BEGIN "@%p6 red.global.add.u32 [%rd1+12], 2; fence.proxy.async; @%p6 " ADD WAIT
                        "ret;");
}

/* Atomics of threads and those of copies are of different proxies. */
Test(emulator_reductions, race_with_all_else)
{
    expect_trap(TG_EMU_TRAP_GLOBAL_RACE, "offset 0 of out in no order",
                BEGIN "@%p6 " ADD
                      "@%p6 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16; " WAIT
                      "ret;");
    expect_trap(TG_EMU_TRAP_GLOBAL_RACE, "offset 0 of out in no order",
                BEGIN "@%p6 " ADD WAIT_READ "@%p6 ld.global.u32 %r2, [%rd1]; " WAIT "ret;");
    expect_trap(TG_EMU_TRAP_GLOBAL_RACE, "offset 0 of out in no order",
                BEGIN "@%p6 " ADD WAIT_READ "@%p6 red.global.add.u32 [%rd1], 2; " WAIT "ret;");
    expect_trap(TG_EMU_TRAP_GLOBAL_RACE, "offset 0 of out in no order",
                BEGIN "@%p6 red.global.add.u32 [%rd1], 2; @%p6 " ADD WAIT "ret;");
    expect_trap(TG_EMU_TRAP_GLOBAL_RACE, "offset 0 of out in no order",
                BEGIN "@%p6 st.global.u32 [%rd1], 2; @%p6 " ADD WAIT "ret;");
    expect_trap(TG_EMU_TRAP_SHARED_RACE, "offset 0 of s in no order",
                BEGIN "@%p6 " ADD "@%p6 st.shared.u32 [s], 2; " WAIT "ret;");
}

Test(emulator_reductions, that_are_misused)
{
    expect_trap(TG_EMU_TRAP_BULK, "the size of a bulk copy",
                BEGIN "@%p6 " TO_GLOBAL ".add.u32 [%rd1], [s], 8; " WAIT "ret;");
    expect_trap(TG_EMU_TRAP_BULK, "nobody has waited", BEGIN "@%p6 " ADD "ret;");
    expect_trap(TG_EMU_TRAP_UNINITIALISED_SHARED, "has not been written",
                BEGIN ".shared .b64 b; @%p6 mbarrier.init.shared.b64 [b], 1; bar.sync 0; "
                      "@%p6 mbarrier.arrive.expect_tx.shared.b64 _, [b], 16; @%p6 " TO_SHARED
                      ".add.u32 [s+16], [s], 16, [b]; "
                      "L: mbarrier.try_wait.parity.shared.b64 %p1, [b], 0; @!%p1 bra L; ret;");
}

Test(emulator_reductions, may_have_a_policy_of_caches)
{
    expect_sum(1,
               BEGIN "createpolicy.fractional.L2::evict_first.b64 %rd3, 0f3F800000; @%p6 " TO_GLOBAL
                     ".L2::cache_hint.add.u32 [%rd1], [s], 16, %rd3; " WAIT "ret;");
    expect_sum(1,
               BEGIN "createpolicy.fractional.L2::evict_first.b64 %rd3, 0f3F800000; "
                     "@%p6 cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd1], [s], "
                     "16, %rd3; " WAIT "ret;");
}
