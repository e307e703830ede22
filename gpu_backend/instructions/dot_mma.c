/* Each warp computes 16 rows and 32 columns of a tile, with four mma.sync of 16 x 8.
 *
 * Both tiles lie in shared memory with k along their rows.  So a lane (lane = 4 group + place)
 * reads each register that PTX expects with one load: for row `group`, the 4 bytes at 4 place for
 * the lower half of k, and the 4 bytes 16 bytes further on for the upper half.  Rows are padded by
 * 16 bytes, so that no two lanes access the same bank. */
#include "gpu_backend/instructions/dot_mma.h"

#include <inttypes.h>
#include <stdbool.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"
#include "plan/plan.h"

enum { WARP = 32, WARP_ROWS = 16, WARP_COLUMNS = 32, GROUP = 8, BLOCKS = 4, HALF_BYTES = 16 };

static bool is_half(tg_dtype d) { return d == TG_DT_f16 || d == TG_DT_bf16; }

static bool measure(const tg_ptx_emitter *em, tg_ptx_tiled *t)
{
    const struct tg_inst_dot *dot = t->dot;
    const tg_dtype d = dot->lhs.dtype;
    const int64_t warps = em->threads / WARP;
    int64_t across = 1;
    const bool is_modelled = em->tensor_core != TG_TENSOR_CORE_EXACT;
    if (!em->is_fast && !is_modelled) return false;
    if (d != dot->rhs.dtype || dot->acc != TG_DT_f32) return false;
    if (!is_half(d) && !(d == TG_DT_f32 && dot->may_be_tf32)) return false;
    while (8 * across * across <= warps) across *= 2;
    const int64_t extents[2] = {warps / across * WARP_ROWS, across * WARP_COLUMNS};
    t->staging = is_half(d)    ? TG_PTX_STAGED_MEMORY
                 : is_modelled ? TG_PTX_STAGED_CARRIER /* whose low bits the unit ignores */
                               : TG_PTX_STAGED_TF32;
    for (int i = 0; i < 2; i++) {
        tg_ptx_tile *tile = &t->tile[i];
        tile->extent = extents[i];
        tile->k_pitch = is_half(d) ? 2 : 4;
        tile->row_pitch = TG_PTX_DEPTH * tile->k_pitch + HALF_BYTES;
        tile->bytes = extents[i] * tile->row_pitch;
    }
    return true;
}

static void begin(tg_ptx_emitter *em, tg_ptx_tiled *t, tg_ptx_reg memory)
{
    const int64_t across = t->tile[1].extent / WARP_COLUMNS, sizes[2] = {WARP_ROWS, WARP_COLUMNS};
    const tg_ptx_reg warp = tg_ptx_with(em, TG_PTX_B32, "shr.u32", em->tid, tg_ptx_log2(WARP)),
                     lane = tg_ptx_with(em, TG_PTX_B32, "and.b32", em->tid, WARP - 1),
                     group = tg_ptx_with(em, TG_PTX_B32, "shr.u32", lane, 2),
                     place = tg_ptx_with(em, TG_PTX_B32, "and.b32", lane, 3);
    const tg_ptx_reg at[2] = {tg_ptx_with(em, TG_PTX_B32, "shr.u32", warp, tg_ptx_log2(across)),
                              tg_ptx_with(em, TG_PTX_B32, "and.b32", warp, across - 1)};
    for (int i = 0; i < 2; i++) {
        tg_ptx_tile *tile = &t->tile[i];
        const tg_ptx_reg row = tg_ptx_new(&em->w, TG_PTX_B32);
        t->place[i] = tg_ptx_new(&em->w, TG_PTX_B32);
        tg_ptx_row(&em->w, "mad.lo.u32 %s, %s, %" PRId64 ", %s;", row.name, at[i].name, sizes[i],
                   group.name);
        tile->first = tg_ptx_beyond(
            em, tg_ptx_beyond(em, memory, row, tile->row_pitch, (int64_t)tile->offset), place, 4,
            0);
    }
    tg_ptx_row(&em->w, "mad.lo.u32 %s, %s, %d, %s;", t->place[0].name, at[0].name, WARP_ROWS,
               group.name);
    tg_ptx_row(&em->w, "mul.lo.u32 %s, %s, 2;", t->place[1].name, place.name);
    tg_ptx_row(&em->w, "mad.lo.u32 %s, %s, %d, %s;", t->place[1].name, at[1].name, WARP_COLUMNS,
               t->place[1].name);
    t->rows = 2;
    t->columns = 2 * BLOCKS;
    for (int i = 0; i < t->rows; i++) t->row_at[i] = GROUP * i;
    for (int j = 0; j < t->columns; j++) t->column_at[j] = GROUP * (j / 2) + j % 2;
}

static tg_ptx_reg take(tg_ptx_emitter *em, const tg_ptx_tile *tile, int64_t displacement)
{
    const tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "ld.shared.b32 %s, [%s+%" PRId64 "];", r.name, tile->first.name,
               displacement);
    return r;
}

/* The products of one mma.sync step along k; its bytes in a row begin at `k_bytes`. */
static void step(tg_ptx_emitter *em, const tg_ptx_tiled *t, int64_t k_bytes)
{
    static const char *const forms[TG_DT_COUNT] = {
        [TG_DT_f16] = "m16n8k16.row.col.f32.f16.f16.f32",
        [TG_DT_bf16] = "m16n8k16.row.col.f32.bf16.bf16.f32",
        [TG_DT_f32] = "m16n8k8.row.col.f32.tf32.tf32.f32"};
    const int64_t down = GROUP * t->tile[0].row_pitch;
    tg_ptx_reg a[4];
    for (int i = 0; i < 4; i++)
        a[i] = take(em, &t->tile[0], k_bytes + i % 2 * down + i / 2 * HALF_BYTES);
    for (int j = 0; j < BLOCKS; j++) {
        const tg_ptx_reg b[2] = {take(em, &t->tile[1], k_bytes + j * down),
                                 take(em, &t->tile[1], k_bytes + j * down + HALF_BYTES)},
                         *upper = &t->sum[2 * j], *lower = &t->sum[t->columns + 2 * j];
        tg_ptx_row(&em->w,
                   "mma.sync.aligned.%s {%s, %s, %s, %s}, {%s, %s, %s, %s}, {%s, %s}, "
                   "{%s, %s, %s, %s};",
                   forms[t->dot->lhs.dtype], upper[0].name, upper[1].name, lower[0].name,
                   lower[1].name, a[0].name, a[1].name, a[2].name, a[3].name, b[0].name, b[1].name,
                   upper[0].name, upper[1].name, lower[0].name, lower[1].name);
    }
}

static void multiply(tg_ptx_emitter *em, const tg_ptx_tiled *t)
{
    const int64_t bytes = TG_PTX_DEPTH * t->tile[0].k_pitch;
    for (int64_t at = 0; at < bytes; at += 2 * HALF_BYTES) step(em, t, at);
}

const tg_ptx_tile_use tg_ptx_use_of_mma = {measure, begin, multiply};
