/* Whole kernels, tests/emulator/kernels/, against plain C; and what a launch says of itself. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/emulator_text.h"

static tg_emu_module *load(const char *name)
{
    static char text[1 << 16];
    char path[256];
    tg_diags diags = {0};
    tg_emu_module *module;
    snprintf(path, sizeof path, "tests/emulator/kernels/%s.ptx", name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    tg_status status = tg_emu_module_load(text, length, name, &module, &diags);
    cr_assert_eq(status, TG_OK, "%s: %s", name, diags.count ? diags.list[0].message : "");
    return module;
}

static float *array(tg_emu_memory *memory, size_t count, const char *name, uint64_t *address)
{
    *address = tg_emu_alloc(memory, count * sizeof(float), 16, name);
    return tg_emu_host(memory, *address, count * sizeof(float));
}

static void fill(float *to, size_t count)
{
    for (size_t i = 0; i < count; i++) to[i] = (float)(i * 7919 % 10007) / 1000 - 5;
}

static tg_emu_result run(tg_emu_module *module, tg_emu_memory *memory, tg_emu_launch launch)
{
    tg_diags diags = {0};
    tg_emu_result result;
    launch.races = launch.cta_races = true;
    tg_status status = tg_emu_run(module, memory, &launch, &result, &diags);
    cr_assert_eq(status, TG_OK, "%s", diags.count ? diags.list[0].message : "");
    cr_assert(!result.trapped, "%s", result.trap.text);
    return result;
}

Test(emulator_kernels, vector_add)
{
    enum { N = 5000 };
    tg_emu_module *module = load("vector_add");
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct {
            uint64_t x, y, out;
            uint32_t n;
        } params = {.n = N};
        tg_emu_memory *memory = tg_emu_memory_new();
        float *x = array(memory, N, "x", &params.x), *y = array(memory, N, "y", &params.y);
        float *out = array(memory, N, "out", &params.out);
        fill(x, N), fill(y, N - 1);
        tg_emu_launch launch = {.grid = {5, 1, 1},
                                .block = {128, 1, 1},
                                .params = &params,
                                .param_bytes = 28,
                                .seed = seed};
        tg_emu_result result = run(module, memory, launch);
        for (int i = 0; i < N; i++) cr_assert_eq(out[i], x[i] + y[i]);
        cr_assert_eq(result.warp_instructions, 5 * 4 * (12 + 8 * 15 + 1));
        tg_emu_memory_free(memory);
    }
    tg_emu_module_free(module);
}

Test(emulator_kernels, row_sum_by_halving_tree)
{
    enum { ROWS = 9, COLUMNS = 128 };
    tg_emu_module *module = load("row_sum");
    for (uint64_t seed = 0; seed < 4; seed++) {
        uint64_t params[2];
        tg_emu_memory *memory = tg_emu_memory_new();
        float *x = array(memory, ROWS * COLUMNS, "x", &params[0]),
              *out = array(memory, ROWS, "out", &params[1]);
        fill(x, ROWS * COLUMNS);
        tg_emu_launch launch = {.grid = {ROWS, 1, 1},
                                .block = {128, 1, 1},
                                .params = params,
                                .param_bytes = 16,
                                .seed = seed};
        run(module, memory, launch);
        for (int row = 0; row < ROWS; row++) {
            float tree[COLUMNS];
            memcpy(tree, x + row * COLUMNS, sizeof tree);
            for (int half = COLUMNS / 2; half; half /= 2)
                for (int i = 0; i < half; i++) tree[i] += tree[i + half];
            cr_assert_eq(out[row], tree[0]);
        }
        tg_emu_memory_free(memory);
    }
    tg_emu_module_free(module);
}

Test(emulator_kernels, matmul_in_shared_tiles)
{
    enum { N = 48 };
    tg_emu_module *module = load("matmul");
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct {
            uint64_t a, b, c;
            uint32_t n;
        } params = {.n = N};
        tg_emu_memory *memory = tg_emu_memory_new();
        float *a = array(memory, N * N, "a", &params.a), *b = array(memory, N * N, "b", &params.b);
        float *c = array(memory, N * N, "c", &params.c);
        fill(a, N * N), fill(b, N * N);
        tg_emu_launch launch = {.grid = {N / 16, N / 16, 1},
                                .block = {16, 16, 1},
                                .shared_bytes = 2048,
                                .params = &params,
                                .param_bytes = 28,
                                .seed = seed};
        run(module, memory, launch);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                float sum = 0;
                for (int k = 0; k < N; k++) sum = fmaf(a[i * N + k], b[k * N + j], sum);
                cr_assert_eq(c[i * N + j], sum);
            }
        tg_emu_memory_free(memory);
    }
    tg_emu_module_free(module);
}

Test(emulator_kernels, divergence_and_reconvergence)
{
    tg_emu_module *module = load("divergent");
    tg_emu_memory *memory = tg_emu_memory_new();
    uint64_t address = tg_emu_alloc(memory, 256, 4, "out");
    const uint32_t *out = tg_emu_host(memory, address, 256);
    tg_emu_launch launch = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &address, .param_bytes = 8};
    run(module, memory, launch);
    uint32_t total = 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t steps = 0;
        for (uint32_t n = i + 1; n != 1; steps++) n = n & 1 ? 3 * n + 1 : n / 2;
        cr_assert_eq(out[i], steps);
        total += steps;
    }
    for (int i = 0; i < 32; i++) cr_assert_eq(out[32 + i], total);
    tg_emu_memory_free(memory);
    tg_emu_module_free(module);
}

/* -- instructions that a table of operands does not show -- */

