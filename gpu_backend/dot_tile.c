/* Matrix products by tiles: a square of 4 x 4 elements of the result for each thread.
 *
 *            k0 .. k0+15                     cols              ly x lx threads, of which each has
 *          +-----------+              +---------------+        4 rows and 4 columns; a tile of the
 *    rows  | left tile |   k0..k0+15  |  right tile   |        result is 4 ly x 4 lx
 *          +-----------+              +---------------+
 *
 * For each tile of the result all threads bring 16 places of k of both sides into shared memory, wait, take them from
 * there, and wait again.  Each element has the one chain of fused multiply-adds, k ascending, that the form with a thread
 * for each element has.  Where a tile reaches beyond the result, rows and columns there are copies of the last one, and
 * nobody stores what comes of them; k is cut off at its end. */
#include <inttypes.h>
#include <stdlib.h>

#include "gpu_backend/dot_impl.h"

/* Elements of the result along either side of a thread's square; places of k in shared memory at once; how many of
 * them stand in the text one after the other; and the most that a thread may have to bring of one side. */
enum { SQUARE = 4, DEPTH = 16, MOST_UNROLLED = 8, MOST_BROUGHT = 16, PAD_BYTES = 16 };

/* A side's tile in shared memory, [k][row] with padded rows of `pitch` bytes, and what a thread does with it. */
typedef struct tile {
    const tg_ptx_dot_side *side;
    int64_t extent; /* rows */
    int64_t bytes, pitch;
    size_t offset; /* in the memory of tiles */
    /* Bringing: thread t brings row r0 + j dr at k0 + j dk, j < brought. */
    int brought;
    int64_t row_step, k_step;
    tg_ptx_reg row, k;                 /* .b32: r0 and k0 */
    tg_ptx_reg from[MOST_BROUGHT], to; /* addresses */
    tg_ptx_reg first; /* Using: address of the thread's first row at the first k. */
} tile;

typedef struct product {
    const struct tg_inst_dot *dot;
    tile side[2];
    int64_t counts[3];   /* of tiles: stacks, along rows, along columns */
    tg_ptx_reg index[3]; /* .b32: of the tile in the making: stack, first row, first column */
    tg_ptx_reg place[2]; /* .b32: first row and column of the thread's square in a tile */
    tg_ptx_reg sum[SQUARE][SQUARE];
} product;

/* ---- measures ---- */

static bool is_power_of_two(uint32_t n) { return (n & (n - 1)) == 0; }

/* How wide a row of threads is: as close to a square as powers of two come, rather too high. */
static int64_t threads_across(uint32_t threads)
{
    int64_t across = 1;
    while (4 * across * across <= threads) across *= 2;
    return across;
}

static void measure(product *p, uint32_t threads, const tg_ptx_dot_side *lhs,
                    const tg_ptx_dot_side *rhs)
{
    const int64_t across = threads_across(threads);
    const int64_t extents[2] = {threads / across * SQUARE, across * SQUARE};
    size_t offset = 0;
    p->counts[0] = p->dot->b;
    for (int i = 0; i < 2; i++) {
        tile *t = &p->side[i];
        t->side = i ? rhs : lhs;
        t->extent = extents[i];
        t->bytes = tg_carrier_bytes[tg_carrier_of(t->side->o->dtype)];
        t->pitch = t->extent * t->bytes + PAD_BYTES;
        t->offset = offset;
        offset += (size_t)(DEPTH * t->pitch);
        p->counts[1 + i] = (t->side->rows + t->extent - 1) / t->extent;
    }
}

/* Of shared memory; 0 where at least half of what tiles compute would be in vain. */
static size_t tile_bytes(const tg_ptx_emitter *em, const struct tg_inst_dot *dot)
{
    const tg_ptx_dot_side lhs = tg_ptx_dot_lhs(em, dot), rhs = tg_ptx_dot_rhs(em, dot);
    product p = {.dot = dot};
    if (!is_power_of_two(em->threads) || lhs.is_one || rhs.is_one || dot->k < DEPTH) return 0;
    measure(&p, em->threads, &lhs, &rhs);
    const int64_t computed = p.counts[1] * p.side[0].extent * p.counts[2] * p.side[1].extent;
    if (computed > 2 * dot->m * dot->n) return 0;
    return p.side[1].offset + (size_t)(DEPTH * p.side[1].pitch);
}

bool tg_ptx_dot_has_tiles(const tg_ptx_emitter *em, const struct tg_inst_dot *dot)
{
    return tile_bytes(em, dot) > 0;
}

