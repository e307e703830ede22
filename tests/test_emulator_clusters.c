/* Clusters of CTAs: shared memory of others, the cluster's barrier, mbarriers and copies of others; what
 * they see, and what traps. */
#include <criterion/criterion.h>

#include "tests/emulator_text.h"

/* The rank in %r2, that of the neighbour in %r3, the size of the cluster in %r4; %p6 is the first thread of
 * each CTA, %p5 the CTA of rank 0, %p4 the first thread of that.  `s` is ordinary memory, `b` an mbarrier;
 * `s` and `b` of the neighbour are at %r5 and %r6, those of rank 0 at %r7 and %r8, the thread's word in both
 * at %r9, %r10, and of `out` at %rd2. */
#define BEGIN                                                                                      \
    ".shared .align 16 .b8 s[1024]; .shared .align 8 .b8 b[8]; .reg .b32 %n<4>;\n"                 \
    "mov.u32 %r2, %cluster_ctarank; mov.u32 %r4, %cluster_nctarank; add.u32 %r3, %r2, 1;"          \
    " rem.u32 %r3, %r3, %r4; setp.eq.u32 %p6, %r1, 0; setp.eq.u32 %p5, %r2, 0;"                    \
    " and.pred %p4, %p5, %p6; mov.u32 %n0, s; mov.u32 %n1, b;"                                     \
    " mapa.shared::cluster.u32 %r5, %n0, %r3; mapa.shared::cluster.u32 %r6, %n1, %r3;"             \
    " mapa.shared::cluster.u32 %r7, %n0, 0; mapa.shared::cluster.u32 %r8, %n1, 0;"                 \
    " shl.b32 %n2, %r1, 2; add.u32 %r9, %n0, %n2; add.u32 %r10, %r5, %n2;"                         \
    " mov.u32 %n3, %ctaid.x; mad.lo.u32 %n3, %n3, 32, %r1; mul.wide.u32 %rd2, %n3, 4;"             \
    " add.u64 %rd2, %rd1, %rd2;\n"
#define ARRIVE "barrier.cluster.arrive.release.aligned;\n"
#define WAIT_ALL "barrier.cluster.wait.acquire.aligned;\n"
#define MEET ARRIVE WAIT_ALL
#define INIT(count) "@%p6 mbarrier.init.shared.b64 [b], " count ";\n" MEET
#define WAIT(order)                                                                                \
    "L: mbarrier.try_wait.parity" order ".shared::cta.b64 %p1, [b], 0;\n@!%p1 bra L;\n"

typedef struct cluster_case {
    const char *body;
    uint32_t ctas;         /* in clusters of two */
    tg_emu_trap_kind kind; /* TG_EMU_TRAP_COUNT: none */
    const char *text;      /* a part of the report */
    uint32_t word, value;  /* of `out`, where nothing traps */
} cluster_case;

#define CLEAN(word, value) TG_EMU_TRAP_COUNT, "", word, value
#define TRAPS(kind, text) TG_EMU_TRAP_##kind, text, 0, 0

static const char *text_for(const char *target, const char *extents, const char *body)
{
    static char text[EMULATOR_TEXT];
    snprintf(text, sizeof text,
             ".version 8.6\n.target %s\n.address_size 64\n"
             ".visible .entry k(.param .u64 out)\n%s\n{\n"
             ".reg .pred %%p<8>; .reg .b16 %%h<8>; .reg .b32 %%r<16>; .reg .b64 %%rd<8>;\n"
             "ld.param.u64 %%rd1, [out]; cvta.to.global.u64 %%rd1, %%rd1;\nmov.u32 %%r1, %%tid.x;\n"
             "%s\n}\n",
             target, extents, body);
    return text;
}

static const char *text_of(const char *extents, const char *body)
{
    return text_for("sm_90", extents, body);
}