static uint32_t word_of(const char *body, uint32_t threads, uint32_t word)
{
    tg_emu_launch launch = {.races = true, .instruction_limit = 100000};
    emulator_run r = emulator_run_body(body, threads, launch);
    cr_assert(r.status == TG_OK && !r.result.trapped, "%s: %s%s", body, r.message,
              r.result.trap.text);
    return r.words[word];
}

#define STORE_MINE " mad.wide.u32 %rd7, %r1, 4, %rd1; st.global.u32 [%rd7], %r2;"

Test(emulator_kernels, shuffles)
{
    for (uint32_t lane = 0; lane < 32; lane++) {
        cr_assert_eq(word_of("shfl.sync.up.b32 %r2, %r1, 3, 0, -1;" STORE_MINE, 32, lane),
                     lane < 3 ? lane : lane - 3);
        cr_assert_eq(word_of("shfl.sync.down.b32 %r2, %r1, 3, 31, -1;" STORE_MINE, 32, lane),
                     lane > 28 ? lane : lane + 3);
        cr_assert_eq(word_of("shfl.sync.bfly.b32 %r2, %r1, 5, 31, -1;" STORE_MINE, 32, lane),
                     lane ^ 5);
        cr_assert_eq(word_of("shfl.sync.idx.b32 %r2, %r1, 9, 31, -1;" STORE_MINE, 32, lane), 9);
        /* segments of 8 lanes: c is (32 - 8) << 8 | 7 */
        cr_assert_eq(word_of("shfl.sync.idx.b32 %r2, %r1, 3, 0x181f, -1;" STORE_MINE, 32, lane),
                     (lane & 24) + 3);
        cr_assert_eq(word_of("shfl.sync.down.b32 %r3|%p1, %r1, 4, 0x1807, -1; selp.u32 %r2, 1, 0, "
                             "%p1;" STORE_MINE,
                             32, lane),
                     (lane & 7) < 4);
    }
}

