/* Matrix products: blocks of both operands are packed into panels as tall or wide as the tile that
 * the inner kernel holds in registers.
 *
 *   for a block of columns                     right-hand panels fit the last-level cache
 *     for a block of k, ascending              `out` carries unfinished chains from block to block
 *       for a block of rows                    left-hand panels fit the second-level cache
 *         for a panel of columns, of rows      one tile; the right panel stays in the first level
 *
 * Operands that are small or used few times are read in place. */
#include "interp/blocks/dot.h"

#include <string.h>

#include "interp/blocks/copy.h"
#include "interp/blocks/kernels.h"
#include "plan/inst.h"

enum {
    K_BLOCK = 256,
    ROW_BLOCK = 192,
    COL_BLOCK_BYTES = 4096,
    ALIGN = 64,
    TILE_BYTES = TG_TILE_ROWS_MAX * TG_TILE_COLS_MAX * 8
};

/* With one block of k, no unfinished chain is stored over the addend. */
_Static_assert((int)K_BLOCK >= (int)TG_DOT_IN_PLACE, "an addend would be overwritten");

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static const void *at(const void *base, int64_t elements, int64_t bytes)
{
    return (const char *)base + elements * bytes;
}

/* An equivalent shape with fewer batches and, for matrix times vector, one row instead of one
 * column.  `swapped`: the operands change places. */
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

