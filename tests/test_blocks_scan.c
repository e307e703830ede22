/* Running and arg- reductions against plain loops. */
#include <criterion/criterion.h>

#include "tests/sampled.h"
#include "tests/test_blocks.h"

typedef struct pair {
    tg_opcode scan, step;
} pair;
static const pair scans[] = {{TG_OP_cumsum, TG_OP_add},
                             {TG_OP_cumprod, TG_OP_mul},
                             {TG_OP_cummax, TG_OP_max},
                             {TG_OP_cummin, TG_OP_min}};

/* Distance of neighbours along `axis` in a dense array of the view's shape. */
static int64_t dense_stride(const tg_view *view, int axis)
{
    int64_t stride = 1;
    for (int d = axis + 1; d < view->rank; d++) stride *= view->shape[d];
    return stride;
}

static void naive_scan(tg_elementwise_call op, const tg_view *in, int axis, bool reverse,
                       size_t bytes, char *out)
{
    const int64_t n = in->shape[axis], stride = dense_stride(in, axis), count = view_count(in);
    for (int64_t k = 0; k < count; k++) {
        const int64_t i = reverse ? count - 1 - k : k, position = i / stride % n;
        char *to = out + (size_t)i * bytes;
        memcpy(to, view_at(in, i, bytes), bytes);
        if (position == (reverse ? n - 1 : 0)) continue;
        const char *before = out + (size_t)(reverse ? i + stride : i - stride) * bytes;
        op.compute(to, (const void *const[]){before, to}, 0, 1, 0);
        if (op.finish) op.finish(to, (const void *const[]){to}, 0, 1, 0);
    }
}

static void check_scan(pair op, tg_dtype dtype, int rank, const int64_t *shape, int axis,
                       bool reverse)
{
    const size_t bytes = element_bytes(dtype);
    void *memory;
    const tg_view in = random_view(dtype, rank, shape, &memory);
    const size_t out_bytes = (size_t)view_count(&in) * bytes;
    char *expected = malloc(out_bytes + 1);
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const tg_elementwise *lanes = tg_elementwise_get(isa_names[isa]);
        if (lanes == NULL) continue;
        const tg_elementwise_call step = tg_elementwise_op(lanes, op.step, dtype, dtype);
        if (step.compute == NULL) break;
        naive_scan(step, &in, axis, reverse, bytes, expected);
        const size_t work_bytes = tg_scan_workspace(&in, axis, dtype);
        char *out = guarded(out_bytes), *work = guarded(work_bytes);
        tg_scan(lanes, op.scan, dtype, &in, axis, reverse, out, work);
        cr_expect_eq(first_difference(dtype, out, expected, view_count(&in)), -1,
                     "%s %s %s rank=%d axis=%d reverse=%d shape %ld,%ld,%ld", isa_names[isa],
                     tg_ops[op.scan].name, tg_dtypes[dtype].name, rank, axis, reverse,
                     (long)shape[0], (long)shape[1], (long)shape[2]);
        cr_expect(guards_intact(out, out_bytes) && guards_intact(work, work_bytes),
                  "%s: wrote outside", isa_names[isa]);
        guarded_free(out);
        guarded_free(work);
    }
    free(expected);
    free(memory);
}

Test(blocks_scan, random_shapes_of_every_dtype)
{
    for (int i = 0; i < sampled(3000, 600); i++) {
        const int rank = 1 + (int)random_below(4);
        int64_t shape[4] = {1, 1, 1, 1};
        for (int d = 0; d < rank; d++) shape[d] = random_below(rank > 2 ? 10 : 100);
        check_scan(scans[random_below(4)], (tg_dtype)random_below(TG_DT_COUNT), rank, shape,
                   (int)random_below(rank), random_bits() & 1);
    }
}

Test(blocks_scan, more_results_than_a_chunk)
{
    for (int i = 0; i < sampled(4, 1); i++) {
        check_scan(scans[i], TG_DT_f32, 3, (int64_t[]){70, 300, 3}, 1, i & 1);
        check_scan(scans[i], TG_DT_i16, 3, (int64_t[]){7, 50, 2000}, 2, i & 1);
        check_scan(scans[i], TG_DT_bf16, 3, (int64_t[]){3, 50, 200}, 1, i & 1);
    }
}

static double number_at(const void *x, tg_carrier carrier)
{
    switch (carrier) {
    case TG_C_f32: return (double)*(const float *)x;
    case TG_C_f64: return *(const double *)x;
    case TG_C_i8: return *(const int8_t *)x;
    case TG_C_i16: return *(const int16_t *)x;
    case TG_C_i32: return *(const int32_t *)x;
    case TG_C_u16: return *(const uint16_t *)x;
    case TG_C_u32: return *(const uint32_t *)x;
    default: return *(const uint8_t *)x;
    }
}

static void check_arg(bool greatest, tg_dtype dtype, int rank, const int64_t *shape, int axis)
{
    const size_t bytes = element_bytes(dtype);
    void *memory;
    const tg_view in = random_view(dtype, rank, shape, &memory);
    tg_view rows = in;
    rows.shape[axis] = 1;
    const int64_t count = view_count(&rows);
    int32_t *out = malloc((size_t)count * sizeof *out + 1);
    tg_arg_reduce(greatest ? TG_OP_argmax : TG_OP_argmin, dtype, &in, axis, TG_DT_i32, out);
    for (int64_t i = 0; i < count; i++) {
        const char *row = view_at(&rows, i, bytes);
        int64_t expected = 0;
        double best = number_at(row, tg_carrier_of(dtype));
        for (int64_t j = 0; j < shape[axis] && !isnan(best); j++) {
            const double x =
                number_at(row + j * in.stride[axis] * (int64_t)bytes, tg_carrier_of(dtype));
            if (!isnan(x) && (greatest ? x <= best : x >= best)) continue;
            best = x;
            expected = j;
        }
        cr_expect_eq(out[i], expected, "%s %s axis=%d result %ld: %d, not %ld",
                     greatest ? "argmax" : "argmin", tg_dtypes[dtype].name, axis, (long)i, out[i],
                     (long)expected);
    }
    free(out);
    free(memory);
}

Test(blocks_scan, arg_reductions)
{
    for (int i = 0; i < 4000; i++) {
        const tg_dtype dtype = (tg_dtype)random_below(TG_DT_COUNT);
        if (dtype == TG_DT_i64 || dtype == TG_DT_u64) continue; /* beyond what number_at holds */
        const int rank = 1 + (int)random_below(3);
        int64_t shape[3];
        for (int d = 0; d < rank; d++) shape[d] = 1 + random_below(i % 20 ? 12 : 90);
        check_arg(random_bits() & 1, dtype, rank, shape, (int)random_below(rank));
    }
}

Test(blocks_scan, arg_reductions_of_wide_ints)
{
    const int64_t x[] = {INT64_MAX - 1, INT64_MAX, INT64_MIN, INT64_MIN + 1};
    const tg_view in = {x, 1, {4}, {1}};
    int64_t out;
    int8_t narrow;
    tg_arg_reduce(TG_OP_argmax, TG_DT_i64, &in, 0, TG_DT_i64, &out);
    cr_expect_eq(out, 1);
    tg_arg_reduce(TG_OP_argmin, TG_DT_i64, &in, 0, TG_DT_i64, &out);
    cr_expect_eq(out, 2);
    tg_arg_reduce(TG_OP_argmax, TG_DT_u64, &in, 0, TG_DT_u8, &narrow);
    cr_expect_eq(narrow, 3);
}
