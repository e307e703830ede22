/* What the emulator traps, and where it says that it was: a kernel for each kind, and beside it one that is right. */
#include <criterion/criterion.h>

#include "tests/emulator_text.h"

typedef struct trap_case {
    const char *body;
    uint32_t threads;
    tg_emu_trap_kind kind;
    uint32_t line, tid; /* line of the body, from 0; thread */
    const char *text;   /* a part of the report */
} trap_case;

/* Thread t's word of `out` in %rd2. */
#define MINE "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; "

static const trap_case cases[] = {
    {"add.u32 %r2, %r3, 1;", 32, TG_EMU_TRAP_UNINITIALISED_REGISTER, 0, 0,
     "%r3 has not been written"},
    {"setp.eq.u32 %p1, %r1, 3;\n@%p1 mov.u32 %r2, 0;\nadd.u32 %r3, %r2, 0;", 32,
     TG_EMU_TRAP_UNINITIALISED_REGISTER, 2, 0, "%r2"},
    {"@%p1 ret;", 32, TG_EMU_TRAP_UNINITIALISED_REGISTER, 0, 0, "%p1"},
    {"addc.u32 %r2, %r1, 1;", 32, TG_EMU_TRAP_UNINITIALISED_REGISTER, 0, 0, "the carry flag"},
    {".shared .align 4 .b8 s[64];\nld.shared.u32 %r2, [s];", 32, TG_EMU_TRAP_UNINITIALISED_SHARED,
     1, 0, "0x400"},
    {".local .align 8 .b8 v[8];\nst.local.u32 [v], 1;\nld.local.u64 %rd2, [v];", 1,
     TG_EMU_TRAP_UNINITIALISED_LOCAL, 2, 0, "local address 0x1004 has not been written"},
    {".local .align 8 .b8 v[8]; mov.u32 %r2, v;\nst.local.u32 [%r2+8], 1;", 1,
     TG_EMU_TRAP_OUT_OF_BOUNDS, 1, 0, "is outside the thread's variables"},
    {".local .align 8 .b8 v[8]; mov.u64 %rd2, v;\nst.local.u32 [%rd2+2], 1;", 1,
     TG_EMU_TRAP_MISALIGNED, 1, 0, "local address 0x1002 is not aligned"},
    {"mov.b32 %r2, {%h1, %h2};", 1, TG_EMU_TRAP_UNINITIALISED_REGISTER, 0, 0, "%h1"},
    {"ld.global.u32 %r2, [%rd1+4096];", 1, TG_EMU_TRAP_OUT_OF_BOUNDS, 0, 0,
     "offset 4096 of out, which has 4096"},
    {"ld.global.u32 %r2, [%rd1-4];", 1, TG_EMU_TRAP_OUT_OF_BOUNDS, 0, 0,
     "offset -4 of out: 4 before its start"},
    {"mul.wide.u32 %rd2, %r1, 1024; add.u64 %rd2, %rd1, %rd2;\nst.global.u32 [%rd2], %r1;", 8,
     TG_EMU_TRAP_OUT_OF_BOUNDS, 1, 4, "4 beyond its end"},
    {"mov.u64 %rd2, 0;\nld.global.u32 %r2, [%rd2];", 1, TG_EMU_TRAP_OUT_OF_BOUNDS, 1, 0,
     "where there is no allocation"},
    {".shared .align 4 .b8 s[64]; .shared .align 4 .b8 t[64];\nmov.u32 %r2, s;\nst.shared.u32 "
     "[%r2+64], %r1;",
     1, TG_EMU_TRAP_OUT_OF_BOUNDS, 2, 0, "offset 64 of shared s, which has 64"},
    {"mov.u32 %r2, 0;\nst.shared.u32 [%r2], %r1;", 1, TG_EMU_TRAP_OUT_OF_BOUNDS, 1, 0, "0x0"},
    {"ld.global.u32 %r2, [%rd1+2];", 1, TG_EMU_TRAP_MISALIGNED, 0, 0, "not a multiple of 4"},
    {"ld.global.v2.u32 {%r2, %r3}, [%rd1+4];", 1, TG_EMU_TRAP_MISALIGNED, 0, 0,
     "not a multiple of 8"},
    {".shared .align 4 .b8 s[4];\nst.shared.u32 [s], %r1;", 32, TG_EMU_TRAP_SHARED_RACE, 1, 1,
     "offset 0 of s"},
    {"st.global.u32 [%rd1], %r1;", 32, TG_EMU_TRAP_GLOBAL_RACE, 0, 1, "offset 0 of out"},
    {MINE "\nst.global.u32 [%rd2], %r1;\nld.global.u32 %r2, [%rd1+8];", 4, TG_EMU_TRAP_GLOBAL_RACE,
     2, 0, "offset 8 of out"},
    {MINE "\nld.global.u32 %r2, [%rd1+8];\nst.global.u32 [%rd2], %r1;", 4, TG_EMU_TRAP_GLOBAL_RACE,
     2, 2, "offset 8 of out"},
    {"red.global.add.u32 [%rd1], 1;\nst.global.u32 [%rd1], %r1;", 2, TG_EMU_TRAP_GLOBAL_RACE, 1, 0,
     "out"},
    {"setp.eq.u32 %p1, %r1, 0; ld.relaxed.gpu.global.u32 %r2, [%rd1]; @%p1 ld.global.u32 %r2, "
     "[%rd1];"
     "setp.eq.u32 %p2, %r1, 1;\n@%p2 red.global.add.u32 [%rd1], 1;",
     2, TG_EMU_TRAP_GLOBAL_RACE, 1, 1, "out"},
    {"add.u64 %rd2, %rd1, 5;\nst.global.u8 [%rd2], %r1;\nst.global.u32 [%rd1+4], %r1;", 2,
     TG_EMU_TRAP_GLOBAL_RACE, 1, 1, "offset 5 of out"},
    {"setp.lt.u32 %p1, %r1, 3;\n@%p1 bar.sync 0;", 32, TG_EMU_TRAP_DIVERGENT_BARRIER, 1, 3,
     "keeps lane 3"},
    {"setp.lt.u32 %p1, %r1, 3;\n@%p1 bra SKIP;\nbar.sync 0;\nSKIP: bar.sync 0;", 32,
     TG_EMU_TRAP_DIVERGENT_BARRIER, 3, 0, "lane 3 of the warp does not come: it waits at line 11"},
    {"setp.lt.u32 %p1, %r1, 3;\n@%p1 ret;\nbar.sync 0;", 32, TG_EMU_TRAP_DIVERGENT_BARRIER, 2, 3,
     "lane 0 of the warp does not come: it has left"},
    {"setp.ge.u32 %p1, %r1, 32;\n@%p1 ret;\nbar.sync 0;", 64, TG_EMU_TRAP_DIVERGENT_BARRIER, 2, 0,
     "warp 1 of the CTA"},
    {"setp.lt.u32 %p1, %r1, 3;\n@%p1 bra.uni DONE;\nDONE: ret;", 32, TG_EMU_TRAP_DIVERGENT_BRANCH,
     1, 3, "lane 3"},
    {"shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffff;", 32, TG_EMU_TRAP_DIVERGENT_SYNC, 0, 16,
     "own member mask"},
    {"shfl.sync.idx.b32 %r2, %r1, 0, 31, %r1;", 32, TG_EMU_TRAP_DIVERGENT_SYNC, 0, 0,
     "member mask"},
    {"setp.lt.u32 %p1, %r1, 3;\n@%p1 shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;", 32,
     TG_EMU_TRAP_DIVERGENT_SYNC, 1, 3, "keeps lane 3 out"},
    {"setp.ge.u32 %p1, %r1, 3;\n@%p1 ret;\nshfl.sync.idx.b32 %r2, %r1, 5, 31, -1;", 32,
     TG_EMU_TRAP_INACTIVE_SOURCE, 2, 0, "lane 0 reads from lane 5"},
    {"div.u32 %r2, 7, %r1;", 32, TG_EMU_TRAP_DIVISION_BY_ZERO, 0, 0, "divisor"},
    {"rem.s32 %r2, 7, %r1;", 32, TG_EMU_TRAP_DIVISION_BY_ZERO, 0, 0, "divisor"},
    {"setp.eq.u32 %p1, %r1, 9;\n@%p1 trap;", 32, TG_EMU_TRAP_EXECUTED, 1, 9, "says so"},
    {"LOOP: bra LOOP;", 32, TG_EMU_TRAP_LIMIT, 0, 0, "no end"},
};

