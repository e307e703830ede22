/* Matrix products against a triple loop of fmas, on every instruction set. */
#include <criterion/criterion.h>

#include "base/float_bits.h"
#include "tests/sampled.h"
#include "tests/test_blocks.h"

static void naive_dot(tg_dtype acc, const tg_dot_shape *s, const void *lhs, const void *rhs,
                      void *out)
{
    for (int64_t b = 0; b < s->b; b++)
        for (int64_t m = 0; m < s->m; m++)
            for (int64_t n = 0; n < s->n; n++) {
                const int64_t o = (b * s->m + m) * s->n + n;
                float f = 0;
                double d = 0;
                uint64_t u = 0;
                for (int64_t k = 0; k < s->k; k++) {
                    const int64_t l = b * s->lhs_b + m * s->lhs_m + k * s->lhs_k;
                    const int64_t r = b * s->rhs_b + k * s->rhs_k + n * s->rhs_n;
                    switch (acc) {
                    case TG_DT_f32:
                        f = fmaf(((const float *)lhs)[l], ((const float *)rhs)[r], f);
                        break;
                    case TG_DT_f64:
                        d = fma(((const double *)lhs)[l], ((const double *)rhs)[r], d);
                        break;
                    case TG_DT_i32:
                    case TG_DT_u32:
                        u += (uint64_t)((const uint32_t *)lhs)[l] * ((const uint32_t *)rhs)[r];
                        break;
                    default: u += ((const uint64_t *)lhs)[l] * ((const uint64_t *)rhs)[r]; break;
                    }
                }
                switch (acc) {
                case TG_DT_f32: ((float *)out)[o] = f; break;
                case TG_DT_f64: ((double *)out)[o] = d; break;
                case TG_DT_i32:
                case TG_DT_u32: ((uint32_t *)out)[o] = (uint32_t)u; break;
                default: ((uint64_t *)out)[o] = u; break;
                }
            }
}

/* Strides of a matrix pair in a random layout: batch outermost; sometimes transposed, sparse or repeated. */
static int64_t random_strides(int64_t b, int64_t rows, int64_t cols, int64_t *sb, int64_t *srow,
                              int64_t *scol)
{
    const bool turned = random_bits() % 3 == 0;
    const int64_t gap = random_bits() % 4 == 0 ? 2 : 1;
    *scol = turned ? rows * gap : gap;
    *srow = turned ? gap : cols * gap;
    *sb = rows * cols * gap;
    if (random_bits() % 8 == 0) *sb = 0;
    if (random_bits() % 16 == 0) *srow = 0;
    if (random_bits() % 16 == 0) *scol = 0;
    return b * rows * cols * gap + 1;
}

static void check_dot(tg_dtype acc, tg_dot_shape s)
{
    const size_t bytes = element_bytes(acc);
    const int64_t lhs_count = random_strides(s.b, s.m, s.k, &s.lhs_b, &s.lhs_m, &s.lhs_k);
    const int64_t rhs_count = random_strides(s.b, s.k, s.n, &s.rhs_b, &s.rhs_k, &s.rhs_n);
    const size_t count = (size_t)(s.b * s.m * s.n);
    void *lhs = malloc((size_t)lhs_count * bytes), *rhs = malloc((size_t)rhs_count * bytes);
    void *expected = malloc(count * bytes + 1);
    random_elements(lhs, acc, lhs_count);
    random_elements(rhs, acc, rhs_count);
    naive_dot(acc, &s, lhs, rhs, expected);
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const tg_elementwise *lanes = tg_elementwise_get(isa_names[isa]);
        if (lanes == NULL) continue;
        const size_t work_bytes = tg_dot_workspace(&s, acc);
        char *out = guarded(count * bytes), *work = guarded(work_bytes);
        tg_dot(lanes, acc, &s, lhs, rhs, out, work);
        cr_expect_eq(first_difference(acc, out, expected, (int64_t)count), -1,
                     "%s %s b=%ld m=%ld n=%ld k=%ld lhs %ld,%ld,%ld rhs %ld,%ld,%ld",
                     isa_names[isa], tg_dtypes[acc].name, (long)s.b, (long)s.m, (long)s.n,
                     (long)s.k, (long)s.lhs_b, (long)s.lhs_m, (long)s.lhs_k, (long)s.rhs_b,
                     (long)s.rhs_k, (long)s.rhs_n);
        cr_expect(guards_intact(out, count * bytes) && guards_intact(work, work_bytes),
                  "%s: wrote outside", isa_names[isa]);
        guarded_free(out);
        guarded_free(work);
    }
    free(lhs);
    free(rhs);
    free(expected);
}

