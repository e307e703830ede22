#include "gpu_backend/instructions/access_walk.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/emit/report.h"
#include "gpu_backend/emit/scalar.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/emit/refuse.h"
#include "gpu_backend/instructions/order.h"
#include "gpu_backend/text/ptx.h"
#include "ir/ir.h"

static bool lies_within(const tg_ptx_source *s, int64_t size, tg_ptx_uniform low,
                        tg_ptx_uniform high)
{
    if (size == 0) return true;
    if (s->is_array || !s->begin.is_known || !low.is_known || !high.is_known) return false;
    int64_t last;
    if (__builtin_mul_overflow(size - 1, s->step, &last) ||
        __builtin_add_overflow(last, s->begin.known, &last))
        return false;
    return s->begin.known >= low.known && last < high.known;
}

static tg_ptx_source source_of(tg_ptx_emitter *em, const tg_ptx_walk *w, int d)
{
    const tg_access_dim *dim = &w->a->dims[d];
    const bool is_at = dim->kind == TG_INDEX_AT;
    tg_ptx_source s = {.is_array = is_at && w->a->has_arrays,
                       .step = is_at ? 0 : dim->stride,
                       .result_dim = is_at ? -1 : dim->result_dim};
    if (!s.is_array) s.begin = tg_ptx_position(em, dim);
    const int64_t size = is_at ? 1 : dim->size;
    s.is_legal = lies_within(&s, size, tg_ptx_known(0), w->ref->shape[d]);
    s.is_inside = lies_within(&s, size, w->ref->low[d], w->ref->high[d]);
    return s;
}

static void refuse_several_blocks(tg_ptx_emitter *em, const tg_ptx_walk *w)
{
    int64_t extent[TG_MAX_RANK];
    for (int d = 0; d < w->a->rank; d++)
        extent[d] = w->dims[d].is_array                 ? INT64_MAX
                    : w->a->dims[d].kind == TG_INDEX_AT ? 1
                                                        : w->a->dims[d].size;
    tg_ptx_one_block(em, w->ref, w->a->rank, extent);
}

tg_ptx_walk tg_ptx_walk_access(tg_ptx_emitter *em, const tg_access_plan *a)
{
    tg_ptx_walk w = {.a = a, .ref = &em->refs[a->ref], .count = tg_type_count(&a->result)};
    tg_ptx_ref at = *w.ref;
    for (int d = 0; d < a->rank; d++) {
        w.dims[d] = source_of(em, &w, d);
        if (!w.dims[d].is_array) tg_ptx_ref_move(em, &at, at.stride[d], w.dims[d].begin);
    }
    refuse_several_blocks(em, &w);
    tg_ptx_uniform first = at.origin;
    w.unit = w.ref->through ? 1 : tg_dtypes[a->dtype].bytes;
    if (!w.ref->through)
        first = tg_ptx_add(em, tg_ptx_ref_base(em, &at),
                           tg_ptx_mul(em, first, tg_dtypes[a->dtype].bytes));
    w.first = first;
    w.base = tg_ptx_uniform_reg(em, first);
    return w;
}

bool tg_ptx_is_inside(tg_ptx_emitter *em, const tg_access_plan *a, int d)
{
    const tg_ptx_walk w = {.a = a, .ref = &em->refs[a->ref]};
    const tg_ptx_source s = source_of(em, &w, d);
    return s.is_legal && s.is_inside;
}

tg_ptx_uniform tg_ptx_access_base(tg_ptx_emitter *em, const tg_access_plan *a)
{
    return tg_ptx_walk_access(em, a).first;
}

/* ---- one element ---- */

/* *all = *all and "low <= at < high"; *has_all says whether *all is set yet. */
static void also_between(tg_ptx_emitter *em, tg_ptx_reg at, tg_ptx_uniform low, tg_ptx_uniform high,
                         tg_ptx_reg *all, bool *has_all)
{
    const tg_ptx_uniform bounds[2] = {low, high};
    for (int i = 0; i < 2; i++) {
        const tg_ptx_reg bound = tg_ptx_uniform_reg(em, bounds[i]),
                         p = tg_ptx_new(&em->w, TG_PTX_PRED);
        const char *const is = i == 0 ? "ge" : "lt";
        if (*has_all)
            tg_ptx_row(&em->w, "setp.%s.and.s64 %s, %s, %s, %s;", is, p.name, at.name, bound.name,
                       all->name);
        else
            tg_ptx_row(&em->w, "setp.%s.s64 %s, %s, %s;", is, p.name, at.name, bound.name);
        *all = p;
        *has_all = true;
    }
}

static void also(tg_ptx_emitter *em, tg_ptx_reg p, tg_ptx_reg *all, bool *has_all)
{
    if (*has_all) {
        const tg_ptx_reg both = tg_ptx_new(&em->w, TG_PTX_PRED);
        tg_ptx_row(&em->w, "and.pred %s, %s, %s;", both.name, all->name, p.name);
        p = both;
    }
    *all = p;
    *has_all = true;
}