Test(emulator_traps, each_kind_is_told_with_its_place)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const trap_case *c = &cases[i];
        tg_emu_launch launch = {.races = true, .instruction_limit = 10000};
        emulator_run r = emulator_run_body(c->body, c->threads, launch);
        cr_expect_eq(r.status, TG_OK, "%s: %s", c->body, r.message);
        cr_expect(r.result.trapped, "%s: no trap", c->body);
        if (r.status != TG_OK || !r.result.trapped) continue;
        const tg_emu_trap *t = &r.result.trap;
        cr_expect_eq(t->kind, c->kind, "%s: %s", c->body, tg_emu_trap_name(t->kind));
        cr_expect_eq(t->at.line, EMULATOR_BODY_LINE + c->line, "%s: line %u", c->body, t->at.line);
        cr_expect_eq(t->at.tid[0], c->tid, "%s: thread %u", c->body, t->at.tid[0]);
        cr_expect(strstr(t->text, c->text), "%s: %s", c->body, t->text);
        cr_expect_eq(t->has_other,
                     c->kind == TG_EMU_TRAP_SHARED_RACE || c->kind == TG_EMU_TRAP_GLOBAL_RACE);
    }
}

Test(emulator_traps, every_kind_but_those_of_other_tests_has_a_case)
{
    for (int kind = 0; kind < TG_EMU_TRAP_COUNT; kind++) {
        bool found = kind == TG_EMU_TRAP_FREED || kind == TG_EMU_TRAP_CTA_RACE ||
                     kind == TG_EMU_TRAP_MBARRIER || kind == TG_EMU_TRAP_BULK ||
                     kind == TG_EMU_TRAP_DEADLOCK || /* tests/test_emulator_sync.c */
                     kind == TG_EMU_TRAP_CLUSTER ||  /* tests/test_emulator_clusters.c */
                     kind == TG_EMU_TRAP_WGMMA ||    /* tests/test_emulator_wgmma.py */
                     kind == TG_EMU_TRAP_ASSERTION ||
                     kind == TG_EMU_TRAP_PRINT || /* tests/test_emulator_functions.c */
                     kind == TG_EMU_TRAP_TENSOR || kind == TG_EMU_TRAP_UNINITIALISED_TENSOR ||
                     kind == TG_EMU_TRAP_TENSOR_RACE ||
                     kind == TG_EMU_TRAP_TENSOR_PRODUCT; /* tests/test_emulator_tcgen05_traps.c */
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            found |= (int)cases[i].kind == kind;
        cr_expect(found, "%s", tg_emu_trap_name((tg_emu_trap_kind)kind));
    }
}

