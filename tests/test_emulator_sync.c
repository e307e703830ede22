/* Threads of a CTA that wait for each other by barriers of a part of them, by mbarriers, and for copies beside
 * them: what they see, and what traps. */
#include <criterion/criterion.h>

#include "tests/emulator_text.h"

/* Shared memory, the number of the warp in %r10, and whether the thread is the first of its warp in %p7.
 * `s` is ordinary memory, `b` and `c` are mbarriers. */
#define BEGIN                                                                                      \
    ".shared .align 16 .b8 s[1024]; .shared .align 8 .b8 b[8]; .shared .align 8 .b8 c[8];"         \
    " shr.u32 %r10, %r1, 5; and.b32 %r11, %r1, 31; setp.eq.u32 %p7, %r11, 0;"                      \
    " setp.eq.u32 %p6, %r1, 0; setp.eq.u32 %p5, %r10, 0;\n"
#define INIT(count)                                                                                \
    "@%p6 mbarrier.init.shared.b64 [b], " count "; @%p6 mbarrier.init.shared.b64 [c], " count      \
    ";\nbarrier.sync 0;\n"
/* Thread t's word of `s` in %r12, of `out` in %rd2. */
#define MINE                                                                                       \
    "shl.b32 %r12, %r1, 2; mov.u32 %r13, s; add.u32 %r12, %r12, %r13; mul.wide.u32 %rd2, %r1, 4;"  \
    " add.u64 %rd2, %rd1, %rd2;\n"
#define WAIT(label, barrier, parity)                                                               \
    label ": mbarrier.try_wait.parity.shared.b64 %p1, [" barrier "], " parity                      \
          ";\n@!%p1 bra " label ";\n"

typedef struct sync_case {
    const char *body;
    uint32_t threads;
    tg_emu_trap_kind kind; /* TG_EMU_TRAP_COUNT: none */
    const char *text;      /* a part of the report */
    uint32_t word, value;  /* of `out`, where nothing traps */
} sync_case;

#define CLEAN(word, value) TG_EMU_TRAP_COUNT, "", word, value
#define TRAPS(kind, text) TG_EMU_TRAP_##kind, text, 0, 0

static void check(const sync_case *c, uint64_t seed)
{
    const tg_emu_launch launch = {.races = true, .seed = seed, .instruction_limit = 1000000};
    const emulator_run r = emulator_run_body(c->body, c->threads, launch);
    cr_expect_eq(r.status, TG_OK, "%s: %s", c->body, r.message);
    if (r.status != TG_OK) return;
    if (c->kind == TG_EMU_TRAP_COUNT) {
        cr_expect_not(r.result.trapped, "%s, seed %d: %s", c->body, (int)seed, r.result.trap.text);
        cr_expect_eq(r.words[c->word], c->value, "%s, seed %d: %u", c->body, (int)seed,
                     r.words[c->word]);
        return;
    }
    cr_expect(r.result.trapped, "%s, seed %d: no trap", c->body, (int)seed);
    if (!r.result.trapped) return;
    cr_expect_eq(r.result.trap.kind, c->kind, "%s, seed %d: %s: %s", c->body, (int)seed,
                 tg_emu_trap_name(r.result.trap.kind), r.result.trap.text);
    cr_expect(strstr(r.result.trap.text, c->text), "%s: %s", c->body, r.result.trap.text);
}

static void check_all(const sync_case *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (uint64_t seed = 0; seed < 8; seed++) check(&list[i], seed);
}
#define CHECK_ALL(list) check_all(list, sizeof(list) / sizeof *(list))

/* ---- barriers of a part of the threads ---- */

/* Each pair of warps exchanges words through shared memory, at a barrier of its own. */
#define PAIRS(barrier)                                                                             \
    BEGIN MINE "shr.u32 %r2, %r10, 1; add.u32 %r2, %r2, 1; mov.u32 %r3, 64;\n"                     \
               "st.shared.u32 [%r12], 0;\nbarrier.sync 0;\nst.shared.u32 [%r12], %r1;\n" barrier   \
               "xor.b32 %r4, %r12, 128; ld.shared.u32 %r5, [%r4];\n"                               \
               "st.global.u32 [%rd2], %r5;"