static void check(const cluster_case *c, uint64_t seed)
{
    const tg_emu_launch launch = {.races = true, .seed = seed, .instruction_limit = 1000000};
    const char *text = text_of(".explicitcluster .reqnctapercluster 2", c->body);
    const emulator_run r = emulator_run_text(text, 32, c->ctas, launch);
    cr_expect_eq(r.status, TG_OK, "%s: %s", c->body, r.message);
    if (r.status != TG_OK) return;
    if (c->kind == TG_EMU_TRAP_COUNT) {
        cr_expect_not(r.result.trapped, "%s, seed %d: line %u: %s", c->body, (int)seed,
                      r.result.trap.at.line, r.result.trap.text);
        cr_expect_eq(r.words[c->word], c->value, "%s, seed %d: %u", c->body, (int)seed,
                     r.words[c->word]);
        return;
    }
    cr_expect(r.result.trapped, "%s, seed %d: no trap", c->body, (int)seed);
    if (!r.result.trapped) return;
    cr_expect_eq(r.result.trap.kind, c->kind, "%s, seed %d: %s: %s", c->body, (int)seed,
                 tg_emu_trap_name(r.result.trap.kind), r.result.trap.text);
    cr_expect(strstr(r.result.trap.text, c->text), "%s, seed %d: %s", c->body, (int)seed,
              r.result.trap.text);
}

static void check_all(const cluster_case *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (uint64_t seed = 0; seed < 8; seed++) check(&list[i], seed);
}
#define CHECK_ALL(list) check_all(list, sizeof(list) / sizeof *(list))

/* ---- registers ---- */

Test(emulator_clusters, places_of_a_cta)
{
    static const struct {
        const char *name;
        uint32_t want[8]; /* of the CTAs of a grid of 4 x 2, in clusters of 2 x 2 */
    } specials[] = {
        {"%cluster_ctarank", {0, 1, 0, 1, 2, 3, 2, 3}},
        {"%cluster_nctarank", {4, 4, 4, 4, 4, 4, 4, 4}},
        {"%cluster_ctaid.x", {0, 1, 0, 1, 0, 1, 0, 1}},
        {"%cluster_ctaid.y", {0, 0, 0, 0, 1, 1, 1, 1}},
        {"%cluster_nctaid.y", {2, 2, 2, 2, 2, 2, 2, 2}},
        {"%clusterid.x", {0, 0, 1, 1, 0, 0, 1, 1}},
        {"%clusterid.y", {0}},
        {"%nclusterid.x", {2, 2, 2, 2, 2, 2, 2, 2}},
        {"%nclusterid.y", {1, 1, 1, 1, 1, 1, 1, 1}},
        {"%ctaid.x", {0, 1, 2, 3, 0, 1, 2, 3}},
    };
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        char body[256];
        snprintf(body, sizeof body,
                 "mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ctaid.y; mad.lo.u32 %%r2, %%r3, 4, %%r2;"
                 " mul.wide.u32 %%rd2, %%r2, 4; add.u64 %%rd2, %%rd1, %%rd2;"
                 " mov.u32 %%r4, %s; st.global.u32 [%%rd2], %%r4;",
                 specials[i].name);
        const char *text = text_of(".reqnctapercluster 2, 2, 1", body);
        tg_emu_launch launch = {.grid = {4, 2, 1}, .block = {1, 1, 1}, .seed = i};
        const emulator_run r = emulator_run_grid(text, launch);
        cr_assert_eq(r.status, TG_OK, "%s", r.message);
        for (int cta = 0; cta < 8; cta++)
            cr_expect_eq(r.words[cta], specials[i].want[cta], "%s of CTA %d: %u", specials[i].name,
                         cta, r.words[cta]);
    }
}

/* ---- the barrier of the cluster ---- */

#define EXCHANGE(before, after)                                                                    \
    BEGIN                                                                                          \
    "mov.u32 %n3, %ctaid.x; mad.lo.u32 %n3, %n3, 100, %r1; st.shared.u32 [%r9], %n3;\n" before     \
    "ld.shared::cluster.u32 %r11, [%r10]; st.global.u32 [%rd2], %r11;\n" after

