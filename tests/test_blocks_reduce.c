/* Reductions against the literal tree, one element at a time. */
#include <criterion/criterion.h>

#include "tests/test_blocks.h"

typedef struct pair {
    tg_opcode reduce, step;
} pair;
static const pair ops[] = {
    {TG_OP_reduce_sum, TG_OP_add}, {TG_OP_reduce_prod, TG_OP_mul}, {TG_OP_reduce_max, TG_OP_max},
    {TG_OP_reduce_min, TG_OP_min}, {TG_OP_reduce_and, TG_OP_and},  {TG_OP_reduce_or, TG_OP_or},
    {TG_OP_reduce_xor, TG_OP_xor},
};
enum { OPS = sizeof ops / sizeof *ops };

static void one_step(tg_elementwise_call op, void *a, const void *b)
{
    op.compute(a, (const void *const[]){a, b}, 0, 1, 0);
    if (op.finish) op.finish(a, (const void *const[]){a}, 0, 1, 0);
}

/* The definition in blocks.h; x has n >= 1 elements and is spent. */
static void literal_tree(tg_elementwise_call op, char *x, int64_t n, size_t bytes)
{
    int64_t power = 1;
    while (power < n) power *= 2;
    for (int64_t s = power / 2; s >= 1; s /= 2)
        for (int64_t i = 0; i < s && i + s < n; i++)
            one_step(op, x + (size_t)i * bytes, x + (size_t)(i + s) * bytes);
}

static void naive_reduce(tg_elementwise_call op, const tg_view *in, unsigned axes, size_t bytes,
                         char *out)
{
    tg_view kept = {.rank = 0}, along = {.rank = 0};
    for (int d = 0; d < in->rank; d++) {
        tg_view *to = axes >> d & 1 ? &along : &kept;
        to->shape[to->rank] = in->shape[d];
        to->stride[to->rank++] = in->stride[d];
    }
    const int64_t results = view_count(&kept), n = view_count(&along);
    char *x = malloc((size_t)n * bytes);
    kept.data = in->data;
    for (int64_t i = 0; i < results; i++) {
        along.data = view_at(&kept, i, bytes);
        for (int64_t j = 0; j < n; j++)
            memcpy(x + (size_t)j * bytes, view_at(&along, j, bytes), bytes);
        literal_tree(op, x, n, bytes);
        memcpy(out + (size_t)i * bytes, x, bytes);
    }
    free(x);
}

static void check_reduce(pair op, tg_dtype dtype, int rank, const int64_t *shape, unsigned axes)
{
    const size_t bytes = element_bytes(dtype);
    void *memory;
    const tg_view in = random_view(dtype, rank, shape, &memory);
    size_t count = 1;
    for (int d = 0; d < rank; d++)
        if (!(axes >> d & 1)) count *= (size_t)shape[d];
    char *expected = malloc(count * bytes + 1);
    bool have_expected = false;
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const tg_elementwise *lanes = tg_elementwise_get(isa_names[isa]);
        if (lanes == NULL) continue;
        const tg_elementwise_call step = tg_elementwise_op(lanes, op.step, dtype, dtype);
        if (step.compute == NULL) break;
        if (!have_expected) naive_reduce(step, &in, axes, bytes, expected);
        have_expected = true;
        const size_t work_bytes = tg_reduce_workspace(&in, axes, dtype);
        char *out = guarded(count * bytes), *work = guarded(work_bytes);
        tg_reduce(lanes, op.reduce, dtype, &in, axes, out, work);
        cr_expect_eq(first_difference(dtype, out, expected, (int64_t)count), -1,
                     "%s %s %s rank=%d axes=%u shape %ld,%ld,%ld stride %ld,%ld,%ld",
                     isa_names[isa], tg_ops[op.reduce].name, tg_dtypes[dtype].name, rank, axes,
                     (long)in.shape[0], (long)in.shape[1], (long)in.shape[2], (long)in.stride[0],
                     (long)in.stride[1], (long)in.stride[2]);
        cr_expect(guards_intact(out, count * bytes) && guards_intact(work, work_bytes),
                  "%s: wrote outside", isa_names[isa]);
        guarded_free(out);
        guarded_free(work);
    }
    free(expected);
    free(memory);
}

Test(blocks_reduce, random_shapes_of_every_dtype)
{
    for (int i = 0; i < 4000; i++) {
        const int rank = 1 + (int)random_below(4);
        int64_t shape[4];
        for (int d = 0; d < rank; d++) shape[d] = 1 + random_below(rank > 2 ? 9 : 40);
        check_reduce(ops[random_below(OPS)], (tg_dtype)random_below(TG_DT_COUNT), rank, shape,
                     (unsigned)random_below(1 << rank));
    }
}