Test(emulator_sync, barriers_of_a_part_of_the_threads)
{
    static const sync_case cases[] = {
        {PAIRS("barrier.sync %r2, %r3;\n"), 128, CLEAN(100, 100 ^ 32)},
        {PAIRS("bar.sync %r2, 64;\n"), 128, CLEAN(3, 35)},
        {PAIRS("barrier.cta.sync.aligned %r2, %r3;\n"), 64, CLEAN(3, 35)},
        {BEGIN MINE "st.shared.u32 [%r12], %r1; bar.warp.sync -1; xor.b32 %r4, %r12, 4;\n"
                    "ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd2], %r5;",
         64, CLEAN(7, 6)},
        {BEGIN MINE "@%p5 bar.sync 1, 32; st.global.u32 [%rd2], %r1;", 64, CLEAN(40, 40)},
    };
    CHECK_ALL(cases);
}

Test(emulator_sync, barriers_that_are_misused)
{
    static const sync_case cases[] = {
        {PAIRS("bar.warp.sync -1;\n"), 64, TRAPS(SHARED_RACE, "in no order")},
        {PAIRS("xor.b32 %r2, %r10, 1; bar.sync %r2, 32;\n"), 64, TRAPS(SHARED_RACE, "in no order")},
        {BEGIN "bar.sync 16, 32;", 32, TRAPS(DIVERGENT_BARRIER, "0 to 15, and not 16")},
        {BEGIN "bar.sync %r11, 32;", 32, TRAPS(DIVERGENT_BARRIER, "another barrier than 1")},
        {BEGIN "bar.sync 1, 40;", 64, TRAPS(DIVERGENT_BARRIER, "so many threads: 40")},
        {BEGIN "bar.sync 1, 96;", 64, TRAPS(DIVERGENT_BARRIER, "so many threads: 96")},
        {BEGIN "selp.u32 %r2, 64, 96, %p5; bar.sync 1, %r2;", 96,
         TRAPS(DIVERGENT_BARRIER, "counts other threads than")},
        {BEGIN "@%p5 bar.sync 1, 64; @!%p5 bar.sync 2, 64;", 64,
         TRAPS(DEADLOCK, "32 of 64 threads are at barrier")},
        {BEGIN "@%p5 bar.sync 1, 64;", 96, TRAPS(DEADLOCK, "32 of 64 threads")},
        {BEGIN "@%p5 bar.sync 1, 64;", 64, TRAPS(DIVERGENT_BARRIER, "it has left the kernel")},
        {BEGIN "bar.warp.sync 0xff;", 32, TRAPS(DIVERGENT_BARRIER, "not in its own mask")},
        {BEGIN "@%p7 bar.warp.sync -1;", 32, TRAPS(DIVERGENT_BARRIER, "keeps the thread out")},
    };
    CHECK_ALL(cases);
}

/* ---- mbarriers ---- */

/* Warp 1 waits for a word of warp 0, by what stands between. */
#define HAND_OVER(release, acquire)                                                                \
    BEGIN INIT("1") "@!%p5 bra SECOND;\n@%p6 st.shared.u32 [s], 7;\n" release                      \
                    "bra.uni DONE;\nSECOND:\n" acquire                                             \
                    "ld.shared.u32 %r5, [s]; add.u32 %r5, %r5, %r10;\n"                            \
                    "setp.eq.u32 %p2, %r1, 32; @%p2 st.global.u32 [%rd1], %r5;\nDONE: ret;"
#define ARRIVE "@%p6 mbarrier.arrive.shared.b64 _, [b];\n"