/* Elements of a sum: what naive_dot gave and the addend. */
static void add_elements(tg_dtype acc, const void *a, const void *b, void *out, int64_t count)
{
    for (int64_t i = 0; i < count; i++) switch (acc) {
        case TG_DT_f32: ((float *)out)[i] = ((const float *)a)[i] + ((const float *)b)[i]; break;
        case TG_DT_f64: ((double *)out)[i] = ((const double *)a)[i] + ((const double *)b)[i]; break;
        case TG_DT_i32:
        case TG_DT_u32:
            ((uint32_t *)out)[i] = ((const uint32_t *)a)[i] + ((const uint32_t *)b)[i];
            break;
        default: ((uint64_t *)out)[i] = ((const uint64_t *)a)[i] + ((const uint64_t *)b)[i]; break;
        }
}

/* Copies rows x cols elements between matrices whose rows are so many elements apart. */
static void move_rows(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows,
                      int64_t cols, size_t bytes)
{
    for (int64_t r = 0; r < rows; r++)
        memcpy(to + (size_t)(r * to_row) * bytes, from + (size_t)(r * from_row) * bytes,
               (size_t)cols * bytes);
}

/* A product and an addend; the sum goes to rows `gap` elements further apart, or to where the addend is. */
static void check_dot_add(tg_dtype acc, int64_t m, int64_t n, int64_t k, int64_t gap, bool in_place)
{
    const size_t bytes = element_bytes(acc);
    const tg_dot_shape s = {
        .b = 1, .m = m, .n = n, .k = k, .lhs_m = k, .lhs_k = 1, .rhs_k = n, .rhs_n = 1};
    const int64_t row = n + gap, room = m * row;
    char *lhs = malloc((size_t)(m * k) * bytes), *rhs = malloc((size_t)(k * n) * bytes);
    char *addend = malloc((size_t)(m * n) * bytes), *expected = malloc((size_t)(m * n) * bytes);
    char *got = malloc((size_t)(m * n) * bytes);
    random_elements(lhs, acc, m * k);
    random_elements(rhs, acc, k * n);
    random_elements(addend, acc, m * n);
    naive_dot(acc, &s, lhs, rhs, got);
    add_elements(acc, got, addend, expected, m * n);
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const tg_elementwise *lanes = tg_elementwise_get(isa_names[isa]);
        if (lanes == NULL) continue;
        const size_t work_bytes = tg_dot_workspace(&s, acc);
        char *out = guarded((size_t)room * bytes), *work = guarded(work_bytes);
        if (in_place) move_rows(out, row, addend, n, m, n, bytes);
        const tg_dot_sum sum = {in_place ? out : addend, in_place ? row : n, row};
        tg_dot_add(lanes, acc, &s, lhs, rhs, &sum, out, work);
        move_rows(got, n, out, row, m, n, bytes);
        cr_expect_eq(first_difference(acc, got, expected, m * n), -1, "%s %s m=%ld n=%ld k=%ld",
                     isa_names[isa], tg_dtypes[acc].name, (long)m, (long)n, (long)k);
        cr_expect(guards_intact(out, (size_t)room * bytes) && guards_intact(work, work_bytes),
                  "%s: wrote outside", isa_names[isa]);
        guarded_free(out);
        guarded_free(work);
    }
    free(lhs);
    free(rhs);
    free(addend);
    free(expected);
    free(got);
}

/* One side in a guarded piece of memory of the size that was asked for; NULL: products do without. */
static char *packed_side(const tg_elementwise *lanes, tg_dtype acc, const tg_dot_shape *s,
                         tg_dot_side side, const void *from, size_t *bytes)
{
    *bytes = tg_dot_panels_bytes(lanes, acc, s, side);
    cr_expect_eq(*bytes % 64, 0);
    if (*bytes == 0) return NULL;
    char *panels = guarded(*bytes);
    tg_dot_pack(lanes, acc, s, side, from, panels);
    cr_expect(guards_intact(panels, *bytes), "packed outside");
    return panels;
}

/* Sides packed beforehand, both or one of them, change no bit.  Returns how many sides could be packed, on all instruction
 * sets together. */
