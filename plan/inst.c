#include "plan/inst.h"

const char *const tg_inst_names[TG_I_KIND_COUNT] = {
#define TG_INST(ID, id, body, visible, traits, names) [TG_I_##ID] = #id,
#include "plan/insts.def"
};

enum {
    COMPUTES = TG_INST_COMPUTES,
    UPDATES = TG_INST_UPDATES,
    BLOCKS = TG_INST_BLOCKS,
    ACCESSES = TG_INST_ACCESSES
};

const unsigned tg_inst_traits[TG_I_KIND_COUNT] = {
#define TG_INST(ID, id, body, visible, traits, names) [TG_I_##ID] = traits,
#include "plan/insts.def"
};

#define VISIBLE(ID, visible)                                                                       \
    case TG_I_##ID: return visible;

bool tg_inst_is_visible(const tg_inst *inst)
{
    switch (inst->kind) {
#define TG_INST(ID, id, body, visible, traits, names) VISIBLE(ID, visible)
#include "plan/insts.def"
    case TG_I_KIND_COUNT: break;
    }
    return false;
}

/* ---- operands ---- */

typedef struct visitor {
    tg_operand_fn *visit;
    void *context;
} visitor;

static void visit_all(const visitor *v, const tg_operand *list, uint32_t count, bool is_written)
{
    for (uint32_t i = 0; i < count; i++) v->visit(v->context, &list[i], is_written);
}

static void visit_indexes(const visitor *v, const tg_access_plan *a)
{
    for (int d = 0; d < a->rank; d++)
        if (a->dims[d].has_operand) v->visit(v->context, &a->dims[d].operand, false);
    if (a->has_mask) v->visit(v->context, &a->mask, false);
    if (a->has_other) v->visit(v->context, &a->other, false);
}

/* One function for each kind of instruction, and a switch that calls it. */
#define TG_INST(ID, id, body, visible, traits, names)                                              \
    static void operands_of_##id(const tg_inst *inst, const visitor *v)                            \
    {                                                                                              \
        __auto_type const b = body;                                                                \
        (void)b, (void)v;                                                                          \
        names                                                                                      \
    }
#define TG_READS(o, label) v->visit(v->context, &b->o, false);
#define TG_WRITES(o, label) v->visit(v->context, &b->o, true);
#define TG_READS_IF(when, o, label)                                                                \
    if (when) v->visit(v->context, &b->o, false);
#define TG_WRITES_IF(when, o, label)                                                               \
    if (when) v->visit(v->context, &b->o, true);
#define TG_READS_ALL(list, count) visit_all(v, b->list, count, false);
#define TG_WRITES_ALL(list, count) visit_all(v, b->list, count, true);
#define TG_INDEXES(access) visit_indexes(v, &b->access);
#include "plan/insts.def"

#define OPERANDS(ID, id)                                                                           \
    case TG_I_##ID: operands_of_##id(inst, &v); return;

void tg_inst_operands(const tg_inst *inst, tg_operand_fn *visit, void *context)
{
    const visitor v = {visit, context};
    switch (inst->kind) {
#define TG_INST(ID, id, body, visible, traits, names) OPERANDS(ID, id)
#include "plan/insts.def"
    case TG_I_KIND_COUNT: break;
    }
}

/* Visits the names of an instruction one after the other. */
#define CASE(ID, body, names)                                                                      \
    case TG_I_##ID: {                                                                              \
        __auto_type const b = body;                                                                \
        (void)b;                                                                                   \
        names break;                                                                               \
    }

/* ---- memory of slots ---- */

void tg_inst_slots(const tg_inst *inst, void (*visit)(void *context, tg_slot_id slot),
                   void *context)
{
    switch (inst->kind) {
#define TG_INST(ID, id, body, visible, traits, names) CASE(ID, body, names)
#define TG_SLOT(slot) visit(context, b->slot);
#include "plan/insts.def"
    case TG_I_KIND_COUNT: break;
    }
}

/* ---- refs ---- */

void tg_inst_refs(const tg_inst *inst, tg_ref_fn *visit, void *context)
{
    switch (inst->kind) {
#define TG_INST(ID, id, body, visible, traits, names) CASE(ID, body, names)
#define TG_REF(use, ref, root) visit(context, TG_REF_##use, b->ref, b->root);
#define TG_REF_IF(when, use, ref, root)                                                            \
    if (when) visit(context, TG_REF_##use, b->ref, b->root);
#include "plan/insts.def"
    case TG_I_KIND_COUNT: break;
    }
}

const tg_access_plan *tg_inst_accesses(const tg_inst *inst)
{
    const bool is_access = tg_inst_traits[inst->kind] & TG_INST_ACCESSES;
    return is_access ? &inst->as.access->access : NULL;
}

const struct tg_inst_access *tg_inst_atomic(const tg_inst *inst)
{
    const bool is_access = tg_inst_traits[inst->kind] & TG_INST_ACCESSES;
    return is_access && inst->as.access->is_atomic ? inst->as.access : NULL;
}

typedef struct wanted_use {
    tg_ref_use use;
    bool is_found;
} wanted_use;

static void look_for_use(void *context, tg_ref_use use, tg_ref_id ref, uint32_t root)
{
    wanted_use *wanted = context;
    (void)ref, (void)root;
    if (use & wanted->use) wanted->is_found = true;
}

bool tg_inst_uses(const tg_inst *inst, tg_ref_use use)
{
    wanted_use wanted = {.use = use};
    tg_inst_refs(inst, look_for_use, &wanted);
    return wanted.is_found;
}

tg_ref_id tg_inst_made_ref(const tg_inst *inst)
{
    switch (inst->kind) {
#define TG_INST(ID, id, body, visible, traits, names) CASE(ID, body, names)
#define TG_MAKES_REF(ref) return b->ref;
#include "plan/insts.def"
    case TG_I_KIND_COUNT: break;
    }
    return UINT32_MAX;
}

static void note_root(void *context, tg_ref_use use, tg_ref_id ref, uint32_t root)
{
    uint32_t *first = context;
    (void)use, (void)ref;
    if (*first == UINT32_MAX) *first = root;
}

uint32_t tg_inst_root(const tg_inst *inst)
{
    uint32_t root = UINT32_MAX;
    tg_inst_refs(inst, note_root, &root);
    return root;
}

/* ---- control flow ---- */

void tg_inst_targets(const tg_inst *inst, void (*visit)(void *context, uint32_t target),
                     void *context)
{
    switch (inst->kind) {
#define TG_INST(ID, id, body, visible, traits, names) CASE(ID, body, names)
#define TG_GOES_TO(target, label) visit(context, b->target);
#define TG_GOES_TO_ALL(list, count, label)                                                         \
    for (uint32_t i = 0; i < (count); i++) visit(context, b->list[i]);
#include "plan/insts.def"
    case TG_I_KIND_COUNT: break;
    }
}

static void note_least(void *context, uint32_t target)
{
    uint32_t *least = context;
    if (target < *least) *least = target;
}

uint32_t tg_inst_loop_start(const tg_inst *inst, uint32_t at)
{
    uint32_t least = UINT32_MAX;
    tg_inst_targets(inst, note_least, &least);
    return least <= at ? least : UINT32_MAX;
}