/* What must not be called a race, in any order of the warps. */
static const char *const clean[] = {
    MINE "st.global.u32 [%rd2], %r1; ld.global.u32 %r2, [%rd2];",
    "add.u64 %rd2, %rd1, 0; cvt.u64.u32 %rd3, %r1; add.u64 %rd2, %rd2, %rd3; st.global.u8 [%rd2], "
    "%r1;",
    "red.global.add.u32 [%rd1], 1;",
    "st.relaxed.gpu.global.u32 [%rd1], %r1;",
    ".shared .align 4 .b8 s[4]; setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [s], 5; bar.sync 0; "
    "ld.shared.u32 %r2, [s];",
    MINE "st.global.u32 [%rd2], %r1; bar.sync 0; ld.global.u32 %r2, [%rd1+8]; bar.sync 0; "
         "st.global.u32 [%rd2], %r2;",
};

Test(emulator_traps, what_is_no_race)
{
    for (size_t i = 0; i < sizeof clean / sizeof *clean; i++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            tg_emu_launch launch = {.races = true, .seed = seed, .instruction_limit = 100000};
            emulator_run r = emulator_run_body(clean[i], 96, launch);
            cr_expect(r.status == TG_OK && !r.result.trapped, "%s: %s%s", clean[i], r.message,
                      r.result.trap.text);
        }
}