Test(emulator_sync, phases_order_threads)
{
    static const sync_case cases[] = {
        {HAND_OVER(ARRIVE, WAIT("L", "b", "0")), 64, CLEAN(0, 8)},
        {HAND_OVER(
             "@%p6 mbarrier.arrive.release.cta.shared::cta.b64 _, [b];\n",
             "L: mbarrier.test_wait.parity.acquire.cta.shared.b64 %p1, [b], 0;\n@!%p1 bra L;\n"),
         64, CLEAN(0, 8)},
        /* bytes that are expected, and bytes that a thread says to have brought, behind a fence */
        {HAND_OVER("@%p6 mbarrier.arrive.expect_tx.shared.b64 _, [b], 4; fence.acq_rel.cta;\n"
                   "@%p6 mbarrier.complete_tx.relaxed.cta.shared.b64 [b], 4;\n",
                   WAIT("L", "b", "0")),
         64, CLEAN(0, 8)},
        {HAND_OVER("@%p6 mbarrier.expect_tx.relaxed.cta.shared.b64 [b], 4;\n" ARRIVE
                   "fence.acq_rel.cta; @%p6 mbarrier.complete_tx.shared.b64 [b], 4;\n",
                   WAIT("L", "b", "0")),
         64, CLEAN(0, 8)},
        /* a phase of each parity */
        {BEGIN INIT("32") "@!%p5 bra SECOND;\nmbarrier.arrive.shared.b64 _, [b];\n" WAIT(
             "L", "c", "0") "mbarrier.arrive.shared.b64 _, [b]; bra.uni "
                            "DONE;\nSECOND:\n" WAIT(
                                "M", "b", "0") "mbarrier.arrive.shared.b64 _, "
                                               "[c];\n" WAIT("N", "b", "1") "@%p7 "
                                                                            "st.global.u32 "
                                                                            "[%rd1], "
                                                                            "3;\nDONE: ret;",
         64, CLEAN(0, 3)},
        {BEGIN INIT("2") "@%p6 mbarrier.arrive.shared.b64 _, [b], 2;\n" WAIT(
             "L", "b", "0") "@%p6 st.global.u32 [%rd1], 4;",
         32, CLEAN(0, 4)},
        /* some threads of a warp wait for another one of it */
        {BEGIN INIT("1") "@%p6 bra SECOND;\n" WAIT(
             "L", "b", "0") "bra DONE;\nSECOND: st.shared.u32 [s], 9;\n"
                            "mbarrier.arrive.shared.b64 _, [b];\nDONE: ld.shared.u32 %r5, [s];\n"
                            "setp.eq.u32 %p2, %r1, 5; @%p2 st.global.u32 [%rd1], %r5;",
         32, CLEAN(0, 9)},
        /* the memory is an mbarrier, and another one behind it */
        {BEGIN INIT(
             "1") "@%p6 mbarrier.inval.shared.b64 [b];\n@%p6 mbarrier.init.shared.b64 [b], 3;\n"
                  "@%p6 mbarrier.inval.shared.b64 [b];\n@%p6 st.shared.u32 [b], 5;\n"
                  "@%p6 ld.shared.u32 %r5, [b];\n@%p6 st.global.u32 [%rd1], %r5;",
         32, CLEAN(0, 5)},
    };
    CHECK_ALL(cases);
}

Test(emulator_sync, phases_that_order_too_little)
{
    static const sync_case cases[] = {
        {HAND_OVER("@%p6 mbarrier.arrive.expect_tx.shared.b64 _, [b], 4;\n"
                   "@%p6 st.shared.u32 [s+4], 1; @%p6 mbarrier.complete_tx.shared.b64 [b], 4;\n",
                   WAIT("L", "b", "0") "ld.shared.u32 %r5, [s+4];\n"),
         64, TRAPS(SHARED_RACE, "offset 4 of s in no order")},
        {HAND_OVER(ARRIVE "@%p6 st.shared.u32 [s], 8;\n", WAIT("L", "b", "0")), 64,
         TRAPS(SHARED_RACE, "offset 0 of s in no order")},
    };
    CHECK_ALL(cases);
}

