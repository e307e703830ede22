/* What the emulator traps of wgmma: texts of a warpgroup that start products of zeros, right but for one thing. */
#include <criterion/criterion.h>

#include "tests/emulator_text.h"

#define FENCE "wgmma.fence.sync.aligned;\n"
#define COMMIT "wgmma.commit_group.sync.aligned;\n"
#define WAIT(count) "wgmma.wait_group.sync.aligned " count ";\n"
#define MULTIPLY(sum)                                                                              \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {" sum "}, %a, %a, %p1, 1, 1, 0, 0;\n"
#define FIRST MULTIPLY("%d0, %d1, %d2, %d3")
#define SECOND MULTIPLY("%d4, %d5, %d6, %d7")
#define STORE(reg) "st.global.f32 [%rd1], " reg ";\n"

/* Shared memory is zero, and so are the sums; %a is a descriptor of both factors, K-major without a swizzle. */
static const char *text_of(const char *body)
{
    static char text[EMULATOR_TEXT];
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90a\n.address_size 64\n"
             ".visible .entry k(.param .u64 out)\n{\n"
             ".shared .align 128 .b8 s[2048];\n.reg .pred %%p<4>; .reg .f32 %%d<8>;"
             " .reg .b32 %%r<4>; .reg .b64 %%rd<4>; .reg .b64 %%a;\n"
             "ld.param.u64 %%rd1, [out]; cvta.to.global.u64 %%rd1, %%rd1; mov.u32 %%r1, %%tid.x;\n"
             "mul.wide.u32 %%rd2, %%r1, 4; add.u64 %%rd1, %%rd1, %%rd2;\n"
             "shl.b32 %%r2, %%r1, 4; mov.u32 %%r3, s; add.u32 %%r2, %%r2, %%r3; mov.b32 %%r0, 0;\n"
             "st.shared.v4.b32 [%%r2], {%%r0, %%r0, %%r0, %%r0};\n"
             "shr.u32 %%r3, %%r3, 4; cvt.u64.u32 %%a, %%r3; or.b64 %%a, %%a, 0x1000080000;\n"
             "setp.eq.u32 %%p1, %%r1, %%r1;\n"
             "mov.f32 %%d0, 0f00000000; mov.f32 %%d1, %%d0; mov.f32 %%d2, %%d0; mov.f32 %%d3, "
             "%%d0;\n"
             "mov.f32 %%d4, %%d0; mov.f32 %%d5, %%d0; mov.f32 %%d6, %%d0; mov.f32 %%d7, %%d0;\n"
             "fence.proxy.async; barrier.sync 0;\n%sret;\n}\n",
             body);
    return text;
}

typedef struct wgmma_case {
    const char *body, *trap; /* a part of its report; NULL: none */
} wgmma_case;

static void check(const wgmma_case *c)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        const tg_emu_launch launch = {.races = true, .seed = seed, .instruction_limit = 100000};
        const emulator_run r = emulator_run_text(text_of(c->body), 128, 1, launch);
        cr_assert_eq(r.status, TG_OK, "%s: %s", c->body, r.message);
        cr_expect_eq(r.result.trapped, c->trap != NULL, "seed %d: %s%s", (int)seed, c->body,
                     r.result.trap.text);
        if (!c->trap || !r.result.trapped) continue;
        cr_expect_eq(r.result.trap.kind, TG_EMU_TRAP_WGMMA, "%s", c->body);
        cr_expect(strstr(r.result.trap.text, c->trap), "%s: %s", c->body, r.result.trap.text);
    }
}

Test(emulator_wgmma_traps, fences)
{
    static const wgmma_case cases[] = {
        {FENCE FIRST COMMIT WAIT("0") STORE("%d0"), NULL},
        {FIRST COMMIT WAIT("0"), "no wgmma.fence comes before the first product"},
        {FENCE "mov.f32 %d2, 0f3F800000;\n" FIRST COMMIT WAIT("0"),
         "%d2 has changed since the last wgmma.fence"},
        {FENCE FIRST COMMIT WAIT("0") "mov.f32 %d4, 0f3F800000;\n" SECOND COMMIT WAIT("0"),
         "%d4 has changed since the last wgmma.fence"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

/* A wait for all groups but the newest leaves that one in flight. */
Test(emulator_wgmma_traps, groups)
{
    static const wgmma_case cases[] = {
        {FENCE FIRST COMMIT SECOND COMMIT WAIT("1") STORE("%d0") WAIT("0") STORE("%d4"), NULL},
        {FENCE FIRST COMMIT SECOND COMMIT WAIT("1") STORE("%d4") WAIT("0"),
         "%d4 belongs to a product in flight"},
        {FENCE FIRST COMMIT WAIT("1") STORE("%d0") WAIT("0"), "%d0 belongs to a product in flight"},
        {FENCE FIRST WAIT("0") STORE("%d0"), "%d0 belongs to a product in flight"},
        {FENCE FIRST COMMIT SECOND COMMIT WAIT("1"), "nobody has waited for the product"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}
