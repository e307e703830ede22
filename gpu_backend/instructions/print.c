/* debug_print: writes a record to global memory, which the host formats after the run
 * (printed.h). */
#include "gpu_backend/instructions/insts.h"

#include <stddef.h>
#include <stdint.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/text/record.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* The first thread reserves room for a record, and shares its address with the other threads
 * through the workspace: 0 if there is no room.  The counter grows in any case, so that the host
 * learns how many bytes all records need. */
static void take_room(tg_ptx_emitter *em, size_t bytes)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg at = tg_ptx_new(w, TG_PTX_B64), end = tg_ptx_new(w, TG_PTX_B64),
                     room = tg_ptx_new(w, TG_PTX_B64), address = tg_ptx_new(w, TG_PTX_B64),
                     is_full = tg_ptx_new(w, TG_PTX_PRED);
    const tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    tg_ptx_row(w, "atom.global.add.u64 %s, [%s], %zu;", at.name, em->prints.name, bytes);
    tg_ptx_row(w, "ld.global.u64 %s, [%s+8];", room.name, em->prints.name);
    tg_ptx_row(w, "add.u64 %s, %s, %zu;", end.name, at.name, bytes);
    tg_ptx_row(w, "setp.gt.u64 %s, %s, %s;", is_full.name, end.name, room.name);
    tg_ptx_row(w, "add.u64 %s, %s, %d;", address.name, at.name, TG_PTX_PRINTS_HEAD);
    tg_ptx_row(w, "add.u64 %s, %s, %s;", address.name, address.name, em->prints.name);
    tg_ptx_row(w, "selp.b64 %s, 0, %s, %s;", address.name, address.name, is_full.name);
    tg_ptx_row(w, "st.%s.u64 [%s+%zu], %s;", tg_ptx_space_name(em->space), em->workspace.name,
               em->extra_offset, address.name);
    tg_ptx_loop_end(em, &one);
}

static tg_ptx_reg find_room(tg_ptx_emitter *em)
{
    const tg_ptx_reg address = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_barrier(em);
    tg_ptx_ready_again(em);
    tg_ptx_row(&em->w, "ld.%s.u64 %s, [%s+%zu];", tg_ptx_space_name(em->space), address.name,
               em->workspace.name, em->extra_offset);
    return address;
}

static void write_head(tg_ptx_emitter *em, tg_ptx_reg record)
{
    const tg_ptx_reg number = tg_ptx_new(&em->w, TG_PTX_B64);
    const tg_ptx_loop one = tg_ptx_loop_begin(em, 1);
    tg_ptx_row(&em->w, "mov.b64 %s, %td;", number.name, em->inst - em->plan->body.list);
    tg_ptx_row(&em->w, "st.global.u64 [%s], %s;", record.name, number.name);
    tg_ptx_row(&em->w, "st.global.u64 [%s+8], %s;", record.name, em->program_index.name);
    tg_ptx_loop_end(em, &one);
}

static void write_operand(tg_ptx_emitter *em, const tg_operand *o, tg_ptx_reg record, size_t offset)
{
    const int64_t count = tg_ptx_count(o);
    tg_ptx_reg index[TG_MAX_RANK];
    if (count == 0) return;
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, count);
    tg_ptx_unravel(em, loop.element, o->rank, o->shape, index);
    const tg_ptx_reg value = tg_ptx_load(em, o, index),
                     at = tg_ptx_address_in_row(em, record, count, loop.element,
                                                tg_carrier_bytes[tg_carrier_of(o->dtype)]);
    tg_ptx_store_carrier(em, TG_PTX_GLOBAL, o->dtype, at, (int64_t)offset, value);
    tg_ptx_loop_end(em, &loop);
}

void tg_ptx_inst_print(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_print *print = inst->as.print;
    size_t offset = TG_PTX_RECORD_HEAD;
    const uint32_t skip = tg_ptx_new_label(&em->w);
    const tg_ptx_reg is_full = tg_ptx_new(&em->w, TG_PTX_PRED);
    take_room(em, tg_ptx_record_bytes(print));
    const tg_ptx_reg record = find_room(em);
    tg_ptx_row(&em->w, "setp.eq.u64 %s, %s, 0;", is_full.name, record.name);
    tg_ptx_row(&em->w, "@%s bra.uni $L%u;", is_full.name, skip);
    write_head(em, record);
    for (uint32_t i = 0; i < print->in_count; i++) {
        write_operand(em, &print->in[i], record, offset);
        offset += tg_ptx_printed_bytes(&print->in[i]);
    }
    tg_ptx_label(&em->w, skip);
}
