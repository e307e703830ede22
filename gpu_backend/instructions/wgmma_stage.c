#include "gpu_backend/instructions/wgmma_stage.h"

#include <inttypes.h>

#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/instructions/dot_tile.h"
#include "gpu_backend/instructions/wgmma.h"
#include "gpu_backend/text/writer.h"

enum { CORE_ROWS = 8, UNIT = TG_PTX_WGMMA_UNIT, CORE = CORE_ROWS * UNIT };

/* ---- descriptors ---- */

/* From one unit along k to the next, in bytes. */
static int64_t leading(const tg_ptx_wgmma_side *side) { return side->tile_rows * UNIT; }

int64_t tg_ptx_wgmma_descriptor_step(const tg_ptx_wgmma_side *side)
{
    return TG_PTX_WGMMA_STEP_BYTES / UNIT * leading(side) / UNIT;
}

/* In units of 16 bytes: the start in bits 0 to 13, the distance of units in bits 16 to 29, that of cores in bits
 * 32 to 45. */
static tg_ptx_reg describe(tg_ptx_emitter *em, const tg_ptx_wgmma_side *side, tg_ptx_reg address)
{
    const int64_t distances = leading(side) / UNIT << 16 | (int64_t)(CORE / UNIT) << 32;
    const tg_ptx_reg start = tg_ptx_with(em, TG_PTX_B64, "shr.u64", address, tg_ptx_log2(UNIT));
    return tg_ptx_with(em, TG_PTX_B64, "or.b64", start, distances);
}

void tg_ptx_wgmma_describe(tg_ptx_emitter *em, tg_ptx_wgmma_tiles *t)
{
    const tg_ptx_reg group =
        tg_ptx_with(em, TG_PTX_B32, "shr.u32", em->tid, tg_ptx_log2(TG_PTX_WARPGROUP));
    for (int i = 0; i < 2; i++) {
        const tg_ptx_wgmma_side *side = &t->sides[i];
        const int64_t own_rows = i == 0 ? TG_PTX_WGMMA_ROWS : 0; /* each warpgroup has its own */
        const tg_ptx_reg at =
            tg_ptx_beyond(em, t->memory, group, own_rows * UNIT, (int64_t)side->offset);
        t->descriptor[i] = describe(em, side, at);
    }
}

/* ---- copying ---- */

/* Sets the predicate where the number is at or beyond the end, besides where it is set already. */
static void or_beyond(tg_ptx_emitter *em, tg_ptx_reg beyond, tg_ptx_reg number, int64_t end)
{
    const tg_ptx_reg too = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.ge.u32 %s, %s, %" PRId64 ";", too.name, number.name, end);
    tg_ptx_row(&em->w, "or.pred %s, %s, %s;", beyond.name, beyond.name, too.name);
}

/* The bits of an element; 0 where `beyond` is set. */
static tg_ptx_reg bits_of(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t, int i, tg_ptx_reg row,
                          tg_ptx_reg k, tg_ptx_reg beyond)
{
    const tg_ptx_matrix *matrix = &t->sides[i].matrix;
    const uint32_t skip = tg_ptx_new_label(&em->w);
    const tg_ptx_reg bits = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "mov.b32 %s, 0;", bits.name);
    tg_ptx_row(&em->w, "@%s bra $L%u;", beyond.name, skip);
    tg_ptx_move(&em->w, bits,
                i == 0 ? tg_ptx_matrix_bits(em, matrix, row, k)
                       : tg_ptx_matrix_bits(em, matrix, k, row));
    tg_ptx_label(&em->w, skip);
    return bits;
}

/* The address of byte `at` of a row, in its tile. */
static tg_ptx_reg address_of(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t,
                             const tg_ptx_wgmma_side *side, tg_ptx_reg row, tg_ptx_reg at)
{
    const tg_ptx_reg unit = tg_ptx_with(em, TG_PTX_B32, "shr.u32", at, tg_ptx_log2(UNIT)),
                     within = tg_ptx_with(em, TG_PTX_B32, "and.b32", at, UNIT - 1);
    const tg_ptx_reg of_row =
        tg_ptx_beyond(em, t->memory, row, UNIT, (int64_t)side->offset); /* rows are UNIT apart */
    return tg_ptx_beyond(em, tg_ptx_beyond(em, of_row, unit, leading(side), 0), within, 1, 0);
}

static void stage_side(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t, int i)
{
    const tg_ptx_wgmma_side *side = &t->sides[i];
    const int64_t along = t->chunk_bytes / t->element_bytes;
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, side->tile_rows * along);
    const tg_ptx_reg row = tg_ptx_with(em, TG_PTX_B32, "shr.u32", loop.element, tg_ptx_log2(along)),
                     place = tg_ptx_with(em, TG_PTX_B32, "and.b32", loop.element, along - 1),
                     from_row = tg_ptx_new(&em->w, TG_PTX_B32), k = tg_ptx_new(&em->w, TG_PTX_B32),
                     beyond = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "add.u32 %s, %s, %s;", from_row.name, row.name, side->first.name);
    tg_ptx_row(&em->w, "mad.lo.u32 %s, %s, %" PRId64 ", %s;", k.name, t->chunk.name, along,
               place.name);
    tg_ptx_row(&em->w, "setp.ge.u32 %s, %s, %" PRId64 ";", beyond.name, k.name, t->k);
    or_beyond(em, beyond, from_row, side->rows);
    const tg_ptx_reg bits = bits_of(em, t, i, from_row, k, beyond),
                     at = tg_ptx_with(em, TG_PTX_B32, "mul.lo.u32", place, t->element_bytes);
    tg_ptx_store_bits(em, TG_PTX_SHARED, t->element_bytes, address_of(em, t, side, row, at), bits);
    tg_ptx_loop_end(em, &loop);
}

void tg_ptx_wgmma_stage(tg_ptx_emitter *em, const tg_ptx_wgmma_tiles *t)
{
    for (int i = 0; i < 2; i++) stage_side(em, t, i);
}
