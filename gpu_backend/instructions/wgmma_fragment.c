/* Register i of a lane (lane = 4 group + place) of warp w has, of rows 16 w + group and 8 further on in turn, one of
 * columns 2 place and 2 place + 1 of each 8; of f16, both. */
#include "gpu_backend/instructions/wgmma_fragment.h"

#include <inttypes.h>

#include "gpu_backend/instructions/dot_tile.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

enum { WARP = 32, WARP_ROWS = 16, PLACES = 4, HALF = 8, ROWS = TG_PTX_WGMMA_ROWS };

/* Elements of a register. */
static int each(const tg_ptx_wgmma_tiles *t) { return t->result == TG_DT_f16 ? 2 : 1; }

void tg_ptx_wgmma_place_sum(tg_ptx_emitter *em, tg_ptx_wgmma_tiles *t)
{
    const tg_ptx_reg warp = tg_ptx_with(em, TG_PTX_B32, "shr.u32", em->tid, tg_ptx_log2(WARP)),
                     lane = tg_ptx_with(em, TG_PTX_B32, "and.b32", em->tid, WARP - 1),
                     group = tg_ptx_with(em, TG_PTX_B32, "shr.u32", lane, tg_ptx_log2(PLACES)),
                     place = tg_ptx_with(em, TG_PTX_B32, "and.b32", lane, PLACES - 1);
    t->row = tg_ptx_new(&em->w, TG_PTX_B32);
    t->column = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "mad.lo.u32 %s, %s, %d, %s;", t->row.name, warp.name, WARP_ROWS, group.name);
    tg_ptx_row(&em->w, "add.u32 %s, %s, %s;", t->row.name, t->row.name, t->sides[0].first.name);
    tg_ptx_row(&em->w, "mad.lo.u32 %s, %s, 2, %s;", t->column.name, place.name,
               t->sides[1].first.name);
    t->sum_count = (int)t->sides[1].tile_rows * ROWS / WARP / PLACES / each(t);
    for (int i = 0; i < t->sum_count; i++)
        t->sums[i] = tg_ptx_new(&em->w, t->result == TG_DT_f32 ? TG_PTX_F32 : TG_PTX_B32);
}

/* Jumps to the label if the number is beyond the end, which it may be where the tile's extent does not divide
 * that. */
static void skip_beyond(tg_ptx_emitter *em, const tg_ptx_wgmma_side *side, tg_ptx_reg number,
                        uint32_t label)
{
    if (side->rows % side->tile_rows == 0) return;
    const tg_ptx_reg beyond = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.ge.u32 %s, %s, %" PRId64 ";", beyond.name, number.name, side->rows);
    tg_ptx_row(&em->w, "@%s bra $L%u;", beyond.name, label);
}

/* Finds element e of register i; a thread that has none jumps to the label. */
static tg_ptx_element find(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t, int i, int e,
                           uint32_t label)
{
    const int number = i * each(t) + e;
    const tg_ptx_reg row = tg_ptx_with(em, TG_PTX_B32, "add.u32", t->row, number / 2 % 2 * HALF),
                     column = tg_ptx_with(em, TG_PTX_B32, "add.u32", t->column,
                                          number / PLACES * HALF + number % 2);
    skip_beyond(em, &t->sides[0], row, label);
    skip_beyond(em, &t->sides[1], column, label);
    return tg_ptx_find(em, &t->sum.whole.walk, tg_ptx_matrix_number(em, &t->sum, row, column));
}

static tg_ptx_reg load(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t, int i, int e)
{
    const uint32_t skip = tg_ptx_new_label(&em->w);
    const tg_ptx_reg bits = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "mov.b32 %s, 0;", bits.name);
    const tg_ptx_element at = find(em, t, i, e, skip);
    tg_ptx_move(&em->w, bits, tg_ptx_read_bits(em, &t->sum.whole.walk, &at));
    tg_ptx_label(&em->w, skip);
    return bits;
}

void tg_ptx_wgmma_load_sum(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t)
{
    for (int i = 0; i < t->sum_count; i++) {
        const tg_ptx_reg low = load(em, t, i, 0);
        if (each(t) == 1)
            tg_ptx_row(&em->w, "mov.b32 %s, %s;", t->sums[i].name, low.name);
        else
            tg_ptx_row(&em->w, "prmt.b32 %s, %s, %s, 0x5410;", t->sums[i].name, low.name,
                       load(em, t, i, 1).name);
    }
}

static void store(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t, int i, int e, tg_ptx_reg bits)
{
    const uint32_t skip = tg_ptx_new_label(&em->w);
    const tg_ptx_element at = find(em, t, i, e, skip);
    tg_ptx_write_bits(em, &t->sum.whole.walk, &at, bits);
    tg_ptx_label(&em->w, skip);
}

void tg_ptx_wgmma_store_sum(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t)
{
    for (int i = 0; i < t->sum_count; i++) {
        const tg_ptx_reg bits = tg_ptx_new(&em->w, TG_PTX_B32);
        tg_ptx_row(&em->w, "mov.b32 %s, %s;", bits.name, t->sums[i].name);
        store(em, t, i, 0, bits);
        if (each(t) == 2) store(em, t, i, 1, tg_ptx_with(em, TG_PTX_B32, "shr.u32", bits, 16));
    }
}
