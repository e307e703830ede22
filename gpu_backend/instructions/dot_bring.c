#include "gpu_backend/instructions/dot_bring.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/slot.h"
#include "gpu_backend/instructions/dot_parts.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

enum { DEPTH = TG_PTX_DEPTH };

static tg_ptx_reg sum_of(tg_ptx_emitter *em, tg_ptx_reg a, tg_ptx_reg b)
{
    const tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "add.u32 %s, %s, %s;", r.name, a.name, b.name);
    return r;
}

/* ---- measures ---- */

static bool is_power_of_two(uint32_t n) { return (n & (n - 1)) == 0; }

/* Returns false if the variant does not fit this product; or, where the bits are those of any variant, if it
 * gains nothing: k is small, or more than half of what its tiles compute would be discarded. */
static bool measure(const tg_ptx_emitter *em, const struct tg_inst_dot *dot,
                    const tg_ptx_tile_use *use, tg_ptx_tiled *t)
{
    size_t offset = em->tiles_offset;
    *t = (tg_ptx_tiled){.dot = dot, .has_left = dot->k % DEPTH != 0};
    t->sides[0] = tg_ptx_dot_lhs(em, dot);
    t->sides[1] = tg_ptx_dot_rhs(em, dot);
    const bool is_free = em->tensor_core == TG_TENSOR_CORE_EXACT;
    if (!is_power_of_two(em->threads) || dot->k < (is_free ? DEPTH : 1)) return false;
    if (t->sides[0].is_one || t->sides[1].is_one || !use->measure(em, t)) return false;
    t->counts[0] = dot->b;
    for (int i = 0; i < 2; i++) {
        tg_ptx_tile *tile = &t->tile[i];
        tile->side = &t->sides[i];
        tile->offset = offset;
        offset += (size_t)tile->bytes;
        t->counts[1 + i] = (tile->side->rows + tile->extent - 1) / tile->extent;
    }
    return !is_free || t->counts[1] * t->tile[0].extent * t->counts[2] * t->tile[1].extent <=
                           2 * dot->m * dot->n;
}

size_t tg_ptx_tiled_bytes(const tg_ptx_emitter *em, const struct tg_inst_dot *dot,
                          const tg_ptx_tile_use *use)
{
    tg_ptx_tiled t;
    return measure(em, dot, use, &t) ? (size_t)(t.tile[0].bytes + t.tile[1].bytes) : 0;
}

/* ---- which thread copies which elements ---- */

/* Neighbouring threads copy elements that are neighbours in memory. */
static void share_out(tg_ptx_emitter *em, tg_ptx_tile *t, tg_ptx_reg memory)
{
    const bool k_first = llabs(t->side->stride[2]) < llabs(t->side->stride[1]);
    const int64_t across = k_first ? DEPTH : t->extent, step = em->threads / across;
    const tg_ptx_reg near = tg_ptx_with(em, TG_PTX_B32, "and.b32", em->tid, across - 1),
                     far = tg_ptx_with(em, TG_PTX_B32, "shr.u32", em->tid, tg_ptx_log2(across));
    t->row = k_first ? far : near;
    t->k = k_first ? near : far;
    t->row_step = k_first ? step : 0;
    t->k_step = k_first ? 0 : step;
    t->brought = (int)(t->extent * DEPTH / em->threads);
    t->to = tg_ptx_beyond(em, tg_ptx_beyond(em, memory, t->row, t->row_pitch, (int64_t)t->offset),
                          t->k, t->k_pitch, 0);
}

/* Sets the addresses of the first elements that the thread copies of a tile. */
static void find_sources(tg_ptx_emitter *em, const tg_ptx_tiled *t, tg_ptx_tile *tile,
                         tg_ptx_reg begin)
{
    const tg_ptx_dot_side *side = tile->side;
    const int64_t shape[3] = {t->dot->b, side->rows, t->dot->k},
                  bytes = tg_carrier_bytes[tg_carrier_of(side->o->dtype)];
    const tg_ptx_strided s = {3, shape, side->stride};
    const tg_ptx_reg base = tg_ptx_slot_address(em, side->o->slot),
                     first = sum_of(em, tile->row, begin);
    for (int j = 0; j < tile->brought; j++) {
        tg_ptx_reg row = first, k = tile->k;
        if (j && tile->row_step)
            row = tg_ptx_with(em, TG_PTX_B32, "add.u32", row, j * tile->row_step);
        if (j && tile->k_step) k = tg_ptx_with(em, TG_PTX_B32, "add.u32", k, j * tile->k_step);
        if (side->rows % tile->extent)
            row = tg_ptx_with(em, TG_PTX_B32, "min.u32", row, side->rows - 1);
        const tg_ptx_reg index[3] = {t->index[0], row, k};
        const tg_ptx_reg at = tg_ptx_address_of(em, base, &s, index, bytes);
        tile->from[j] = tg_ptx_with(em, TG_PTX_B64, "add.s64", at, side->displacement);
    }
}

