/* Accesses through index arrays or refs without strides, and atomics: one element after the other,
 * row-major. */
#include "interp/memory/scatter.h"

#include <string.h>

#include "interp/memory/atomic_step.h"
#include "interp/memory/elements.h"
#include "interp/state/fill.h"
#include "interp/state/handlers.h"
#include "interp/memory/mask.h"
#include "interp/state/operand.h"
#include "interp/memory/notify.h"
#include "ir/reduction.h"

enum { CHUNK = 512 };

static void touched_element(const tg_elements *w, tg_access_kind kind, const tg_pieces *pieces)
{
    if (!tg_is_watched(w->m, w->a, kind)) return;
    const size_t width = pieces->piece_bytes;
    const int shift = __builtin_ctz((unsigned)width); /* a division would be slower */
    for (int i = 0; i < pieces->count; i++)
        tg_machine_accessed_run(w->m, w->inst, kind, width, (pieces->at[i] - w->ref->data) >> shift,
                                1, 1);
}

/* ---- load ---- */

/* Reads a chunk of elements in memory representation.  Elements that the mask turns off count as
 * not accessed, even if they get the values in memory. */
static void fetch(tg_elements *w, unsigned char *to, const tg_view *mask, int64_t count)
{
    const bool shows_all = tg_mask_shows_memory(w->m, w->a);
    size_t bytes = tg_dtypes[w->a->dtype].bytes;
    tg_launch_fill_memory(w->m->launch, to, w->a->dtype, (size_t)count);
    for (int64_t i = 0; i < count; i++, tg_elements_next(w)) {
        tg_pieces pieces;
        const bool is_off = tg_elements_is_off(w, mask);
        if ((is_off && !shows_all) || !tg_elements_locate(w, &pieces)) continue;
        if (!is_off) touched_element(w, TG_ACCESS_READ, &pieces);
        tg_elements_read(&pieces, to + (size_t)i * bytes);
    }
}

static void load_all(tg_elements *w, const tg_operand *value)
{
    tg_machine *m = w->m;
    tg_dtype dtype = w->a->dtype;
    size_t bytes = tg_dtypes[dtype].bytes, wide = tg_carrier_bytes[tg_carrier_of(dtype)];
    tg_elementwise_fn *load = tg_elementwise_load(m->launch->elementwise, dtype);
    tg_view mask = tg_elements_mask(w);
    unsigned char *to = tg_operand_at(m, value);
    const void *fetched = m->strips;
    for (int64_t done = 0; done < w->count; done += CHUNK) {
        int64_t n = w->count - done < CHUNK ? w->count - done : CHUNK;
        fetch(w, m->strips, &mask, n);
        if (load)
            load(to + (size_t)done * wide, &fetched, 0, (size_t)n, 0);
        else
            memcpy(to + (size_t)done * wide, fetched, (size_t)n * bytes);
    }
}

void tg_scattered_load(tg_machine *m, const tg_inst *inst)
{
    tg_elements w = tg_elements_begin(m, inst);
    const struct tg_inst_access *load = inst->as.access;
    load_all(&w, &load->value);
    if (w.a->has_mask && !tg_mask_shows_memory(m, w.a))
        tg_apply_mask(m, w.a, &load->value, w.a->has_other ? &w.a->other : NULL);
}

/* ---- store ---- */

/* The carrier of an operand at the current element. */
static const void *carrier_of(const tg_elements *w, const tg_view *view)
{
    const size_t wide = tg_carrier_bytes[tg_carrier_of(w->a->dtype)];
    return (const unsigned char *)view->data + tg_elements_offset(w, view) * (int64_t)wide;
}

/* Converts one carrier and stores it. */
static void put_element(const tg_elements *w, const tg_pieces *pieces, const void *carrier)
{
    tg_elementwise_fn *store = tg_elementwise_store(w->m->launch->elementwise, w->a->dtype);
    unsigned char bytes[sizeof(uint64_t)];
    if (store) store(bytes, &carrier, 0, 1, 0);
    tg_elements_write(pieces, store ? bytes : carrier);
}

