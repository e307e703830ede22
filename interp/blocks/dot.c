/* Matrix products: blocks of both operands are packed into panels as tall or wide as the tile that the
 * inner kernel holds in registers.
 *
 *   for a block of columns                     right-hand panels fit the last-level cache
 *     for a block of k, ascending              `out` carries the unfinished chains from block to block
 *       for a block of rows                    left-hand panels fit the second-level cache
 *         for a panel of columns, of rows      one tile; the right-hand panel stays in the first level
 *
 * Operands that are small or used few times are read in place. */
#include "interp/blocks/blocks.h"

#include <string.h>

#include "interp/blocks/kernels_impl.h"
#include "ir/plan.h"

enum {
    K_BLOCK = 256,
    ROW_BLOCK = 192,
    COL_BLOCK_BYTES = 4096,
    ALIGN = 64,
    TILE_BYTES = TG_TILE_ROWS_MAX * TG_TILE_COLS_MAX * 8
};

/* One block of k: no unfinished chain takes the addend's place. */
_Static_assert((int)K_BLOCK >= (int)TG_DOT_IN_PLACE, "an addend would be overwritten");

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static const void *at(const void *base, int64_t elements, int64_t bytes)
{
    return (const char *)base + elements * bytes;
}

/* One of equal meaning with fewer batches and, for matrix times vector, one row instead of one column.
 * `swapped`: the operands change places. */
static tg_dot_shape simplified(const tg_dot_shape *shape, bool *swapped)
{
    tg_dot_shape s = *shape;
    if (s.b > 1 && s.rhs_b == 0 && s.lhs_b == s.m * s.lhs_m) {
        s.m *= s.b;
        s.b = 1;
    }
    *swapped = s.n == 1 && s.m > 1;
    if (!*swapped) return s;
    return (tg_dot_shape){.b = s.b,
                          .m = 1,
                          .n = s.m,
                          .k = s.k,
                          .lhs_b = s.rhs_b,
                          .lhs_m = s.rhs_n,
                          .lhs_k = s.rhs_k,
                          .rhs_b = s.lhs_b,
                          .rhs_k = s.lhs_k,
                          .rhs_n = s.lhs_m};
}

static int64_t col_block(int64_t bytes) { return COL_BLOCK_BYTES / bytes; }

static int64_t packed_rhs_bytes(const tg_dot_shape *s, int64_t bytes)
{
    const int64_t cols = least(s->n + TG_TILE_COLS_MAX - 1, col_block(bytes));
    return least(s->k, K_BLOCK) * (cols / TG_TILE_COLS_MAX * TG_TILE_COLS_MAX) * bytes;
}

size_t tg_dot_workspace(const tg_dot_shape *shape, tg_dtype acc)
{
    bool swapped;
    const tg_dot_shape s = simplified(shape, &swapped);
    const int64_t bytes = tg_carrier_bytes[tg_carrier_of(acc)];
    const int64_t lhs_bytes = least(s.k, K_BLOCK) * least(s.m, ROW_BLOCK) * bytes;
    return (size_t)(packed_rhs_bytes(&s, bytes) + lhs_bytes + 2 * ALIGN);
}

/* A product of two matrices under way. */
typedef struct product {
    const tg_tile_kernels *kernels;
    tg_dot_shape s;
    int64_t bytes; /* of an element */
    int64_t tile_cols;
    const char *lhs, *rhs;
    char *out;
    tg_dot_sum sum;                /* no addend, and dense rows, where the product is all */
    char *lhs_panels, *rhs_panels; /* room for packing */
    bool pack_lhs, pack_rhs;
} product;

/* A range of rows, columns or k. */
typedef struct range {
    int64_t first, count;
} range;

static range block_of(int64_t first, int64_t step, int64_t end)
{
    return (range){first, least(step, end - first)};
}

/* Packs k x `count` elements into panels [k][width], one after the other; the last is [k][last_width],
 * where last_width is at least what remains, and its additional elements are 0.  `rows` does it for whole panels
 * of dense rows; NULL: these are others. */
