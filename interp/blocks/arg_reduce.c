/* argmax and argmin: the index of the first of the greatest or least elements, or of the first
 * NaN. */
#include "interp/blocks/arg_reduce.h"

#include "interp/blocks/chunks.h"

enum { COLUMNS = 64 };

/* Where to search: for each of `count` results, `step` apart, n >= 1 elements, `along` apart. */
typedef struct search {
    const void *data;
    int64_t n, along, count, step;
} search;

typedef void search_fn(const search *s, int64_t *index);

/* Goes row by row if the elements of one result are closer together than the results are, else side
 * by side.  For ints the tests for NaN fold away. */
#define SEARCH(name, carrier, type, before)                                                        \
    static void name##_in_rows_##carrier(const search *s, int64_t *index)                          \
    {                                                                                              \
        for (int64_t j = 0; j < s->count; j++) {                                                   \
            const type *x = (const type *)s->data + j * s->step;                                   \
            type best = x[0];                                                                      \
            int64_t found = 0;                                                                     \
            for (int64_t i = 1; i < s->n && !IS_NAN(best); i++) {                                  \
                const type next = x[i * s->along];                                                 \
                if (next before best || IS_NAN(next)) {                                            \
                    best = next;                                                                   \
                    found = i;                                                                     \
                }                                                                                  \
            }                                                                                      \
            index[j] = found;                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name##_in_columns_##carrier(const search *s, int64_t *index)                       \
    {                                                                                              \
        type best[COLUMNS];                                                                        \
        const type *x = s->data;                                                                   \
        for (int64_t j = 0; j < s->count; j++) {                                                   \
            best[j] = x[j * s->step];                                                              \
            index[j] = 0;                                                                          \
        }                                                                                          \
        for (int64_t i = 1; i < s->n; i++) {                                                       \
            x += s->along;                                                                         \
            for (int64_t j = 0; j < s->count; j++) {                                               \
                const type next = x[j * s->step];                                                  \
                const bool take = (next before best[j]) | (IS_NAN(next) & !IS_NAN(best[j]));       \
                best[j] = take ? next : best[j];                                                   \
                index[j] = take ? i : index[j];                                                    \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name##_##carrier(const search *s, int64_t *index)                                  \
    {                                                                                              \
        const int64_t along = s->along < 0 ? -s->along : s->along;                                 \
        const int64_t step = s->step < 0 ? -s->step : s->step;                                     \
        if (along < step || s->count == 1)                                                         \
            name##_in_rows_##carrier(s, index);                                                    \
        else                                                                                       \
            name##_in_columns_##carrier(s, index);                                                 \
    }
#define SEARCHES(carrier, type) SEARCH(argmax, carrier, type, >) SEARCH(argmin, carrier, type, <)

#define IS_NAN(x) ((x) != (x))
SEARCHES(f32, float)
SEARCHES(f64, double)
#undef IS_NAN
#define IS_NAN(x) false
SEARCHES(b8, uint8_t)
SEARCHES(i8, int8_t)
SEARCHES(i16, int16_t)
SEARCHES(i32, int32_t)
SEARCHES(i64, int64_t)
SEARCHES(u8, uint8_t)
SEARCHES(u16, uint16_t)
SEARCHES(u32, uint32_t)
SEARCHES(u64, uint64_t)
#undef IS_NAN

static search_fn *const searches[TG_C_COUNT][2] = {
#define X(id, type) [TG_C_##id] = {argmax_##id, argmin_##id},
    TG_CARRIERS(X)
#undef X
};

static void store_indices(const int64_t *index, int64_t count, size_t bytes, void *out,
                          int64_t first)
{
    for (int64_t i = 0; i < count; i++) {
        switch (bytes) {
        case 1: ((int8_t *)out)[first + i] = (int8_t)index[i]; break;
        case 2: ((int16_t *)out)[first + i] = (int16_t)index[i]; break;
        case 4: ((int32_t *)out)[first + i] = (int32_t)index[i]; break;
        default: ((int64_t *)out)[first + i] = index[i]; break;
        }
    }
}

void tg_arg_reduce(tg_opcode op, tg_dtype dtype, const tg_view *in, int axis, tg_dtype index,
                   void *out)
{
    const tg_carrier carrier = tg_carrier_of(dtype);
    tg_split split = tg_split_view(in, 1u << axis);
    tg_dims *kept = &split.kept;
    tg_dims_join(kept);
    search_fn *find = searches[carrier][op == TG_OP_argmin];
    int64_t most = kept->rank > 0 ? kept->shape[kept->rank - 1] : 1;
    if (most > COLUMNS) most = COLUMNS;
    for (tg_chunk c = {0}; tg_chunk_next(kept, most, &c);) {
        int64_t found[COLUMNS] = {0};
        const search s = {.data = tg_element_at(in->data, c.offset, tg_carrier_bytes[carrier]),
                          .n = split.along.count,
                          .along = split.along.stride[0],
                          .count = c.dims.count,
                          .step = c.dims.rank > 0 ? c.dims.stride[c.dims.rank - 1] : 0};
        if (s.n > 0) find(&s, found);
        store_indices(found, s.count, tg_carrier_bytes[tg_carrier_of(index)], out, c.first);
    }
}