static int check_packed(tg_dtype acc, tg_dot_shape s)
{
    const size_t size = element_bytes(acc), count = (size_t)(s.m * s.n);
    const int64_t lhs_count = random_strides(1, s.m, s.k, &s.lhs_b, &s.lhs_m, &s.lhs_k);
    const int64_t rhs_count = random_strides(1, s.k, s.n, &s.rhs_b, &s.rhs_k, &s.rhs_n);
    char *lhs = malloc((size_t)lhs_count * size), *rhs = malloc((size_t)rhs_count * size);
    char *expected = malloc(count * size);
    char *nothing = calloc((size_t)(lhs_count + rhs_count), size); /* in a packed side's place */
    int packed = 0;
    random_elements(lhs, acc, lhs_count);
    random_elements(rhs, acc, rhs_count);
    naive_dot(acc, &s, lhs, rhs, expected);
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const tg_elementwise *lanes = tg_elementwise_get(isa_names[isa]);
        if (lanes == NULL) continue;
        size_t bytes[2];
        char *sides[] = {packed_side(lanes, acc, &s, TG_DOT_LHS, lhs, &bytes[0]),
                         packed_side(lanes, acc, &s, TG_DOT_RHS, rhs, &bytes[1])};
        char *out = guarded(count * size), *work = guarded(tg_dot_workspace(&s, acc));
        for (int which = 1; which < 4; which++) {
            tg_dot_shape with = s;
            with.lhs_panels = which & 1 ? sides[0] : NULL;
            with.rhs_panels = which & 2 ? sides[1] : NULL;
            with.next_rhs_panels = which == 3 ? with.rhs_panels : NULL;
            memset(out, 0x5a, count * size);
            tg_dot(lanes, acc, &with, with.lhs_panels ? nothing : lhs,
                   with.rhs_panels ? nothing : rhs, out, work);
            cr_expect_eq(first_difference(acc, out, expected, (int64_t)count), -1,
                         "%s %s m=%ld n=%ld k=%ld, sides %d", isa_names[isa], tg_dtypes[acc].name,
                         (long)s.m, (long)s.n, (long)s.k, which);
            cr_expect(guards_intact(out, count * size), "wrote outside");
        }
        for (int i = 0; i < 2; i++) {
            packed += sides[i] != NULL;
            if (sides[i]) guarded_free(sides[i]);
        }
        guarded_free(out);
        guarded_free(work);
    }
    free(lhs);
    free(rhs);
    free(expected);
    free(nothing);
    return packed;
}

static const tg_dtype accs[] = {TG_DT_f32, TG_DT_f64, TG_DT_i32, TG_DT_u32, TG_DT_i64, TG_DT_u64};
enum { ACCS = sizeof accs / sizeof *accs };

Test(blocks_dot, random_small_shapes)
{
    for (int i = 0; i < 900; i++)
        check_dot(accs[i % ACCS], (tg_dot_shape){.b = random_below(3),
                                                 .m = random_below(20),
                                                 .n = random_below(70),
                                                 .k = random_below(40)});
}

Test(blocks_dot, sums)
{
    for (int i = 0; i < sampled(300, 100); i++)
        check_dot_add(accs[i % ACCS], 1 + random_below(20), 2 + random_below(70),
                      1 + random_below(40), random_below(9), i % 2 == 0);
    for (int i = 0; i < sampled(ACCS, 2); i++) {
        check_dot_add(accs[i], 67, 150, 256, 5, true);
        check_dot_add(accs[i], 67, 150, 300, 5, false);
        check_dot_add(accs[i], 203, 40, 70, 0, true);
    }
}

Test(blocks_dot, sides_packed_beforehand)
{
    for (int i = 0; i < sampled(6, 1) * ACCS; i++) {
        const tg_dtype acc = accs[i % ACCS];
        const int64_t rest = random_below(20);
        cr_expect(check_packed(
            acc, (tg_dot_shape){.b = 1, .m = 110 + rest, .n = 130, .k = sampled(100, 80)}));
        cr_expect(check_packed(
            acc, (tg_dot_shape){.b = 1, .m = 150, .n = 90 + rest, .k = sampled(200, 95)}));
    }
}

