/* Products of tcgen05 in the emulator: of small integers, so that each sum is exact in every way of adding, against
 * sums of the test's own, with the factors in each layout that a descriptor can say. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

#include "tests/emulator_tcgen05.h"

/* ---- layouts, as CUTLASS writes them: units of 16 bytes in 8 rows ---- */

/* The byte of element (mn, k) of a factor, whose bytes in all are `bytes`; `swizzle` is 0 to 3. */
static size_t place_of(const product *p, const side *s, unsigned mn, unsigned k)
{
    const unsigned t = 16 / p->bytes, row = t << s->swizzle;
    size_t element;
    if (!s->is_mn_major && s->swizzle == 0)
        element = (size_t)(mn % 8) * t + (size_t)(mn / 8) * s->stride / p->bytes + k % t +
                  (size_t)(k / t) * s->leading / p->bytes;
    else if (!s->is_mn_major)
        element = (size_t)(mn % 8) * row + (size_t)(mn / 8) * s->stride / p->bytes + k;
    else if (s->swizzle == 0)
        element = mn % t + (size_t)(mn / t) * s->stride / p->bytes + (size_t)(k % 8) * t +
                  (size_t)(k / 8) * s->leading / p->bytes;
    else
        element = mn % row + (size_t)(mn / row) * s->leading / p->bytes + (size_t)(k % 8) * row +
                  (size_t)(k / 8) * s->stride / p->bytes;
    const size_t byte = element * p->bytes, unit = byte / 16;
    return (unit ^ (unit / 8 & ((1u << s->swizzle) - 1))) * 16 + byte % 16;
}

static int a_of(unsigned i, unsigned k) { return (int)((i * 5 + k * 3) % 7) - 3; }
static int b_of(unsigned j, unsigned k) { return (int)((j * 11 + k * 5) % 5) - 2; }

static void fill(const product *p, const side *s, unsigned rows, int (*of)(unsigned, unsigned),
                 unsigned char *to)
{
    for (unsigned mn = 0; mn < rows; mn++)
        for (unsigned k = 0; k < 32 / p->bytes; k++) {
            const uint32_t bits = p->bits_of(of(mn, k));
            memcpy(to + place_of(p, s, mn, k), &bits, p->bytes);
        }
}

static int sum_of(const product *p, unsigned i, unsigned j)
{
    int sum = 0;
    for (unsigned k = 0; k < 32 / p->bytes; k++) sum += a_of(i, k) * b_of(j, k);
    return sum * (int)p->times;
}

/* ---- dtypes: the numbers -3 to 3 ---- */

static const uint32_t f16s[] = {0, 0x3c00, 0x4000, 0x4200}, bf16s[] = {0, 0x3f80, 0x4000, 0x4040},
                      e4m3s[] = {0, 0x38, 0x40, 0x44}, e5m2s[] = {0, 0x3c, 0x40, 0x42},
                      tf32s[] = {0, 0x3f800000, 0x40000000, 0x40400000};

static uint32_t f16(int v) { return f16s[abs(v)] | (v < 0 ? 0x8000u : 0); }
static uint32_t bf16(int v) { return bf16s[abs(v)] | (v < 0 ? 0x8000u : 0); }
static uint32_t e4m3(int v) { return e4m3s[abs(v)] | (v < 0 ? 0x80u : 0); }
static uint32_t e5m2(int v) { return e5m2s[abs(v)] | (v < 0 ? 0x80u : 0); }
/* The low 13 bits do not count. */
static uint32_t tf32(int v) { return tf32s[abs(v)] | (v < 0 ? 0x80000000u : 0) | 0x1fff; }
static uint32_t s8(int v) { return (uint32_t)v & 0xff; }

