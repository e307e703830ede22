/* What compilers write and our own generators do not: how the emulator runs it, and what it traps there. */
#include <criterion/criterion.h>

#include "tests/emulator_text.h"

/* Thread t's word of `out` in %rd2. */
#define MINE "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; "
#define KEEP(reg) MINE "st.global.u32 [%rd2], " reg "; ret;"

static emulator_run run(const char *body, uint32_t threads, uint64_t seed)
{
    const tg_emu_launch launch = {.races = true, .seed = seed, .instruction_limit = 100000};
    const emulator_run r = emulator_run_body(body, threads, launch);
    cr_expect_eq(r.status, TG_OK, "%s: %s", body, r.message);
    return r;
}

/* Runs to the end, with several seeds. */
static emulator_run run_clean(const char *body, uint32_t threads)
{
    for (uint64_t seed = 1; seed < 4; seed++) {
        const emulator_run r = run(body, threads, seed);
        cr_expect_not(r.result.trapped, "%s: %s", body, r.result.trap.text);
    }
    return run(body, threads, 0);
}

static void expect_trap(const char *body, uint32_t threads, tg_emu_trap_kind kind, const char *text)
{
    const emulator_run r = run(body, threads, 0);
    cr_assert(r.result.trapped, "%s: no trap", body);
    cr_expect_eq(r.result.trap.kind, kind, "%s: %s", body, tg_emu_trap_name(r.result.trap.kind));
    cr_expect(strstr(r.result.trap.text, text), "%s: %s", body, r.result.trap.text);
}

/* ---- the text ---- */

Test(emulator_compiled, debugging_sections_and_places_of_inlined_code)
{
    const char *text =
        ".version 8.8\n.target sm_80\n.address_size 64\n.file 1 \"k.py\"\n"
        ".visible .entry k(.param .u64 .ptr .global .align 16 out) .reqntid 1\n{\n"
        ".reg .b64 %rd<2>; .reg .b32 %r<2>;\n.loc 1 7 3\n$L__func_begin0:\nld.param.b64 %rd1, "
        "[out];\n"
        ".loc 1 9 3, function_name $L__info_string0+4, inlined_at 1 7 5\n"
        ".pragma \"used_bytes_mask 0xf\";\nld.global.b32 { %r1 }, [ %rd1 + 0x1000 ];\nret;\n}\n"
        ".section .debug_abbrev\n{\n.b8 1\n.b32 $L__func_begin0+4\n}\n";
    const emulator_run r = emulator_run_text(text, 1, 1, (tg_emu_launch){.races = true});
    cr_assert_eq(r.status, TG_OK, "%s", r.message);
    cr_assert(r.result.trapped);
    cr_expect_eq(r.result.trap.at.source_line, 9);
    cr_expect_str_eq(r.source, "k.py");
}

Test(emulator_compiled, instructions_without_rounding_are_counted_as_inexact)
{
    const char *text =
        "mov.f32 %f1, 0f3F800000; add.f32 %f2, %f1, %f1; mov.b32 %r2, %f2;" KEEP("%r2");
    const emulator_run r = run_clean(text, 1);
    cr_expect_eq(r.words[0], 0x40000000);
    cr_expect_eq(r.result.inexact, 1);
}

Test(emulator_compiled, gross_approximations_of_f64_have_an_upper_half)
{
    const emulator_run r =
        run_clean("mov.f64 %fd1, 0d40080000FFFFFFFF; rcp.approx.ftz.f64 %fd2, %fd1; "
                  "rsqrt.approx.ftz.f64 %fd3, %fd1; st.global.f64 [%rd1], %fd2; "
                  "st.global.f64 [%rd1+8], %fd3; mov.f64 %fd1, 0d0000000100000000; "
                  "rcp.approx.ftz.f64 %fd2, %fd1; st.global.f64 [%rd1+16], %fd2; ret;",
                  1);
    cr_expect_eq(r.words[0], 0);
    cr_expect_eq(r.words[1], 0x3fd55555); /* a third */
    cr_expect_eq(r.words[2], 0);
    cr_expect_eq(r.words[3], 0x3fe279a7); /* the root of it */
    cr_expect_eq(r.words[5], 0x7ff00000); /* of a subnormal number, which is zero here */
}

