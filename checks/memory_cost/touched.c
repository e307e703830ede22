#include "checks/memory_cost/touched.h"

tg_touched tg_touched_begin(tg_machine *m, const tg_inst *inst, const tg_cost_memory *memory)
{
    tg_touched t = {.walk = tg_elements_begin(m, inst), .memory = memory};
    const tg_dtype dtype = t.walk.a->dtype;
    t.mask = tg_elements_mask(&t.walk);
    t.walk.has_reported = true; /* the access itself reports elements outside */
    t.left = t.walk.count;
    t.piece_bytes = (int)tg_ref_piece_bytes(m, t.walk.ref, dtype);
    t.pieces = tg_dtypes[dtype].bytes / t.piece_bytes;
    return t;
}

static void take_one(tg_touched *t, int64_t *bytes)
{
    tg_pieces found;
    const bool is_touched = t->left > 0 && !tg_elements_is_off(&t->walk, &t->mask) &&
                            tg_elements_locate(&t->walk, &found);
    for (int i = 0; i < t->pieces; i++)
        bytes[i] =
            is_touched ? tg_cost_memory_byte(t->memory, found.at[i] - t->walk.ref->data) : -1;
    if (t->left-- > 0) tg_elements_next(&t->walk);
}

void tg_touched_take(tg_touched *t, int64_t elements, int64_t *bytes)
{
    for (int64_t i = 0; i < elements; i++) take_one(t, bytes + i * t->pieces);
}
