/* A text with products of tcgen05: 128 threads copy the factors, laid out as the descriptors say, to shared memory; the first
 * starts the products and commits them to an mbarrier; all wait, and store what their lanes of tensor memory have. */
#ifndef TG_TESTS_EMULATOR_TCGEN05_H
#define TG_TESTS_EMULATOR_TCGEN05_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "emulator/emulator.h"

enum { SIDE_BYTES = 16384, LANES = 128, MOST_COLUMNS = 64, TCGEN05_TEXT = 16384, THREADS = 128 };

typedef struct side {
    unsigned swizzle; /* 0: none; 1, 2, 3: 32, 64, 128 bytes */
    bool is_mn_major;
    unsigned leading, stride; /* bytes */
} side;

typedef struct product {
    const char *kind;
    unsigned m, n, bytes, times;
    uint32_t (*bits_of)(int);
    bool is_integer;
    uint32_t descriptor;
    side a, b;
    uint64_t seed;
} product;

/* Distances at which the parts of a factor do not overlap, and which others than the emulator's would not do for. */
static inline void set_layout(const product *p, side *s, unsigned swizzle, bool is_mn_major,
                              unsigned which)
{
    const unsigned core = 128u << swizzle, rows = which ? p->n : p->m,
                   row_units = rows * p->bytes / 16 >> swizzle;
    s->swizzle = swizzle;
    s->is_mn_major = is_mn_major;
    s->leading = core;
    s->stride = core;
    if (!is_mn_major) {
        if (swizzle == 0) s->stride = 2 * core + 16 * 8 * which;
        return;
    }
    /* one distance is that of neighbours along mn, the other that of 8 rows of k */
    unsigned *along = swizzle ? &s->leading : &s->stride,
             *down = swizzle ? &s->stride : &s->leading;
    *along = core;
    *down = core * (row_units ? row_units : 1);
}

static inline product product_of(unsigned m, unsigned n)
{
    product p = {.m = m, .n = n, .times = 1, .descriptor = n / 8 << 17 | m / 16 << 24};
    set_layout(&p, &p.a, 0, false, 0);
    set_layout(&p, &p.b, 0, false, 1);
    return p;
}

static inline uint64_t descriptor_of(const side *s)
{
    static const uint64_t modes[] = {0, 6, 4, 2};
    return (uint64_t)(s->leading / 16) << 16 | (uint64_t)(s->stride / 16) << 32 |
           UINT64_C(1) << 46 | modes[s->swizzle] << 61;
}

/* What the parts of the text are; a test of a fault changes one of them. */
typedef struct parts {
    const char *alloc, *before_products, *products, *commit, *wait, *after_wait, *load, *wait_load,
        *free;
} parts;

static const parts right_parts = {
    .alloc = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [taddr], 64;\n"
             "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n",
    .before_products = "fence.proxy.async;\ntcgen05.fence::before_thread_sync;\nbarrier.sync 0;\n"
                       "tcgen05.fence::after_thread_sync;\n",
    .commit = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n",
    .wait = "AGAIN: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;\n@!%p3 bra AGAIN;\n",
    .after_wait = "tcgen05.fence::after_thread_sync;\n",
    .wait_load = "tcgen05.wait::ld.sync.aligned;\n",
    .free = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 64;\n",
};

static inline void print_loads(char *to, size_t size, const char *wait)
{
    size_t used = 0;
    for (int c = 0; c < MOST_COLUMNS; c += 4)
        used += (size_t)snprintf(
            to + used, size - used,
            "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%%r20, %%r21, %%r22, %%r23}, [%%r6+%d];\n%s"
            "st.global.v4.b32 [%%rd9+%d], {%%r20, %%r21, %%r22, %%r23};\n",
            c, wait, 4 * c);
}