void tg_ptx_place_tiles(tg_ptx_emitter *em)
{
    em->tiles_offset = em->space == TG_PTX_SHARED ? em->workspace_bytes : 0;
    for (uint32_t i = 0; i < em->plan->body.count; i++) {
        const tg_inst *inst = &em->plan->body.list[i];
        const size_t own = inst->kind == TG_I_DOT ? tile_bytes(em, inst->as.dot) : 0;
        if (own > em->tiles_bytes) em->tiles_bytes = own;
    }
}

/* ---- small rows ---- */

static int log2_of(int64_t power) { return __builtin_ctzll((unsigned long long)power); }

/* A row "op r, a, b" with a number for b. */
static tg_ptx_reg with(tg_ptx_emitter *em, tg_ptx_class class, const char *op, tg_ptx_reg a,
                       int64_t b)
{
    const tg_ptx_reg r = tg_ptx_new(&em->w, class);
    tg_ptx_row(&em->w, "%s %s, %s, %" PRId64 ";", op, r.name, a.name, b);
    return r;
}

/* base + a * by + more: .b64 from .b32 */
static tg_ptx_reg address(tg_ptx_emitter *em, tg_ptx_reg base, tg_ptx_reg a, int64_t by,
                          int64_t more)
{
    const tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "mad.wide.u32 %s, %s, %" PRId64 ", %s;", r.name, a.name, by, base.name);
    return more ? with(em, TG_PTX_B64, "add.s64", r, more) : r;
}

/* ---- which thread does what ---- */

/* Threads that are neighbours bring what is neighbours in memory. */
static void share_out(tg_ptx_emitter *em, tile *t)
{
    const bool k_first = llabs(t->side->stride[2]) < llabs(t->side->stride[1]);
    const int64_t across = k_first ? DEPTH : t->extent, step = em->threads / across;
    const tg_ptx_reg near = with(em, TG_PTX_B32, "and.b32", em->tid, across - 1),
                     far = with(em, TG_PTX_B32, "shr.u32", em->tid, log2_of(across));
    t->row = k_first ? far : near;
    t->k = k_first ? near : far;
    t->row_step = k_first ? step : 0;
    t->k_step = k_first ? 0 : step;
    t->brought = (int)(t->extent * DEPTH / em->threads);
}

static void find_places(tg_ptx_emitter *em, product *p)
{
    const int64_t across = p->side[1].extent / SQUARE;
    const tg_ptx_reg column = with(em, TG_PTX_B32, "and.b32", em->tid, across - 1),
                     row = with(em, TG_PTX_B32, "shr.u32", em->tid, log2_of(across)),
                     memory = tg_ptx_new(&em->w, TG_PTX_B64);
    p->place[0] = with(em, TG_PTX_B32, "mul.lo.u32", row, SQUARE);
    p->place[1] = with(em, TG_PTX_B32, "mul.lo.u32", column, SQUARE);
    tg_ptx_row(&em->w, "mov.u64 %s, tg_shared;", memory.name);
    for (int i = 0; i < 2; i++) {
        tile *t = &p->side[i];
        const int64_t offset = (int64_t)(em->tiles_offset + t->offset);
        share_out(em, t);
        t->first = address(em, memory, p->place[i], t->bytes, offset);
        t->to = address(em, address(em, memory, t->row, t->bytes, offset), t->k, t->pitch, 0);
    }
}

/* Where the thread finds the first elements that it brings of a tile. */
static void find_sources(tg_ptx_emitter *em, const product *p, tile *t, tg_ptx_reg begin)
{
    const tg_ptx_dot_side *side = t->side;
    const int64_t shape[3] = {p->dot->b, side->rows, p->dot->k};
    const tg_ptx_reg base = tg_ptx_slot_address(em, side->o->slot),
                     first = with(em, TG_PTX_B32, "add.u32", t->row, 0);
    tg_ptx_row(&em->w, "add.u32 %s, %s, %s;", first.name, first.name, begin.name);
    for (int j = 0; j < t->brought; j++) {
        tg_ptx_reg row = first, k = t->k;
        if (j && t->row_step) row = with(em, TG_PTX_B32, "add.u32", row, j * t->row_step);
        if (j && t->k_step) k = with(em, TG_PTX_B32, "add.u32", k, j * t->k_step);
        if (side->rows % t->extent) row = with(em, TG_PTX_B32, "min.u32", row, side->rows - 1);
        const tg_ptx_reg index[3] = {p->index[0], row, k};
        const tg_ptx_reg at = tg_ptx_address_of(em, base, 3, shape, side->stride, index, t->bytes);
        t->from[j] =
            with(em, TG_PTX_B64, "add.s64", at, side->o->offset[TG_LAYOUT_DENSE] * t->bytes);
    }
}