Test(emulator_compiled, an_unwritten_part_of_a_pair_is_arbitrary)
{
    const char *text =
        "mov.b16 %h1, 7; mov.b32 %r2, {%h1, %h2}; and.b32 %r2, %r2, 0xffff;" KEEP("%r2");
    cr_expect_eq(run_clean(text, 1).words[0], 7);
    const char *read = "mov.b16 %h1, 7; mov.b32 %r2, {%h1, %h2};" KEEP("%r2");
    cr_expect_neq(run(read, 1, 1).words[0], run(read, 1, 2).words[0]);
    expect_trap("mov.b16 %h1, 7; mov.b32 %r2, {%h2, %h3};", 1, TG_EMU_TRAP_UNINITIALISED_REGISTER,
                "has not been written");
}

Test(emulator_compiled, unwritten_registers_may_be_arbitrary)
{
    const char *body =
        "add.u32 %r2, %r3, 1; @%p1 add.u32 %r4, %r5, 1; st.global.u32 [%rd1], %r2; ret;";
    uint32_t seen[2];
    expect_trap(body, 1, TG_EMU_TRAP_UNINITIALISED_REGISTER, "%r3");
    for (uint64_t seed = 1; seed < 3; seed++) {
        const tg_emu_launch launch = {.races = true, .seed = seed, .arbitrary_registers = true};
        const emulator_run r = emulator_run_body(body, 1, launch);
        cr_expect_not(r.result.trapped, "%s", r.result.trap.text);
        seen[seed - 1] = r.words[0];
    }
    cr_expect_neq(seen[0], seen[1]);
}

Test(emulator_compiled, local_memory_is_of_each_thread)
{
    const char *body = ".local .align 4 .b8 v[8]; mov.u64 %rd4, v; cvta.local.u64 %rd5, %rd4; "
                       "cvta.to.local.u64 %rd5, %rd5; st.local.u32 [%rd5+4], %r1; mov.u32 %r2, v; "
                       "st.local.u8 [v], 3; ld.local.u32 %r3, [%r2+4]; ld.local.u8 %r4, [%r2]; "
                       "add.u32 %r3, %r3, %r4;" KEEP("%r3");
    const emulator_run r = run_clean(body, 64);
    for (uint32_t i = 0; i < 64; i++) cr_expect_eq(r.words[i], i + 3);
}

Test(emulator_compiled, one_lane_is_elected_of_the_members)
{
    const char *body = "elect.sync %r2|%p1, -1; elect.sync _|%p2, -1; selp.u32 %r3, 1, 0, %p1; "
                       "selp.u32 %r4, 2, 0, %p2; add.u32 %r3, %r3, %r4; shl.b32 %r2, %r2, 8; "
                       "or.b32 %r3, %r3, %r2;" KEEP("%r3");
    for (uint64_t seed = 0; seed < 40; seed += 13) {
        const emulator_run r = run(body, 32, seed);
        const uint32_t leader = r.words[0] >> 8;
        for (uint32_t i = 0; i < 32; i++)
            cr_expect_eq(r.words[i], leader << 8 | (i == leader ? 3 : 0));
    }
}

Test(emulator_compiled, hints_change_nothing)
{
    const char *body =
        "createpolicy.fractional.L2::evict_last.b64 %rd3, 1.0; prefetch.global.L2 [%rd1]; "
        "nanosleep.u32 20; " MINE "st.global.wt.L2::cache_hint.b32 [%rd2], 4, %rd3; "
        "ld.global.ca.L1::evict_last.L2::cache_hint.b32 {%r2}, [%rd2], %rd3; add.u32 %r2, %r2, "
        "1;" KEEP("%r2");
    cr_expect_eq(run_clean(body, 32).words[31], 5);
}

/* ---- atomics ---- */