Test(emulator_sync, mbarriers_that_are_misused)
{
    static const sync_case cases[] = {
        {BEGIN "@%p6 mbarrier.arrive.shared.b64 _, [b];", 32,
         TRAPS(MBARRIER, "no initialised mbarrier")},
        {BEGIN WAIT("L", "b", "0"), 32, TRAPS(MBARRIER, "no initialised mbarrier")},
        {BEGIN INIT("1") "@%p6 mbarrier.init.shared.b64 [b], 1;", 32,
         TRAPS(MBARRIER, "an ordinary access to an mbarrier")},
        {BEGIN INIT("1") "@%p6 st.shared.u32 [b+4], 1;", 32,
         TRAPS(MBARRIER, "an ordinary access to an mbarrier")},
        {BEGIN INIT("1") "@%p6 ld.shared.u32 %r2, [b];", 32,
         TRAPS(MBARRIER, "an ordinary access to an mbarrier")},
        {BEGIN INIT("1") "@%p6 mbarrier.inval.shared.b64 [b]; @%p6 mbarrier.inval.shared.b64 [b];",
         32, TRAPS(MBARRIER, "no initialised mbarrier")},
        {BEGIN "@%p6 mbarrier.init.shared.b64 [b], 0;", 32, TRAPS(MBARRIER, "and not: 0")},
        {BEGIN INIT("1") "@%p6 mbarrier.arrive.shared.b64 _, [b], 2;", 32,
         TRAPS(MBARRIER, "arrivals beyond those that the phase waits for: 1")},
        {BEGIN INIT("1") "@%p6 mbarrier.arrive.expect_tx.shared.b64 _, [b], 16;\n"
                         "@%p6 mbarrier.arrive.shared.b64 _, [b];",
         32, TRAPS(MBARRIER, "arrivals beyond")},
        {BEGIN INIT("1") "@%p6 mbarrier.expect_tx.shared.b64 [b], 1048576;", 32,
         TRAPS(MBARRIER, "lacks at most 1048575 bytes")},
        {BEGIN "@%p6 mbarrier.init.shared.b64 [s+4], 1;", 32,
         TRAPS(MISALIGNED, "not a multiple of 8")},
        {BEGIN "@%p6 mbarrier.init.shared.b64 [b], 1;\n@!%p6 mbarrier.arrive.shared.b64 _, [b];",
         32, TRAPS(SHARED_RACE, "of b in no order")},
        {BEGIN INIT("1") WAIT("L", "b", "0"), 64, TRAPS(DEADLOCK, "lacks 1 arrivals and 0 bytes")},
        {BEGIN INIT("1") "@%p6 mbarrier.arrive.expect_tx.shared.b64 _, [b], 48;\n" WAIT("L", "b",
                                                                                        "0"),
         64, TRAPS(DEADLOCK, "lacks 0 arrivals and 48 bytes")},
    };
    CHECK_ALL(cases);
}

/* ---- atomics and fences ---- */

/* The first warp stores a word and then sets a flag; the second one looks until the flag is set. */
#define FLAG(release, acquire)                                                                     \
    BEGIN "@%p6 st.shared.u32 [s+4], 0;\nbarrier.sync 0;\n@!%p5 bra SECOND;\n"                     \
          "@!%p6 bra DONE;\nst.shared.u32 [s], 7;\n" release                                       \
          "atom.shared.exch.b32 %r2, [s+4], 1;\nbra.uni DONE;\nSECOND: @!%p7 bra DONE;\n"          \
          "L: atom.shared.or.b32 %r2, [s+4], 0;\nsetp.eq.u32 %p1, %r2, 0; @%p1 bra L;\n" acquire   \
          "ld.shared.u32 %r5, [s];\nst.global.u32 [%rd1], %r5;\nDONE: ret;"
#define FENCE "fence.acq_rel.cta;\n"

Test(emulator_sync, atomics_order_what_stands_between_fences)
{
    static const sync_case cases[] = {
        {FLAG(FENCE, FENCE), 64, CLEAN(0, 7)},
        {FLAG("membar.cta;\n", "fence.sc.gpu;\n"), 64, CLEAN(0, 7)},
        {FLAG("", FENCE), 64, TRAPS(SHARED_RACE, "offset 0 of s in no order")},
        {FLAG(FENCE, ""), 64, TRAPS(SHARED_RACE, "offset 0 of s in no order")},
        {FLAG(FENCE "st.shared.u32 [s], 8;\n", FENCE), 64,
         TRAPS(SHARED_RACE, "offset 0 of s in no order")},
    };
    /* a barrier of a part of the CTA, without which the entry would have no clocks */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 0; seed < 8; seed++) {
            char body[4096];
            sync_case c = cases[i];
            snprintf(body, sizeof body, "bar.warp.sync -1;\n%s", c.body);
            c.body = body;
            check(&c, seed);
        }
}

/* ---- bulk copies ---- */

#define TO_SHARED "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
#define TO_GLOBAL "cp.async.bulk.global.shared::cta.bulk_group "
#define FILL MINE "st.global.u32 [%rd2], %r1;\nbarrier.sync 0;\n"
/* The first thread copies 64 bytes from word 4 of `out`; all wait, and store the first word of them. */
#define BRING(fence, wait)                                                                         \
    BEGIN INIT("1") FILL fence "@%p6 mbarrier.arrive.expect_tx.shared.b64 _, [b], 64;\n"           \
                               "@%p6 " TO_SHARED "[s], [%rd1+16], 64, [b];\n" wait                 \
                               "ld.shared.u32 %r5, [s+8];\nbarrier.sync 0;\n"                      \
                               "st.global.u32 [%rd2], %r5;"
