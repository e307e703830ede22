#include "physical/alias_order.h"

#include <stdlib.h>

enum { NAMES = 2, NEVER = -1 };

/* Ops are numbered in the order of the text.  What a loop writes, its first op may find written. */
typedef struct alias_walk {
    unsigned char *name; /* per value: 1 + the name that it refers to the memory by; 0: none */
    int64_t number;
    int64_t first_write[NAMES], last_use[NAMES];
    const tg_op *last[NAMES]; /* the op of last_use */
} alias_walk;

static void use(alias_walk *w, const tg_op *op, uint32_t operand)
{
    const int name = w->name[op->in[operand]] - 1;
    const unsigned effects = tg_op_effects_on(op, operand);
    if (name < 0) return;
    if (effects & TG_TRAITS_OF_MEMORY) {
        w->last_use[name] = w->number;
        w->last[name] = op;
    }
    if ((effects & (TG_TRAIT_WRITES | TG_TRAIT_ATOMIC)) && w->first_write[name] == NEVER)
        w->first_write[name] = w->number;
}

static void walk_region(alias_walk *w, const tg_region *region);

static void walk_op(alias_walk *w, const tg_op *op)
{
    const int64_t number = ++w->number;
    for (uint32_t i = 0; i < tg_op_refs_of(op); i++) use(w, op, i);
    if (tg_is_view_op(op->code)) w->name[op->out[0]] = w->name[op->in[0]];
    for (uint32_t r = 0; r < op->region_count; r++) walk_region(w, &op->regions[r]);
    if (op->code != TG_OP_for && op->code != TG_OP_while) return;
    for (int n = 0; n < NAMES; n++)
        if (w->first_write[n] > number) w->first_write[n] = number;
}

static void walk_region(alias_walk *w, const tg_region *region)
{
    for (uint32_t i = 0; i < region->op_count; i++) walk_op(w, &region->ops[i]);
}

tg_status tg_alias_find_stale(const tg_kernel *kernel, uint32_t output, const tg_op **out)
{
    const uint32_t params[NAMES] = {tg_param_owner(kernel, output), output};
    alias_walk w = {.first_write = {NEVER, NEVER}, .last_use = {NEVER, NEVER}};
    *out = NULL;
    w.name = calloc((size_t)kernel->value_count + 1, 1);
    if (!w.name) return TG_ERR_NO_MEMORY;
    for (int n = 0; n < NAMES; n++) w.name[kernel->body.args[params[n]]] = (unsigned char)(1 + n);
    walk_region(&w, &kernel->body);
    for (int n = 0; n < NAMES; n++)
        if (w.first_write[n] != NEVER && w.last_use[1 - n] > w.first_write[n]) *out = w.last[1 - n];
    free(w.name);
    return TG_OK;
}