/* ---- one step along k ---- */

/* `left`: how many places of k there are from here on, or no register where there are always enough. */
static void bring(tg_ptx_emitter *em, const tile *t, const tg_ptx_reg *left)
{
    const tg_dtype dtype = t->side->o->dtype;
    const int64_t next = DEPTH * t->side->stride[2] * t->bytes;
    tg_ptx_reg room = {0}, beyond = {0};
    if (left) {
        room = tg_ptx_new(&em->w, TG_PTX_B32);
        beyond = tg_ptx_new(&em->w, TG_PTX_PRED);
        tg_ptx_row(&em->w, "sub.s32 %s, %s, %s;", room.name, left->name, t->k.name);
    }
    for (int j = 0; j < t->brought; j++) {
        const uint32_t skip = left ? tg_ptx_new_label(&em->w) : 0;
        if (left) {
            tg_ptx_row(&em->w, "setp.le.s32 %s, %s, %" PRId64 ";", beyond.name, room.name,
                       j * t->k_step);
            tg_ptx_row(&em->w, "@%s bra $L%u;", beyond.name, skip);
        }
        const tg_ptx_reg value = tg_ptx_load_carrier(em, t->side->space, dtype, t->from[j], 0);
        tg_ptx_store_carrier(em, TG_PTX_SHARED, dtype, t->to,
                             j * (t->row_step * t->bytes + t->k_step * t->pitch), value);
        if (left) tg_ptx_label(&em->w, skip);
        if (next)
            tg_ptx_row(&em->w, "add.s64 %s, %s, %" PRId64 ";", t->from[j].name, t->from[j].name,
                       next);
    }
}

/* The SQUARE elements of a side that the thread uses at one place of k, 16 bytes at a time at most. */
static void take(tg_ptx_emitter *em, const tile *t, tg_ptx_reg at, int64_t displacement,
                 tg_ptx_reg *out)
{
    const tg_dtype dtype = t->side->o->dtype;
    const char *const type = tg_ptx_carrier_type(dtype);
    for (int i = 0; i < SQUARE; i++) out[i] = tg_ptx_new(&em->w, tg_ptx_class_of(dtype));
    if (t->bytes <= 4) {
        tg_ptx_row(&em->w, "ld.shared.v4.%s {%s, %s, %s, %s}, [%s+%" PRId64 "];", type, out[0].name,
                   out[1].name, out[2].name, out[3].name, at.name, displacement);
        return;
    }
    for (int i = 0; i < SQUARE; i += 2)
        tg_ptx_row(&em->w, "ld.shared.v2.%s {%s, %s}, [%s+%" PRId64 "];", type, out[i].name,
                   out[i + 1].name, at.name, displacement + i * t->bytes);
}

/* How many places of k stand in the text one after the other: a divisor of all that there may be at once. */
static int unrolled(int64_t k)
{
    int n = MOST_UNROLLED;
    while (k % n) n /= 2;
    return n;
}

static void multiply(tg_ptx_emitter *em, const product *p, const tg_ptx_reg *left)
{
    const int n = unrolled(p->dot->k);
    const uint32_t again = tg_ptx_new_label(&em->w);
    const tg_ptx_reg p_more = tg_ptx_new(&em->w, TG_PTX_PRED),
                     at[2] = {with(em, TG_PTX_B64, "add.s64", p->side[0].first, 0),
                              with(em, TG_PTX_B64, "add.s64", p->side[1].first, 0)};
    tg_ptx_reg count;
    if (left)
        count = with(em, TG_PTX_B32, "min.s32", *left, DEPTH);
    else
        tg_ptx_row(&em->w, "mov.b32 %s, %d;", (count = tg_ptx_new(&em->w, TG_PTX_B32)).name, DEPTH);
    tg_ptx_label(&em->w, again);
    for (int k = 0; k < n; k++) {
        tg_ptx_reg l[SQUARE], r[SQUARE];
        take(em, &p->side[0], at[0], k * p->side[0].pitch, l);
        take(em, &p->side[1], at[1], k * p->side[1].pitch, r);
        for (int i = 0; i < SQUARE; i++)
            for (int j = 0; j < SQUARE; j++)
                tg_ptx_multiply_add(em, p->dot->acc, p->sum[i][j], l[i], r[j]);
    }
    for (int i = 0; i < 2; i++)
        tg_ptx_row(&em->w, "add.s64 %s, %s, %" PRId64 ";", at[i].name, at[i].name,
                   n * p->side[i].pitch);
    tg_ptx_row(&em->w, "add.s32 %s, %s, %d;", count.name, count.name, -n);
    tg_ptx_row(&em->w, "setp.gt.s32 %s, %s, 0;", p_more.name, count.name);
    tg_ptx_row(&em->w, "@%s bra $L%u;", p_more.name, again);
}

