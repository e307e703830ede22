/* Atomics: each element changes in one atomic step, a compare-and-swap loop for every op. */
#include "gpu_backend/instructions/atomic.h"

#include "gpu_backend/instructions/insts.h"

#include <stdint.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/apply.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/emit/refuse.h"
#include "gpu_backend/instructions/access_walk.h"
#include "gpu_backend/instructions/order.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/reduction.h"
#include "ir/type.h"

/* The new value of an element, as a carrier. */
static tg_ptx_reg combined(tg_ptx_emitter *em, const tg_ptx_change *change, tg_dtype dtype,
                           tg_ptx_reg old)
{
    const tg_ptx_reg value = change->value;
    if (!change->compares)
        return change->op == TG_OP_COUNT ? value
                                         : tg_ptx_apply_two(em, change->op, dtype, old, value);
    const tg_ptx_reg equal = tg_ptx_apply_two(em, TG_OP_eq, dtype, old, value),
                     p = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.ne.u32 %s, %s, 0;", p.name, equal.name);
    return tg_ptx_selp(&em->w, p, change->second, old);
}

/* A word of memory for compare-and-swap, and the element's position in it. */
typedef struct word {
    tg_ptx_reg address, shift; /* shift: in bits, for elements of one byte */
    int bits;
} word;

static word word_of(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_ptx_element *e)
{
    tg_ptx_writer *out = &em->w;
    word at = {.address = e->pieces.at[0], .bits = 8 * tg_ptx_element_bytes(w)};
    if (at.bits != 8) return at;
    const tg_ptx_reg low = tg_ptx_new(out, TG_PTX_B32);
    at.bits = 32;
    at.address = tg_ptx_new(out, TG_PTX_B64);
    at.shift = tg_ptx_new(out, TG_PTX_B32);
    tg_ptx_row(out, "and.b64 %s, %s, -4;", at.address.name, e->pieces.at[0].name);
    tg_ptx_row(out, "cvt.u32.u64 %s, %s;", low.name, e->pieces.at[0].name);
    tg_ptx_row(out, "and.b32 %s, %s, 3;", low.name, low.name);
    tg_ptx_row(out, "shl.b32 %s, %s, 3;", at.shift.name, low.name);
    return at;
}

/* The element's bits in a word, zero-extended. */
static tg_ptx_reg part_of(tg_ptx_emitter *em, const tg_ptx_walk *w, const word *at, tg_ptx_reg bits)
{
    tg_ptx_writer *out = &em->w;
    if (tg_ptx_element_bytes(w) > 2) return bits;
    const tg_ptx_reg r = tg_ptx_new(out, TG_PTX_B32);
    if (tg_ptx_element_bytes(w) == 2)
        tg_ptx_row(out, "cvt.u32.u16 %s, %s;", r.name, bits.name);
    else
        tg_ptx_row(out, "bfe.u32 %s, %s, %s, 8;", r.name, bits.name, at->shift.name);
    return r;
}

/* The word with the element's bits replaced. */
static tg_ptx_reg with_part(tg_ptx_emitter *em, const tg_ptx_walk *w, const word *at,
                            tg_ptx_reg bits, tg_ptx_reg part)
{
    tg_ptx_writer *out = &em->w;
    if (tg_ptx_element_bytes(w) > 2) return part;
    const tg_ptx_reg r = tg_ptx_new(out, tg_ptx_element_bytes(w) == 2 ? TG_PTX_B16 : TG_PTX_B32);
    if (tg_ptx_element_bytes(w) == 2)
        tg_ptx_row(out, "cvt.u16.u32 %s, %s;", r.name, part.name);
    else
        tg_ptx_row(out, "bfi.b32 %s, %s, %s, %s, 8;", r.name, part.name, bits.name, at->shift.name);
    return r;
}