Test(emulator_clusters, the_barrier_orders_the_cluster)
{
    static const cluster_case cases[] = {
        {EXCHANGE(MEET, MEET), 2, CLEAN(5, 105)},
        {EXCHANGE(MEET, MEET), 4, CLEAN(96 + 7, 207)},
        {EXCHANGE("barrier.cluster.arrive; barrier.cluster.wait;\n", MEET), 2, CLEAN(32, 0)},
        /* a relaxed arrival behind a fence */
        {EXCHANGE("fence.acq_rel.cluster; barrier.cluster.arrive.relaxed;\n" WAIT_ALL, MEET), 2,
         CLEAN(32 + 3, 3)},
        /* threads that have left are not waited for */
        {BEGIN "@!%p6 ret;\n" MEET "st.global.u32 [%rd2], 7;\n", 2, CLEAN(32, 7)},
        {BEGIN MEET MEET MEET "st.global.u32 [%rd2], 7;\n", 2, CLEAN(33, 7)},
        /* stores, and atomics of both */
        {BEGIN "st.shared.u32 [%r9], 0;\n" MEET "st.shared::cluster.u32 [%r10], %r2;\n" MEET
               "ld.shared::cta.u32 %r11, [%r9]; st.global.u32 [%rd2], %r11;",
         2, CLEAN(3, 1)},
        {BEGIN "st.shared.u32 [%r9], 0;\n" MEET
               "red.relaxed.cluster.shared::cluster.add.u32 [%r7], 1;\n"
               "@%p6 atom.shared::cluster.add.u32 %r12, [%r7], 100;\n" MEET
               "ld.shared.u32 %r11, [s]; @%p4 st.global.u32 [%rd2], %r11;",
         2, CLEAN(0, 264)},
    };
    CHECK_ALL(cases);
}

Test(emulator_clusters, the_barrier_misused)
{
    static const cluster_case cases[] = {
        {EXCHANGE("", MEET), 2, TRAPS(CLUSTER, "may not have begun")},
        {EXCHANGE(MEET, ""), 2, TRAPS(CLUSTER, "ended")},
        {EXCHANGE(MEET "st.shared.u32 [%r9], 9;\n", MEET), 2, TRAPS(SHARED_RACE, "in no order")},
        {EXCHANGE(MEET, "st.shared.u32 [%r9], 9;\n" MEET), 2, TRAPS(SHARED_RACE, "in no order")},
        {EXCHANGE("barrier.cluster.arrive.relaxed;\n" WAIT_ALL, MEET), 2,
         TRAPS(CLUSTER, "may not have begun")},
        {EXCHANGE(MEET "st.shared.u32 [%r9], 9;\nbarrier.cluster.arrive.relaxed;\n" WAIT_ALL, MEET),
         2, TRAPS(SHARED_RACE, "in no order")},
        {BEGIN ARRIVE ARRIVE WAIT_ALL, 2, TRAPS(CLUSTER, "arrives again")},
        {BEGIN WAIT_ALL, 2, TRAPS(CLUSTER, "has not arrived before")},
        {BEGIN "@%p6 barrier.cluster.arrive.aligned;\n", 2,
         TRAPS(DIVERGENT_BARRIER, "keeps lane 1")},
        {BEGIN ARRIVE "@%p5 barrier.sync 1, 64;\n" WAIT_ALL, 2, TRAPS(DIVERGENT_BARRIER, "64")},
        {BEGIN INIT("1") "@%p5 bra END;\n" WAIT("") "END:\n" MEET, 2,
         TRAPS(DEADLOCK, "lacks 1 arrivals")},
    };
    CHECK_ALL(cases);
}