/* Sides that take several blocks, or few bytes, and what is no product of matrices. */
Test(blocks_dot, sides_that_are_not_packed)
{
    const tg_elementwise *lanes = tg_elementwise_get("baseline");
    const tg_dot_shape good = {
        .b = 1, .m = 128, .n = 128, .k = 128, .lhs_m = 128, .lhs_k = 1, .rhs_k = 128, .rhs_n = 1};
    tg_dot_shape bad[] = {good, good, good, good, good};
    bad[0].b = 2;
    bad[1].n = 1;
    bad[2].k = 0;
    bad[3].k = 257;
    bad[4].k = 4;
    for (int k = 0; k < 2; k++) {
        const tg_dot_side side = k == 0 ? TG_DOT_LHS : TG_DOT_RHS;
        cr_expect_eq(tg_dot_panels_bytes(lanes, TG_DT_f32, &good, side), 128 * 128 * 4);
        for (int i = 0; i < 5; i++)
            cr_expect_eq(tg_dot_panels_bytes(lanes, TG_DT_f32, &bad[i], side), 0, "%d of %d", i, k);
    }
    tg_dot_shape tall = good, wide = good;
    tall.m = 193;
    wide.n = 1025;
    cr_expect_eq(tg_dot_panels_bytes(lanes, TG_DT_f32, &tall, TG_DOT_LHS), 0);
    cr_expect_eq(tg_dot_panels_bytes(lanes, TG_DT_f32, &wide, TG_DOT_RHS), 0);
}

Test(blocks_dot, matrix_vector_and_back)
{
    for (int i = 0; i < 60; i++) {
        check_dot(accs[i % ACCS],
                  (tg_dot_shape){.b = 2, .m = 1 + random_below(80), .n = 1, .k = 300});
        check_dot(accs[i % ACCS],
                  (tg_dot_shape){.b = 1, .m = 1, .n = 1 + random_below(80), .k = 300});
    }
}

Test(blocks_dot, blocks_of_k_rows_and_columns)
{
    static const tg_dot_shape shapes[] = {{.b = 1, .m = 67, .n = 150, .k = 300},
                                          {.b = 1, .m = 203, .n = 40, .k = 270},
                                          {.b = 1, .m = 5, .n = 1063, .k = 20},
                                          {.b = 1, .m = 40, .n = 1063, .k = 270}};
    for (int i = 0; i < ACCS; i++)
        for (int s = sampled(0, i % 4); s < 4; s += sampled(1, 4)) check_dot(accs[i], shapes[s]);
}

Test(blocks_dot, empty_sum_is_positive_zero)
{
    const tg_dot_shape s = {.b = 1, .m = 2, .n = 3, .k = 0};
    const float zeros[6] = {0};
    float out[6];
    memset(out, 0x5a, sizeof out);
    char work[256];
    cr_assert_leq(tg_dot_workspace(&s, TG_DT_f32), sizeof work);
    tg_dot(tg_elementwise_get("baseline"), TG_DT_f32, &s, zeros, zeros, out, work);
    cr_assert_arr_eq(out, zeros, sizeof zeros);
}

static float random_float(void)
{
    uint32_t bits = (uint32_t)random_bits();
    switch (random_below(4)) {
    case 0: bits &= 0x807fffff; break; /* denormal */
    case 1: bits = (bits & 0x807fffff) | (uint32_t)(120 + random_below(16)) << 23; break;
    case 2: bits = (bits & 0xff800000) | (bits & 1 ? 0x7fffff : 0); break; /* few mantissas */
    default: break;
    }
    return f32_of_bits(bits);
}

/* One fma in each lane: out = 1 * c + a * b, whose first step is exact. */
Test(blocks_dot, one_fma_rounds_once)
{
    for (int i = 0; i < 100000; i++) {
        const float a = random_float(), b = random_float();
        float c = random_float();
        if (random_bits() % 4 == 0) c = -a * b; /* cancellation */
        if (isnan(c)) c = 0;
        const float lhs[2] = {1, a}, rhs[2] = {c, b};
        const float expected = fmaf(a, b, fmaf(1, c, 0));
        const tg_dot_shape s = {
            .b = 1, .m = 1, .n = 1, .k = 2, .lhs_m = 2, .lhs_k = 1, .rhs_k = 1, .rhs_n = 1};
        for (int isa = 0; isa < ISA_COUNT; isa++) {
            const tg_elementwise *lanes = tg_elementwise_get(isa_names[isa]);
            if (lanes == NULL) continue;
            char work[1024];
            float out;
            tg_dot(lanes, TG_DT_f32, &s, lhs, rhs, &out, work);
            if (!same_element(TG_C_f32, &out, &expected))
                cr_assert_fail("%s: fma(%a, %a, %a) gave %a, not %a", isa_names[isa], (double)a,
                               (double)b, (double)c, (double)out, (double)expected);
        }
    }
}
