/* Stable sorts along an axis: each element counts the elements that precede it, which gives its new
 * position. */
#include "gpu_backend/instructions/insts.h"

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/emit/refuse.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* A carrier as an s64 that compares like the element.  For floats, -0 equals 0 and NaN is the
 * greatest; with `total` their bits compare by sign, then magnitude. */
static tg_ptx_reg sortable(tg_ptx_emitter *em, tg_dtype dtype, bool total, tg_ptx_reg carrier)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg r = tg_ptx_new(w, TG_PTX_B64);
    if (carrier.class == TG_PTX_B32) {
        tg_ptx_row(w, "cvt.%s %s, %s;", tg_is_signed(dtype) ? "s64.s32" : "u64.u32", r.name,
                   carrier.name);
        return r;
    }
    if (carrier.class == TG_PTX_B64) {
        if (tg_is_signed(dtype)) return carrier;
        tg_ptx_row(w, "xor.b64 %s, %s, 0x8000000000000000;", r.name, carrier.name);
        return r;
    }
    const tg_ptx_reg wide = tg_ptx_new(w, TG_PTX_F64), bits = tg_ptx_new(w, TG_PTX_B64),
                     negative = tg_ptx_new(w, TG_PTX_PRED), least = tg_ptx_new(w, TG_PTX_B64);
    if (total && carrier.class == TG_PTX_F32) {
        const tg_ptx_reg narrow = tg_ptx_bits(w, dtype, carrier);
        tg_ptx_row(w, "cvt.s64.s32 %s, %s;", bits.name, narrow.name);
        tg_ptx_row(w, "xor.b64 %s, %s, 0x7fffffff;", least.name, bits.name);
    } else {
        if (carrier.class == TG_PTX_F32)
            tg_ptx_row(w, "cvt.f64.f32 %s, %s;", wide.name, carrier.name);
        else
            tg_ptx_row(w, "mov.f64 %s, %s;", wide.name, carrier.name);
        if (!total) tg_ptx_row(w, "add.rn.f64 %s, %s, 0d0000000000000000;", wide.name, wide.name);
        tg_ptx_row(w, "mov.b64 %s, %s;", bits.name, wide.name);
        tg_ptx_row(w, "xor.b64 %s, %s, 0x7fffffffffffffff;", least.name, bits.name);
    }
    tg_ptx_row(w, "setp.lt.s64 %s, %s, 0;", negative.name, bits.name);
    tg_ptx_row(w, "selp.b64 %s, %s, %s, %s;", r.name, least.name, bits.name, negative.name);
    if (total) return r;
    const tg_ptx_reg is_nan = tg_ptx_new(w, TG_PTX_PRED);
    tg_ptx_row(w, "setp.nan.f64 %s, %s, %s;", is_nan.name, wide.name, wide.name);
    tg_ptx_row(w, "selp.b64 %s, 0x7fffffffffffffff, %s, %s;", r.name, r.name, is_nan.name);
    return r;
}

/* Key k of the element at `index`, with position `at` along the axis. */
static tg_ptx_reg key_at(tg_ptx_emitter *em, const struct tg_inst_sort *sort, uint32_t k,
                         const tg_ptx_reg *index, tg_ptx_reg at)
{
    tg_ptx_reg moved[TG_MAX_RANK];
    for (int d = 0; d < sort->in[k].rank; d++) moved[d] = d == sort->axis ? at : index[d];
    return sortable(em, sort->in[k].dtype, sort->total, tg_ptx_load(em, &sort->in[k], moved));
}

enum { MOST_KEYS = 64 };

/* An element to be sorted: its index, its old position along the axis, and its keys. */
typedef struct element {
    tg_ptx_reg index[TG_MAX_RANK], at, keys[MOST_KEYS];
} element;

/* Adds 1 to `place` if the element at position `other` along the axis precedes `e`. */
static void count_if_before(tg_ptx_emitter *em, const struct tg_inst_sort *sort, const element *e,
                            tg_ptx_reg other, tg_ptx_reg place)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_reg before = tg_ptx_new(w, TG_PTX_PRED);
    /* from the last, least significant key on; the original order breaks ties */
    tg_ptx_row(w, "setp.lt.u32 %s, %s, %s;", before.name, other.name, e->at.name);
    for (uint32_t k = sort->keys; k-- > 0;) {
        const tg_ptx_reg theirs = key_at(em, sort, k, e->index, other),
                         equal = tg_ptx_new(w, TG_PTX_PRED), is_less = tg_ptx_new(w, TG_PTX_PRED);
        tg_ptx_row(w, "setp.eq.and.s64 %s, %s, %s, %s;", equal.name, theirs.name, e->keys[k].name,
                   before.name);
        tg_ptx_row(w, "setp.%s.or.s64 %s, %s, %s, %s;", sort->descending ? "gt" : "lt",
                   is_less.name, theirs.name, e->keys[k].name, equal.name);
        tg_ptx_row(w, "mov.pred %s, %s;", before.name, is_less.name);
    }
    tg_ptx_row(w, "@%s add.u32 %s, %s, 1;", before.name, place.name, place.name);
}

void tg_ptx_inst_sort(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_sort *sort = inst->as.sort;
    const tg_operand *first = &sort->in[0];
    const int64_t n = first->shape[sort->axis];
    tg_ptx_writer *w = &em->w;
    const int64_t count = tg_ptx_count(first);
    element e;
    if (sort->keys > MOST_KEYS) {
        tg_ptx_refuse(em, TG_PTX_REFUSES_KEYS, "%u of them", sort->keys);
        return;
    }
    if (count == 0) return;
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, count);
    const tg_ptx_reg zero = tg_ptx_new(w, TG_PTX_B32), place = tg_ptx_new(w, TG_PTX_B32);
    tg_ptx_row(w, "mov.b32 %s, 0;", zero.name);
    tg_ptx_row(w, "mov.b32 %s, 0;", place.name);
    for (int d = 0; d < first->rank; d++) e.index[d] = zero;
    tg_ptx_unravel(em, loop.element, first->rank, first->shape, e.index);
    e.at = e.index[sort->axis];
    for (uint32_t k = 0; k < sort->keys; k++) e.keys[k] = key_at(em, sort, k, e.index, e.at);
    if (n > 1) {
        const tg_ptx_loop others = tg_ptx_serial_begin(em, n);
        count_if_before(em, sort, &e, others.element, place);
        tg_ptx_serial_end(em, &others);
    }
    for (uint32_t i = 0; i < sort->count; i++) {
        e.index[sort->axis] = e.at;
        const tg_ptx_reg value = tg_ptx_load(em, &sort->in[i], e.index);
        e.index[sort->axis] = place;
        tg_ptx_store(em, &sort->out[i], e.index, value);
    }
    tg_ptx_loop_end(em, &loop);
}