tg_ptx_reg tg_ptx_change_element(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_ptx_element *e,
                                 const tg_ptx_change *change)
{
    tg_ptx_writer *out = &em->w;
    if (e->pieces.count > 1)
        tg_ptx_refuse(em, TG_PTX_REFUSES_PIECES, "%s", tg_ops[em->inst->op].name);
    const tg_dtype dtype = w->a->dtype;
    const char *const space = tg_ptx_space_name(w->ref->space);
    char order[TG_PTX_ORDER_TEXT];
    tg_ptx_relaxed(em, order);
    const word at = word_of(em, w, e);
    const tg_ptx_class class = at.bits == 64 ? TG_PTX_B64 : at.bits == 32 ? TG_PTX_B32 : TG_PTX_B16;
    const tg_ptx_reg bits = tg_ptx_new(out, class), seen = tg_ptx_new(out, class),
                     again = tg_ptx_new(out, TG_PTX_PRED);
    const uint32_t retry = tg_ptx_new_label(out);
    tg_ptx_row(out, "mov.b%d %s, 0;", at.bits, seen.name);
    tg_ptx_row(out, "atom.%s%s.cas.b%d %s, [%s], %s, %s;", order, space, at.bits, bits.name,
               at.address.name, seen.name, seen.name);
    tg_ptx_label(out, retry);
    const tg_ptx_reg old = tg_ptx_from_memory(out, dtype, part_of(em, w, &at, bits));
    const tg_ptx_reg part = tg_ptx_to_memory(out, dtype, combined(em, change, dtype, old));
    const tg_ptx_reg wanted = with_part(em, w, &at, bits, part);
    tg_ptx_row(out, "atom.%s%s.cas.b%d %s, [%s], %s, %s;", order, space, at.bits, seen.name,
               at.address.name, bits.name, wanted.name);
    tg_ptx_row(out, "setp.ne.%s%d %s, %s, %s;", at.bits == 16 ? "u" : "b", at.bits, again.name,
               seen.name, bits.name);
    tg_ptx_move(out, bits, seen);
    tg_ptx_row(out, "@%s bra $L%u;", again.name, retry);
    return old;
}

static void change_element(tg_ptx_emitter *em, const tg_ptx_walk *w,
                           const struct tg_inst_access *atomic, const tg_ptx_element *e)
{
    tg_ptx_writer *out = &em->w;
    const tg_dtype dtype = w->a->dtype;
    tg_ptx_change change = {.value = tg_ptx_load(em, &atomic->value, e->index),
                            .compares = em->inst->op == TG_OP_atomic_cas};
    if (change.compares)
        change.second = tg_ptx_load(em, &atomic->second, e->index);
    else
        change.op = tg_atomic_op(atomic->kind);
    const tg_ptx_reg old = tg_ptx_new(out, tg_ptx_class_of(dtype));
    const uint32_t skip = tg_ptx_new_label(out);
    if (e->may_be_absent) {
        tg_ptx_move(&em->w, old, tg_ptx_undefined(out, dtype));
        tg_ptx_row(out, "@!%s bra $L%u;", e->is_there.name, skip);
    }
    tg_ptx_move(&em->w, old, tg_ptx_change_element(em, w, e, &change));
    if (e->may_be_absent) tg_ptx_label(out, skip);
    if (atomic->has_old) tg_ptx_store(em, &atomic->old, e->index, old);
}

void tg_ptx_inst_atomic(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_access *atomic = inst->as.access;
    const tg_access_plan *a = &atomic->access;
    const tg_ptx_walk w = tg_ptx_walk_access(em, a);
    if (w.count == 0) return;
    tg_ptx_begin_order(em, inst);
    const tg_ptx_loop loop = tg_ptx_begin_stores(em, &w);
    const tg_ptx_element e = tg_ptx_find(em, &w, loop.element);
    change_element(em, &w, atomic, &e);
    tg_ptx_end_stores(em, &w, &loop);
    tg_ptx_end_order(em, inst);
}