/* The text; columns that no product writes are stored first. */
static inline const char *product_text(const product *p, const parts *q)
{
    static char text[TCGEN05_TEXT], loads[TCGEN05_TEXT / 2], products[2048];
    size_t used = 0;
    for (unsigned i = 0; i < p->times; i++)
        used += (size_t)snprintf(
            products + used, sizeof products - used,
            "tcgen05.mma.cta_group::1.kind::%s [%%r1], %%rd4, %%rd5, %%r7, %%p%d;\n", p->kind,
            i ? 5 : 4);
    print_loads(loads, sizeof loads, q->wait_load);
    snprintf(
        text, sizeof text,
        ".version 8.6\n.target sm_100a\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 out)\n.reqntid 128, 1, 1\n{\n"
        ".reg .pred %%p<8>; .reg .b32 %%r<40>; .reg .b64 %%rd<16>;\n"
        ".shared .align 1024 .b8 sa[%d]; .shared .align 1024 .b8 sb[%d];\n"
        ".shared .align 8 .b64 bar; .shared .align 4 .b32 taddr;\n"
        "mov.u32 %%r0, %%tid.x; setp.ge.u32 %%p0, %%r0, 32; setp.ne.u32 %%p1, %%r0, 0;\n"
        "setp.ne.u32 %%p4, %%r0, %%r0; setp.eq.u32 %%p5, %%r0, %%r0;\n"
        "@%%p0 bra A1;\n%sA1:\n"
        "@%%p1 bra B1;\nmbarrier.init.shared.b64 [bar], 1;\nB1:\n"
        /* the factors */
        "ld.param.u64 %%rd1, [a]; cvta.to.global.u64 %%rd1, %%rd1;\n"
        "ld.param.u64 %%rd2, [b]; cvta.to.global.u64 %%rd2, %%rd2;\n"
        "ld.param.u64 %%rd3, [out]; cvta.to.global.u64 %%rd3, %%rd3;\n"
        "shl.b32 %%r2, %%r0, 2; cvt.u64.u32 %%rd6, %%r2;\nadd.u64 %%rd7, %%rd1, %%rd6; add.u64 "
        "%%rd8, %%rd2, %%rd6;\nmov.u32 %%r3, sa; add.u32 %%r3, %%r3, %%r2; mov.u32 %%r4, sb; "
        "add.u32 %%r4, %%r4, %%r2;\nmov.u32 %%r5, 0;\n"
        "C1: ld.global.b32 %%r8, [%%rd7]; st.shared.b32 [%%r3], %%r8; ld.global.b32 %%r8, [%%rd8]; "
        "st.shared.b32 [%%r4], %%r8;\nadd.u64 %%rd7, %%rd7, 512; add.u64 %%rd8, %%rd8, 512; "
        "add.u32 %%r3, %%r3, 512; add.u32 %%r4, %%r4, 512; add.u32 %%r5, %%r5, 512;\n"
        "setp.lt.u32 %%p2, %%r5, %d;\n@%%p2 bra C1;\n"
        "barrier.sync 0;\nld.shared.b32 %%r1, [taddr];\n"
        /* zeros in all lanes that the warp reaches */
        "shr.u32 %%r9, %%r0, 5; shl.b32 %%r9, %%r9, 21; add.u32 %%r6, %%r1, %%r9;\nmov.b32 %%r10, "
        "0; "
        "mov.u32 %%r5, 0; mov.b32 %%r11, %%r6;\n"
        "D1: tcgen05.st.sync.aligned.32x32b.x4.b32 [%%r11], {%%r10, %%r10, %%r10, %%r10};\n"
        "add.u32 %%r11, %%r11, 4; add.u32 %%r5, %%r5, 4; setp.lt.u32 %%p2, %%r5, 64;\n@%%p2 bra "
        "D1;\n"
        "tcgen05.wait::st.sync.aligned;\n%s"
        "mov.u32 %%r3, sa; shr.u32 %%r3, %%r3, 4; cvt.u64.u32 %%rd4, %%r3; or.b64 %%rd4, %%rd4, "
        "0x%llx;\n"
        "mov.u32 %%r4, sb; shr.u32 %%r4, %%r4, 4; cvt.u64.u32 %%rd5, %%r4; or.b64 %%rd5, %%rd5, "
        "0x%llx;\n"
        "mov.b32 %%r7, 0x%x;\n"
        "@%%p1 bra E1;\n%s%sE1:\nbar.warp.sync -1;\n%s%s"
        "mul.lo.u32 %%r2, %%r0, %d; cvt.u64.u32 %%rd9, %%r2; add.u64 %%rd9, %%rd3, %%rd9;\n"
        "%stcgen05.fence::before_thread_sync;\nbarrier.sync 0;\ntcgen05.fence::after_thread_sync;\n"
        "@%%p0 bra F1;\n%sF1: ret;\n}\n",
        SIDE_BYTES, SIDE_BYTES, q->alloc, SIDE_BYTES, q->before_products,
        (unsigned long long)descriptor_of(&p->a), (unsigned long long)descriptor_of(&p->b),
        p->descriptor, q->products ? q->products : products, q->commit, q->wait, q->after_wait,
        4 * MOST_COLUMNS, q->load ? q->load : loads, q->free);
    return text;
}

typedef struct product_run {
    tg_status status;
    tg_emu_result result;
    char message[512];
    uint32_t out[LANES][MOST_COLUMNS];
} product_run;

static inline product_run run_parts(const product *p, const parts *q, const unsigned char *a,
                                    const unsigned char *b)
{
    product_run r = {0};
    tg_diags diags = {0};
    tg_emu_module *module;
    const char *text = product_text(p, q);
    r.status = tg_emu_module_load(text, strlen(text), NULL, &module, &diags);
    if (r.status == TG_OK) {
        tg_emu_memory *memory = tg_emu_memory_new();
        const uint64_t args[3] = {tg_emu_alloc(memory, SIDE_BYTES, 16, "a"),
                                  tg_emu_alloc(memory, SIDE_BYTES, 16, "b"),
                                  tg_emu_alloc(memory, sizeof r.out, 16, "out")};
        const tg_emu_launch launch = {.grid = {1, 1, 1},
                                      .block = {THREADS, 1, 1},
                                      .params = args,
                                      .param_bytes = sizeof args,
                                      .seed = p->seed,
                                      .races = true,
                                      .instruction_limit = 100000};
        memcpy(tg_emu_host(memory, args[0], SIDE_BYTES), a, SIDE_BYTES);
        memcpy(tg_emu_host(memory, args[1], SIDE_BYTES), b, SIDE_BYTES);
        r.status = tg_emu_run(module, memory, &launch, &r.result, &diags);
        memcpy(r.out, tg_emu_host(memory, args[2], sizeof r.out), sizeof r.out);
        tg_emu_memory_free(memory);
        tg_emu_module_free(module);
    }
    if (diags.count)
        snprintf(r.message, sizeof r.message, "%s %s", diags.list[0].where, diags.list[0].message);
    tg_diags_free(&diags);
    return r;
}

static inline product_run run_product(const product *p, const unsigned char *a,
                                      const unsigned char *b)
{
    return run_parts(p, &right_parts, a, b);
}

#endif
