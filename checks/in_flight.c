/* Copies and products in flight: whether an op of the thread that started one could read or overwrite
 * memory that it is about to write or to read.  The result does not depend on whether it has already
 * taken place.  Other programs race with it (checks/races). */
#include <stdio.h>
#include <string.h>

#include "checks/checks.h"
#include "checks/element_of_byte.h"
#include "interp/memory/elements.h"
#include "interp/sync/async_op.h"
#include "interp/state/found.h"

/* What a finding calls an op, and its relation to what started it. */
typedef struct names {
    const char *noun, *started;
} names;

static names names_of(const tg_async_op *op)
{
    if (tg_async_is_product(op)) return (names){"product", "the product was started by"};
    if (tg_async_is_load(op)) return (names){"load", "the load was started by"};
    if (tg_async_is_store(op)) return (names){"store", "the store was started by"};
    return (names){"copy", "the copy was started by"};
}

static tg_finding_kind kind_of(const tg_async_op *op)
{
    if (op->is_promised) return TG_FINDING_WAIT_ONLY_PROMISED;
    return tg_async_is_product(op) ? TG_FINDING_PRODUCT_IN_FLIGHT : TG_FINDING_DMA_IN_FLIGHT;
}

/* Reports that an op reads or writes byte `at`, which another one, in flight, is about to write or to
 * read. */
static void report(tg_machine *m, const tg_inst *inst, uint32_t root, bool writes,
                   const tg_async_op *op, const unsigned char *at, bool is_destination)
{
    const tg_param *param = root == UINT32_MAX ? NULL : &m->launch->plan->kernel->params[root];
    tg_found found = tg_machine_finding(m, kind_of(op), inst, param);
    char index[TG_INDEX_TEXT] = "";
    if (param) {
        found.has_elements = true;
        found.first = tg_element_of_byte(m->launch->plan->kernel, root,
                                         at - tg_machine_memory(m, root), index);
        found.last = found.first;
    }
    snprintf(found.message, sizeof found.message,
             "%s %s %s%s, %s a %s may still be %s: no wait%s has made sure of it",
             tg_ops[inst->op].name, writes ? "writes" : "reads",
             param ? param->name : "a scoped ref", index, is_destination ? "which" : "from which",
             names_of(op).noun, is_destination ? "writing" : "reading",
             op->is_promised ? " but one that is only promised" : "");
    found.related_count = 1;
    found.related[0] =
        (tg_found_related){.role = names_of(op).started,
                           .at = {.op = op->inst->op, .loc = op->inst->loc, .has_program = true}};
    memcpy(found.related[0].at.program, op->program, sizeof op->program);
    tg_findings_add(m->launch->findings, &found);
}

/* Returns the first byte of `side` that is found to be in a source; NULL: there is none. */
static const unsigned char *meets_source(const tg_async_side *side, const tg_async_op *op)
{
    const unsigned char *met = NULL;
    for (uint32_t i = 0; i < op->inst->as.async->source_count && !met; i++)
        met = tg_async_sides_meet(side, &op->source[i]);
    return met;
}

/* Whether the access is one of an op that may rely on coming behind the products, and the copies among
 * them, that its thread has started: a product is.  A copy may only read; on a GPU it may write before
 * they are done. */
static bool follows_products(const tg_inst *inst, bool writes)
{
    return (inst->kind == TG_I_PRODUCT || (inst->kind == TG_I_DMA && !writes)) &&
           inst->as.async->engine == TG_ENGINE_PRODUCTS;
}

/* Reports the first op, of those that only a promised wait has made sure of or of the others, that has
 * bytes in common with what is accessed.  Reading its sources is allowed, and products of one thread follow
 * each other. */
static bool compare_with(tg_machine *m, const tg_inst *inst, uint32_t root,
                         const tg_async_side *side, bool writes, bool are_promised)
{
    for (uint32_t i = 0; i < m->chain->async_ops.count; i++) {
        const tg_async_op *op = m->chain->async_ops.list[i];
        if (op->starter != m) continue;
        if (op->is_known || op->is_promised_elsewhere)
            continue; /* its own thread may have been told, see races.c */
        if (op->is_promised != are_promised) continue;
        if (follows_products(inst, writes) && tg_async_is_in_order(op)) continue;
        const unsigned char *const hit = tg_async_is_load(op) ? NULL
                                                              : tg_async_sides_meet(side, &op->to),
                                   *const spoilt = writes && !op->is_read_awaited
                                                       ? meets_source(side, op)
                                                       : NULL;
        if (!hit && !spoilt) continue;
        report(m, inst, root, writes, op, hit ? hit : spoilt, hit != NULL);
        return true;
    }
    return false;
}

static bool compare(tg_machine *m, const tg_inst *inst, uint32_t root, const tg_async_side *side,
                    bool writes)
{
    return compare_with(m, inst, root, side, writes, false) ||
           compare_with(m, inst, root, side, writes, true);
}

/* An op that starts is itself reads and a write. */
static void async_starts(tg_machine *m, const tg_async_op *starting)
{
    const struct tg_inst_async *plan = starting->inst->as.async;
    bool has_found = false;
    for (uint32_t i = 0; i < plan->source_count && !has_found; i++)
        has_found = compare(m, starting->inst, plan->source[i].root, &starting->source[i], false);
    if (!has_found) compare(m, starting->inst, plan->to.root, &starting->to, true);
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
        const tg_extent bytes = {.first = pieces->at[i],
                                 .rank = 1,
                                 .count = {(int64_t)pieces->piece_bytes},
                                 .stride = {1}};
        const tg_async_side piece = tg_async_side_of(&bytes);
        s->has_found = compare(s->m, s->inst, s->inst->as.access->access.root, &piece, s->writes);
    }
}

static bool uses(const tg_async_op *op, const unsigned char *data)
{
    bool is_used = op->to.ref.data == data;
    for (uint32_t i = 0; i < op->inst->as.async->source_count; i++)
        is_used |= op->source[i].ref.data == data;
    return is_used;
}

/* Returns whether any op in flight uses the buffer of the ref.  Most refs have nothing to do with
 * copies, so this is a fast test. */
static bool is_near(const tg_machine *m, const tg_ref *ref)
{
    for (uint32_t i = 0; i < m->chain->async_ops.count; i++)
        if (uses(m->chain->async_ops.list[i], ref->data)) return true;
    return false;
}

static void access_beside_async(tg_machine *m, const tg_inst *inst)
{
    const tg_access_plan *a = &inst->as.access->access;
    const bool writes = inst->kind != TG_I_LOAD;
    if (!is_near(m, &m->refs[a->ref])) return;
    if (a->has_arrays || a->has_mask || a->is_even || m->refs[a->ref].recast) {
        search s = {.m = m, .inst = inst, .writes = writes};
        tg_access_elements(m, inst, compare_element, &s);
        return;
    }
    tg_box box;
    tg_box_of(m, a, &box);
    const tg_extent bytes = tg_box_extent(&box, tg_dtypes[a->dtype].bytes);
    const tg_async_side side = tg_async_side_of(&bytes);
    compare(m, inst, a->root, &side, writes);
}

/* ---- the detector ---- */

static bool wants(const tg_launch *launch)
{
    const tg_code *body = &launch->plan->body;
    for (uint32_t i = 0; i < body->count; i++)
        if (body->list[i].kind == TG_I_DMA || body->list[i].kind == TG_I_PRODUCT) return true;
    return false;
}

const tg_detector tg_detector_in_flight = {
    .wants = wants, .async_starts = async_starts, .access_beside_async = access_beside_async};