static void check(product *p)
{
    static unsigned char a[SIDE_BYTES], b[SIDE_BYTES];
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    fill(p, &p->a, p->m, a_of, a);
    fill(p, &p->b, p->n, b_of, b);
    for (p->seed = 0; p->seed < 4; p->seed++) {
        const product_run r = run_product(p, a, b);
        cr_assert_eq(r.status, TG_OK, "%s: %s", p->kind, r.message);
        cr_assert_not(r.result.trapped, "%s: %s", p->kind, r.result.trap.text);
        for (unsigned i = 0; i < p->m; i++)
            for (unsigned j = 0; j < p->n; j++) {
                const int want = sum_of(p, i, j);
                const float as_float = (float)want;
                uint32_t bits = (uint32_t)want;
                if (!p->is_integer) memcpy(&bits, &as_float, sizeof bits);
                const unsigned lane = p->m == 64 ? i / 16 * 32 + i % 16 : i;
                cr_assert_eq(r.out[lane][j], bits, "%s %u x %u, seed %u: (%u, %u) is %" PRIx32,
                             p->kind, p->m, p->n, (unsigned)p->seed, i, j, r.out[lane][j]);
            }
    }
}

Test(emulator_tcgen05, kinds)
{
    static const struct {
        const char *kind;
        unsigned bytes, format, d;
        uint32_t (*bits_of)(int);
    } kinds[] = {{"f16", 2, 0, 1, f16},     {"f16", 2, 1, 1, bf16},    {"tf32", 4, 2, 1, tf32},
                 {"f8f6f4", 1, 0, 1, e4m3}, {"f8f6f4", 1, 1, 1, e5m2}, {"i8", 1, 1, 2, s8}};
    static const unsigned sizes[][2] = {{128, 16}, {128, 32}, {64, 8}, {64, 32}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            product p = product_of(sizes[s][0], sizes[s][1]);
            p.kind = kinds[i].kind;
            p.bytes = kinds[i].bytes;
            p.bits_of = kinds[i].bits_of;
            p.descriptor |= kinds[i].d << 4 | kinds[i].format << 7 | kinds[i].format << 10;
            p.is_integer = kinds[i].d == 2;
            check(&p);
        }
}

/* Of b the layout of a, with other distances. */
Test(emulator_tcgen05, layouts)
{
    for (unsigned swizzle = 0; swizzle <= 3; swizzle++)
        for (int major = 0; major < 4; major++)
            for (unsigned bytes = 1; bytes <= 2; bytes++) {
                product p = product_of(128, 64);
                p.kind = bytes == 2 ? "f16" : "i8";
                p.bytes = bytes;
                p.bits_of = bytes == 2 ? f16 : s8;
                p.is_integer = bytes == 1;
                p.descriptor |= bytes == 2 ? 1u << 4 : 2u << 4 | 1u << 7 | 1u << 10;
                set_layout(&p, &p.a, swizzle, major & 1, 0);
                set_layout(&p, &p.b, swizzle, major >> 1, 1);
                p.descriptor |= (uint32_t)(major & 1) << 15 | (uint32_t)(major >> 1) << 16;
                check(&p);
            }
}

/* Several products of one thread are added in their order; one arrival is behind all of them. */
Test(emulator_tcgen05, sums)
{
    product p = product_of(128, 32);
    p.kind = "f16";
    p.bytes = 2;
    p.bits_of = bf16;
    p.descriptor |= 1u << 4 | 1u << 7 | 1u << 10;
    p.times = 3;
    check(&p);
}

/* ---- moves ---- */

#define SYNCHRONISED                                                                               \
    "tcgen05.wait::st.sync.aligned;\nfence.proxy.async;\ntcgen05.fence::before_thread_sync;\n"     \
    "barrier.sync 0;\ntcgen05.fence::after_thread_sync;\n"

/* Where register `r` of lane `l` is, from the beginning of the part, as PTX ISA draws it. */
static unsigned row_64(unsigned l, unsigned r) { return (void)r, l / 4 + 8 * (l & 1); }
static unsigned column_64(unsigned l, unsigned r) { return 2 * r + (l >> 1 & 1); }
static unsigned row_128(unsigned l, unsigned r) { return l / 4 + 8 * (r & 1); }
static unsigned column_128(unsigned l, unsigned r) { return r / 2 * 4 + l % 4; }
static unsigned row_256(unsigned l, unsigned r) { return l / 4 + 8 * (r >> 1 & 1); }
static unsigned column_256(unsigned l, unsigned r) { return r / 4 * 8 + l % 4 * 2 + (r & 1); }
static unsigned row_32(unsigned l, unsigned r) { return (void)r, l; }
static unsigned column_32(unsigned l, unsigned r) { return (void)l, r; }