Test(emulator_kernels, votes_and_reductions)
{
    static const struct {
        const char *body;
        uint32_t word;
    } cases[] = {
        {"setp.lt.u32 %p1, %r1, 5; vote.sync.ballot.b32 %r2, %p1, -1;", 31},
        {"setp.lt.u32 %p1, %r1, 5; vote.sync.ballot.b32 %r2, !%p1, -1;", 0xffffffe0},
        {"setp.lt.u32 %p1, %r1, 5; vote.sync.any.pred %p2, %p1, -1; selp.u32 %r2, 1, 0, %p2;", 1},
        {"setp.lt.u32 %p1, %r1, 5; vote.sync.all.pred %p2, %p1, -1; selp.u32 %r2, 1, 0, %p2;", 0},
        {"setp.lt.u32 %p1, %r1, 5; vote.sync.uni.pred %p2, %p1, -1; selp.u32 %r2, 1, 0, %p2;", 0},
        {"setp.lt.u32 %p1, %r1, 99; vote.sync.uni.pred %p2, %p1, -1; selp.u32 %r2, 1, 0, %p2;", 1},
        {"redux.sync.add.u32 %r2, %r1, -1;", 496},
        {"sub.u32 %r3, %r1, 5; redux.sync.min.s32 %r2, %r3, -1;", 0xfffffffb},
        {"sub.u32 %r3, %r1, 5; redux.sync.min.u32 %r2, %r3, -1;", 0},
        {"sub.u32 %r3, %r1, 5; redux.sync.max.s32 %r2, %r3, -1;", 26},
        {"sub.u32 %r3, %r1, 5; redux.sync.max.u32 %r2, %r3, -1;", 0xffffffff},
        {"or.b32 %r3, %r1, 64; redux.sync.and.b32 %r2, %r3, -1;", 64},
        {"redux.sync.or.b32 %r2, %r1, -1;", 31},
        {"redux.sync.xor.b32 %r2, %r1, -1;", 0},
        {"setp.gt.u32 %p1, %r1, 7; mov.u32 %r2, 0; @!%p1 activemask.b32 %r2;", 255},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[512];
        snprintf(body, sizeof body, "%s%s", cases[i].body, STORE_MINE);
        uint32_t word = word_of(body, 32, 1);
        cr_expect_eq(word, cases[i].word, "%s: %x", cases[i].body, word);
    }
}

Test(emulator_kernels, atomics)
{
    static const struct {
        const char *body;
        uint32_t word; /* the first of memory afterwards */
    } cases[] = {
        {"red.global.add.u32 [%rd1], %r1;", 496},
        {"atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 2;", 64},
        {"red.global.max.s32 [%rd1], %r1;", 31},
        {"sub.u32 %r2, %r1, 9; red.global.min.s32 [%rd1], %r2;", 0xfffffff7},
        {"sub.u32 %r2, %r1, 9; red.global.max.u32 [%rd1], %r2;", 0xffffffff},
        {"red.global.or.b32 [%rd1], %r1;", 31},
        {"red.global.xor.b32 [%rd1], %r1;", 0},
        {"red.global.inc.u32 [%rd1], 9;", 2}, /* 32 steps of a cycle of 10 */
        {"red.global.dec.u32 [%rd1], 9;", 8},
        {"atom.global.exch.b32 %r2, [%rd1], 77;", 77},
        {"add.u32 %r3, %r1, 1; atom.global.cas.b32 %r2, [%rd1], %r1, %r3;", 32},
        {"cvt.u16.u32 %h1, %r1; add.u16 %h2, %h1, 1; atom.global.cas.b16 %h3, [%rd1], %h1, %h2;",
         32},
        {"mov.f32 %f1, 0f3F800000; red.global.add.f32 [%rd1], %f1;", 0x42000000},
        /* Global memory takes subnormal numbers for zero, shared memory does not. */
        {"mov.f32 %f1, 0f00000003; red.global.add.f32 [%rd1], %f1;", 0},
        {".shared .align 4 .b8 s[4]; setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [s], 0; bar.sync "
         "0;"
         "mov.f32 %f1, 0f00000003; red.shared.add.f32 [s], %f1; bar.sync 0; ld.shared.u32 %r2, [s];"
         "@%p1 st.global.u32 [%rd1], %r2;",
         96},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t word = word_of(cases[i].body, 32, 0);
        cr_expect_eq(word, cases[i].word, "%s: %x", cases[i].body, word);
    }
}

