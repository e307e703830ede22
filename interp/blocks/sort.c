/* Sorting: each row gets an order, which each key refines, the least significant key first; then
 * every operand is copied in that order.
 *
 * A key becomes one or two unsigned words of 32 bits that compare as its values do.  A word and the
 * index of its element make one integer of 64 bits.  These are sorted by their upper half, stably:
 * short rows by insertion, others by radix, a byte at a time.  A byte that is the same in all words
 * is only looked at, not sorted by. */
#include "interp/blocks/sort.h"

#include <string.h>

#include "interp/blocks/chunks.h"
#include "interp/blocks/copy.h"

enum { SHORT_ROW = 40, DIGITS = 4, BUCKETS = 256 };

/* ---- words ---- */

/* Unsigned ints in the order of the floats: all bits of a negative float are inverted, else only
 * the sign. */
#define FLOAT_ORDER(bits, top, NAN_BITS)                                                           \
    static inline uint##bits##_t order_f##bits(uint##bits##_t x, bool total)                       \
    {                                                                                              \
        const uint##bits##_t sign = (uint##bits##_t)1 << (bits - 1), size = x & (sign - 1);        \
        uint##bits##_t plain = size == 0 ? 0 : x;                                                  \
        plain = size > (top) ? (NAN_BITS) : plain;                                                 \
        x = total ? x : plain;                                                                     \
        return x & sign ? ~x : x | sign;                                                           \
    }
FLOAT_ORDER(32, 0x7f800000u, 0x7fc00000u)
FLOAT_ORDER(64, 0x7ff0000000000000u, 0x7ff8000000000000u)

#define UNSIGNED_ORDER(x, total) ((void)(total), (x))
#define SIGNED_ORDER_8(x, total) ((void)(total), (uint8_t)((x) ^ 0x80))
#define SIGNED_ORDER_16(x, total) ((void)(total), (uint16_t)((x) ^ 0x8000))
#define SIGNED_ORDER_32(x, total) ((void)(total), (x) ^ 0x80000000u)
#define SIGNED_ORDER_64(x, total) ((void)(total), (x) ^ ((uint64_t)1 << 63))

/* How one key orders a row. */
typedef struct key {
    const void *row; /* its elements, dense */
    bool total;
    uint64_t flip; /* all ones if the greatest comes first */
    int shift;     /* offset of the word in a wide key */
} key;

/* packed[i] = the word of element order[i], above order[i]. */
typedef void pack_fn(const key *k, const uint32_t *order, int64_t n, uint64_t *packed);

#define PACK(carrier, U, ORDER)                                                                    \
    static void pack_##carrier(const key *k, const uint32_t *order, int64_t n, uint64_t *packed)   \
    {                                                                                              \
        const U *row = k->row;                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const U ordered = ORDER(row[order[i]], k->total);                                      \
            const uint32_t word = (uint32_t)((U)(ordered ^ (U)k->flip) >> k->shift);               \
            packed[i] = (uint64_t)word << 32 | order[i];                                           \
        }                                                                                          \
    }
PACK(b8, uint8_t, UNSIGNED_ORDER)
PACK(u8, uint8_t, UNSIGNED_ORDER)
PACK(u16, uint16_t, UNSIGNED_ORDER)
PACK(u32, uint32_t, UNSIGNED_ORDER)
PACK(u64, uint64_t, UNSIGNED_ORDER)
PACK(i8, uint8_t, SIGNED_ORDER_8)
PACK(i16, uint16_t, SIGNED_ORDER_16)
PACK(i32, uint32_t, SIGNED_ORDER_32)
PACK(i64, uint64_t, SIGNED_ORDER_64)
PACK(f32, uint32_t, order_f32)
PACK(f64, uint64_t, order_f64)

static pack_fn *const packers[TG_C_COUNT] = {
#define X(id, type) [TG_C_##id] = pack_##id,
    TG_CARRIERS(X)
#undef X
};

/* ---- sorting by the upper half, stably ---- */

static void sort_short(uint64_t *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const uint64_t moved = a[i];
        int64_t at = i;
        for (; at > 0 && a[at - 1] >> 32 > moved >> 32; at--) a[at] = a[at - 1];
        a[at] = moved;
    }
}

/* Moves the elements of `from` to `to`, sorted by one byte; `count` has the frequency of each
 * value. */
static void sort_digit(const uint64_t *from, uint64_t *to, int64_t n, int shift,
                       const uint32_t *count)
{
    uint32_t next[BUCKETS], first = 0;
    for (int b = 0; b < BUCKETS; b++) {
        next[b] = first;
        first += count[b];
    }
    for (int64_t i = 0; i < n; i++) to[next[from[i] >> shift & 0xff]++] = from[i];
}

/* Sorts `a`, with `b` as a buffer, both of n elements; returns the one that holds the result. */
static uint64_t *sort_packed(uint64_t *a, uint64_t *b, int64_t n, int digits)
{
    uint32_t count[DIGITS][BUCKETS] = {{0}};
    if (n <= SHORT_ROW) {
        sort_short(a, n);
        return a;
    }
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < digits; d++) count[d][a[i] >> (32 + 8 * d) & 0xff]++;
    for (int d = 0; d < digits; d++) {
        const int shift = 32 + 8 * d;
        if (count[d][a[0] >> shift & 0xff] == n) continue;
        sort_digit(a, b, n, shift, count[d]);
        uint64_t *kept = a;
        a = b;
        b = kept;
    }
    return a;
}

/* ---- rows ---- */

