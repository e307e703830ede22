/* Moves strided elements.  A copy becomes planes of two dimensions, walked by an odometer over the rest:
 *
 *   rows   the dimension along which the destination is closest also suits the source: runs
 *   tiles  source and destination each run along a dimension of their own: a transpose, done in square
 *          tiles that are one cache line wide on both sides                                       */
#include "interp/blocks/blocks.h"

#include <string.h>

#define UNROLLED _Pragma("GCC unroll 16")

typedef struct dim {
    int64_t extent, to, from; /* strides of destination and source in elements */
} dim;

typedef struct plane {
    dim outer, inner;
} plane;

typedef void plane_fn(void *dst, const void *src, const plane *p);

#define ROWS(bits)                                                                                 \
    static void fill_run_##bits(uint##bits##_t *to, uint##bits##_t value, int64_t count)           \
    {                                                                                              \
        enum { N = 128 / bits };                                                                   \
        uint##bits##_t block[N];                                                                   \
        for (int j = 0; j < N; j++) block[j] = value;                                              \
        int64_t j = 0;                                                                             \
        for (; j + N <= count; j += N) memcpy(to + j, block, sizeof block);                        \
        for (; j < count; j++) to[j] = value;                                                      \
    }                                                                                              \
    static void copy_rows_##bits(void *dst, const void *src, const plane *p)                       \
    {                                                                                              \
        const dim run = p->inner;                                                                  \
        for (int64_t i = 0; i < p->outer.extent; i++) {                                            \
            uint##bits##_t *to = (uint##bits##_t *)dst + i * p->outer.to;                          \
            const uint##bits##_t *from = (const uint##bits##_t *)src + i * p->outer.from;          \
            if (run.to == 1 && run.from == 1)                                                      \
                memcpy(to, from, (size_t)run.extent * sizeof *to);                                 \
            else if (run.to == 1 && run.from == 0)                                                 \
                fill_run_##bits(to, *from, run.extent);                                            \
            else if (run.to == 1 && run.from == -1)                                                \
                for (int64_t j = 0; j < run.extent; j++) to[j] = from[-j];                         \
            else                                                                                   \
                for (int64_t j = 0; j < run.extent; j++) to[j * run.to] = from[j * run.from];      \
        }                                                                                          \
    }
ROWS(8)
ROWS(16)
ROWS(32)
ROWS(64)

/* Transposes a square of 16-byte rows: each stage interleaves row i with the row half a square below. */
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
#define INTERLEAVE(bits, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define INTERLEAVE(bits, a, b, ...) __builtin_shuffle(a, b, (vec_##bits){__VA_ARGS__})
#endif
#define LOW_64 0, 2
#define HIGH_64 1, 3
#define LOW_32 0, 4, 1, 5
#define HIGH_32 2, 6, 3, 7
#define LOW_16 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_16 4, 12, 5, 13, 6, 14, 7, 15
#define LOW_8 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_8 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31

enum { LINE_BYTES = 64 };