Test(emulator_compiled, atomics_with_an_order_and_of_halves)
{
    const char *body =
        "atom.global.gpu.acq_rel.add.u32 %r2, [%rd1], 1; atom.acquire.cta.global.or.b32 %r2, "
        "[%rd1+4], %r1; red.global.release.sys.max.u32 [%rd1+8], %r1; mov.b16 %h1, 0x3c00; "
        "atom.global.gpu.relaxed.add.noftz.f16 %h2, [%rd1+12], %h1; mov.b32 %r3, 0x40003c00; "
        "red.global.add.noftz.f16x2 [%rd1+16], %r3; mov.b32 %r3, 0x40003f80; "
        "red.global.gpu.relaxed.add.noftz.bf16x2 [%rd1+20], %r3; ret;";
    const emulator_run r = run_clean(body, 32);
    cr_expect_eq(r.words[0], 32);
    cr_expect_eq(r.words[1], 31);
    cr_expect_eq(r.words[2], 31);
    cr_expect_eq(r.words[3], 0x5000);     /* 32 */
    cr_expect_eq(r.words[4], 0x54005000); /* 64, 32 */
    cr_expect_eq(r.words[5], 0x42804200);
}

/* Thread 0 writes a word and then releases a flag, on which thread 32 waits: ordered only with these orders. */
#define HANDED_ON(release, acquire)                                                                \
    "setp.lt.u32 %p1, %r1, 32; @%p1 bra.uni WRITES;\n"                                             \
    "LOOP: atom." acquire ".gpu.global.cas.b32 %r2, [%rd1], 1, 1; setp.ne.u32 %p2, %r2, 1;\n"      \
    "@%p2 bra LOOP; ld.global.u32 %r3, [%rd1+4]; bar.warp.sync -1; ret;\n"                         \
    "WRITES: setp.eq.u32 %p2, %r1, 0; @%p2 st.global.u32 [%rd1+4], 9;\n"                           \
    "@%p2 red." release ".gpu.global.add.u32 [%rd1], 1; bar.warp.sync -1; ret;"

Test(emulator_compiled, what_is_released_is_no_race_for_who_acquires)
{
    run_clean(HANDED_ON("release", "acquire"), 64);
    run_clean(HANDED_ON("acq_rel", "acq_rel"), 64);
    expect_trap(HANDED_ON("relaxed", "acquire"), 64, TG_EMU_TRAP_GLOBAL_RACE, "in no order");
    expect_trap(HANDED_ON("release", "relaxed"), 64, TG_EMU_TRAP_GLOBAL_RACE, "in no order");
}

/* ---- matrices in shared memory ---- */

/* 8 rows of 8 numbers, row r from 8 r on, by 32 lanes, two each; then each lane's row address in %r3. */
#define MATRIX                                                                                     \
    ".shared .align 16 .b8 s[128]; shl.b32 %r2, %r1, 1; add.u32 %r3, %r2, 1; shl.b32 %r3, %r3, "   \
    "16;"                                                                                          \
    "or.b32 %r3, %r2, %r3; mov.u32 %r4, s; shl.b32 %r5, %r1, 2; add.u32 %r5, %r4, %r5; "           \
    "st.shared.u32 [%r5], %r3; bar.sync 0; and.b32 %r6, %r1, 7; shl.b32 %r6, %r6, 4; "             \
    "add.u32 %r3, %r4, %r6; "

Test(emulator_compiled, matrices_of_shared_memory)
{
    const emulator_run plain =
        run_clean(MATRIX "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r3];" KEEP("%r7"), 32);
    const emulator_run transposed = run_clean(
        MATRIX
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r7, %r8, %r9, %r10}, [%r3];" KEEP("%r10"),
        32);
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t row = lane / 4, column = 2 * (lane % 4);
        cr_expect_eq(plain.words[lane], (8 * row + column) | (8 * row + column + 1) << 16);
        cr_expect_eq(transposed.words[lane], (8 * column + row) | (8 * (column + 1) + row) << 16);
    }
    const char *back =
        MATRIX "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 %r7, [%r3]; bar.sync 0; "
               "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r7}; bar.sync 0; "
               "ld.shared.u32 %r8, [%r5];" KEEP("%r8");
    const emulator_run stored = run_clean(back, 32);
    for (uint32_t lane = 0; lane < 32; lane++)
        cr_expect_eq(stored.words[lane], transposed.words[lane]);
}