/* A product of two matrices in progress. */
typedef struct product {
    const tg_tile_kernels *kernels;
    tg_dot_shape s;
    int64_t bytes; /* of an element */
    int64_t tile_cols;
    const char *lhs, *rhs;
    char *out;
    tg_dot_sum sum;                /* no addend, and dense rows, if only the product is computed */
    char *lhs_panels, *rhs_panels; /* room for packing */
    const char *columns;           /* packed columns: rhs_panels, or panels that exist already */
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

/* Packs k x `count` elements into panels [k][width], one after the other.  The last panel is
 * [k][last_width], where last_width is at least the number of elements that remain; additional
 * elements are 0.  `whole` packs whole panels, whose rows are `row` elements apart; NULL: their
 * rows are not dense. */
static void pack(char *panels, const void *from, int64_t k, int64_t k_stride, int64_t count,
                 int64_t stride, int64_t width, int64_t last_width, int64_t bytes,
                 tg_pack_fn *whole, int64_t row)
{
    const int64_t full = count / width, rest = count % width;
    const tg_view view = {from, 3, {full, k, width}, {width * stride, k_stride, stride}};
    if (whole)
        whole(panels, from, k, row * bytes, full);
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

/* Copies a rows x cols corner between matrices with dense rows. */
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
    int64_t vectors;                /* vectors that hold them */
    const char *next;               /* memory to prefetch for later, ... */
    int64_t next_bytes;             /* ... whose size is a multiple of what a tile prefetches */
} panel;

/* Multiplies tiles that are wider than the columns that remain: one by one, by way of a buffer. */
static void multiply_narrow(const product *p, tg_tile_fn *tile, const tg_tiles *tiles, int64_t rows,
                            const panel *cols)
{
    _Alignas(ALIGN) char whole[TILE_BYTES], more[TILE_BYTES];
    const int64_t width = cols->vectors * p->kernels->lanes, bytes = p->bytes;
    tg_tiles one = *tiles;
    one.count = 1;
    one.out = whole;
    one.out_row = one.addend_row = width;
    for (int64_t t = 0; t < tiles->count; t++) {
        char *out = (char *)tiles->out + t * rows * tiles->out_row * bytes;
        one.lhs = at(tiles->lhs, t * tiles->lhs_tile, bytes);
        if (tiles->resume) {
            memset(whole, 0, sizeof whole);
            copy_corner(whole, width, out, tiles->out_row, rows, cols->count, bytes);
        }
        if (tiles->addend) {
            memset(more, 0, sizeof more);
            copy_corner(more, width, at(tiles->addend, t * rows * tiles->addend_row, bytes),
                        tiles->addend_row, rows, cols->count, bytes);
            one.addend = more;
        }
        tile(&one);
        copy_corner(out, tiles->out_row, whole, width, rows, cols->count, bytes);
    }
}

static void pack_columns(const product *p, char *panels, range ks, range cols)
{
    const tg_dot_shape *s = &p->s;
    const int64_t rest = cols.count % p->tile_cols;
    pack(panels, at(p->rhs, ks.first * s->rhs_k + cols.first * s->rhs_n, p->bytes), ks.count,
         s->rhs_k, cols.count, s->rhs_n, p->tile_cols, vectors_of(p, rest) * p->kernels->lanes,
         p->bytes, s->rhs_n == 1 ? p->kernels->pack_columns : NULL, s->rhs_k);
}

/* How rows are cut into tiles: `tall` rows into tiles of the greatest height, the rest into tiles
 * of `height` rows. */
typedef struct row_cut {
    int64_t tall, height;
} row_cut;

/* A tile of few rows has too few chains to keep the processor busy: two of middle height are
 * better. */
static row_cut cut_rows(const product *p, int64_t rows)
{
    const int64_t most = p->kernels->rows, rest = rows % most;
    if (rows < most || rest == 0 || rest % 2 == 1 || 2 * rest >= most)
        return (row_cut){rows - rest, rest};
    return (row_cut){rows - rest - most, (most + rest) / 2};
}

static void pack_rows(const product *p, char *panels, range ks, range rows)
{
    const tg_dot_shape *s = &p->s;
    const row_cut cut = cut_rows(p, rows.count);
    const char *from = at(p->lhs, rows.first * s->lhs_m + ks.first * s->lhs_k, p->bytes);
    pack(panels, from, ks.count, s->lhs_k, cut.tall, s->lhs_m, p->kernels->rows, 0, p->bytes,
         s->lhs_k == 1 ? p->kernels->pack_rows : NULL, s->lhs_m);
    if (cut.tall < rows.count)
        pack(panels + cut.tall * ks.count * p->bytes, at(from, cut.tall * s->lhs_m, p->bytes),
             ks.count, s->lhs_k, rows.count - cut.tall, s->lhs_m, cut.height, 0, p->bytes, NULL, 0);
}

/* Chooses what to prefetch after the packed columns at `offset`: the next ones, or those of the
 * next product; if those are not known, the first ones again, for other rows. */
static void look_ahead(const product *p, range ks, range cols, int64_t offset, panel *it)
{
    const int64_t following = offset + p->tile_cols, first = following < cols.count ? following : 0;
    const int64_t vectors = vectors_of(p, least(p->tile_cols, cols.count - first));
    const bool is_over = first == 0 && p->s.next_rhs_panels;
    it->next = is_over ? p->s.next_rhs_panels : at(p->columns, first * ks.count, p->bytes);
    it->next_bytes = ks.count * vectors * p->kernels->lanes * p->bytes;
}

/* Returns the columns from `offset` on: packed with the block, or in place, or packed now if a
 * vector would read beyond the row. */
static panel panel_of(const product *p, range ks, range cols, int64_t offset)
{
    panel it = {.k_stride = p->tile_cols,
                .first = cols.first + offset,
                .count = least(p->tile_cols, cols.count - offset),
                .next = p->rhs_panels, /* valid memory, for lack of anything better */
                .next_bytes = ks.count * TG_TILE_ASKS};
    it.vectors = vectors_of(p, it.count);
    const int64_t width = it.vectors * p->kernels->lanes;
    const tg_dot_shape *s = &p->s;
    if (p->pack_rhs) {
        it.data = p->columns + offset * ks.count * p->bytes;
        it.k_stride = width;
        look_ahead(p, ks, cols, offset, &it);
        return it;
    }
    it.data = at(p->rhs, ks.first * s->rhs_k + it.first, p->bytes);
    it.k_stride = s->rhs_k;
    if (it.count == width) return it;
    pack(p->rhs_panels, it.data, ks.count, s->rhs_k, it.count, 1, width, width, p->bytes, NULL, 0);
    it.data = p->rhs_panels;
    it.k_stride = width;
    return it;
}

/* Adds `rows` rows times a panel of columns to a part of `out`, by tiles of `height` rows.  `lhs`
 * is packed in tiles of this height, or in place. */
static void multiply_rows(const product *p, const char *lhs, range rows, int64_t height,
                          const panel *cols, range ks)
{
    const tg_dot_shape *s = &p->s;
    const bool is_last = ks.first + ks.count == s->k;
    const int64_t addend_row = p->sum.addend_row, out_row = p->sum.out_row;
    tg_tiles tiles = {.k = ks.count,
                      .count = rows.count / height,
                      .lhs = lhs,
                      .lhs_row = p->pack_lhs ? 1 : s->lhs_m,
                      .lhs_k = p->pack_lhs ? height : s->lhs_k,
                      .lhs_tile = height * (p->pack_lhs ? ks.count : s->lhs_m),
                      .rhs = cols->data,
                      .rhs_k = cols->k_stride,
                      .out = p->out + (rows.first * out_row + cols->first) * p->bytes,
                      .out_row = out_row,
                      .resume = ks.first > 0,
                      .addend_row = addend_row,
                      .next = cols->next,
                      .next_bytes = cols->next_bytes};
    if (p->sum.addend && is_last)
        tiles.addend = at(p->sum.addend, rows.first * addend_row + cols->first, p->bytes);
    tg_tile_fn *tile = p->kernels->tile[cols->vectors - 1][height - 1];
    if (cols->count == cols->vectors * p->kernels->lanes)
        tile(&tiles);
    else
        multiply_narrow(p, tile, &tiles, height, cols);
}

static void multiply_block(const product *p, range rows, range cols, range ks)
{
    const tg_dot_shape *s = &p->s;
    const void *lhs = at(p->lhs, rows.first * s->lhs_m + ks.first * s->lhs_k, p->bytes);
    if (p->pack_lhs && !s->lhs_panels) pack_rows(p, p->lhs_panels, ks, rows);
    if (p->pack_lhs) lhs = s->lhs_panels ? s->lhs_panels : p->lhs_panels;
    const row_cut cut = cut_rows(p, rows.count);
    const range tall = {rows.first, cut.tall},
                rest = {rows.first + cut.tall, rows.count - cut.tall};
    const char *lhs_rest = at(lhs, cut.tall * (p->pack_lhs ? ks.count : s->lhs_m), p->bytes);
    for (int64_t c = 0; c < cols.count; c += p->tile_cols) {
        const panel columns = panel_of(p, ks, cols, c);
        if (tall.count > 0) multiply_rows(p, lhs, tall, p->kernels->rows, &columns, ks);
        if (rest.count > 0) multiply_rows(p, lhs_rest, rest, cut.height, &columns, ks);
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
            if (p->pack_rhs && !s->rhs_panels) pack_columns(p, p->rhs_panels, ks, cols);
            for (int64_t r = 0; r < s->m; r += ROW_BLOCK)
                multiply_block(p, block_of(r, ROW_BLOCK, s->m), cols, ks);
        }
    }
}