static const struct {
    const char *name;
    unsigned halves; /* of the 32 lanes, one after the other */
    unsigned (*row)(unsigned lane, unsigned reg), (*column)(unsigned lane, unsigned reg);
} shapes[] = {{"32x32b.x8", 1, row_32, column_32},
              {"16x64b.x8", 2, row_64, column_64},
              {"16x128b.x4", 2, row_128, column_128},
              {"16x256b.x2", 2, row_256, column_256}};

#define EIGHT "{%%r20, %%r21, %%r22, %%r23, %%r24, %%r25, %%r26, %%r27}"

/* Each lane stores 64 * lane + column in 16 columns, and loads them in another shape; or the reverse. */
static const char *move_text(const char *shape, unsigned half, bool is_load)
{
    static char text[4096];
    const char *wide = "32x32b.x8";
    size_t used = 0;
    for (int part = 0; part < 2; part++) { /* two of 8 columns */
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "shl.b32 %%r8, %%r0, 6; add.u32 %%r8, %%r8, %d;\n", 8 * part);
        for (int r = 0; r < 8; r++)
            used += (size_t)snprintf(text + used, sizeof text - used, "add.u32 %%r%d, %%r8, %d;\n",
                                     20 + r, r);
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "tcgen05.st.sync.aligned.%s.b32 [%%r6+%d], " EIGHT
                                 ";\ntcgen05.wait::st.sync.aligned;\n",
                                 is_load ? wide : shape, is_load ? 8 * part : (int)(part << 20));
        if (!is_load && half == 0) break;
    }
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "tcgen05.ld.sync.aligned.%s.b32 " EIGHT
                             ", [%%r6+%d];\ntcgen05.wait::ld.sync.aligned;\n",
                             is_load ? shape : wide, is_load ? (int)(half << 20) : 0);
    for (int r = 0; r < 8; r++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "st.global.b32 [%%rd9+%d], %%r%d;\n", 4 * r, 20 + r);
    return text;
}

static product_run run_moves(const char *moves, uint64_t seed)
{
    static const unsigned char zeros[SIDE_BYTES];
    parts q = right_parts;
    product p = product_of(128, 16);
    p.kind = "f16";
    p.seed = seed;
    q.products = q.commit = q.wait = "";
    q.load = moves;
    return run_parts(&p, &q, zeros, zeros);
}

Test(emulator_tcgen05, loads_of_each_shape)
{
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (unsigned half = 0; half < shapes[s].halves; half++)
            for (uint64_t seed = 0; seed < 3; seed++) {
                const product_run r = run_moves(move_text(shapes[s].name, half, true), seed);
                cr_assert_eq(r.status, TG_OK, "%s", r.message);
                cr_assert_not(r.result.trapped, "%s", r.result.trap.text);
                for (unsigned t = 0; t < THREADS; t++)
                    for (unsigned reg = 0; reg < 8; reg++) {
                        const unsigned lane = t / 32 * 32 + 16 * half + shapes[s].row(t % 32, reg);
                        cr_assert_eq(r.out[t][reg], 64 * lane + shapes[s].column(t % 32, reg),
                                     "%s: thread %u, register %u", shapes[s].name, t, reg);
                    }
            }
}

Test(emulator_tcgen05, stores_of_each_shape)
{
    for (size_t s = 1; s < sizeof shapes / sizeof *shapes; s++) {
        const product_run r = run_moves(move_text(shapes[s].name, 1, false), 1);
        cr_assert_eq(r.status, TG_OK, "%s", r.message);
        cr_assert_not(r.result.trapped, "%s", r.result.trap.text);
        for (unsigned t = 0; t < THREADS; t++)
            for (unsigned reg = 0; reg < 8; reg++)
                for (unsigned half = 0; half < 2; half++) {
                    const unsigned lane = t / 32 * 32 + 16 * half + shapes[s].row(t % 32, reg),
                                   column = shapes[s].column(t % 32, reg);
                    if (column < 8)
                        cr_assert_eq(r.out[lane][column], 64 * t + 8 * half + reg,
                                     "%s: lane %u, column %u", shapes[s].name, lane, column);
                }
    }
}