/* All fill `s`, the first thread copies 64 bytes of it to `out`. */
#define TAKE(fence, wait)                                                                          \
    BEGIN MINE "st.shared.u32 [%r12], %r1;\n" fence "barrier.sync 0;\n@%p6 " TO_GLOBAL             \
               "[%rd1], [s+16], 64;\n@%p6 cp.async.bulk.commit_group;\n" wait
/* Eight lanes of each warp copy what their warp has stored, 16 bytes each: of warp 0 once, of warp 1 as often as %r9
 * says, to places that are `step` bytes apart.  All copies are in flight until all have been started. */
#define TAKE_MANY(times, step)                                                                     \
    BEGIN MINE "st.shared.u32 [%r12], %r1;\nfence.proxy.async;\nbar.warp.sync 0xffffffff;\n"       \
               "setp.lt.u32 %p3, %r11, 8; shl.b32 %r14, %r10, 7; shl.b32 %r15, %r11, 4;"           \
               " add.u32 %r14, %r14, %r15; cvt.u64.u32 %rd3, %r14; add.u64 %rd3, %rd1, %rd3;"      \
               " add.u32 %r14, %r14, %r13; mad.lo.u32 %r9, %r10, " times ", 1;\n"                  \
               "MORE: @%p3 " TO_GLOBAL "[%rd3], [%r14], 16;\n"                                     \
               "add.u64 %rd3, %rd3, " step "; sub.u32 %r9, %r9, 1; setp.gt.u32 %p2, %r9, 0;"       \
               " @%p2 bra MORE;\nbarrier.sync 0;\ncp.async.bulk.commit_group;\n"                   \
               "cp.async.bulk.wait_group 0;"
#define WAIT_ALL "@%p6 cp.async.bulk.wait_group 0;\n"
#define WAIT_READ "@%p6 cp.async.bulk.wait_group.read 0;\n"

Test(emulator_sync, bulk_copies_take_place)
{
    static const sync_case cases[] = {
        {BRING("fence.proxy.async;\nbarrier.sync 0;\n", WAIT("L", "b", "0")), 64, CLEAN(63, 6)},
        {BEGIN INIT("1") "@%p6 mbarrier.arrive.expect_tx.shared.b64 _, [b], 64;\n"
                         "@%p6 " TO_SHARED "[s], [%rd1+16], 48, [b]; @%p6 " TO_SHARED
                         "[s+48], [%rd1], 16, [b];\n" WAIT(
                             "L", "b",
                             "0") "ld.shared.u32 %r5, [s+60];\n@%p6 st.global.u32 [%rd1+512], 77;",
         64, CLEAN(128, 77)},
        {TAKE("fence.proxy.async.shared::cta;\n", WAIT_ALL), 64, CLEAN(0, 4)},
        {TAKE("fence.proxy.async;\n", WAIT_ALL "@%p6 st.global.u32 [%rd1], 99;"), 64, CLEAN(0, 99)},
        /* what has been read may be overwritten */
        {TAKE("fence.proxy.async;\n", WAIT_READ "@%p6 st.shared.u32 [s+16], 99;"), 64, CLEAN(0, 4)},
        {TAKE("fence.proxy.async;\n",
              "@%p6 cp.async.bulk.commit_group;\n"
              "@%p6 cp.async.bulk.wait_group.read 1; @%p6 st.shared.u32 [s+16], 99;"),
         64, CLEAN(0, 4)},
        {TAKE("fence.proxy.async;\n", WAIT_ALL "@%p6 st.shared.u32 [s+16], 99;"), 64, CLEAN(0, 4)},
        {TAKE("fence.proxy.async;\n", WAIT_ALL "@%p6 " TO_GLOBAL "[%rd1], [s], 0;"), 64,
         CLEAN(0, 4)},
        {TAKE_MANY("11", "256"), 64, CLEAN(5, 5)},
        {TAKE_MANY("11", "256"), 64, CLEAN(10 * 64 + 40, 40)},
    };
    CHECK_ALL(cases);
}

/* ---- loops that look at memory ---- */

/* The first warp executes `first`, the second one looks at the word of `s` until it is 1, then executes `then`,
 * and both come together. */
