/* What an op has in common with copies in flight: whether it could see, or spoil, what one of them is about to move.  Nothing here
 * depends on whether the copy has taken place already. */
#include <inttypes.h>
#include <stdio.h>

#include "interp/dma_impl.h"

enum { PLACE_TEXT = 160 };

/* "k.py:12" */
static const char *place_text(const tg_machine *m, const tg_inst *inst, char out[PLACE_TEXT])
{
    const tg_loc *loc = &m->launch->plan->module->locs[inst->loc];
    if (loc->line)
        snprintf(out, PLACE_TEXT, "%.120s:%" PRId64, loc->file, loc->line);
    else
        snprintf(out, PLACE_TEXT, "an unknown place");
    return out;
}

static void report(tg_machine *m, const tg_inst *inst, uint32_t root, bool writes,
                   const tg_dma *dma, bool is_destination)
{
    const tg_param *param = root == UINT32_MAX ? NULL : &m->launch->plan->kernel->params[root];
    char place[PLACE_TEXT];
    tg_machine_found(
        m, TG_FINDING_DMA_IN_FLIGHT, inst, param,
        "%s %s %s %s the copy started at %s may still be %s: no wait has made sure of it",
        tg_ops[inst->op].name, writes ? "writes to" : "reads from",
        param ? param->name : "a scoped ref", is_destination ? "where" : "from which",
        place_text(m, dma->inst, place), is_destination ? "writing" : "reading");
}

/* Reports the first copy that the extent meets; one copy's source may be read. */
static bool compare(tg_machine *m, const tg_inst *inst, uint32_t root, const tg_extent *extent,
                    bool writes)
{
    for (uint32_t i = 0; i < m->dmas.count; i++) {
        const tg_dma *dma = &m->dmas.list[i];
        const bool hits = tg_extents_meet(extent, &dma->writes);
        if (!hits && !(writes && tg_extents_meet(extent, &dma->reads))) continue;
        report(m, inst, root, writes, dma, hits);
        return true;
    }
    return false;
}

void tg_dma_compare_start(tg_machine *m, const tg_dma *starting)
{
    const struct tg_inst_dma *plan = starting->inst->as.dma;
    if (!compare(m, starting->inst, plan->from_root, &starting->reads, false))
        compare(m, starting->inst, plan->to_root, &starting->writes, true);
}

/* ---- accesses ---- */

typedef struct search {
    tg_machine *m;
    const tg_inst *inst;
    bool writes, has_found;
} search;

static void compare_element(void *context, const tg_pieces *pieces)
{
    search *s = context;
    for (int i = 0; i < pieces->count && !s->has_found; i++) {
        const tg_extent extent = {.first = pieces->at[i],
                                  .rank = 1,
                                  .count = {(int64_t)pieces->piece_bytes},
                                  .stride = {1}};
        s->has_found = compare(s->m, s->inst, s->inst->as.access->access.root, &extent, s->writes);
    }
}

/* Whether anything in flight is near the buffer of the ref: most refs have nothing to do with any copy. */
static bool is_near(const tg_machine *m, const tg_ref *ref)
{
    for (uint32_t i = 0; i < m->dmas.count; i++)
        if (m->dmas.list[i].from.data == ref->data || m->dmas.list[i].to.data == ref->data)
            return true;
    return false;
}

void tg_dma_compare_access(tg_machine *m, const tg_inst *inst)
{
    const tg_access_plan *a = &inst->as.access->access;
    const bool writes = inst->kind != TG_I_LOAD;
    if (!is_near(m, &m->refs[a->ref])) return;
    if (a->has_arrays || a->has_mask || a->is_even || m->refs[a->ref].through) {
        search s = {.m = m, .inst = inst, .writes = writes};
        tg_access_elements(m, inst, compare_element, &s);
        return;
    }
    tg_box box;
    tg_box_of(m, a, &box);
    const tg_extent extent = tg_box_extent(&box, tg_dtypes[a->dtype].bytes);
    compare(m, inst, a->root, &extent, writes);
}