/* The index in dimension d, .b64. */
static tg_ptx_reg position(tg_ptx_emitter *em, const tg_ptx_walk *w, int d, const tg_ptx_reg *index)
{
    const tg_ptx_source *s = &w->dims[d];
    if (s->is_array) return tg_ptx_load(em, &w->a->dims[d].operand, index + w->a->position_first);
    const tg_ptx_reg begin = tg_ptx_uniform_reg(em, s->begin);
    if (s->result_dim < 0 || w->a->dims[d].size == 1) return begin;
    const int64_t shape = w->a->dims[d].size;
    return tg_ptx_address_of(em, begin, &(tg_ptx_strided){1, &shape, &s->step},
                             &index[s->result_dim], 1);
}

static tg_ptx_reg load_predicate(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_reg *index)
{
    const tg_ptx_reg value = tg_ptx_load(em, o, index), p = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.ne.u32 %s, %s, 0;", p.name, value.name);
    return p;
}

static void ask_mask(tg_ptx_emitter *em, const tg_access_plan *a, tg_ptx_element *e)
{
    if (!a->has_mask) return;
    e->has_mask = true;
    e->mask = load_predicate(em, &a->mask, e->index);
    also(em, e->mask, &e->is_there, &e->may_be_absent);
}

/* Emits the tests for the index in dimension d that are not known to hold; if the index comes from
 * an array, adds its offset to *address. */
static void ask_dim(tg_ptx_emitter *em, const tg_ptx_walk *w, int d, tg_ptx_element *e,
                    tg_ptx_reg *address)
{
    const tg_ptx_source *s = &w->dims[d];
    tg_ptx_reg at = {0};
    if (s->is_array || !s->is_legal || !s->is_inside) at = position(em, w, d, e->index);
    if (!s->is_legal)
        also_between(em, at, tg_ptx_known(0), w->ref->shape[d], &e->is_legal, &e->may_be_illegal);
    if (!s->is_inside)
        also_between(em, at, w->ref->low[d], w->ref->high[d], &e->is_there, &e->may_be_absent);
    if (!s->is_array) return;
    const tg_ptx_reg moved = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "mad.lo.s64 %s, %s, %" PRId64 ", %s;", moved.name, at.name,
               w->ref->stride[d] * w->unit, address->name);
    *address = moved;
}

static void ask_flag(tg_ptx_emitter *em, tg_ptx_uniform is_inside, tg_ptx_element *e)
{
    if (!tg_ptx_is_known(is_inside, 1))
        also(em, tg_ptx_is_set(em, is_inside), &e->is_there, &e->may_be_absent);
}

/* Reports an element outside the ref, unless it is masked off, and marks it as absent. */
static void report_illegal(tg_ptx_emitter *em, tg_ptx_element *e)
{
    if (!e->may_be_illegal) return;
    const tg_ptx_reg bad = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "not.pred %s, %s;", bad.name, e->is_legal.name);
    if (e->has_mask) tg_ptx_row(&em->w, "and.pred %s, %s, %s;", bad.name, bad.name, e->mask.name);
    tg_ptx_report(em, TG_PTX_SITE_ACCESS, bad);
    also(em, e->is_legal, &e->is_there, &e->may_be_absent);
}

/* Strides along the dimensions of the result, in elements; only slices contribute. */
static void result_strides(const tg_ptx_walk *w, int64_t *stride)
{
    for (int d = 0; d < w->a->rank; d++) {
        const tg_ptx_source *s = &w->dims[d];
        if (s->result_dim >= 0) stride[s->result_dim] = s->step * w->ref->stride[d];
    }
}

tg_ptx_element tg_ptx_find(tg_ptx_emitter *em, const tg_ptx_walk *w, tg_ptx_reg number)
{
    const tg_type *result = &w->a->result;
    tg_ptx_element e = {.pieces = {.count = 1, .bytes = tg_ptx_element_bytes(w)}};
    tg_ptx_reg address = w->base;
    int64_t stride[TG_MAX_RANK] = {0};
    tg_ptx_unravel(em, number, result->rank, result->shape, e.index);
    ask_mask(em, w->a, &e);
    for (int d = 0; d < w->a->rank; d++) ask_dim(em, w, d, &e, &address);
    ask_flag(em, w->ref->is_inside, &e);
    report_illegal(em, &e);
    result_strides(w, stride);
    const tg_ptx_strided s = {result->rank, result->shape, stride};
    e.pieces.at[0] = tg_ptx_address_of(em, address, &s, e.index, w->unit);
    if (!w->ref->through) return e;
    e.pieces = tg_ptx_find_pieces(em, w->ref, w->a->dtype, e.pieces.at[0]);
    ask_flag(em, e.pieces.is_inside, &e);
    return e;
}

/* "@%p ", or "" if the element is always present. */
static const char *guard_of(const tg_ptx_element *e, char *out, size_t size)
{
    if (e->may_be_absent)
        snprintf(out, size, "@%s ", e->is_there.name);
    else
        out[0] = '\0';
    return out;
}