Test(emulator_compiled, matrices_race_and_want_the_whole_warp)
{
    expect_trap(MATRIX
                "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r2}; ld.shared.u32 %r8, [s];",
                32, TG_EMU_TRAP_SHARED_RACE, "offset 0 of s");
    expect_trap(
        MATRIX
        "setp.lt.u32 %p1, %r1, 9; @%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r3];",
        32, TG_EMU_TRAP_DIVERGENT_SYNC, "ldmatrix");
    expect_trap(MATRIX "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r3+8];", 32,
                TG_EMU_TRAP_MISALIGNED, "not a multiple of 16");
    expect_trap(".shared .align 16 .b8 s[128]; mov.u32 %r3, s; "
                "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r3];",
                32, TG_EMU_TRAP_UNINITIALISED_SHARED, "has not been written");
}

/* ---- copies beside the threads ---- */

/* Each thread has 16 bytes of s, whose address is %r3; those of `out` are at %rd3, and hold the thread's number in
 * the first word. */
#define PLACES                                                                                     \
    ".shared .align 16 .b8 s[1024]; shl.b32 %r2, %r1, 4; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; "  \
    "cvt.u64.u32 %rd3, %r2; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r1; "
#define COPY "cp.async.cg.shared.global [%r3], [%rd3], 16; "

Test(emulator_compiled, a_copy_is_there_behind_the_wait)
{
    const char *body =
        PLACES COPY "cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %r4, [%r3]; "
                    "st.global.u32 [%rd3+4], %r4; ret;";
    const emulator_run r = run_clean(body, 32);
    for (uint32_t i = 0; i < 32; i++) cr_expect_eq(r.words[4 * i + 1], i);
    const char *part =
        PLACES "cp.async.ca.shared.global.L2::128B [%r3], [%rd3], 8, 4; cp.async.wait_all; "
               "ld.shared.v2.u32 {%r4, %r5}, [%r3]; add.u32 %r4, %r4, %r5; st.global.u32 [%rd3+4], "
               "%r4; ret;";
    cr_expect_eq(run_clean(part, 32).words[4 * 5 + 1], 5);
    const char *none = PLACES
        "mov.u64 %rd4, 0; cp.async.cg.shared.global [%r3], [%rd4], 16, 0; cp.async.wait_all; "
        "ld.shared.u32 %r4, [%r3]; st.global.u32 [%rd3+4], %r4; ret;";
    cr_expect_eq(run_clean(none, 32).words[4 * 5 + 1], 0);
}

Test(emulator_compiled, copies_in_flight_belong_to_nobody)
{
    expect_trap(PLACES COPY "ld.shared.u32 %r4, [%r3];", 1, TG_EMU_TRAP_SHARED_RACE, "in flight");
    expect_trap(PLACES COPY "st.shared.u32 [%r3], 1;", 1, TG_EMU_TRAP_SHARED_RACE, "in flight");
    expect_trap(PLACES COPY COPY, 1, TG_EMU_TRAP_SHARED_RACE, "in flight");
    expect_trap(PLACES COPY
                "cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r4, [%r3];",
                1, TG_EMU_TRAP_SHARED_RACE, "in flight");
    expect_trap(PLACES COPY "cp.async.wait_group 0; ld.shared.u32 %r4, [%r3];", 1,
                TG_EMU_TRAP_SHARED_RACE, "in flight");
    run_clean(PLACES COPY "ret;", 32);
}

Test(emulator_compiled, a_copy_is_an_access_of_its_thread)
{
    expect_trap(PLACES COPY "cp.async.wait_all; ld.shared.u32 %r4, [s];", 32,
                TG_EMU_TRAP_SHARED_RACE, "between two barriers");
    run_clean(PLACES COPY "cp.async.wait_all; bar.sync 0; ld.shared.u32 %r4, [s]; ret;", 32);
    expect_trap(PLACES "add.u64 %rd3, %rd3, 4096; " COPY, 1, TG_EMU_TRAP_OUT_OF_BOUNDS, "out");
    expect_trap(PLACES "add.u32 %r3, %r3, 1024; " COPY, 1, TG_EMU_TRAP_OUT_OF_BOUNDS, "shared s");
}

/* ---- stores of one value ---- */

static emulator_run run_same(const char *body, bool same_values)
{
    const tg_emu_launch launch = {
        .races = true, .same_values = same_values, .instruction_limit = 100000};
    const emulator_run r = emulator_run_body(body, 64, launch);
    cr_expect_eq(r.status, TG_OK, "%s: %s", body, r.message);
    return r;
}