/* Thread t copies its row of the left factor to lane t, 8 columns from 48 on. */
Test(emulator_tcgen05, a_left_factor_in_tensor_memory)
{
    static unsigned char a[SIDE_BYTES], b[SIDE_BYTES];
    char copy[1024];
    product p = product_of(128, 16);
    parts q = right_parts;
    p.kind = "f16";
    p.bytes = 2;
    p.bits_of = f16;
    p.descriptor |= 1u << 4;
    fill(&p, &p.a, p.m, a_of, a);
    fill(&p, &p.b, p.n, b_of, b);
    snprintf(
        copy, sizeof copy,
        "shr.u32 %%r8, %%r0, 3; mul.lo.u32 %%r8, %%r8, %u; and.b32 %%r9, %%r0, 7; shl.b32 %%r9, "
        "%%r9, 4; add.u32 %%r8, %%r8, %%r9;\nmov.u32 %%r9, sa; add.u32 %%r8, %%r8, %%r9;\n"
        "ld.shared.v4.b32 {%%r20, %%r21, %%r22, %%r23}, [%%r8];\n"
        "ld.shared.v4.b32 {%%r24, %%r25, %%r26, %%r27}, [%%r8+%u];\n"
        "tcgen05.st.sync.aligned.32x32b.x8.b32 [%%r6+48], " EIGHT ";\n" SYNCHRONISED,
        p.a.stride, p.a.leading);
    q.before_products = copy;
    q.products =
        "add.u32 %r9, %r1, 48;\ntcgen05.mma.cta_group::1.kind::f16 [%r1], [%r9], %rd5, %r7, %p4;\n";
    for (p.seed = 0; p.seed < 4; p.seed++) {
        const product_run r = run_parts(&p, &q, a, b);
        cr_assert_eq(r.status, TG_OK, "%s", r.message);
        cr_assert_not(r.result.trapped, "%s", r.result.trap.text);
        for (unsigned i = 0; i < p.m; i++)
            for (unsigned j = 0; j < p.n; j++) {
                const float want = (float)sum_of(&p, i, j);
                cr_assert_eq(memcmp(&r.out[i][j], &want, sizeof want), 0, "(%u, %u)", i, j);
            }
    }
}

/* ---- many at a time ---- */

/* While a product is in flight, warps that do not know that its factors are there move more in other columns than the
 * emulator has actors: it still knows what the product is behind. */
Test(emulator_tcgen05, many_moves_beside_a_product)
{
    static const unsigned char zeros[SIDE_BYTES];
    static char wait[1024];
    parts q = right_parts;
    product p = product_of(128, 16);
    p.kind = "f16";
    p.bytes = 2;
    p.descriptor |= 1u << 4;
    snprintf(wait, sizeof wait,
             "mov.u32 %%r12, 0;\n"
             "H1: tcgen05.st.sync.aligned.32x32b.x1.b32 [%%r6+32], {%%r10};\n"
             "tcgen05.wait::st.sync.aligned;\nadd.u32 %%r12, %%r12, 1;\n"
             "setp.lt.u32 %%p6, %%r12, 40;\n@%%p6 bra H1;\n%s",
             right_parts.wait);
    q.wait = wait;
    q.before_products = "fence.proxy.async;\ntcgen05.fence::before_thread_sync;\nbarrier.sync 0;\n"
                        "@!%p0 tcgen05.fence::after_thread_sync;\n";
    for (p.seed = 0; p.seed < 4; p.seed++) {
        const product_run r = run_parts(&p, &q, zeros, zeros);
        cr_assert_eq(r.status, TG_OK, "%s", r.message);
        cr_assert_not(r.result.trapped, "seed %d: %s", (int)p.seed, r.result.trap.text);
    }
}