/* Packing pays if a panel is used several times and would not stay in the first-level cache
 * otherwise. */
enum { SMALL_BYTES = 32768, FEW_PANELS = 4 };

static bool is_large(const product *p, int64_t count)
{
    return least(p->s.k, K_BLOCK) * count * p->bytes > SMALL_BYTES;
}

static void choose_packing(product *p)
{
    const tg_dot_shape *s = &p->s;
    p->pack_rhs = s->rhs_n != 1 || (s->m > FEW_PANELS * p->kernels->rows && is_large(p, s->n));
    p->pack_lhs = s->lhs_panels || (s->n > FEW_PANELS * p->tile_cols && is_large(p, s->m));
}

/* Makes a product without its memory. */
static product product_of(const tg_elementwise *lanes, tg_dtype acc, const tg_dot_shape *s)
{
    const tg_carrier carrier = tg_carrier_of(acc);
    product p = {.kernels = &tg_block_kernels_of(lanes)->tiles[tg_kernel_type_of(carrier)],
                 .s = *s,
                 .bytes = tg_carrier_bytes[carrier],
                 .sum.out_row = s->n};
    p.tile_cols = TG_TILE_VECTORS * p.kernels->lanes;
    choose_packing(&p);
    return p;
}

static product start_product(const tg_elementwise *lanes, tg_dtype acc, const tg_dot_shape *s,
                             void *workspace)
{
    product p = product_of(lanes, acc, s);
    p.rhs_panels = (char *)(((uintptr_t)workspace + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
    p.lhs_panels = p.rhs_panels + (packed_rhs_bytes(s, p.bytes) + ALIGN - 1) / ALIGN * ALIGN;
    p.columns = s->rhs_panels ? s->rhs_panels : p.rhs_panels;
    return p;
}

size_t tg_dot_panels_bytes(const tg_elementwise *lanes, tg_dtype acc, const tg_dot_shape *s,
                           tg_dot_side side)
{
    const product p = product_of(lanes, acc, s);
    int64_t bytes = s->k * p.bytes;
    if (s->b != 1 || s->k == 0 || s->k > K_BLOCK || s->n < 2) return 0;
    if (side == TG_DOT_RHS) {
        if (!p.pack_rhs || s->n > col_block(p.bytes)) return 0;
        bytes *= vectors_of(&p, s->n) * p.kernels->lanes;
    } else {
        if (s->n <= p.tile_cols || !is_large(&p, s->m) || s->m > ROW_BLOCK) return 0;
        bytes *= s->m;
    }
    return (size_t)((bytes + ALIGN - 1) / ALIGN * ALIGN);
}

void tg_dot_pack(const tg_elementwise *lanes, tg_dtype acc, const tg_dot_shape *shape,
                 tg_dot_side side, const void *from, void *panels)
{
    product p = product_of(lanes, acc, shape);
    const range ks = {0, shape->k};
    if (side == TG_DOT_LHS) {
        p.lhs = from;
        pack_rows(&p, panels, ks, (range){0, shape->m});
    } else {
        p.rhs = from;
        pack_columns(&p, panels, ks, (range){0, shape->n});
    }
}

void tg_dot(const tg_elementwise *lanes, tg_dtype acc, const tg_dot_shape *shape, const void *lhs,
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

void tg_dot_add(const tg_elementwise *lanes, tg_dtype acc, const tg_dot_shape *shape,
                const void *lhs, const void *rhs, const tg_dot_sum *sum, void *out, void *workspace)
{
    product p = start_product(lanes, acc, shape, workspace);
    p.lhs = lhs;
    p.rhs = rhs;
    p.out = out;
    p.sum = *sum;
    multiply(&p);
}