Test(emulator_compiled, stores_of_one_value_race_unless_that_is_allowed)
{
    static const char *const same[] = {
        ".shared .align 4 .b8 s[4]; st.shared.u32 [s], 5; ret;",
        ".shared .align 8 .b8 s[8]; st.shared.v2.u32 [s], {%r1, 7}; ret;",
        (".shared .align 4 .b8 s[4]; shr.u32 %r2, %r1, 7; st.shared.u32 [s], %r2; "
         "bar.warp.sync -1; ret;")};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        cr_expect_eq(run_same(same[i], false).result.trap.kind, TG_EMU_TRAP_SHARED_RACE);
        cr_expect_eq(run_same(same[i], true).result.trapped, i == 1, "%s", same[i]);
    }
}

/* Rows of a matrix go to half as many places; with `differ` they have other values there. */
#define TWICE(differ)                                                                              \
    ".shared .align 16 .b8 s[128]; mov.u32 %r3, s; and.b32 %r4, %r1, 3; shl.b32 %r4, %r4, 4; "     \
    "add.u32 %r3, %r3, %r4; and.b32 %r2, %r1, " differ "; setp.lt.u32 %p1, %r1, 32; @!%p1 ret; "   \
    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r2}; ret;"

Test(emulator_compiled, rows_of_matrices_may_repeat_each_other_likewise)
{
    cr_expect(run_same(TWICE("15"), false).result.trapped);
    cr_expect_not(run_same(TWICE("15"), true).result.trapped);
    cr_expect_eq(run_same(TWICE("31"), true).result.trap.kind, TG_EMU_TRAP_SHARED_RACE);
}

Test(emulator_compiled, what_stays_a_race_among_stores_of_one_value)
{
    static const char *const races[] = {
        /* another value, another width, a read between them, global memory */
        ".shared .align 4 .b8 s[4]; shr.u32 %r2, %r1, 5; st.shared.u32 [s], %r2; ret;",
        (".shared .align 4 .b8 s[4]; setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [s], 0; "
         "@!%p1 st.shared.u8 [s], 0; ret;"),
        ".shared .align 4 .b8 s[4]; st.shared.u32 [s], 5; ld.shared.u32 %r2, [s]; ret;",
        "st.global.u32 [%rd1], 5; ret;",
    };
    for (size_t i = 0; i < sizeof races / sizeof *races; i++) {
        const emulator_run r = run_same(races[i], true);
        cr_expect(r.result.trapped, "%s", races[i]);
        cr_expect(r.result.trap.kind == TG_EMU_TRAP_SHARED_RACE ||
                  r.result.trap.kind == TG_EMU_TRAP_GLOBAL_RACE);
    }
}

/* ---- registers of 8 bits ---- */

Test(emulator_compiled, bytes_are_unpacked_converted_packed_loaded_and_stored)
{
    const char *body =
        ".reg .b8 t<4>; .reg .u8 x; .reg .s8 y; mov.b32 %r2, 0xf4030201; "
        "mov.b32 {t0, t1, t2, t3}, %r2; cvt.u32.u8 %r3, t2; cvt.s8.u32 y, -3; "
        "cvt.s32.s8 %r4, y; add.s32 %r3, %r3, %r4; "
        "@%p1 mov.b32 {t0, t1, t2, t3}, %r3; "
        "mov.b32 %r2, {t3, t2, t1, t0}; mov.b16 %h1, {t1, t0}; "
        "mov.b16 {x, _}, %h1; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; "
        "st.global.u32 [%rd2], %r2; st.global.u8 [%rd2+1], x; ld.global.u8 x, [%rd2]; "
        "st.global.b8 [%rd2+2], x; ret;";
    char text[1024];
    snprintf(text, sizeof text, "setp.eq.u32 %%p1, %%r1, 1; %s", body);
    const emulator_run r = run_clean(text, 2);
    cr_expect_eq(r.words[0], 0x01f402f4, "%x", r.words[0]); /* t: 1, 2, 3, f4 */
    cr_expect_eq(r.words[1], 0, "%x", r.words[1]);
}
