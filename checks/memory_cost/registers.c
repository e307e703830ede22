#include "checks/memory_cost/registers.h"

#include <stdlib.h>

/* Called with each instruction of each warp that has an active lane. */
typedef void on_instruction(void *context, const tg_warp_access *access);

/* ---- the standard distribution ---- */

enum { MOST_LANE_BYTES = TG_MOST_VECTOR_BYTES }; /* of the elements that a lane takes at a time */

/* What the lanes of a warp take at a time: the addresses of their pieces, lane by lane. */
typedef struct round {
    int pieces, piece_bytes; /* of a lane */
    int64_t byte[TG_LANES * MOST_LANE_BYTES];
} round;

/* Makes an access of `bytes` a lane of the pieces from `first` on.  Returns false if they are not in
 * one piece, or not aligned, or only touched in part. */
static bool join(const round *r, int first, int bytes, tg_warp_access *out)
{
    out->active = 0;
    out->bytes = bytes;
    for (int lane = 0; lane < TG_LANES; lane++) {
        const int64_t *at = &r->byte[lane * r->pieces + first];
        out->address[lane] = at[0] < 0 ? 0 : at[0];
        if (at[0] >= 0) out->active |= UINT32_C(1) << lane;
        if (at[0] >= 0 && at[0] % bytes) return false;
        for (int i = 1; i < bytes / r->piece_bytes; i++)
            if (at[0] < 0 ? at[i] >= 0 : at[i] != at[0] + (int64_t)i * r->piece_bytes) return false;
    }
    return true;
}

static int element_bytes(const tg_touched *access) { return access->pieces * access->piece_bytes; }

/* Goes through an access with instructions of `width` bytes.  Returns false if that is too wide. */
static bool go(const tg_touched *access, int width, on_instruction *visit, void *context)
{
    tg_touched rest = *access;
    const int whole = element_bytes(access), elements = width > whole ? width / whole : 1;
    round r = {elements * access->pieces, access->piece_bytes, {0}};
    while (rest.left > 0) {
        tg_touched_take(&rest, (int64_t)elements * TG_LANES, r.byte);
        for (int i = 0; i < r.pieces; i += width / r.piece_bytes) {
            tg_warp_access one;
            if (!join(&r, i, width, &one)) return false;
            if (one.active) visit(context, &one);
        }
    }
    return true;
}

/* Whether there is a vector for each thread. */
static bool serves_all(const tg_touched *access, int width, int64_t warps)
{
    const int elements = width / element_bytes(access);
    return elements <= 1 || access->left / elements / TG_LANES >= warps;
}

/* ---- given registers ---- */

tg_status tg_value_registers_of(const tg_axe *layout, int64_t count, tg_value_registers *out)
{
    tg_axe numbers;
    *out = (tg_value_registers){0};
    if (tg_iters_size(&layout->d) != count) return TG_ERR_INVALID;
    tg_axe_begin(&numbers);
    tg_iters_put(&numbers.d, count, 1, TG_AXIS_m);
    return tg_placement_of(layout, &numbers, 1, out, NULL);
}

tg_status tg_value_registers_place(const tg_value_registers *held, const int64_t *bytes, int pieces,
                                   int piece_bytes, tg_placement *out)
{
    const int64_t rows = held->warps * held->registers * pieces;
    TG_TRY(tg_placement_begin(held->warps, held->registers * pieces, piece_bytes, out, NULL));
    for (int64_t i = 0; i < rows; i++)
        for (int lane = 0; lane < TG_LANES; lane++) {
            const int64_t element = held->byte[i / pieces * TG_LANES + lane];
            if (element >= 0) out->byte[i * TG_LANES + lane] = bytes[element * pieces + i % pieces];
        }
    const tg_status status = tg_placement_sort(out, NULL);
    if (status != TG_OK) tg_placement_free(out);
    return status;
}

static tg_status place(const tg_touched *access, const tg_value_registers *held, tg_placement *out)
{
    tg_touched rest = *access;
    const size_t count = (size_t)(access->left * access->pieces);
    *out = (tg_placement){0};
    int64_t *bytes = malloc((count + 1) * sizeof *bytes);
    if (!bytes) return TG_ERR_NO_MEMORY;
    tg_touched_take(&rest, access->left, bytes);
    const tg_status status =
        tg_value_registers_place(held, bytes, access->pieces, access->piece_bytes, out);
    free(bytes);
    return status;
}

static void go_held(const tg_placement *p, int width, on_instruction *visit, void *context)
{
    for (int64_t w = 0; w < p->warps; w++)
        for (int64_t r = 0; r < p->registers; r += width / p->element_bytes) {
            tg_warp_access one;
            tg_placement_access(p, w, r, width, &one);
            if (one.active) visit(context, &one);
        }
}

/* ---- costs ---- */

typedef struct sum {
    tg_access_cost *cost;
    tg_cost_space space;
} sum;

static void add(void *context, const tg_warp_access *access)
{
    const sum *s = context;
    tg_access_cost_add(s->cost, s->space, access);
}

void tg_cost_standard(const tg_touched *access, int64_t warps, tg_access_cost *out)
{
    sum s = {out, access->memory->space};
    for (int width = TG_MOST_VECTOR_BYTES; width >= access->piece_bytes; width /= 2) {
        if (!serves_all(access, width, warps)) continue;
        *out = (tg_access_cost){.width = width};
        if (go(access, width, add, &s)) return;
    }
}

void tg_cost_of_placement(const tg_placement *placement, tg_cost_space space, tg_access_cost *out)
{
    sum s = {out, space};
    *out = (tg_access_cost){.width = tg_placement_vector(placement, TG_MOST_VECTOR_BYTES)};
    go_held(placement, out->width, add, &s);
}

tg_status tg_cost_held(const tg_touched *access, const tg_value_registers *held,
                       tg_access_cost *out)
{
    tg_placement p;
    TG_TRY(place(access, held, &p));
    tg_cost_of_placement(&p, access->memory->space, out);
    tg_placement_free(&p);
    return TG_OK;
}

/* ---- the addresses ---- */

static void record(void *context, const tg_warp_access *access)
{
    tg_placement *p = context;
    const int pieces = access->bytes / p->element_bytes;
    for (int i = 0; i < pieces; i++, p->registers++)
        for (int lane = 0; lane < TG_LANES; lane++)
            if (access->active >> lane & 1)
                p->byte[p->registers * TG_LANES + lane] =
                    access->address[lane] + (int64_t)i * p->element_bytes;
}

tg_status tg_cost_placement(const tg_touched *access, const tg_value_registers *held,
                            const tg_access_cost *cost, tg_placement *out)
{
    tg_placement all = {0};
    *out = (tg_placement){0};
    if (held) TG_TRY(place(access, held, &all));
    const int64_t rows = cost->instructions * (cost->width / access->piece_bytes);
    const tg_status status = tg_placement_begin(1, rows, access->piece_bytes, out, NULL);
    out->registers = 0; /* counted up to `rows` again */
    if (status == TG_OK && held) go_held(&all, cost->width, record, out);
    if (status == TG_OK && !held) go(access, cost->width, record, out);
    tg_placement_free(&all);
    return status;
}