Test(emulator_clusters, addresses)
{
    static const cluster_case cases[] = {
        {BEGIN "mapa.shared::cluster.u32 %r11, %n0, 2;\n", 2,
         TRAPS(CLUSTER, "CTAs of rank 0 to 1, and not 2")},
        {BEGIN "mapa.shared::cluster.u32 %r11, %r5, 1;\n", 2, TRAPS(CLUSTER, "of the own CTA")},
        {BEGIN MEET "ld.shared.u32 %r11, [%r5];\n", 2,
         TRAPS(OUT_OF_BOUNDS, ".shared::cluster in an access to .shared::cta")},
        {BEGIN MEET "mov.u32 %r11, 0x7000400; ld.shared::cluster.u32 %r11, [%r11];\n", 2,
         TRAPS(OUT_OF_BOUNDS, "no address of shared memory of the cluster")},
        {BEGIN MEET "ld.shared::cluster.u32 %r11, [%r5+1024];\n" MEET, 2,
         TRAPS(OUT_OF_BOUNDS, "at offset 1024 of shared s")},
        {BEGIN MEET "ld.shared::cluster.u32 %r11, [%r5];\n" MEET, 2,
         TRAPS(UNINITIALISED_SHARED, "has not been written")},
        {BEGIN MEET "ld.shared::cluster.u32 %r11, [%r5+2];\n" MEET, 2, TRAPS(MISALIGNED, "of 4")},
        {BEGIN INIT("1") "ld.shared::cluster.u32 %r11, [%r6];\n" MEET, 2,
         TRAPS(MBARRIER, "ordinary")},
        /* an address of the own CTA is one of the cluster as well */
        {BEGIN "st.shared::cluster.u32 [%r9], 5; ld.shared.u32 %r11, [%r9];\n"
               "st.global.u32 [%rd2], %r11;",
         2, CLEAN(40, 5)},
        {BEGIN "mov.u64 %rd3, s; mapa.shared::cluster.u64 %rd4, %rd3, %r2;\n"
               "st.shared::cluster.u32 [%rd4+8], %r2; ld.shared.u32 %r11, [s+8];\n",
         2, TRAPS(SHARED_RACE, "in no order")},
    };
    CHECK_ALL(cases);
}

/* ---- mbarriers of others ---- */

/* Rank 1 hands a word to rank 0, by its mbarrier. */
#define HAND_OVER(arrive, acquire)                                                                 \
    BEGIN "@%p6 st.shared.u32 [s], 0;\n" INIT(                                                     \
        "1") "@%p5 bra FIRST;\n@%p6 st.shared::cluster.u32 [%r7], 7;\n" arrive                     \
             "bra.uni END;\nFIRST:\n" WAIT(acquire) "@%p6 ld.shared.u32 %r11, [s]; @%p6 "          \
                                                    "st.global.u32 [%rd2], %r11;\nEND:\n" MEET
#define FAR "@%p6 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];\n"

Test(emulator_clusters, mbarriers_of_others)
{
    static const cluster_case cases[] = {
        {HAND_OVER(FAR, ".acquire.cluster"), 2, CLEAN(0, 7)},
        {HAND_OVER(
             "@%p6 mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r8], 4;\n"
             "fence.acq_rel.cluster;\n"
             "@%p6 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r8], 4;\n",
             ".acquire.cluster"),
         2, CLEAN(0, 7)},
        /* the scope of the CTA does not order its threads with those of another */
        {HAND_OVER("@%p6 mbarrier.arrive.shared::cluster.b64 _, [%r8];\n", ".acquire.cluster"), 2,
         TRAPS(SHARED_RACE, "in no order")},
        {HAND_OVER(FAR, ""), 2, TRAPS(SHARED_RACE, "in no order")},
        {HAND_OVER("@%p6 mbarrier.arrive.shared::cluster.b64 _, [%r8], 2;\n", ".acquire.cluster"),
         2, TRAPS(MBARRIER, "arrivals beyond")},
        {HAND_OVER("@%p6 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];\n", ""), 2,
         TRAPS(MBARRIER, "no initialised mbarrier")},
        /* each CTA has the mbarrier at the same address */
        {BEGIN
             INIT("1") "@%p6 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];\n" WAIT(
                 ".acquire.cluster") MEET "st.global.u32 [%rd2], %r2;\n",
         2, CLEAN(32, 1)},
        /* rank 0 waits for the arrival, so that it cannot end before: needs no barrier at the end */
        {BEGIN INIT("1") "@%p5 bra FIRST;\n" FAR
                         "ret;\nFIRST:\n" WAIT(".acquire.cluster") "st.global.u32 [%rd2], 3;\n",
         2, CLEAN(0, 3)},
        {BEGIN INIT("1") "@!%p5 bra END;\n" FAR "ret;\nEND:\n", 2, CLEAN(0, 0)},
        {BEGIN INIT("1") "@%p5 bra END;\n" FAR "END:\n", 2, TRAPS(CLUSTER, "ended")},
    };
    CHECK_ALL(cases);
}