static void go_along_k(tg_ptx_emitter *em, product *p)
{
    const int64_t k = p->dot->k;
    const bool is_whole = k % DEPTH == 0;
    tg_ptx_reg left = {0};
    const tg_ptx_loop along = tg_ptx_serial_begin(em, (k + DEPTH - 1) / DEPTH);
    if (!is_whole) {
        left = with(em, TG_PTX_B32, "mul.lo.s32", along.element, -DEPTH);
        tg_ptx_row(&em->w, "add.s32 %s, %s, %" PRId64 ";", left.name, left.name, k);
    }
    for (int i = 0; i < 2; i++) bring(em, &p->side[i], is_whole ? NULL : &left);
    tg_ptx_barrier(em);
    multiply(em, p, is_whole ? NULL : &left);
    tg_ptx_barrier(em);
    tg_ptx_serial_end(em, &along);
}

/* ---- tiles of the result ---- */

/* Jumps to `to` where a row or column is beyond the end; nothing where none can be. */
static void skip_beyond(tg_ptx_emitter *em, const tile *t, tg_ptx_reg number, uint32_t to)
{
    if (t->side->rows % t->extent == 0) return;
    const tg_ptx_reg beyond = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.ge.u32 %s, %s, %" PRId64 ";", beyond.name, number.name, t->side->rows);
    tg_ptx_row(&em->w, "@%s bra $L%u;", beyond.name, to);
}

static void leave(tg_ptx_emitter *em, const product *p)
{
    tg_ptx_reg first[2], index[3] = {p->index[0]};
    for (int i = 0; i < 2; i++) {
        first[i] = with(em, TG_PTX_B32, "add.u32", p->place[i], 0);
        tg_ptx_row(&em->w, "add.u32 %s, %s, %s;", first[i].name, first[i].name,
                   p->index[1 + i].name);
    }
    for (int i = 0; i < SQUARE; i++) {
        const uint32_t next_row = tg_ptx_new_label(&em->w);
        index[1] = with(em, TG_PTX_B32, "add.u32", first[0], i);
        skip_beyond(em, &p->side[0], index[1], next_row);
        for (int j = 0; j < SQUARE; j++) {
            index[2] = with(em, TG_PTX_B32, "add.u32", first[1], j);
            skip_beyond(em, &p->side[1], index[2], next_row);
            tg_ptx_dot_finish(em, p->dot, index, p->sum[i][j]);
        }
        tg_ptx_label(&em->w, next_row);
    }
}

static void one_tile(tg_ptx_emitter *em, product *p, tg_ptx_reg number)
{
    const uint64_t zero = 0;
    tg_ptx_reg index[3] = {{{0}, 0}};
    tg_ptx_unravel(em, number, 3, p->counts, index);
    p->index[0] = index[0];
    for (int i = 0; i < 2; i++) {
        const int64_t extent = p->side[i].extent;
        if (p->counts[1 + i] > 1)
            p->index[1 + i] = with(em, TG_PTX_B32, "mul.lo.u32", index[1 + i], extent);
        else
            tg_ptx_row(&em->w, "mov.b32 %s, 0;",
                       (p->index[1 + i] = tg_ptx_new(&em->w, TG_PTX_B32)).name);
        find_sources(em, p, &p->side[i], p->index[1 + i]);
    }
    for (int i = 0; i < SQUARE; i++)
        for (int j = 0; j < SQUARE; j++) p->sum[i][j] = tg_ptx_constant(&em->w, p->dot->acc, &zero);
    go_along_k(em, p);
    leave(em, p);
}

void tg_ptx_dot_tiled(tg_ptx_emitter *em, const struct tg_inst_dot *dot)
{
    const tg_ptx_dot_side lhs = tg_ptx_dot_lhs(em, dot), rhs = tg_ptx_dot_rhs(em, dot);
    product p = {.dot = dot};
    measure(&p, em->threads, &lhs, &rhs);
    find_places(em, &p);
    const tg_ptx_loop tiles = tg_ptx_serial_begin(em, p.counts[0] * p.counts[1] * p.counts[2]);
    one_tile(em, &p, tiles.element);
    tg_ptx_serial_end(em, &tiles);
    /* The barriers within settled all that was said before them; the result has been written since. */
    tg_ptx_touch_inst(em, em->inst);
    tg_ptx_ready(em);
}