static void pack(char *panels, const void *from, int64_t k, int64_t k_stride, int64_t count,
                 int64_t stride, int64_t width, int64_t last_width, int64_t bytes, tg_pack_fn *rows)
{
    const int64_t full = count / width, rest = count % width;
    const tg_view view = {from, 3, {full, k, width}, {width * stride, k_stride, stride}};
    if (rows)
        rows(panels, from, k, k_stride * bytes, full);
    else
        tg_copy_view(panels, (int64_t[]){k * width, width, 1}, &view, (size_t)bytes);
    if (rest == 0) return;
    char *last = panels + full * width * k * bytes;
    if (rest < last_width) memset(last, 0, (size_t)(k * last_width * bytes));
    const tg_view tail = {at(from, full * width * stride, bytes), 2, {k, rest}, {k_stride, stride}};
    tg_copy_view(last, (int64_t[]){last_width, 1}, &tail, (size_t)bytes);
}

static int64_t vectors_of(const product *p, int64_t cols)
{
    return (cols + p->kernels->lanes - 1) / p->kernels->lanes;
}

/* Copies a rows x cols corner between dense-enough matrices. */
static void copy_corner(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows,
                        int64_t cols, int64_t bytes)
{
    for (int64_t r = 0; r < rows; r++)
        memcpy(to + r * to_row * bytes, from + r * from_row * bytes, (size_t)(cols * bytes));
}

/* A panel of columns, ready for the kernel. */
typedef struct panel {
    const void *data;
    int64_t k_stride, first, count; /* columns */
} panel;

static void multiply_tile(const product *p, const void *lhs, int64_t lhs_row, int64_t lhs_k,
                          range rows, const panel *cols, int64_t k, bool resume, bool is_last)
{
    const int64_t vectors = vectors_of(p, cols->count), width = vectors * p->kernels->lanes;
    tg_tile_fn *tile = p->kernels->tile[vectors - 1][rows.count - 1];
    const int64_t out_row = p->sum.out_row, addend_row = p->sum.addend_row;
    char *out = p->out + (rows.first * out_row + cols->first) * p->bytes;
    const void *addend = NULL;
    if (p->sum.addend && is_last)
        addend = at(p->sum.addend, rows.first * addend_row + cols->first, p->bytes);
    if (cols->count == width) {
        tile(k, lhs, lhs_row, lhs_k, cols->data, cols->k_stride, out, out_row, resume, addend,
             addend_row);
        return;
    }
    _Alignas(ALIGN) char whole[TILE_BYTES], more[TILE_BYTES];
    if (resume) {
        memset(whole, 0, sizeof whole);
        copy_corner(whole, width, out, out_row, rows.count, cols->count, p->bytes);
    }
    if (addend) {
        memset(more, 0, sizeof more);
        copy_corner(more, width, addend, addend_row, rows.count, cols->count, p->bytes);
    }
    tile(k, lhs, lhs_row, lhs_k, cols->data, cols->k_stride, whole, width, resume,
         addend ? more : NULL, width);
    copy_corner(out, out_row, whole, width, rows.count, cols->count, p->bytes);
}

/* The columns from `first` on: packed with the block, or in place, or, where a vector would read beyond
 * the row, packed now. */
static panel panel_of(const product *p, range ks, range cols, int64_t offset)
{
    panel it = {NULL, p->tile_cols, cols.first + offset, least(p->tile_cols, cols.count - offset)};
    const int64_t width = vectors_of(p, it.count) * p->kernels->lanes;
    const tg_dot_shape *s = &p->s;
    if (p->pack_rhs) {
        it.data = p->rhs_panels + offset * ks.count * p->bytes;
        it.k_stride = width;
        return it;
    }
    it.data = at(p->rhs, ks.first * s->rhs_k + it.first, p->bytes);
    it.k_stride = s->rhs_k;
    if (it.count == width) return it;
    pack(p->rhs_panels, it.data, ks.count, s->rhs_k, it.count, 1, width, width, p->bytes, NULL);
    it.data = p->rhs_panels;
    it.k_stride = width;
    return it;
}