/* ---- copies ---- */

#define FILL "mad.lo.u32 %r11, %r2, 1000, %r1; st.shared.u32 [%r9], %r11; fence.proxy.async;\n"
#define READ "ld.shared.u32 %r11, [%r9+512]; st.global.u32 [%rd2], %r11;\n"
#define TO_NEIGHBOUR(to, told)                                                                     \
    "@%p6 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [" to             \
    "], [s], 128, [" told "];\n"
#define ADD_TO_NEIGHBOUR(to, told)                                                                 \
    "@%p6 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "  \
    "[" to "], [s], 128, [" told "];\n"
#define EXPECT "@%p6 mbarrier.arrive.expect_tx.shared.b64 _, [b], 128;\n"
/* Rank 0 brings 128 bytes from global memory, behind the first 512 of `out`, to both. */
#define TO_ALL(mask)                                                                               \
    "mov.u16 %h1, " mask ";\n@%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"    \
    "bytes.multicast::cluster [s+512], [%rd3], 128, [b], %h1;\n"
#define SOURCE                                                                                     \
    "add.u64 %rd3, %rd1, 512; mad.wide.u32 %rd4, %r1, 4, %rd3;\n"                                  \
    "@%p5 st.global.u32 [%rd4], %r1; fence.proxy.async;\n"

Test(emulator_clusters, copies_to_others)
{
    static const cluster_case cases[] = {
        {BEGIN FILL INIT("1") EXPECT "add.u32 %r12, %r5, 512;\n" TO_NEIGHBOUR("%r12", "%r6")
             WAIT("") READ MEET,
         2, CLEAN(4, 1004)},
        {BEGIN FILL INIT("1") EXPECT "add.u32 %r12, %r5, 512;\n" TO_NEIGHBOUR("%r12", "%r6")
             WAIT("") READ MEET,
         4, CLEAN(32 + 4, 4)},
        {BEGIN "st.shared.u32 [%r9+512], 7;\n" FILL INIT("1") EXPECT
         "add.u32 %r12, %r5, 512;\n" ADD_TO_NEIGHBOUR("%r12", "%r6") WAIT("") READ MEET,
         2, CLEAN(4, 1004 + 7)},
        {BEGIN SOURCE INIT("1") EXPECT TO_ALL("3") WAIT("") READ MEET, 2, CLEAN(32 + 9, 9)},
        {BEGIN SOURCE INIT("1") EXPECT TO_ALL("1") "@!%p5 bra END;\n" WAIT("") READ "END:\n" MEET,
         2, CLEAN(9, 9)},
    };
    CHECK_ALL(cases);
}