/* ---- copying to shared memory ---- */

/* Converts a carrier to the representation in shared memory; *type is the type of its st. */
static tg_ptx_reg staged(tg_ptx_emitter *em, const tg_ptx_tiled *t, tg_dtype dtype,
                         tg_ptx_reg value, const char **type)
{
    tg_ptx_reg r = value;
    *type = t->staging == TG_PTX_STAGED_CARRIER  ? tg_ptx_carrier_type(dtype)
            : t->staging == TG_PTX_STAGED_MEMORY ? "u16"
                                                 : "b32";
    if (t->staging == TG_PTX_STAGED_MEMORY) r = tg_ptx_to_memory(&em->w, dtype, value);
    if (t->staging == TG_PTX_STAGED_TF32) {
        r = tg_ptx_new(&em->w, TG_PTX_B32);
        tg_ptx_row(&em->w, "cvt.rna.tf32.f32 %s, %s;", r.name, value.name);
    }
    return r;
}

/* Copies one element; stores 0 if `beyond` is set, which means beyond the end of k. */
static void bring_one(tg_ptx_emitter *em, const tg_ptx_tiled *t, const tg_ptx_tile *tile, int j,
                      const tg_ptx_reg *beyond)
{
    const tg_dtype dtype = tile->side->o->dtype;
    const uint64_t zero = 0;
    const uint32_t skip = beyond ? tg_ptx_new_label(&em->w) : 0;
    const char *type;
    tg_ptx_reg value = {0};
    if (beyond) {
        value = tg_ptx_constant(&em->w, dtype, &zero);
        tg_ptx_row(&em->w, "@%s bra $L%u;", beyond->name, skip);
    }
    const tg_ptx_reg loaded = tg_ptx_load_carrier(em, tile->side->space, dtype, tile->from[j], 0);
    if (beyond) {
        tg_ptx_move(&em->w, value, loaded);
        tg_ptx_label(&em->w, skip);
    }
    value = staged(em, t, dtype, beyond ? value : loaded, &type);
    tg_ptx_row(&em->w, "st.shared.%s [%s+%" PRId64 "], %s;", type, tile->to.name,
               j * (tile->row_step * tile->row_pitch + tile->k_step * tile->k_pitch), value.name);
}

static void bring(tg_ptx_emitter *em, const tg_ptx_tiled *t, const tg_ptx_tile *tile)
{
    const int64_t next =
        DEPTH * tile->side->stride[2] * tg_carrier_bytes[tg_carrier_of(tile->side->o->dtype)];
    tg_ptx_reg room = {0}, beyond = {0};
    if (t->has_left) {
        room = tg_ptx_new(&em->w, TG_PTX_B32);
        beyond = tg_ptx_new(&em->w, TG_PTX_PRED);
        tg_ptx_row(&em->w, "sub.s32 %s, %s, %s;", room.name, t->left.name, tile->k.name);
    }
    for (int j = 0; j < tile->brought; j++) {
        if (t->has_left)
            tg_ptx_row(&em->w, "setp.le.s32 %s, %s, %" PRId64 ";", beyond.name, room.name,
                       j * tile->k_step);
        bring_one(em, t, tile, j, t->has_left ? &beyond : NULL);
        if (next)
            tg_ptx_row(&em->w, "add.s64 %s, %s, %" PRId64 ";", tile->from[j].name,
                       tile->from[j].name, next);
    }
}

/* ---- a tile of the result ---- */

