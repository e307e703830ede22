#include "physical/held.h"

#include <stdlib.h>

#include "physical/derived.h"

void tg_held_shape(const tg_type *type, tg_shape *out)
{
    out->rank = type->rank;
    for (int d = 0; d < type->rank; d++) out->extent[d] = type->shape[d];
}

/* ---- regions ---- */

static void visit_region(tg_held *h, const tg_region *region);

static void take(tg_held *h, tg_value_id v, const tg_axe *layout)
{
    const tg_value *value = &h->kernel->values[v];
    if (value->type.is_ref) return;
    h->layout[v] = value->layout ? value->layout : layout;
}

/* Arguments of loops begin as the operands, from number `first` on; `skipped` arguments come before. */
static void visit_loop(tg_held *h, const tg_op *op, uint32_t first, uint32_t skipped)
{
    for (uint32_t r = 0; r < op->region_count; r++) {
        const tg_region *region = &op->regions[r];
        for (uint32_t a = skipped; a < region->arg_count; a++)
            if (first + a - skipped < op->in_count)
                take(h, region->args[a], h->layout[op->in[first + a - skipped]]);
        visit_region(h, region);
    }
    for (uint32_t i = 0; i < op->out_count && first + i < op->in_count; i++)
        take(h, op->out[i], h->layout[op->in[first + i]]);
}

static void use(tg_held *h, const tg_value_id *list, uint32_t count, const tg_op *op)
{
    for (uint32_t i = 0; i < count; i++) {
        h->uses[list[i]]++;
        h->used_by[list[i]] = op;
    }
}

/* Results of a switch, or of scoped memory, are those of its first region. */
static void visit_branches(tg_held *h, const tg_op *op)
{
    for (uint32_t r = 0; r < op->region_count; r++) visit_region(h, &op->regions[r]);
    for (uint32_t i = 0; i < op->out_count; i++)
        take(h, op->out[i], h->layout[op->regions[0].yields[i]]);
}

static void visit_op(tg_held *h, const tg_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) h->made_by[op->out[i]] = op;
    use(h, op->in, op->in_count, op);
    if (op->code == TG_OP_for) {
        visit_loop(h, op, 3, 1);
    } else if (op->code == TG_OP_while) {
        visit_loop(h, op, 0, 0);
    } else if (op->region_count) {
        visit_branches(h, op);
    } else {
        const tg_axe *found = tg_derived(h, op, NULL);
        for (uint32_t i = 0; i < op->out_count; i++) take(h, op->out[i], found);
    }
}

static void visit_region(tg_held *h, const tg_region *region)
{
    for (uint32_t a = 0; a < region->arg_count; a++)
        if (h->kernel->values[region->args[a]].layout) take(h, region->args[a], NULL);
    for (uint32_t i = 0; i < region->op_count; i++) visit_op(h, &region->ops[i]);
    use(h, region->yields, region->yield_count, NULL);
}

tg_status tg_held_find(const tg_kernel *kernel, tg_held *out)
{
    *out = (tg_held){.kernel = kernel};
    out->layout = tg_arena_take(&out->arena, kernel->value_count, sizeof *out->layout);
    out->made_by = tg_arena_take(&out->arena, kernel->value_count, sizeof *out->made_by);
    out->used_by = tg_arena_take(&out->arena, kernel->value_count, sizeof *out->used_by);
    out->uses = tg_arena_take(&out->arena, kernel->value_count, sizeof *out->uses);
    if (!out->layout || !out->made_by || !out->used_by || !out->uses) return TG_ERR_NO_MEMORY;
    visit_region(out, &kernel->body);
    return out->failed ? TG_ERR_NO_MEMORY : TG_OK;
}

const tg_axe *tg_held_moved(const tg_held *held, const tg_op *op)
{
    const tg_value_id v = op->code == TG_OP_load ? op->out[0] : op->in[1];
    const tg_op *user = held->used_by[v];
    if (held->layout[v] || op->code != TG_OP_load || held->uses[v] != 1 || !user ||
        user->code != TG_OP_layout_cast)
        return held->layout[v];
    return held->layout[user->out[0]];
}

void tg_held_free(tg_held *held) { tg_arena_free(&held->arena); }
