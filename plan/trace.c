#include "plan/trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- sites ---- */

static size_t record_bytes(const tg_type *block)
{
    const size_t elements =
        (size_t)tg_type_count(block) * tg_carrier_bytes[tg_carrier_of(block->dtype)];
    return sizeof(tg_trace_record) + (elements + 7) / 8 * 8;
}

/* Sites in the making; without a list they are counted only. */
typedef struct maker {
    tg_trace_site *list;
    uint32_t count;
    const tg_inst *inst;
} maker;

static void add(maker *m, tg_trace_site site, int rank, const int64_t *shape)
{
    if (m->list) {
        site.block.rank = rank;
        memcpy(site.block.shape, shape, (size_t)rank * sizeof *shape);
        site.bytes = record_bytes(&site.block);
        m->list[m->count] = site;
    }
    m->count++;
}

static void add_operand(void *context, const tg_operand *o, bool is_written)
{
    maker *m = context;
    if (is_written)
        add(m,
            (tg_trace_site){
                .op = m->inst->op, .loc = m->inst->loc, .operand = o, .block.dtype = o->dtype},
            o->rank, o->shape);
}

static void add_group(maker *m, const tg_group *g)
{
    for (uint32_t l = 0; l < g->op_count; l++)
        add(m,
            (tg_trace_site){.op = g->ops[l].op,
                            .loc = g->ops[l].loc,
                            .block.dtype = tg_group_op_dtype(&g->ops[l])},
            g->rank, g->shape);
}

/* What a TARGET prepares its STORE leaves; a counter is no op of the kernel. */
static void add_inst(maker *m, const tg_inst *inst)
{
    m->inst = inst;
    if (inst->kind == TG_I_GROUP)
        add_group(m, inst->as.group);
    else if (inst->kind != TG_I_TARGET && inst->kind != TG_I_FOR_NEXT)
        tg_inst_operands(inst, add_operand, m);
}

/* Within an instruction the records follow one another. */
static void place(tg_trace_sites *sites, uint32_t insts)
{
    for (uint32_t i = 0; i < insts; i++) {
        size_t used = 0;
        for (uint32_t s = sites->first[i]; s < sites->first[i + 1]; s++) {
            sites->list[s].offset = used;
            used += sites->list[s].bytes;
        }
        if (used > sites->most) sites->most = used;
    }
}

tg_trace_sites *tg_trace_sites_new(const tg_plan *plan)
{
    maker counted = {0}, made = {0};
    for (uint32_t i = 0; i < plan->body.count; i++) add_inst(&counted, &plan->body.list[i]);
    tg_trace_sites *sites = calloc(1, sizeof *sites);
    if (!sites) return NULL;
    sites->list = made.list = calloc(counted.count + 1, sizeof *sites->list);
    sites->first = calloc((size_t)plan->body.count + 1, sizeof *sites->first);
    if (!sites->list || !sites->first) {
        tg_trace_sites_free(sites);
        return NULL;
    }
    for (uint32_t i = 0; i < plan->body.count; i++) {
        add_inst(&made, &plan->body.list[i]);
        sites->first[i + 1] = made.count;
    }
    sites->count = made.count;
    place(sites, plan->body.count);
    return sites;
}

void tg_trace_sites_free(tg_trace_sites *sites)
{
    if (!sites) return;
    free(sites->list);
    free(sites->first);
    free(sites);
}

size_t tg_trace_bytes(const tg_trace_sites *sites, uint32_t inst)
{
    const uint32_t first = sites->first[inst], end = sites->first[inst + 1];
    return first == end ? 0 : sites->list[end - 1].offset + sites->list[end - 1].bytes;
}

/* ---- the log ---- */

unsigned char *tg_trace_take(tg_trace *trace, uint32_t inst, int64_t order)
{
    const tg_trace_sites *sites = trace->sites;
    const uint64_t start = trace->at;
    const size_t bytes = tg_trace_bytes(sites, inst);
    trace->at += bytes;
    if (!bytes || start < trace->first || trace->at > trace->first + trace->bytes) return NULL;
    unsigned char *const room = trace->data + (start - trace->first);
    for (uint32_t s = sites->first[inst]; s < sites->first[inst + 1]; s++) {
        const tg_trace_record record = {(uint64_t)s + 1, (uint64_t)order};
        memcpy(room + sites->list[s].offset, &record, sizeof record);
    }
    return room;
}

bool tg_trace_read(const tg_trace *trace, size_t at, tg_trace_record *out)
{
    if (at + sizeof *out > trace->bytes) return false;
    memcpy(out, trace->data + at, sizeof *out);
    return out->site != 0;
}
