/* Copies strided elements.  A copy is split into planes of two dimensions; a counter walks over
 * the other dimensions.  A plane is copied in one of two ways:
 *
 *   rows   the dimension with the least stride in the destination also suits the source: runs
 *   tiles  source and destination have their least strides in different dimensions: a transpose,
 *          in square tiles that are one cache line wide on both sides */
#include "interp/blocks/copy.h"

#include <string.h>

#include "interp/blocks/squares_impl.h"

typedef struct dim {
    int64_t extent, to, from; /* strides of destination and source in elements */
} dim;

typedef struct plane {
    dim outer, inner;
} plane;

typedef void plane_fn(void *dst, const void *src, const plane *p);

enum { LINE_BYTES = 64 };

/* Rows that are a few cache lines long are too short for the processor to fetch the next ones by itself. */
static bool is_short(const plane *p, size_t bytes)
{
    enum { MOST_LINES = 16 };
    const size_t row = (size_t)p->inner.extent * bytes;
    return p->inner.to == 1 && p->inner.from == 1 && row % LINE_BYTES == 0 &&
           row <= MOST_LINES * LINE_BYTES;
}

/* Copies short rows, and prefetches later ones. */
static void copy_short_rows(char *to, const char *from, const plane *p, size_t bytes)
{
    enum { EARLY = 8 };
    const int64_t row = p->inner.extent * (int64_t)bytes, rows = p->outer.extent,
                  to_row = p->outer.to * (int64_t)bytes, from_row = p->outer.from * (int64_t)bytes;
    for (int64_t i = 0; i < rows; i++, to += to_row, from += from_row) {
        const bool is_early = i + EARLY < rows;
        for (int64_t j = 0; j < row; j += LINE_BYTES) {
            if (is_early) __builtin_prefetch(from + EARLY * from_row + j);
            if (is_early) __builtin_prefetch(to + EARLY * to_row + j, 1);
            memcpy(to + j, from + j, LINE_BYTES);
        }
    }
}

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
        if (is_short(p, sizeof(uint##bits##_t))) {                                                 \
            copy_short_rows(dst, src, p, sizeof(uint##bits##_t));                                  \
            return;                                                                                \
        }                                                                                          \
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

/* Tiles that are a cache line wide: src[j * from + i] goes to dst[i * to + j]. */
#define TILE(bits)                                                                                 \
    /* By way of a buffer, so that each line of either side is accessed once. */                   \
    static void copy_tile_##bits(uint##bits##_t *dst, int64_t to, const uint##bits##_t *src,       \
                                 int64_t from)                                                     \
    {                                                                                              \
        enum { N = 128 / bits, T = 8 * LINE_BYTES / bits };                                        \
        uint##bits##_t tile[T * T];                                                                \
        for (int j = 0; j < T; j += N)                                                             \
            for (int i = 0; i < T; i += N)                                                         \
                tg_square_##bits(tile + i * T + j, T, src + j * from + i, from);                   \
        for (int i = 0; i < T; i++) memcpy(dst + i * to, tile + i * T, LINE_BYTES);                \
    }                                                                                              \
    /* A partial tile, or one whose sides have other strides than 1. */                            \
    static void copy_part_##bits(uint##bits##_t *dst, const uint##bits##_t *src, dim outer,        \
                                 dim inner)                                                        \
    {                                                                                              \
        enum { N = 128 / bits };                                                                   \
        const bool squares = inner.to == 1 && outer.from == 1;                                     \
        const int64_t square_rows = squares ? outer.extent / N * N : 0;                            \
        const int64_t square_cols = squares ? inner.extent / N * N : 0;                            \
        for (int64_t i = 0; i < square_rows; i += N)                                               \
            for (int64_t j = 0; j < square_cols; j += N)                                           \
                tg_square_##bits(dst + i * outer.to + j, outer.to, src + j * inner.from + i,       \
                                 inner.from);                                                      \
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
TILE(8)
TILE(16)
TILE(32)
TILE(64)

static plane_fn *plane_fn_of(bool tiles, size_t bytes)
{
    switch (bytes) {
    case 1: return tiles ? copy_tiles_8 : copy_rows_8;
    case 2: return tiles ? copy_tiles_16 : copy_rows_16;
    case 4: return tiles ? copy_tiles_32 : copy_rows_32;
    default: return tiles ? copy_tiles_64 : copy_rows_64;
    }
}

/* Leaves out dimensions of one element and merges neighbouring ones that can be one dimension.
 * Returns the rank. */
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

/* The dimension with the least stride in the destination or, if `source`, in the source (strides of
 * 0 do not count). */
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

/* Takes the two dimensions of the planes out of `dims`.  Returns whether to copy in tiles. */
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