void tg_scattered_store(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *store = inst->as.access;
    tg_elements w = tg_elements_begin(m, inst);
    tg_view value = tg_operand_view(m, &store->value), mask = tg_elements_mask(&w);
    if (store->has_old) {
        tg_elements reads = w;
        reads.is_dropped = false;
        load_all(&reads, &store->old);
        if (w.a->has_mask) tg_apply_mask(m, w.a, &store->old, &store->value);
    }
    for (int64_t i = 0; i < w.count; i++, tg_elements_next(&w)) {
        tg_pieces pieces;
        if (tg_elements_is_off(&w, &mask) || !tg_elements_locate(&w, &pieces)) continue;
        touched_element(&w, TG_ACCESS_INTENT, &pieces);
        put_element(&w, &pieces, carrier_of(&w, &value));
        touched_element(&w, TG_ACCESS_WRITE, &pieces);
    }
}

/* ---- atomics ---- */

static bool is_equal(const tg_elements *w, const void *a, const void *b)
{
    tg_elementwise_call eq =
        tg_elementwise_op(w->m->launch->elementwise, TG_OP_eq, w->a->dtype, w->a->dtype);
    const void *src[] = {a, b};
    uint8_t result = 0;
    eq.compute(&result, src, 0, 1, 0);
    return result != 0;
}

/* Computes the new value of the element; `out` has room for a carrier.  Returns false if a comparison
 * says that there is none: the element is only read. */
static bool combine(const tg_elements *w, const struct tg_inst_access *atomic, const void *old,
                    const void *value, void *out)
{
    size_t wide = tg_carrier_bytes[tg_carrier_of(w->a->dtype)];
    const void *src[] = {old, value};
    if (w->inst->op == TG_OP_atomic_cas) {
        const tg_view second = tg_operand_view(w->m, &atomic->second);
        const bool is_changed = is_equal(w, old, value);
        memcpy(out, is_changed ? carrier_of(w, &second) : old, wide);
        return is_changed;
    }
    if (tg_atomic_op(atomic->kind) == TG_OP_COUNT) {
        memcpy(out, value, wide);
        return true;
    }
    tg_elementwise_call op = tg_elementwise_op(
        w->m->launch->elementwise, tg_atomic_op(atomic->kind), w->a->dtype, w->a->dtype);
    op.compute(out, src, 0, 1, 0);
    const void *again = out;
    if (op.finish) op.finish(out, &again, 0, 1, 0);
    return true;
}

/* What a step that is over has done. */
static tg_access_kind kind_of(bool has_written, bool has_changed)
{
    if (!has_written) return TG_ACCESS_COMPARED;
    return has_changed ? TG_ACCESS_UPDATED : TG_ACCESS_KEPT;
}

void tg_exec_atomic(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *atomic = inst->as.access;
    tg_elements w = tg_elements_begin(m, inst);
    size_t wide = tg_carrier_bytes[tg_carrier_of(w.a->dtype)];
    tg_view value = tg_operand_view(m, &atomic->value), mask = tg_elements_mask(&w);
    unsigned char *result = atomic->has_old ? tg_operand_at(m, &atomic->old) : NULL;
    tg_atomic_step_begin(m, atomic);
    for (int64_t i = 0; i < w.count; i++, tg_elements_next(&w)) {
        uint64_t old, new_value;
        tg_pieces pieces;
        tg_launch_fill(m->launch, &old, w.a->dtype, 1);
        if (!tg_elements_is_off(&w, &mask) && tg_elements_locate(&w, &pieces)) {
            touched_element(&w, TG_ACCESS_ATOMIC, &pieces);
            tg_elements_get(&w, &pieces, &old);
            const bool has_written = combine(&w, atomic, &old, carrier_of(&w, &value), &new_value);
            put_element(&w, &pieces, &new_value);
            touched_element(&w, kind_of(has_written, memcmp(&old, &new_value, wide) != 0), &pieces);
        }
        if (result) memcpy(result + (size_t)i * wide, &old, wide);
    }
    tg_atomic_step_end(m, atomic);
}