static void multiply_block(const product *p, range rows, range cols, range ks)
{
    const tg_dot_shape *s = &p->s;
    const int64_t tile_rows = p->kernels->rows;
    const void *lhs = at(p->lhs, rows.first * s->lhs_m + ks.first * s->lhs_k, p->bytes);
    if (p->pack_lhs) {
        pack(p->lhs_panels, lhs, ks.count, s->lhs_k, rows.count, s->lhs_m, tile_rows,
             rows.count % tile_rows, p->bytes, NULL);
        lhs = p->lhs_panels;
    }
    for (int64_t c = 0; c < cols.count; c += p->tile_cols) {
        const panel columns = panel_of(p, ks, cols, c);
        for (int64_t r = 0; r < rows.count; r += tile_rows) {
            const range part = {rows.first + r, least(tile_rows, rows.count - r)};
            const int64_t lhs_row = p->pack_lhs ? 1 : s->lhs_m;
            const int64_t lhs_k = p->pack_lhs ? part.count : s->lhs_k;
            const void *left = at(lhs, p->pack_lhs ? r * ks.count : r * s->lhs_m, p->bytes);
            multiply_tile(p, left, lhs_row, lhs_k, part, &columns, ks.count, ks.first > 0,
                          ks.first + ks.count == s->k);
        }
    }
}

static void multiply(const product *p)
{
    const tg_dot_shape *s = &p->s;
    const int64_t col_step = col_block(p->bytes);
    for (int64_t c = 0; c < s->n; c += col_step) {
        const range cols = block_of(c, col_step, s->n);
        for (int64_t k = 0; k < s->k; k += K_BLOCK) {
            const range ks = block_of(k, K_BLOCK, s->k);
            if (p->pack_rhs) {
                const int64_t rest = cols.count % p->tile_cols;
                pack(p->rhs_panels, at(p->rhs, k * s->rhs_k + c * s->rhs_n, p->bytes), ks.count,
                     s->rhs_k, cols.count, s->rhs_n, p->tile_cols,
                     vectors_of(p, rest) * p->kernels->lanes, p->bytes,
                     s->rhs_n == 1 ? p->kernels->pack : NULL);
            }
            for (int64_t r = 0; r < s->m; r += ROW_BLOCK)
                multiply_block(p, block_of(r, ROW_BLOCK, s->m), cols, ks);
        }
    }
}

/* Packing pays where a panel is used several times and would not stay in the first-level cache anyway. */
static void choose_packing(product *p)
{
    const tg_dot_shape *s = &p->s;
    const int64_t small_bytes = 32768, k = least(s->k, K_BLOCK);
    p->pack_rhs =
        s->rhs_n != 1 || (s->m > 4 * p->kernels->rows && k * s->n * p->bytes > small_bytes);
    p->pack_lhs = s->n > 4 * p->tile_cols && k * s->m * p->bytes > small_bytes;
}

static product start_product(const tg_lanes *lanes, tg_dtype acc, const tg_dot_shape *s,
                             void *workspace)
{
    const tg_carrier carrier = tg_carrier_of(acc);
    const int64_t bytes = tg_carrier_bytes[carrier];
    char *work = (char *)(((uintptr_t)workspace + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
    product p = {.kernels = &tg_block_kernels_of(lanes)->tiles[tg_kernel_type_of(carrier)],
                 .s = *s,
                 .bytes = bytes,
                 .sum.out_row = s->n,
                 .rhs_panels = work,
                 .lhs_panels = work + (packed_rhs_bytes(s, bytes) + ALIGN - 1) / ALIGN * ALIGN};
    p.tile_cols = TG_TILE_VECTORS * p.kernels->lanes;
    choose_packing(&p);
    return p;
}

void tg_dot(const tg_lanes *lanes, tg_dtype acc, const tg_dot_shape *shape, const void *lhs,
            const void *rhs, void *out, void *workspace)
{
    bool swapped;
    const tg_dot_shape s = simplified(shape, &swapped);
    if (s.b == 0 || s.m == 0 || s.n == 0) return;
    product p = start_product(lanes, acc, &s, workspace);
    if (s.k == 0) {
        memset(out, 0, (size_t)(s.b * s.m * s.n * p.bytes));
        return;
    }
    for (int64_t b = 0; b < s.b; b++) {
        p.lhs = at(swapped ? rhs : lhs, b * s.lhs_b, p.bytes);
        p.rhs = at(swapped ? lhs : rhs, b * s.rhs_b, p.bytes);
        p.out = (char *)out + b * s.m * s.n * p.bytes;
        multiply(&p);
    }
}

void tg_dot_add(const tg_lanes *lanes, tg_dtype acc, const tg_dot_shape *shape, const void *lhs,
                const void *rhs, const tg_dot_sum *sum, void *out, void *workspace)
{
    product p = start_product(lanes, acc, shape, workspace);
    p.lhs = lhs;
    p.rhs = rhs;
    p.out = out;
    p.sum = *sum;
    multiply(&p);
}