Test(emulator_clusters, copies_to_others_misused)
{
    static const cluster_case cases[] = {
        {BEGIN FILL INIT("1") EXPECT "add.u32 %r12, %r5, 512;\n" TO_NEIGHBOUR("%r12", "%n1") MEET,
         2, TRAPS(BULK, "tells an mbarrier of that of rank")},
        /* nobody waits until the copy has read: the source, or the target, may be gone */
        {BEGIN FILL INIT("1") EXPECT "add.u32 %r12, %r5, 512;\n" TO_NEIGHBOUR("%r12", "%r6")
             WAIT("") READ,
         2, TRAPS(CLUSTER, "ended")},
        {BEGIN "st.shared.u32 [%r9+512], 0;\n" FILL INIT("1") EXPECT
         "add.u32 %r12, %r5, 512;\n" TO_NEIGHBOUR("%r12", "%r6") READ WAIT("") MEET,
         2, TRAPS(SHARED_RACE, "in no order")},
        {BEGIN SOURCE INIT("1") EXPECT TO_ALL("7") MEET, 2, TRAPS(CLUSTER, "more ranks")},
        {BEGIN SOURCE INIT("1") EXPECT TO_ALL("1") WAIT("") MEET, 2, TRAPS(DEADLOCK, "128 bytes")},
        {BEGIN SOURCE "@%p6 mbarrier.init.shared.b64 [b], 1; bar.warp.sync -1;\n" EXPECT TO_ALL("3")
             WAIT("") MEET,
         2, TRAPS(CLUSTER, "may not have begun")},
    };
    CHECK_ALL(cases);
}

/* ---- launches ---- */

Test(emulator_clusters, launches_that_do_not_fit)
{
    const tg_emu_launch launch = {.races = true};
    const emulator_run r =
        emulator_run_text(text_of(".reqnctapercluster 2", "ret;"), 32, 3, launch);
    cr_assert_eq(r.status, TG_ERR_USAGE);
    cr_assert(strstr(r.message, "requires grids of clusters of 2 x 1 x 1 blocks"), "%s", r.message);
    const emulator_run many =
        emulator_run_text(text_of(".reqnctapercluster 8", "ret;"), 1024, 8, launch);
    cr_assert_eq(many.status, TG_ERR_UNSUPPORTED);
    cr_assert(strstr(many.message, "a cluster of more than 4096 threads"), "%s", many.message);
}

Test(emulator_clusters, directives_that_are_rejected)
{
    static const struct {
        const char *directives, *message;
    } cases[] = {
        {".explicitcluster", "without .reqnctapercluster"},
        {".reqnctapercluster 2 .reqnctapercluster 2", "stands here twice"},
        {".reqnctapercluster 0", "a cluster of no blocks"},
        {".reqnctapercluster 17", "a cluster of more than 16 blocks"},
        {".maxclusterrank 8", "are understood here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const emulator_run r =
            emulator_run_text(text_of(cases[i].directives, "ret;"), 32, 2, (tg_emu_launch){0});
        cr_expect_neq(r.status, TG_OK, "%s", cases[i].directives);
        cr_expect(strstr(r.message, cases[i].message), "%s: %s", cases[i].directives, r.message);
    }
}

/* ---- arrivals of tcgen05 ---- */

/* Of the neighbour's mbarrier; of one that it has not initialised. */
Test(emulator_clusters, commits_to_another_cta)
{
    static const struct {
        const char *address, *trap;
    } cases[] = {{"%r6", NULL}, {"%r5", "no initialised mbarrier"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            char body[2048];
            snprintf(body, sizeof body, "%s%s[%s];\n%s", BEGIN INIT("1"),
                     "tcgen05.fence::after_thread_sync;\n@%p6 "
                     "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 ",
                     cases[i].address, WAIT(".acquire.cluster") MEET "st.global.u32 [%rd2], 7;");
            const tg_emu_launch launch = {.races = true, .seed = seed, .instruction_limit = 100000};
            const char *text = text_for("sm_100a", ".explicitcluster .reqnctapercluster 2", body);
            const emulator_run r = emulator_run_text(text, 32, 2, launch);
            cr_assert_eq(r.status, TG_OK, "%s", r.message);
            cr_assert_eq(r.result.trapped, cases[i].trap != NULL, "%s", r.result.trap.text);
            if (cases[i].trap)
                cr_assert(strstr(r.result.trap.text, cases[i].trap), "%s", r.result.trap.text);
            else
                cr_assert_eq(r.words[0] + r.words[32], 14);
        }
}