Test(blocks_reduce, rows_of_every_length)
{
    static const tg_dtype dtypes[] = {TG_DT_f32, TG_DT_f64, TG_DT_i32, TG_DT_u64, TG_DT_bf16};
    for (int64_t n = 1; n < 300; n += n < 70 ? 1 : 13)
        for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
            for (int op = 0; op < 4; op++)
                check_reduce(ops[op], dtypes[t], 2, (int64_t[]){1 + random_below(40), n}, 2);
}

Test(blocks_reduce, long_rows_and_columns)
{
    static const int64_t lengths[] = {512, 777, 1024, 1025, 4096, 5000, 8192};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int op = 0; op < 4; op++) {
            check_reduce(ops[op], TG_DT_f32, 2, (int64_t[]){3, lengths[i]}, 2);
            check_reduce(ops[op], TG_DT_f64, 2, (int64_t[]){2, lengths[i]}, 2);
            check_reduce(ops[op], TG_DT_f32, 2, (int64_t[]){lengths[i], 3}, 1);
        }
    for (int op = 0; op < OPS; op++) {
        check_reduce(ops[op], TG_DT_f32, 2, (int64_t[]){77, 200}, 1);
        check_reduce(ops[op], TG_DT_i32, 3, (int64_t[]){5, 33, 130}, 2);
        check_reduce(ops[op], TG_DT_f16, 2, (int64_t[]){64, 2000}, 1);
    }
}

static double nothing_of(tg_opcode op, tg_dtype dtype)
{
    const tg_view empty = {.rank = 1, .shape = {0}, .stride = {1}};
    union {
        float f;
        double d;
        int32_t i;
        int8_t b;
        uint8_t u;
    } out;
    memset(&out, 0, sizeof out);
    tg_reduce(tg_elementwise_get("baseline"), op, dtype, &empty, 1, &out, NULL);
    switch (tg_carrier_of(dtype)) {
    case TG_C_f32: return (double)out.f;
    case TG_C_f64: return out.d;
    case TG_C_i32: return (double)out.i;
    case TG_C_i8: return (double)out.b;
    default: return (double)out.u;
    }
}

Test(blocks_reduce, nothing_gives_the_neutral_element)
{
    cr_expect_eq(nothing_of(TG_OP_reduce_sum, TG_DT_f32), 0);
    cr_expect_eq(nothing_of(TG_OP_reduce_prod, TG_DT_bf16), 1);
    cr_expect_eq(nothing_of(TG_OP_reduce_max, TG_DT_f64), -(double)INFINITY);
    cr_expect_eq(nothing_of(TG_OP_reduce_min, TG_DT_f16), (double)INFINITY);
    cr_expect_eq(nothing_of(TG_OP_reduce_min, TG_DT_f8e4m3fn), 448);
    cr_expect_eq(nothing_of(TG_OP_reduce_max, TG_DT_f8e4m3fnuz), -240);
    cr_expect_eq(nothing_of(TG_OP_reduce_min, TG_DT_f8e8m0fnu), ldexp(1, 127));
    cr_expect_eq(nothing_of(TG_OP_reduce_max, TG_DT_f8e8m0fnu), ldexp(1, -127));
    cr_expect_eq(nothing_of(TG_OP_reduce_max, TG_DT_i32), INT32_MIN);
    cr_expect_eq(nothing_of(TG_OP_reduce_min, TG_DT_i4), 7);
    cr_expect_eq(nothing_of(TG_OP_reduce_max, TG_DT_i4), -8);
    cr_expect_eq(nothing_of(TG_OP_reduce_and, TG_DT_i4), -1);
    cr_expect_eq(nothing_of(TG_OP_reduce_and, TG_DT_u4), 15);
    cr_expect_eq(nothing_of(TG_OP_reduce_and, TG_DT_bool), 1);
    cr_expect_eq(nothing_of(TG_OP_reduce_max, TG_DT_bool), 0);
    cr_expect_eq(nothing_of(TG_OP_reduce_min, TG_DT_bool), 1);
    cr_expect_eq(nothing_of(TG_OP_reduce_xor, TG_DT_u8), 0);
}

/* max prefers +0, min -0, wherever in the row they are. */
Test(blocks_reduce, zeros_have_an_order)
{
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const tg_elementwise *lanes = tg_elementwise_get(isa_names[isa]);
        if (lanes == NULL) continue;
        for (int at = 0; at < 100; at++) {
            float row[100], most, least;
            for (int i = 0; i < 100; i++) row[i] = i == at ? 0.0f : -0.0f;
            const tg_view in = {row, 1, {100}, {1}};
            char work[16384];
            cr_assert_leq(tg_reduce_workspace(&in, 1, TG_DT_f32), sizeof work);
            tg_reduce(lanes, TG_OP_reduce_max, TG_DT_f32, &in, 1, &most, work);
            for (int i = 0; i < 100; i++) row[i] = -row[i];
            tg_reduce(lanes, TG_OP_reduce_min, TG_DT_f32, &in, 1, &least, work);
            cr_expect(most == 0 && !signbit(most) && least == 0 && signbit(least), "%s at %d",
                      isa_names[isa], at);
        }
    }
}