/* A row sum by a halving tree: right with its barriers, a race without any of them. */
static const char tree[] =
    ".shared .align 4 .b8 s[512]; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r2, %r2, %r3;\n"
    "st.shared.u32 [%r2], %r1; mov.u32 %r4, 64;\n"
    "LOOP: {BARRIER} setp.lt.u32 %p1, %r1, %r4; shl.b32 %r5, %r4, 2; add.u32 %r5, %r5, %r2;\n"
    "@%p1 ld.shared.u32 %r6, [%r5]; @%p1 ld.shared.u32 %r7, [%r2]; @%p1 add.u32 %r7, %r7, %r6;\n"
    "@%p1 st.shared.u32 [%r2], %r7; shr.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0; @%p2 bra.uni "
    "LOOP;\n"
    "setp.eq.u32 %p3, %r1, 0; @%p3 ld.shared.u32 %r8, [s]; @%p3 st.global.u32 [%rd1], %r8;";

static const char *tree_with(const char *barrier)
{
    static char body[2048];
    const char *hole = strstr(tree, "{BARRIER}");
    snprintf(body, sizeof body, "%.*s%s%s", (int)(hole - tree), tree, barrier,
             hole + strlen("{BARRIER}"));
    return body;
}

Test(emulator_traps, a_missing_barrier_is_a_race)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        tg_emu_launch launch = {.races = true, .seed = seed};
        emulator_run r = emulator_run_body(tree_with("bar.sync 0;"), 128, launch);
        cr_assert(r.status == TG_OK && !r.result.trapped, "%s%s", r.message, r.result.trap.text);
        cr_assert_eq(r.words[0], 127 * 128 / 2);
        r = emulator_run_body(tree_with(""), 128, launch);
        cr_assert_eq(r.status, TG_OK, "%s", r.message);
        /* What another warp has not stored yet is seen as such; whatever else is missed is a race. */
        cr_assert(r.result.trapped && (r.result.trap.kind == TG_EMU_TRAP_SHARED_RACE ||
                                       r.result.trap.kind == TG_EMU_TRAP_UNINITIALISED_SHARED));
    }
}

Test(emulator_traps, races_between_ctas_are_told_where_asked_for)
{
    const char *text = emulator_text("mov.u32 %r2, %ctaid.x;\nst.global.u32 [%rd1], %r2;");
    tg_emu_launch launch = {.races = true, .cta_races = true};
    emulator_run r = emulator_run_text(text, 1, 3, launch);
    cr_assert_eq(r.status, TG_OK);
    cr_assert(r.result.trapped);
    cr_assert_eq(r.result.trap.kind, TG_EMU_TRAP_CTA_RACE);
    cr_assert_eq(r.result.trap.at.ctaid[0], 1);
    cr_assert(r.result.trap.has_other);
    cr_assert_eq(r.result.trap.other.ctaid[0], 0);
    cr_assert_eq(r.result.trap.other.line, EMULATOR_BODY_LINE + 1);
    launch.cta_races = false;
    r = emulator_run_text(text, 1, 3, launch);
    cr_assert(r.status == TG_OK && !r.result.trapped);
    cr_assert_eq(r.words[0], 2);
    launch.cta_races = true;
    r = emulator_run_text(emulator_text("red.global.add.u32 [%rd1], 1;"), 1, 3, launch);
    cr_assert(r.status == TG_OK && !r.result.trapped);
    cr_assert_eq(r.words[0], 3);
}