/* src[j * from + i] goes to dst[i * to + j] for a full tile: `from` and `to` are the strides of the rows. */
#define TILE(bits, stages)                                                                         \
    typedef uint##bits##_t vec_##bits __attribute__((vector_size(16)));                            \
    static void copy_square_##bits(uint##bits##_t *dst, int64_t to, const uint##bits##_t *src,     \
                                   int64_t from)                                                   \
    {                                                                                              \
        enum { N = 128 / bits };                                                                   \
        vec_##bits row[N], mixed[N];                                                               \
        UNROLLED for (int i = 0; i < N; i++) memcpy(&row[i], src + i * from, 16);                  \
        UNROLLED for (int stage = 0; stage < stages; stage++)                                      \
        {                                                                                          \
            UNROLLED for (int i = 0; i < N / 2; i++)                                               \
            {                                                                                      \
                mixed[2 * i] = INTERLEAVE(bits, row[i], row[i + N / 2], LOW_##bits);               \
                mixed[2 * i + 1] = INTERLEAVE(bits, row[i], row[i + N / 2], HIGH_##bits);          \
            }                                                                                      \
            UNROLLED for (int i = 0; i < N; i++) row[i] = mixed[i];                                \
        }                                                                                          \
        UNROLLED for (int i = 0; i < N; i++) memcpy(dst + i * to, &row[i], 16);                    \
    }                                                                                              \
    /* Through a buffer, so that each line of either side is touched once. */                      \
    static void copy_tile_##bits(uint##bits##_t *dst, int64_t to, const uint##bits##_t *src,       \
                                 int64_t from)                                                     \
    {                                                                                              \
        enum { N = 128 / bits, T = 8 * LINE_BYTES / bits };                                        \
        uint##bits##_t tile[T * T];                                                                \
        for (int j = 0; j < T; j += N)                                                             \
            for (int i = 0; i < T; i += N)                                                         \
                copy_square_##bits(tile + i * T + j, T, src + j * from + i, from);                 \
        for (int i = 0; i < T; i++) memcpy(dst + i * to, tile + i * T, LINE_BYTES);                \
    }                                                                                              \
    /* A tile cut short, or one whose sides have other strides than 1. */                          \
    static void copy_part_##bits(uint##bits##_t *dst, const uint##bits##_t *src, dim outer,        \
                                 dim inner)                                                        \
    {                                                                                              \
        enum { N = 128 / bits };                                                                   \
        const bool squares = inner.to == 1 && outer.from == 1;                                     \
        const int64_t square_rows = squares ? outer.extent / N * N : 0;                            \
        const int64_t square_cols = squares ? inner.extent / N * N : 0;                            \
        for (int64_t i = 0; i < square_rows; i += N)                                               \
            for (int64_t j = 0; j < square_cols; j += N)                                           \
                copy_square_##bits(dst + i * outer.to + j, outer.to, src + j * inner.from + i,     \
                                   inner.from);                                                    \
        for (int64_t i = 0; i < outer.extent; i++)                                                 \
            for (int64_t j = i < square_rows ? square_cols : 0; j < inner.extent; j++)             \
                dst[i * outer.to + j * inner.to] = src[i * outer.from + j * inner.from];           \
    }                                                                                              \
    static void copy_tiles_##bits(void *dst, const void *src, const plane *p)                      \
    {                                                                                              \
        enum { T = 8 * LINE_BYTES / bits };                                                        \
        const bool plain = p->inner.to == 1 && p->outer.from == 1;                                 \
        for (int64_t i = 0; i < p->outer.extent; i += T)                                           \
            for (int64_t j = 0; j < p->inner.extent; j += T) {                                     \
                uint##bits##_t *to = (uint##bits##_t *)dst + i * p->outer.to + j * p->inner.to;    \
                const uint##bits##_t *from =                                                       \
                    (const uint##bits##_t *)src + i * p->outer.from + j * p->inner.from;           \
                dim outer = p->outer, inner = p->inner;                                            \
                outer.extent = outer.extent - i < T ? outer.extent - i : T;                        \
                inner.extent = inner.extent - j < T ? inner.extent - j : T;                        \
                if (plain && outer.extent == T && inner.extent == T)                               \
                    copy_tile_##bits(to, outer.to, from, inner.from);                              \
                else                                                                               \
                    copy_part_##bits(to, from, outer, inner);                                      \
            }                                                                                      \
    }
TILE(8, 4)
TILE(16, 3)
TILE(32, 2)
TILE(64, 1)

static plane_fn *plane_fn_of(bool tiles, size_t bytes)
{
    switch (bytes) {
    case 1: return tiles ? copy_tiles_8 : copy_rows_8;
    case 2: return tiles ? copy_tiles_16 : copy_rows_16;
    case 4: return tiles ? copy_tiles_32 : copy_rows_32;
    default: return tiles ? copy_tiles_64 : copy_rows_64;
    }
}

/* Leaves out dimensions of one element and joins neighbours that act as one.  Returns the rank. */
static int joined_dims(dim *out, const int64_t *dst_stride, const tg_view *src)
{
    int rank = 0;
    for (int d = 0; d < src->rank; d++) {
        const dim next = {src->shape[d], dst_stride[d], src->stride[d]};
        if (next.extent == 1) continue;
        const dim last = rank > 0 ? out[rank - 1] : (dim){0, 0, 0};
        if (rank > 0 && last.to == next.extent * next.to && last.from == next.extent * next.from)
            out[rank - 1] = (dim){last.extent * next.extent, next.to, next.from};
        else
            out[rank++] = next;
    }
    return rank;
}

static int64_t magnitude(int64_t stride) { return stride < 0 ? -stride : stride; }

/* The dimension along which the destination is closest, or, if `source`, the source (repeats aside). */
static int closest_dim(const dim *dims, int rank, bool source)
{
    int best = -1;
    int64_t least = INT64_MAX;
    for (int d = 0; d < rank; d++) {
        const int64_t step = magnitude(source ? dims[d].from : dims[d].to);
        if (step < least && step != 0) {
            least = step;
            best = d;
        }
    }
    return best;
}

static dim take_dim(dim *dims, int *rank, int d)
{
    const dim taken = dims[d];
    memmove(dims + d, dims + d + 1, (size_t)(--*rank - d) * sizeof *dims);
    return taken;
}

/* Takes the two dimensions of the planes out of `dims`; says whether they are to be tiled. */
static bool choose_plane(dim *dims, int *rank, plane *out)
{
    const dim once = {1, 0, 0};
    *out = (plane){once, once};
    if (*rank == 0) return false;
    const int to = closest_dim(dims, *rank, false), from = closest_dim(dims, *rank, true);
    const bool tiles = from >= 0 && from != to && dims[to].from != 0 &&
                       magnitude(dims[from].from) < magnitude(dims[to].from);
    if (tiles) {
        out->outer = dims[from];
        out->inner = dims[to];
        take_dim(dims, rank, from > to ? from : to);
        take_dim(dims, rank, from > to ? to : from);
        return true;
    }
    out->inner = take_dim(dims, rank, to);
    if (*rank > 0) out->outer = take_dim(dims, rank, *rank - 1);
    return false;
}

void tg_copy_view(void *dst, const int64_t *dst_stride, const tg_view *src, size_t bytes)
{
    for (int d = 0; d < src->rank; d++)
        if (src->shape[d] == 0) return;
    dim dims[TG_MAX_RANK];
    int rank = joined_dims(dims, dst_stride, src);
    plane p;
    const bool tiles = choose_plane(dims, &rank, &p);
    plane_fn *copy = plane_fn_of(tiles, bytes);

    int64_t at[TG_MAX_RANK] = {0};
    char *to = dst;
    const char *from = src->data;
    const int64_t size = (int64_t)bytes;
    for (;;) {
        copy(to, from, &p);
        int d = rank - 1;
        for (; d >= 0; d--) {
            to += dims[d].to * size;
            from += dims[d].from * size;
            if (++at[d] < dims[d].extent) break;
            to -= dims[d].to * dims[d].extent * size;
            from -= dims[d].from * dims[d].extent * size;
            at[d] = 0;
        }
        if (d < 0) return;
    }
}
