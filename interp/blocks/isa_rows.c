/* Sums, maxima and minima of contiguous rows, compiled once per instruction set.
 *
 * The sum's tree adds x[i] and x[i + s] for s = n/2, n/4, ... 1.  Down to s = LANES, it adds whole
 * vectors, and leaves each row as one vector.  The rest of the tree halves rows inside
 * vectors: LANES rows are folded together, so that every step works on full vectors and the sums
 * come out in order. */
#include "interp/blocks/isa_vec_impl.h"
#include "interp/blocks/kernels.h"
#include "interp/elementwise/isa_name.h"

static int64_t power_of_two_from(int64_t n)
{
    int64_t power = 1;
    while (power < n) power *= 2;
    return power;
}

#define SUM_ROWS(type, elem, identity)                                                             \
    /* Sums of rows of `len` lanes each, which fill `len` vectors without gaps. */                 \
    TG_INLINE vec_##type fold_##type(vec_##type *v, int len)                                       \
    {                                                                                              \
        UNROLLED for (; len > 1; len /= 2) UNROLLED for (int j = 0; j < len / 2; j++)              \
        {                                                                                          \
            vec_##type lower, upper;                                                               \
            halve_##type(v[2 * j], v[2 * j + 1], len, &lower, &upper);                             \
            v[j] = lower + upper;                                                                  \
        }                                                                                          \
        return v[0];                                                                               \
    }                                                                                              \
    TG_INLINE vec_##type at_##type(const elem *x, int64_t part, int64_t step)                      \
    {                                                                                              \
        return load_##type(x + part * step);                                                       \
    }                                                                                              \
    /* The tree down to one vector; len is a power of two >= LANES, `work` may be x. */            \
    static vec_##type sum_vectors_##type(const elem *x, int64_t len, elem *work)                   \
    {                                                                                              \
        for (; len >= 16 * LANES_##type; len /= 8) { /* three levels at once */                    \
            const int64_t s = len / 8;                                                             \
            for (int64_t i = 0; i < s; i += LANES_##type) {                                        \
                const elem *y = x + i;                                                             \
                store_##type(work + i, ((at_##type(y, 0, s) + at_##type(y, 4, s)) +                \
                                        (at_##type(y, 2, s) + at_##type(y, 6, s))) +               \
                                           ((at_##type(y, 1, s) + at_##type(y, 5, s)) +            \
                                            (at_##type(y, 3, s) + at_##type(y, 7, s))));           \
            }                                                                                      \
            x = work;                                                                              \
        }                                                                                          \
        const int64_t s = LANES_##type;                                                            \
        switch (len / s) {                                                                         \
        case 8:                                                                                    \
            return ((at_##type(x, 0, s) + at_##type(x, 4, s)) +                                    \
                    (at_##type(x, 2, s) + at_##type(x, 6, s))) +                                   \
                   ((at_##type(x, 1, s) + at_##type(x, 5, s)) +                                    \
                    (at_##type(x, 3, s) + at_##type(x, 7, s)));                                    \
        case 4:                                                                                    \
            return (at_##type(x, 0, s) + at_##type(x, 2, s)) +                                     \
                   (at_##type(x, 1, s) + at_##type(x, 3, s));                                      \
        case 2: return at_##type(x, 0, s) + at_##type(x, 1, s);                                    \
        default: return load_##type(x);                                                            \
        }                                                                                          \
    }                                                                                              \
    /* The same for a row of any length n > LANES. */                                              \
    static vec_##type sum_row_##type(const elem *row, int64_t n, int64_t power, elem *work)        \
    {                                                                                              \
        if (n == power) return sum_vectors_##type(row, n, work);                                   \
        const int64_t s = power / 2;                                                               \
        for (int64_t i = 0; i < n - s; i++) work[i] = row[i] + row[i + s];                         \
        memcpy(work + (n - s), row + (n - s), (size_t)(2 * s - n) * sizeof *work);                 \
        return sum_vectors_##type(work, s, work);                                                  \
    }                                                                                              \
    /* LANES rows of n <= LANES; to add the identity for an absent partner changes nothing. */     \
    static vec_##type sum_short_rows_##type(const elem *in, int64_t row_stride, int64_t rows,      \
                                            int64_t n, int64_t power)                              \
    {                                                                                              \
        elem packed[LANES_##type * LANES_##type];                                                  \
        vec_##type v[LANES_##type];                                                                \
        if (row_stride != power || n != power || rows < LANES_##type) {                            \
            for (int64_t i = 0; i < LANES_##type * power; i++) packed[i] = identity;               \
            for (int64_t r = 0; r < rows; r++)                                                     \
                for (int64_t i = 0; i < n; i++) packed[r * power + i] = in[r * row_stride + i];    \
            in = packed;                                                                           \
        }                                                                                          \
        for (int64_t j = 0; j < power; j++) v[j] = load_##type(in + j * LANES_##type);             \
        switch (power) {                                                                           \
        case 1: return v[0];                                                                       \
        case 2: return fold_##type(v, 2);                                                          \
        case 4: return fold_##type(v, LANES_##type < 4 ? LANES_##type : 4);                        \
        case 8: return fold_##type(v, LANES_##type < 8 ? LANES_##type : 8);                        \
        default: return fold_##type(v, LANES_##type);                                              \
        }                                                                                          \
    }                                                                                              \
    static void sum_rows_##type(void *out, const void *in, int64_t row_stride, int64_t rows,       \
                                int64_t n, void *work)                                             \
    {                                                                                              \
        const int64_t power = power_of_two_from(n);                                                \
        for (int64_t r = 0; r < rows; r += LANES_##type) {                                         \
            const int64_t count = rows - r < LANES_##type ? rows - r : LANES_##type;               \
            const elem *from = (const elem *)in + r * row_stride;                                  \
            vec_##type sums;                                                                       \
            if (n <= LANES_##type)                                                                 \
                sums = sum_short_rows_##type(from, row_stride, count, n, power);                   \
            else {                                                                                 \
                vec_##type v[LANES_##type] = {{0}};                                                \
                for (int64_t i = 0; i < count; i++)                                                \
                    v[i] = sum_row_##type(from + i * row_stride, n, power, work);                  \
                sums = fold_##type(v, LANES_##type);                                               \
            }                                                                                      \
            memcpy((elem *)out + r, &sums, (size_t)count * sizeof(elem));                          \
        }                                                                                          \
    }
SUM_ROWS(f32, float, -0.0f)
SUM_ROWS(f64, double, -0.0)
SUM_ROWS(u32, uint32_t, 0)
SUM_ROWS(u64, uint64_t, 0)

/* Maxima and minima, in any order.  Any NaN gives NaN.  Of zeros it matters only whether there is
 * one of the preferred sign; it is searched only if the result is a zero.  `before` is the
 * comparison, `preferred` the zero that wins. */
#define EXTREME_ROWS(name, type, elem, before, preferred, not_a_number)                            \
    static elem name##_zero_##type(const elem *row, int64_t n)                                     \
    {                                                                                              \
        const elem wanted = preferred;                                                             \
        for (int64_t i = 0; i < n; i++)                                                            \
            if (memcmp(&row[i], &wanted, sizeof wanted) == 0) return wanted;                       \
        return -wanted;                                                                            \
    }                                                                                              \
    static elem name##_short_row_##type(const elem *row, int64_t n)                                \
    {                                                                                              \
        elem best = row[0];                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                          \
            if (row[i] != row[i]) return row[i];                                                   \
            if (row[i] before best) best = row[i];                                                 \
        }                                                                                          \
        return best;                                                                               \
    }                                                                                              \
    static elem name##_long_row_##type(const elem *row, int64_t n)                                 \
    {                                                                                              \
        const int64_t lanes = LANES_##type;                                                        \
        vec_##type best[4];                                                                        \
        nans_##type nans = no_nans_##type();                                                       \
        for (int q = 0; q < 4; q++) best[q] = load_##type(row);                                    \
        int64_t i = 0;                                                                             \
        for (; i + 4 * lanes <= n; i += 4 * lanes) {                                               \
            vec_##type x[4];                                                                       \
            UNROLLED for (int q = 0; q < 4; q++) x[q] = load_##type(row + i + q * lanes);          \
            UNROLLED for (int q = 0; q < 4; q++) best[q] = name##_##type(x[q], best[q]);           \
            nans = unordered_##type(unordered_##type(nans, x[0], x[1]), x[2], x[3]);               \
        }                                                                                          \
        for (; i < n; i += lanes) { /* the last vector may overlap the one before */               \
            const vec_##type x = load_##type(row + (i + lanes <= n ? i : n - lanes));              \
            best[0] = name##_##type(x, best[0]);                                                   \
            nans = unordered_##type(nans, x, x);                                                   \
        }                                                                                          \
        if (any_nans_##type(nans)) return not_a_number;                                            \
        vec_##type all =                                                                           \
            name##_##type(name##_##type(best[0], best[1]), name##_##type(best[2], best[3]));       \
        UNROLLED for (int len = LANES_##type; len > 1; len /= 2)                                   \
        {                                                                                          \
            vec_##type lower, upper;                                                               \
            halve_##type(all, all, len, &lower, &upper);                                           \
            all = name##_##type(lower, upper);                                                     \
        }                                                                                          \
        return all[0];                                                                             \
    }                                                                                              \
    static void name##_rows_##type(void *out, const void *in, int64_t row_stride, int64_t rows,    \
                                   int64_t n, void *work)                                          \
    {                                                                                              \
        (void)work;                                                                                \
        for (int64_t r = 0; r < rows; r++) {                                                       \
            const elem *row = (const elem *)in + r * row_stride;                                   \
            elem best = n < LANES_##type ? name##_short_row_##type(row, n)                         \
                                         : name##_long_row_##type(row, n);                         \
            ((elem *)out)[r] = best == 0 ? name##_zero_##type(row, n) : best;                      \
        }                                                                                          \
    }
EXTREME_ROWS(max, f32, float, >, 0.0f, NAN)
EXTREME_ROWS(min, f32, float, <, -0.0f, NAN)
EXTREME_ROWS(max, f64, double, >, 0.0, (double)NAN)
EXTREME_ROWS(min, f64, double, <, -0.0, (double)NAN)

tg_rows_fn *const TG_ISA_NAME(tg_sum_rows)[TG_KERNEL_TYPES] = {
    [TG_KERNEL_F32] = sum_rows_f32,
    [TG_KERNEL_F64] = sum_rows_f64,
    [TG_KERNEL_U32] = sum_rows_u32,
    [TG_KERNEL_U64] = sum_rows_u64,
};
tg_rows_fn *const TG_ISA_NAME(tg_max_rows)[TG_KERNEL_TYPES] = {
    [TG_KERNEL_F32] = max_rows_f32,
    [TG_KERNEL_F64] = max_rows_f64,
};
tg_rows_fn *const TG_ISA_NAME(tg_min_rows)[TG_KERNEL_TYPES] = {
    [TG_KERNEL_F32] = min_rows_f32,
    [TG_KERNEL_F64] = min_rows_f64,
};