/* What the CTA itself did last hides nothing that another one did. */
Test(emulator_traps, races_behind_accesses_of_the_same_cta)
{
    static const char *const bodies[] = {
        "mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 1;\nld.global.u32 %r3, [%rd1];\n"
        "@%p1 st.global.u32 [%rd1], %r2;",
        "mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 1;\nred.global.add.u32 [%rd1], 1;\n"
        "@%p1 st.global.u32 [%rd1], %r2;",
        "mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 0;\n@%p1 ld.global.u32 %r3, [%rd1];\n"
        "bar.sync 0;\n@%p1 ld.relaxed.gpu.global.u32 %r3, [%rd1];\nred.global.add.u32 [%rd1], 1;",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (uint64_t seed = 0; seed < 2; seed++) {
            tg_emu_launch launch = {.races = true, .cta_races = true, .seed = seed};
            emulator_run r = emulator_run_text(emulator_text(bodies[i]), 1, 2, launch);
            cr_assert_eq(r.status, TG_OK, "%s", r.message);
            cr_assert(r.result.trapped, "body %zu, seed %d", i, (int)seed);
            cr_assert_eq(r.result.trap.kind, TG_EMU_TRAP_CTA_RACE, "%s", r.result.trap.text);
            cr_assert_neq(r.result.trap.at.ctaid[0], r.result.trap.other.ctaid[0]);
        }
}

Test(emulator_traps, freed_memory)
{
    const char *text = emulator_text("ld.global.u32 %r2, [%rd1];");
    tg_diags diags = {0};
    tg_emu_module *module;
    tg_emu_result result;
    cr_assert_eq(tg_emu_module_load(text, strlen(text), NULL, &module, &diags), TG_OK);
    tg_emu_memory *memory = tg_emu_memory_new();
    uint64_t out = tg_emu_alloc(memory, 16, 16, "gone");
    cr_assert(!tg_emu_release(memory, out + 1));
    cr_assert(tg_emu_release(memory, out));
    cr_assert(!tg_emu_release(memory, out));
    cr_assert_null(tg_emu_host(memory, out, 4));
    tg_emu_launch launch = {
        .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = &out, .param_bytes = 8};
    cr_assert_eq(tg_emu_run(module, memory, &launch, &result, &diags), TG_OK);
    cr_assert(result.trapped);
    cr_assert_eq(result.trap.kind, TG_EMU_TRAP_FREED);
    cr_assert_str_eq(result.trap.text, "gone has been freed");
    tg_emu_memory_free(memory);
    tg_emu_module_free(module);
}

/* An access that begins inside an allocation must end there too. */
Test(emulator_traps, the_end_of_an_allocation)
{
    const char *text = emulator_text("ld.global.u64 %rd2, [%rd1+8];");
    tg_diags diags = {0};
    tg_emu_module *module;
    tg_emu_result result;
    cr_assert_eq(tg_emu_module_load(text, strlen(text), NULL, &module, &diags), TG_OK);
    tg_emu_memory *memory = tg_emu_memory_new();
    for (size_t bytes = 12; bytes <= 16; bytes += 4) {
        uint64_t out = tg_emu_alloc(memory, bytes, 16, "short");
        tg_emu_launch launch = {
            .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = &out, .param_bytes = 8};
        cr_assert_eq(tg_emu_run(module, memory, &launch, &result, &diags), TG_OK);
        cr_assert_eq(result.trapped, bytes < 16);
        if (!result.trapped) continue;
        cr_assert_eq(result.trap.kind, TG_EMU_TRAP_OUT_OF_BOUNDS);
        cr_assert_str_eq(result.trap.text,
                         "8 bytes at offset 8 of short, which has 12: 4 beyond its end");
    }
    tg_emu_memory_free(memory);
    tg_emu_module_free(module);
}

/* What is said of two threads that run a body and race, in lines, and in one of them. */
static void expect_report(const char *text, const char *wanted, const char *in_one_line)
{
    char line[1024];
    tg_diags diags = {0};
    tg_emu_module *module;
    tg_emu_result result;
    cr_assert_eq(tg_emu_module_load(text, strlen(text), NULL, &module, &diags), TG_OK, "%s",
                 diags.count ? diags.list[0].message : "");
    tg_emu_memory *memory = tg_emu_memory_new();
    uint64_t out = tg_emu_alloc(memory, 16, 16, "out");
    tg_emu_launch launch = {
        .grid = {1, 1, 1}, .block = {2, 1, 1}, .params = &out, .param_bytes = 8, .races = true};
    cr_assert_eq(tg_emu_run(module, memory, &launch, &result, &diags), TG_OK);
    tg_emu_trap_print(module, 0, &result.trap, line, sizeof line);
    cr_expect_str_eq(line, wanted);
    if (in_one_line) {
        tg_emu_trap_line(module, 0, &result.trap, line, sizeof line);
        cr_expect_str_eq(line, in_one_line);
    }
    tg_emu_memory_free(memory);
    tg_emu_module_free(module);
}

#define RACE                                                                                       \
    "global-race: two threads access offset 0 of out between two barriers, and at least one "      \
    "writes"

Test(emulator_traps, a_report_for_people)
{
    expect_report(emulator_text("\nst.global.u32 [%rd1], %r1;"),
                  RACE "\n  at 10:1, CTA (0, 0, 0), thread (1, 0, 0) of k\n"
                       "  and 10:1, CTA (0, 0, 0), thread (0, 0, 0), before\n",
                  RACE ", at 10:1, CTA (0, 0, 0), thread (1, 0, 0) of k, and 10:1, CTA (0, 0, 0), "
                       "thread (0, 0, 0), before");
}

/* Files are declared before or behind their use, and under any number; one that never is stays untold, and line 0 means
 * that there is none. */
Test(emulator_traps, lines_of_the_source)
{
    char text[EMULATOR_TEXT + 64];
    snprintf(text, sizeof text, "%s.file 7 \"dir/k.py\", 1, 2\n",
             emulator_text(".loc 7 41 0\nst.global.u32 [%rd1], %r1;\n.loc 8 1 0\nret;"));
    expect_report(text,
                  RACE "\n  at 10:1 (dir/k.py:41), CTA (0, 0, 0), thread (1, 0, 0) of k\n"
                       "  and 10:1 (dir/k.py:41), CTA (0, 0, 0), thread (0, 0, 0), before\n",
                  NULL);
    snprintf(
        text, sizeof text, "%s.file 7 \"k.py\"\n",
        emulator_text(".loc 7 41 0\nmov.u32 %r2, %r1;\n.loc 8 1 0\nst.global.u32 [%rd1], %r1;"));
    expect_report(text,
                  RACE "\n  at 12:1, CTA (0, 0, 0), thread (1, 0, 0) of k\n"
                       "  and 12:1, CTA (0, 0, 0), thread (0, 0, 0), before\n",
                  NULL);
    snprintf(
        text, sizeof text, "%s.file 7 \"k.py\"\n",
        emulator_text(".loc 7 41 0\nmov.u32 %r2, %r1;\n.loc 7 0 0\nst.global.u32 [%rd1], %r1;"));
    expect_report(text,
                  RACE "\n  at 12:1, CTA (0, 0, 0), thread (1, 0, 0) of k\n"
                       "  and 12:1, CTA (0, 0, 0), thread (0, 0, 0), before\n",
                  NULL);
}
