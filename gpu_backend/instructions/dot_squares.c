#include "gpu_backend/instructions/dot_squares.h"

#include <inttypes.h>
#include <stdbool.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/instructions/dot_parts.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* Elements of the result along each side of a thread's square; the most indices of k in an unrolled
 * loop; and the padding of a tile's rows, which avoids bank conflicts. */
enum { SQUARE = 4, MOST_UNROLLED = 8, PAD_BYTES = 16 };

/* The number of threads in a row: the grid of threads is square, or twice as high as wide. */
static int64_t threads_across(uint32_t threads)
{
    int64_t across = 1;
    while (4 * across * across <= threads) across *= 2;
    return across;
}

static int64_t carrier_bytes(const tg_ptx_dot_side *side)
{
    return tg_carrier_bytes[tg_carrier_of(side->o->dtype)];
}

static bool measure(const tg_ptx_emitter *em, tg_ptx_tiled *t)
{
    const int64_t across = threads_across(em->threads);
    const int64_t extents[2] = {em->threads / across * SQUARE, across * SQUARE};
    t->staging = TG_PTX_STAGED_CARRIER;
    for (int i = 0; i < 2; i++) {
        tg_ptx_tile *tile = &t->tile[i];
        tile->extent = extents[i];
        tile->row_pitch = carrier_bytes(&t->sides[i]);
        tile->k_pitch = extents[i] * tile->row_pitch + PAD_BYTES;
        tile->bytes = TG_PTX_DEPTH * tile->k_pitch;
    }
    return true;
}

static void begin(tg_ptx_emitter *em, tg_ptx_tiled *t, tg_ptx_reg memory)
{
    const int64_t across = t->tile[1].extent / SQUARE;
    const tg_ptx_reg at[2] = {tg_ptx_with(em, TG_PTX_B32, "shr.u32", em->tid, tg_ptx_log2(across)),
                              tg_ptx_with(em, TG_PTX_B32, "and.b32", em->tid, across - 1)};
    for (int i = 0; i < 2; i++) {
        tg_ptx_tile *tile = &t->tile[i];
        t->place[i] = tg_ptx_with(em, TG_PTX_B32, "mul.lo.u32", at[i], SQUARE);
        tile->first =
            tg_ptx_beyond(em, memory, t->place[i], tile->row_pitch, (int64_t)tile->offset);
    }
    t->rows = t->columns = SQUARE;
    for (int i = 0; i < SQUARE; i++) t->row_at[i] = t->column_at[i] = i;
}

/* Loads the SQUARE elements of a side that the thread needs for one index of k, at most 16 bytes at
 * a time. */
static void take(tg_ptx_emitter *em, const tg_ptx_tile *tile, tg_ptx_reg at, int64_t displacement,
                 tg_ptx_reg *out)
{
    const tg_dtype dtype = tile->side->o->dtype;
    const char *const type = tg_ptx_carrier_type(dtype);
    for (int i = 0; i < SQUARE; i++) out[i] = tg_ptx_new(&em->w, tg_ptx_class_of(dtype));
    if (tile->row_pitch <= 4) {
        tg_ptx_row(&em->w, "ld.shared.v4.%s {%s, %s, %s, %s}, [%s+%" PRId64 "];", type, out[0].name,
                   out[1].name, out[2].name, out[3].name, at.name, displacement);
        return;
    }
    for (int i = 0; i < SQUARE; i += 2)
        tg_ptx_row(&em->w, "ld.shared.v2.%s {%s, %s}, [%s+%" PRId64 "];", type, out[i].name,
                   out[i + 1].name, at.name, displacement + i * tile->row_pitch);
}

/* The number of indices of k to unroll: a power of two that divides k. */
static int unrolled(int64_t k)
{
    int n = MOST_UNROLLED;
    while (k % n) n /= 2;
    return n;
}

static void multiply(tg_ptx_emitter *em, const tg_ptx_tiled *t)
{
    const int n = unrolled(t->dot->k);
    const uint32_t again = tg_ptx_new_label(&em->w);
    const tg_ptx_reg more = tg_ptx_new(&em->w, TG_PTX_PRED),
                     at[2] = {tg_ptx_with(em, TG_PTX_B64, "add.s64", t->tile[0].first, 0),
                              tg_ptx_with(em, TG_PTX_B64, "add.s64", t->tile[1].first, 0)};
    tg_ptx_reg count = tg_ptx_new(&em->w, TG_PTX_B32);
    if (t->has_left)
        tg_ptx_row(&em->w, "min.s32 %s, %s, %d;", count.name, t->left.name, TG_PTX_DEPTH);
    else
        tg_ptx_row(&em->w, "mov.b32 %s, %d;", count.name, TG_PTX_DEPTH);
    tg_ptx_label(&em->w, again);
    for (int k = 0; k < n; k++) {
        tg_ptx_reg l[SQUARE], r[SQUARE];
        take(em, &t->tile[0], at[0], k * t->tile[0].k_pitch, l);
        take(em, &t->tile[1], at[1], k * t->tile[1].k_pitch, r);
        for (int i = 0; i < SQUARE; i++)
            for (int j = 0; j < SQUARE; j++)
                tg_ptx_multiply_add(em, t->dot->acc, t->sum[i * SQUARE + j], l[i], r[j]);
    }
    for (int i = 0; i < 2; i++)
        tg_ptx_row(&em->w, "add.s64 %s, %s, %" PRId64 ";", at[i].name, at[i].name,
                   n * t->tile[i].k_pitch);
    tg_ptx_row(&em->w, "add.s32 %s, %s, %d;", count.name, count.name, -n);
    tg_ptx_row(&em->w, "setp.gt.s32 %s, %s, 0;", more.name, count.name);
    tg_ptx_row(&em->w, "@%s bra $L%u;", more.name, again);
}

const tg_ptx_tile_use tg_ptx_use_of_squares = {measure, begin, multiply};