static void go_along_k(tg_ptx_emitter *em, tg_ptx_tiled *t, const tg_ptx_tile_use *use)
{
    const int64_t k = t->dot->k;
    const tg_ptx_loop along = tg_ptx_serial_begin(em, (k + DEPTH - 1) / DEPTH);
    if (t->has_left) {
        t->left = tg_ptx_with(em, TG_PTX_B32, "mul.lo.s32", along.element, -DEPTH);
        tg_ptx_row(&em->w, "add.s32 %s, %s, %" PRId64 ";", t->left.name, t->left.name, k);
    }
    for (int i = 0; i < 2; i++) bring(em, t, &t->tile[i]);
    tg_ptx_barrier(em);
    use->multiply(em, t);
    tg_ptx_barrier(em);
    tg_ptx_serial_end(em, &along);
}

/* Emits a jump to `to` if the row or column is beyond the end; emits nothing if none can be. */
static void skip_beyond(tg_ptx_emitter *em, const tg_ptx_tile *tile, tg_ptx_reg number, uint32_t to)
{
    if (tile->side->rows % tile->extent == 0) return;
    const tg_ptx_reg beyond = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.ge.u32 %s, %s, %" PRId64 ";", beyond.name, number.name,
               tile->side->rows);
    tg_ptx_row(&em->w, "@%s bra $L%u;", beyond.name, to);
}

static void leave(tg_ptx_emitter *em, const tg_ptx_tiled *t)
{
    tg_ptx_reg index[3] = {t->index[0]};
    const tg_ptx_reg first[2] = {sum_of(em, t->place[0], t->index[1]),
                                 sum_of(em, t->place[1], t->index[2])};
    for (int i = 0; i < t->rows; i++) {
        const uint32_t next_row = tg_ptx_new_label(&em->w);
        index[1] = tg_ptx_with(em, TG_PTX_B32, "add.u32", first[0], t->row_at[i]);
        skip_beyond(em, &t->tile[0], index[1], next_row);
        for (int j = 0; j < t->columns; j++) { /* ascending */
            index[2] = tg_ptx_with(em, TG_PTX_B32, "add.u32", first[1], t->column_at[j]);
            skip_beyond(em, &t->tile[1], index[2], next_row);
            tg_ptx_dot_finish(em, t->dot, index, t->sum[i * t->columns + j]);
        }
        tg_ptx_label(&em->w, next_row);
    }
}

static void one_tile(tg_ptx_emitter *em, tg_ptx_tiled *t, const tg_ptx_tile_use *use,
                     tg_ptx_reg number)
{
    const uint64_t zero = 0;
    tg_ptx_reg index[3] = {{{0}, 0}};
    tg_ptx_unravel(em, number, 3, t->counts, index);
    t->index[0] = index[0];
    for (int i = 0; i < 2; i++) {
        tg_ptx_reg *begin = &t->index[1 + i];
        if (t->counts[1 + i] > 1)
            *begin = tg_ptx_with(em, TG_PTX_B32, "mul.lo.u32", index[1 + i], t->tile[i].extent);
        else
            tg_ptx_row(&em->w, "mov.b32 %s, 0;", (*begin = tg_ptx_new(&em->w, TG_PTX_B32)).name);
        find_sources(em, t, &t->tile[i], *begin);
    }
    for (int i = 0; i < TG_PTX_SUMS; i++) t->sum[i] = tg_ptx_constant(&em->w, t->dot->acc, &zero);
    go_along_k(em, t, use);
    leave(em, t);
}

void tg_ptx_dot_tiled(tg_ptx_emitter *em, const struct tg_inst_dot *dot, const tg_ptx_tile_use *use)
{
    tg_ptx_tiled t;
    if (!measure(em, dot, use, &t)) return;
    const tg_ptx_reg memory = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "mov.u64 %s, tg_shared;", memory.name);
    for (int i = 0; i < 2; i++) share_out(em, &t.tile[i], memory);
    use->begin(em, &t, memory);
    const tg_ptx_loop tiles = tg_ptx_serial_begin(em, t.counts[0] * t.counts[1] * t.counts[2]);
    one_tile(em, &t, use, tiles.element);
    tg_ptx_serial_end(em, &tiles);
    /* The barriers within cleared all accesses declared before them; the result was written after
     * the last one. */
    tg_ptx_ready_again(em);
}