#define LOOKS(first, then)                                                                         \
    BEGIN "@%p6 st.shared.u32 [s], 0;\n" INIT(                                                     \
        "1") "@!%p5 bra SECOND;\n" first "bra.uni DONE;\nSECOND:\n"                                \
             "LOOK: atom.shared.or.b32 %r5, [s], 0; setp.ne.u32 %p2, %r5, 1; @%p2 bra "            \
             "LOOK;\n" then "DONE: barrier.sync 0;\n@%p6 st.global.u32 [%rd1], 5;"
#define SET "@%p6 atom.shared.exch.b32 %r6, [s], 1;\n"

/* Entries without partial barriers know such loops as well. */
Test(emulator_sync, loops_that_look_at_memory_without_barriers)
{
    static const sync_case cases[] = {
        {BEGIN
         "LOOK: ld.relaxed.gpu.global.u32 %r5, [%rd1]; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOK;",
         32, TRAPS(DEADLOCK, "no other thread can change what it looks at")},
        {BEGIN "LOOK: atom.global.or.b32 %r5, [%rd1], 0; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOK;",
         32, TRAPS(DEADLOCK, "no other thread can change what it looks at")},
    };
    CHECK_ALL(cases);
}

/* A loop is looked at again where the warp has left the one that was looked at before. */
Test(emulator_sync, loops_behind_others)
{
    static const sync_case cases[] = {
        {BEGIN "mov.u32 %r5, 0;\nM: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 200; @%p2 bra M;\n"
               "LOOK: ld.relaxed.gpu.global.u32 %r5, [%rd1]; setp.eq.u32 %p2, %r5, 0; @%p2 bra "
               "LOOK;",
         32, TRAPS(DEADLOCK, "no other thread can change what it looks at")},
    };
    CHECK_ALL(cases);
}

/* Other CTAs may change it on a GPU; where there are none, none are mentioned. */
Test(emulator_sync, who_else_could_change_what_a_loop_looks_at)
{
    static const char alone[] = "no other thread can change what it looks at",
                      others[] = " (CTAs run one after the other here)";
    const char *const text = emulator_text(
        "LOOK: ld.relaxed.gpu.global.u32 %r5, [%rd1]; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOK;");
    for (uint32_t ctas = 1; ctas <= 2; ctas++) {
        const emulator_run r =
            emulator_run_text(text, 32, ctas, (tg_emu_launch){.instruction_limit = 1000000});
        cr_assert(r.result.trapped && r.result.trap.kind == TG_EMU_TRAP_DEADLOCK);
        const char *end = strstr(r.result.trap.text, alone);
        cr_assert(end, "%s", r.result.trap.text);
        cr_assert_str_eq(end + strlen(alone), ctas == 1 ? "" : others);
    }
}

Test(emulator_sync, loops_that_look_at_memory)
{
    static const sync_case cases[] = {
        {LOOKS(SET, ""), 64, CLEAN(0, 5)},
        /* nobody is left */
        {LOOKS("", ""), 64, TRAPS(DEADLOCK, "goes round in a loop, and no other thread")},
        {LOOKS(WAIT("L", "b", "0") SET, "@%p7 mbarrier.arrive.shared.b64 _, [b];\n"), 64,
         TRAPS(DEADLOCK, "goes round in a loop, and no other thread")},
        /* both look */
        {LOOKS("M: atom.shared.or.b32 %r5, [s], 0; setp.ne.u32 %p2, %r5, 2; @%p2 bra M;\n", ""), 64,
         TRAPS(DEADLOCK, "goes round in a loop, and no other thread")},
        /* the first one counts for long, and changes nothing meanwhile */
        {LOOKS("mov.u32 %r5, 0;\nM: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 20000; @%p2 bra "
               "M;\n" SET,
               ""),
         64, CLEAN(0, 5)},
        /* a loop that gives up */
        {BEGIN "@%p6 st.shared.u32 [s], 0;\nbarrier.sync 0; mov.u32 %r6, 0;\n"
               "M: atom.shared.or.b32 %r5, [s], 0; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 5000;"
               " setp.eq.and.u32 %p2, %r5, 0, %p2; @%p2 bra M;\n@%p6 st.global.u32 [%rd1], %r6;",
         64, CLEAN(0, 5000)},
        /* a copy is still to take place */
        {BRING("fence.proxy.async;\nbarrier.sync 0;\n",
               "L: mbarrier.test_wait.parity.shared.b64 %p1, [b], 0;\n@!%p1 bra L;\n"),
         64, CLEAN(63, 6)},
    };
    CHECK_ALL(cases);
}