Test(emulator_kernels, memory_widths_and_spaces)
{
    static const struct {
        const char *body;
        uint32_t word;
    } cases[] = {
        {"mov.u32 %r2, 0x80; st.global.u8 [%rd1], %r2; ld.global.s8 %r3, [%rd1]; st.global.u32 "
         "[%rd1], %r3;",
         0xffffff80},
        {"mov.u32 %r2, 0x80; st.global.u8 [%rd1], %r2; ld.global.u8 %r3, [%rd1]; st.global.u32 "
         "[%rd1], %r3;",
         0x80},
        {"mov.u32 %r2, 0x8000; st.global.b16 [%rd1], %r2; ld.global.s16 %rd3, [%rd1]; shr.u64 "
         "%rd3, %rd3, 32;"
         "st.global.u32 [%rd1], %rd3;",
         0xffffffff},
        {"st.global.v4.u32 [%rd1], {5, 6, 7, 8}; ld.global.v2.u32 {%r2, %r3}, [%rd1+8]; add.u32 "
         "%r2, %r2, %r3;"
         "st.global.u32 [%rd1], %r2;",
         15},
        {".shared .align 8 .b8 s[16]; mov.u64 %rd2, s; cvta.shared.u64 %rd3, %rd2; "
         "cvta.to.shared.u64 %rd3, %rd3;"
         "st.shared.u32 [%rd3+4], 9; ld.shared.u32 %r2, [s+4]; st.global.u32 [%rd1], %r2;",
         9},
        {"ld.volatile.global.u32 %r2, [%rd1]; ld.relaxed.gpu.global.u32 %r3, [%rd1]; "
         "ld.global.nc.u32 %r4, [%rd1];"
         "st.volatile.global.u32 [%rd1], 3; membar.gl; fence.acq_rel.gpu;",
         3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t word = word_of(cases[i].body, 1, 0);
        cr_expect_eq(word, cases[i].word, "%s: %x", cases[i].body, word);
    }
}

Test(emulator_kernels, variables_of_the_module)
{
    const char *text =
        ".version 7.8\n.target sm_80\n.address_size 64\n.file 1 \"k.py\"\n"
        ".const .align 8 .b32 table[4] = {1, 2, -3, 0x4};\n.global .f32 one = 0f3F800000;\n"
        ".global .align 4 .b8 bytes[4] = {1, 2};\n.shared .align 4 .b8 common[8];\n"
        ".visible .entry k(.param .u64 out, .param .align 8 .b8 more[0x10])\n"
        "{ .reg .b32 %r<4>; .reg .b64 %rd<4>; .loc 1 7 3\n.pragma \"nounroll\";\n"
        "ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1; ld.param.u32 %r3, [more+4];\n"
        "ld.const.u32 %r1, [table+8]; st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r3;\n"
        "mov.u64 %rd2, bytes; ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd1+8], %r2;\n"
        "ld.global.u32 %r2, [one]; st.shared.u32 [common], %r2; ld.shared.u32 %r2, [common];\n"
        "st.global.u32 [%rd1+12], %r2; }\n";
    tg_diags diags = {0};
    tg_emu_module *module;
    tg_status status = tg_emu_module_load(text, strlen(text), NULL, &module, &diags);
    cr_assert_eq(status, TG_OK, "%s", diags.count ? diags.list[0].message : "");
    cr_assert_eq(tg_emu_param_count(module, 0), 2);
    tg_emu_param more = tg_emu_param_at(module, 0, 1);
    cr_assert_str_eq(more.name, "more");
    cr_assert_str_eq(more.type, "b8");
    cr_assert(more.offset == 8 && more.bytes == 16 && more.alignment == 8);
    cr_assert_eq(tg_emu_param_bytes(module, 0), 24);
    cr_assert_eq(tg_emu_shared_bytes(module, 0), 8);
    tg_emu_memory *memory = tg_emu_memory_new();
    uint64_t params[3] = {tg_emu_alloc(memory, 16, 16, "out"), UINT64_C(0x1234500000000)};
    tg_emu_launch launch = {
        .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = params, .param_bytes = 24};
    run(module, memory, launch);
    const uint32_t *out = tg_emu_host(memory, params[0], 16);
    cr_assert_eq(out[0], 0xfffffffd);
    cr_assert_eq(out[1], 0x12345);
    cr_assert_eq(out[2], 0x201);
    cr_assert_eq(out[3], 0x3f800000);
    tg_emu_memory_free(memory);
    tg_emu_module_free(module);
}

Test(emulator_kernels, approximations_are_counted)
{
    tg_emu_launch launch = {.races = true};
    emulator_run r = emulator_run_body(
        "mov.f32 %f1, 0f40000000; ex2.approx.f32 %f2, %f1; sin.approx.f32 %f3, %f1;"
        "st.global.f32 [%rd1], %f2;",
        1, launch);
    cr_assert_eq(r.status, TG_OK, "%s", r.message);
    cr_assert_eq(r.result.inexact, 2);
    cr_assert_eq(r.words[0], 0x40800000);
}

/* -- launches that do not fit -- */

Test(emulator_kernels, launches_that_do_not_fit)
{
    static const struct {
        tg_emu_launch launch;
        const char *text;
    } cases[] = {
        {{.grid = {1, 1, 1}, .block = {64, 1, 1}, .param_bytes = 28},
         "requires blocks of 128 x 1 x 1"},
        {{.grid = {1, 1, 1}, .block = {128, 1, 1}, .param_bytes = 24},
         "takes 28 bytes of parameters, not 24"},
        {{.grid = {0, 1, 1}, .block = {128, 1, 1}, .param_bytes = 28}, "an extent of 0"},
        {{.grid = {1, 70000, 1}, .block = {128, 1, 1}, .param_bytes = 28}, "65,535"},
        {{.grid = {1, 1, 1}, .block = {128, 16, 1}, .param_bytes = 28}, "more than 1024 threads"},
        {{.grid = {1, 1, 1}, .block = {128, 1, 1}, .param_bytes = 28, .shared_bytes = 4},
         "no dynamic shared memory"},
        {{.grid = {1, 1, 1}, .block = {128, 1, 1}, .param_bytes = 28, .shared_bytes = 1 << 20},
         "of shared memory"},
        {{.entry = 1, .grid = {1, 1, 1}, .block = {128, 1, 1}}, "no such entry"},
    };
    tg_emu_module *module = load("vector_add");
    tg_emu_memory *memory = tg_emu_memory_new();
    char params[28] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tg_diags diags = {0};
        tg_emu_result result;
        tg_emu_launch launch = cases[i].launch;
        launch.params = params;
        cr_expect_eq(tg_emu_run(module, memory, &launch, &result, &diags), TG_ERR_USAGE);
        cr_expect(diags.count && strstr(diags.list[0].message, cases[i].text), "%s: %s",
                  cases[i].text, diags.count ? diags.list[0].message : "");
        tg_diags_free(&diags);
    }
    tg_emu_memory_free(memory);
    tg_emu_module_free(module);
}

static int stop(void *context, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    return ++*(int *)context == 3;
}

Test(emulator_kernels, a_launch_can_be_stopped)
{
    const char *text = emulator_text("LOOP: bra LOOP;");
    tg_diags diags = {0};
    tg_emu_module *module;
    tg_emu_result result;
    int calls = 0;
    cr_assert_eq(tg_emu_module_load(text, strlen(text), NULL, &module, &diags), TG_OK);
    tg_emu_memory *memory = tg_emu_memory_new();
    uint64_t out = 0;
    tg_emu_launch launch = {.grid = {1, 1, 1},
                            .block = {1, 1, 1},
                            .params = &out,
                            .param_bytes = 8,
                            .progress = stop,
                            .context = &calls};
    cr_assert_eq(tg_emu_run(module, memory, &launch, &result, &diags), TG_ERR_STOPPED);
    cr_assert_eq(calls, 3);
    tg_emu_memory_free(memory);
    tg_emu_module_free(module);
    tg_diags_free(&diags);
}