/* The parts of the workspace. */
typedef struct parts {
    uint32_t *order;     /* [row][n]: the element at each position */
    uint64_t *packed[2]; /* n each */
    char *rows[2];       /* a chunk of rows each: copied from an operand, and put in order */
} parts;

static size_t aligned(int64_t bytes) { return ((size_t)bytes + 63) / 64 * 64; }

static size_t order_bytes(const tg_split *split)
{
    return aligned(split->along.count * split->kept.count * 4);
}

static size_t packed_bytes(const tg_split *split) { return aligned(split->along.count * 8); }

static size_t rows_bytes(const tg_split *split)
{
    return aligned(split->along.count * tg_chunk_size(split) * 8);
}

static parts parts_of(const tg_split *split, void *workspace)
{
    char *packed = (char *)workspace + order_bytes(split), *rows = packed + 2 * packed_bytes(split);
    return (parts){.order = workspace,
                   .packed = {(void *)packed, (void *)(packed + packed_bytes(split))},
                   .rows = {rows, rows + rows_bytes(split)}};
}

size_t tg_sort_workspace(const tg_view *in, int axis)
{
    const tg_split split = tg_split_view(in, 1u << axis);
    return order_bytes(&split) + 2 * (packed_bytes(&split) + rows_bytes(&split));
}

/* Copies the rows of a chunk to `to`, one after the other. */
static void take_rows(const tg_split *split, const tg_chunk *chunk, const void *data, size_t bytes,
                      void *to)
{
    const tg_view rows =
        tg_dims_view(tg_element_at(data, chunk->offset, bytes), &chunk->dims, &split->along);
    int64_t dense[TG_MAX_RANK];
    tg_dense_strides(rows.rank, rows.shape, dense);
    tg_copy_view(to, dense, &rows, bytes);
}

void tg_sort_start(const tg_view *in, int axis, void *workspace)
{
    const tg_split split = tg_split_view(in, 1u << axis);
    uint32_t *order = parts_of(&split, workspace).order;
    const int64_t n = split.along.count;
    for (int64_t r = 0; r < split.kept.count; r++)
        for (int64_t i = 0; i < n; i++) order[r * n + i] = (uint32_t)i;
}

/* Refines the order of one row. */
static void sort_row(const parts *p, const key *k, tg_carrier carrier, int64_t n, uint32_t *order)
{
    const int bytes = tg_carrier_bytes[carrier], words = bytes > 4 ? 2 : 1;
    key word = *k;
    for (int w = 0; w < words; w++) {
        word.shift = 32 * w;
        packers[carrier](&word, order, n, p->packed[0]);
        const uint64_t *sorted =
            sort_packed(p->packed[0], p->packed[1], n, bytes > DIGITS ? DIGITS : bytes);
        for (int64_t i = 0; i < n; i++) order[i] = (uint32_t)sorted[i];
    }
}

void tg_sort_by(const tg_view *in, tg_dtype dtype, int axis, bool descending, bool total,
                void *workspace)
{
    const tg_split split = tg_split_view(in, 1u << axis);
    const parts p = parts_of(&split, workspace);
    const tg_carrier carrier = tg_carrier_of(dtype);
    const size_t bytes = tg_carrier_bytes[carrier];
    const int64_t n = split.along.count;
    if (n < 2) return;
    for (tg_chunk c = {0}; tg_chunk_next(&split.kept, tg_chunk_size(&split), &c);) {
        take_rows(&split, &c, in->data, bytes, p.rows[0]);
        for (int64_t r = 0; r < c.dims.count; r++) {
            const key k = {.row = p.rows[0] + r * n * (int64_t)bytes,
                           .total = total,
                           .flip = descending ? UINT64_MAX : 0};
            sort_row(&p, &k, carrier, n, p.order + (c.first + r) * n);
        }
    }
}

/* to[i] = from[order[i]] */
static void take_in_order(void *to, const void *from, const uint32_t *order, int64_t n,
                          size_t bytes)
{
    switch (bytes) {
#define CASE(size, U)                                                                              \
    case size:                                                                                     \
        for (int64_t i = 0; i < n; i++) ((U *)to)[i] = ((const U *)from)[order[i]];                \
        break;
        CASE(1, uint8_t)
        CASE(2, uint16_t)
        CASE(4, uint32_t)
        CASE(8, uint64_t)
#undef CASE
    default: break;
    }
}

void tg_sort_apply(const tg_view *in, size_t bytes, int axis, void *out, void *workspace)
{
    tg_view result = *in;
    result.data = out;
    tg_dense_strides(result.rank, result.shape, result.stride);
    const tg_split from = tg_split_view(in, 1u << axis), to = tg_split_view(&result, 1u << axis);
    const parts p = parts_of(&from, workspace);
    const int64_t n = from.along.count, most = tg_chunk_size(&from);
    tg_chunk source = {0}, target = {0};
    if (n == 0) return;
    while (tg_chunk_next(&from.kept, most, &source) && tg_chunk_next(&to.kept, most, &target)) {
        take_rows(&from, &source, in->data, bytes, p.rows[0]);
        for (int64_t r = 0; r < source.dims.count; r++)
            take_in_order(p.rows[1] + r * n * (int64_t)bytes, p.rows[0] + r * n * (int64_t)bytes,
                          p.order + (source.first + r) * n, n, bytes);
        tg_view rows = tg_dims_view(p.rows[1], &target.dims, &to.along);
        int64_t placed[TG_MAX_RANK];
        memcpy(placed, rows.stride, sizeof placed);
        tg_dense_strides(rows.rank, rows.shape, rows.stride);
        tg_copy_view((char *)out + target.offset * (int64_t)bytes, placed, &rows, bytes);
    }
}