/* to |= piece number i */
static void add_piece(tg_ptx_emitter *em, tg_ptx_reg to, tg_ptx_reg piece, int i, int bytes)
{
    tg_ptx_writer *w = &em->w;
    tg_ptx_reg wide = piece;
    const int bits = to.class == TG_PTX_B64 ? 64 : 32;
    if (to.class != piece.class) {
        wide = tg_ptx_new(w, TG_PTX_B64);
        tg_ptx_row(w, "cvt.u64.u32 %s, %s;", wide.name, piece.name);
    }
    const tg_ptx_reg moved = tg_ptx_new(w, (tg_ptx_class)to.class);
    tg_ptx_row(w, "shl.b%d %s, %s, %d;", bits, moved.name, wide.name, 8 * bytes * i);
    tg_ptx_row(w, "or.b%d %s, %s, %s;", bits, to.name, to.name, moved.name);
}

static tg_ptx_reg load_piece(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_ptx_element *e,
                             int i, tg_ptx_reg none)
{
    const int bytes = e->pieces.bytes;
    char guard[24], order[TG_PTX_ORDER_TEXT];
    const tg_ptx_reg bits = tg_ptx_new(&em->w, bytes == 8 ? TG_PTX_B64 : TG_PTX_B32);
    if (e->may_be_absent)
        tg_ptx_row(&em->w, "mov.b%d %s, %s;", bytes == 8 ? 64 : 32, bits.name,
                   none.name[0] ? none.name : "0");
    tg_ptx_row(&em->w, "%sld.%s%s.%s %s, [%s];", guard_of(e, guard, sizeof guard),
               tg_ptx_relaxed(em, order), tg_ptx_space_name(w->ref->space), tg_ptx_bits_type(bytes),
               bits.name, e->pieces.at[i].name);
    return bits;
}

/* No instruction reads or writes several words in one step. */
static void refuse_pieces(tg_ptx_emitter *em, const tg_ptx_element *e)
{
    if (e->pieces.count > 1 && tg_inst_atomic(em->inst))
        tg_ptx_refuse(em, TG_PTX_REFUSES_PIECES, "%s", tg_ops[em->inst->op].name);
}

/* The bits of an element that is not present. */
static tg_ptx_reg absent_bits(tg_ptx_emitter *em, const tg_ptx_walk *w)
{
    const tg_dtype dtype = w->a->dtype;
    if (!w->is_zero_outside)
        return tg_ptx_to_memory(&em->w, dtype, tg_ptx_undefined(&em->w, dtype));
    const int bits = tg_ptx_element_bytes(w) == 8 ? 64 : 32;
    const tg_ptx_reg zero = tg_ptx_new(&em->w, bits == 64 ? TG_PTX_B64 : TG_PTX_B32);
    tg_ptx_row(&em->w, "mov.b%d %s, 0;", bits, zero.name);
    return zero;
}

tg_ptx_reg tg_ptx_read_bits(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_ptx_element *e)
{
    tg_ptx_writer *out = &em->w;
    tg_ptx_reg none = {0};
    refuse_pieces(em, e);
    if (e->may_be_absent) none = absent_bits(em, w);
    if (e->pieces.count == 1) return load_piece(em, w, e, 0, none);
    const bool is_wide = tg_ptx_element_bytes(w) == 8;
    const tg_ptx_reg all = tg_ptx_new(out, is_wide ? TG_PTX_B64 : TG_PTX_B32);
    tg_ptx_row(out, "mov.b%d %s, 0;", is_wide ? 64 : 32, all.name);
    for (int i = 0; i < e->pieces.count; i++)
        add_piece(em, all, load_piece(em, w, e, i, (tg_ptx_reg){0}), i, e->pieces.bytes);
    return e->may_be_absent ? tg_ptx_selp(out, e->is_there, all, none) : all;
}

void tg_ptx_write_bits(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_ptx_element *e,
                       tg_ptx_reg bits)
{
    tg_ptx_writer *out = &em->w;
    char guard[24], order[TG_PTX_ORDER_TEXT];
    guard_of(e, guard, sizeof guard);
    refuse_pieces(em, e);
    for (int i = 0; i < e->pieces.count; i++) {
        tg_ptx_reg piece = bits;
        if (i > 0) {
            piece = tg_ptx_new(out, (tg_ptx_class)bits.class);
            tg_ptx_row(out, "shr.u%d %s, %s, %d;", bits.class == TG_PTX_B64 ? 64 : 32, piece.name,
                       bits.name, 8 * e->pieces.bytes * i);
        }
        tg_ptx_row(out, "%sst.%s%s.%s [%s], %s;", guard, tg_ptx_relaxed(em, order),
                   tg_ptx_space_name(w->ref->space), tg_ptx_bits_type(e->pieces.bytes),
                   e->pieces.at[i].name, piece.name);
    }
}

/* ---- loops ---- */

tg_ptx_loop tg_ptx_begin_stores(tg_ptx_emitter *em, const tg_ptx_walk *w)
{
    return w->a->has_arrays ? tg_ptx_alone_begin(em, w->count) : tg_ptx_loop_begin(em, w->count);
}

void tg_ptx_end_stores(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_ptx_loop *loop)
{
    if (w->a->has_arrays)
        tg_ptx_alone_end(em, loop);
    else
        tg_ptx_loop_end(em, loop);
}