Test(emulator_sync, bulk_copies_that_race)
{
    static const sync_case cases[] = {
        {TAKE("", WAIT_ALL), 64, TRAPS(SHARED_RACE, "of s in no order")},
        {TAKE("fence.proxy.async;\n", "@%p6 st.shared.u32 [s+16], 99;\n" WAIT_ALL), 64,
         TRAPS(SHARED_RACE, "offset 16 of s in no order")},
        {TAKE("fence.proxy.async;\n",
              "@%p6 cp.async.bulk.wait_group 1;\n@%p6 st.shared.u32 [s+16], 99;\n" WAIT_ALL),
         64, TRAPS(SHARED_RACE, "offset 16 of s in no order")},
        {TAKE("fence.proxy.async;\n", WAIT_READ "@%p6 st.global.u32 [%rd1], 99;\n" WAIT_ALL), 64,
         TRAPS(GLOBAL_RACE, "offset 0 of out in no order")},
        {BRING("fence.proxy.async;\nbarrier.sync 0;\n",
               "@%p6 st.shared.u32 [s+4], 1;\n" WAIT("L", "b", "0")),
         64, TRAPS(SHARED_RACE, "of s in no order")},
        {BRING("", WAIT("L", "b", "0")), 64, TRAPS(GLOBAL_RACE, "of out in no order")},
        {TAKE_MANY("1", "0"), 64, TRAPS(GLOBAL_RACE, "of out in no order")},
        /* of two lanes that start theirs together */
        {BEGIN MINE "st.shared.u32 [%r12], %r1;\nfence.proxy.async;\nbarrier.sync 0;\n"
                    "setp.lt.u32 %p3, %r1, 2;\n@%p3 " TO_GLOBAL "[%rd1], [s], 16;\n"
                    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
         64, TRAPS(GLOBAL_RACE, "of out in no order")},
    };
    CHECK_ALL(cases);
}

Test(emulator_sync, bulk_copies_that_are_misused)
{
    static const sync_case cases[] = {
        {TAKE("fence.proxy.async;\n", ""), 64, TRAPS(BULK, "nobody has waited")},
        {BEGIN "@%p6 " TO_GLOBAL "[%rd1], [s], 8;", 64, TRAPS(BULK, "the size of a bulk copy")},
        {BEGIN "@%p6 " TO_GLOBAL "[%rd1+8], [s], 16;", 64, TRAPS(BULK, "the destination")},
        {BEGIN "@%p6 " TO_GLOBAL "[%rd1], [s+8], 16;", 64, TRAPS(BULK, "the source")},
        {BEGIN "@%p6 " TO_SHARED "[s], [%rd1], 16, [b];", 64,
         TRAPS(MBARRIER, "no initialised mbarrier")},
        {BEGIN INIT("1") "@%p6 " TO_SHARED "[s], [%rd1+4080], 32, [b];\n" WAIT("L", "b", "0"), 64,
         TRAPS(OUT_OF_BOUNDS, "of out")},
        {BEGIN "@%p6 " TO_GLOBAL "[%rd1], [s], 16;\n@%p6 cp.async.bulk.commit_group;\n" WAIT_ALL,
         64, TRAPS(UNINITIALISED_SHARED, "has not been written")},
    };
    CHECK_ALL(cases);
}

/* ---- launches ---- */

Test(emulator_sync, each_cta_begins_anew)
{
    static const char body[] = BEGIN INIT("1") FILL
        "fence.proxy.async;\nbarrier.sync 0;\n"
        "@%p6 mbarrier.arrive.expect_tx.shared.b64 _, [b], 64;\n@%p6 " TO_SHARED
        "[s], [%rd1], 64, [b];\n" WAIT("L", "b", "0") "ld.shared.u32 %r5, [s+8];";
    const tg_emu_launch launch = {.races = true, .seed = 5};
    const emulator_run r = emulator_run_text(emulator_text(body), 64, 3, launch);
    cr_assert(r.status == TG_OK && !r.result.trapped, "%s%s", r.message, r.result.trap.text);
}

Test(emulator_sync, races_between_ctas_are_not_looked_for)
{
    const tg_emu_launch launch = {.races = true, .cta_races = true};
    const emulator_run r = emulator_run_text(emulator_text("bar.sync 1, 32;"), 32, 2, launch);
    cr_assert_eq(r.status, TG_ERR_UNSUPPORTED);
    cr_assert(strstr(r.message, "in which a part of the threads meets"), "%s", r.message);
}
