/* The log's parameters of the entry are the address of the window and the positions in the log
 * where it begins and ends. */
#include "gpu_backend/emit/trace.h"

#include <inttypes.h>
#include <stdbool.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/operand.h"
#include "ir/type.h"
#include "plan/trace.h"

void tg_ptx_trace_start(tg_ptx_emitter *em)
{
    static const char *const names[] = {"tg_trace", "tg_trace_first", "tg_trace_end"};
    tg_ptx_reg params[3];
    if (!em->trace.sites) return;
    for (int i = 0; i < 3; i++) {
        params[i] = tg_ptx_new(&em->w, TG_PTX_B64);
        tg_ptx_row(&em->w, "ld.param.u64 %s, [%s];", params[i].name, names[i]);
    }
    em->trace.first = params[1];
    em->trace.end = params[2];
    em->trace.base = tg_ptx_new(&em->w, TG_PTX_B64);
    em->trace.at = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "cvta.to.global.u64 %s, %s;", params[0].name, params[0].name);
    tg_ptx_row(&em->w, "sub.u64 %s, %s, %s;", em->trace.base.name, params[0].name, params[1].name);
    tg_ptx_row(&em->w, "mov.b64 %s, 0;", em->trace.at.name);
}

/* The first thread writes the headers of the instruction's records. */
static void write_records(tg_ptx_emitter *em)
{
    const tg_ptx_trace *t = &em->trace;
    const tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    const tg_ptx_reg number = tg_ptx_new(&em->w, TG_PTX_B64);
    for (uint32_t s = t->site; s < t->site_end; s++) {
        tg_ptx_row(&em->w, "mov.b64 %s, %" PRIu64 ";", number.name, (uint64_t)s + 1);
        tg_ptx_row(&em->w, "st.global.u64 [%s+%zu], %s;", t->room.name, t->sites->list[s].offset,
                   number.name);
        tg_ptx_row(&em->w, "st.global.u64 [%s+%zu], %s;", t->room.name,
                   t->sites->list[s].offset + 8, em->program_index.name);
    }
    tg_ptx_loop_end(em, &one);
}

void tg_ptx_trace_begin(tg_ptx_emitter *em, const tg_code *code, uint32_t at)
{
    tg_ptx_trace *t = &em->trace;
    tg_ptx_writer *w = &em->w;
    const bool is_body = t->sites && code == &em->plan->body; /* index maps are not logged */
    t->site = is_body ? t->sites->first[at] : 0;
    t->site_end = is_body ? t->sites->first[at + 1] : 0;
    if (t->site == t->site_end) return;
    const tg_ptx_reg before = tg_ptx_new(w, TG_PTX_PRED), next = tg_ptx_new(w, TG_PTX_B64);
    const uint32_t skip = tg_ptx_new_label(w);
    t->outside = tg_ptx_new(w, TG_PTX_PRED);
    t->room = tg_ptx_new(w, TG_PTX_B64);
    tg_ptx_row(w, "add.u64 %s, %s, %s;", t->room.name, t->base.name, t->at.name);
    tg_ptx_row(w, "add.u64 %s, %s, %zu;", next.name, t->at.name, tg_trace_bytes(t->sites, at));
    tg_ptx_row(w, "setp.lt.u64 %s, %s, %s;", before.name, t->at.name, t->first.name);
    tg_ptx_row(w, "setp.gt.or.u64 %s, %s, %s, %s;", t->outside.name, next.name, t->end.name,
               before.name);
    tg_ptx_move(w, t->at, next);
    tg_ptx_row(w, "@%s bra $L%u;", t->outside.name, skip);
    write_records(em);
    tg_ptx_label(w, skip);
}

void tg_ptx_trace_op(tg_ptx_emitter *em, uint32_t lane, tg_ptx_reg element, tg_ptx_reg value)
{
    const tg_ptx_trace *t = &em->trace;
    if (t->site == t->site_end) return;
    const tg_trace_site *site = &t->sites->list[t->site + lane];
    const uint32_t skip = tg_ptx_new_label(&em->w);
    const tg_ptx_reg to = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "@%s bra $L%u;", t->outside.name, skip);
    tg_ptx_row(&em->w, "mad.wide.u32 %s, %s, %d, %s;", to.name, element.name,
               tg_carrier_bytes[tg_carrier_of(site->block.dtype)], t->room.name);
    tg_ptx_store_carrier(em, TG_PTX_GLOBAL, site->block.dtype, to,
                         (int64_t)(site->offset + sizeof(tg_trace_record)), value);
    tg_ptx_label(&em->w, skip);
}

static void copy_block(tg_ptx_emitter *em, uint32_t lane, const tg_operand *o)
{
    tg_ptx_reg index[TG_MAX_RANK];
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, tg_ptx_count(o));
    tg_ptx_unravel(em, loop.element, o->rank, o->shape, index);
    tg_ptx_trace_op(em, lane, loop.element, tg_ptx_load(em, o, index));
    tg_ptx_loop_end(em, &loop);
}

void tg_ptx_trace_end(tg_ptx_emitter *em)
{
    const tg_ptx_trace *t = &em->trace;
    for (uint32_t s = t->site; s < t->site_end; s++) {
        const tg_operand *o = t->sites->list[s].operand;
        if (!o) return; /* a group, which has logged its ops itself */
        tg_ptx_reads(em, o);
        tg_ptx_ready(em);
        if (tg_ptx_count(o) > 0) copy_block(em, s - t->site, o);
    }
}
