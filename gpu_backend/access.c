/* Loads, stores and atomics: for each element of the access, where it is, whether it is there, and the move.
 *
 * The interpreter tells boxes of memory from accesses by element; here all go by element, and what is known
 * to hold for all of them is not asked for each. */
#include <inttypes.h>
#include <stdio.h>

#include "gpu_backend/emit.h"
#include "ir/reduction.h"

/* One dimension of the ref. */
typedef struct source {
    bool is_array;      /* positions come from an operand, else from a slice or a scalar */
    bool is_legal;      /* known to lie within the ref; else each element is asked */
    bool is_inside;     /* known to lie within the array */
    tg_ptx_value begin; /* slice or scalar */
    int64_t step;       /* slice */
    int result_dim;     /* slice; else -1 */
} source;

typedef struct walk {
    const tg_access_plan *a;
    const tg_ptx_ref *ref;
    int64_t count;
    source dims[TG_MAX_RANK];
    /* Of result index [0,...], but for positions of arrays: the address, or of refs without strides the number of
     * the element; and what one element is in it. */
    tg_ptx_value first;
    tg_ptx_reg base; /* that, in a register */
    int64_t unit;
} walk;

/* One element of the access.  Predicates have no name where they are always set. */
typedef struct element {
    tg_ptx_reg index[TG_MAX_RANK];
    tg_ptx_pieces pieces;                /* one of them, unless the ref has no strides */
    tg_ptx_reg mask, is_legal, is_there; /* is_there: within the array, legal, and not masked off */
    bool has_mask, may_be_illegal, may_be_absent;
} element;

static int64_t bytes_of(const walk *w) { return tg_dtypes[w->a->dtype].bytes; }

static bool lies_within(const source *s, int64_t size, tg_ptx_value low, tg_ptx_value high)
{
    if (size == 0) return true;
    if (s->is_array || !s->begin.is_known || !low.is_known || !high.is_known) return false;
    int64_t last;
    if (__builtin_mul_overflow(size - 1, s->step, &last) ||
        __builtin_add_overflow(last, s->begin.known, &last))
        return false;
    return s->begin.known >= low.known && last < high.known;
}

static source source_of(tg_ptx_emitter *em, const walk *w, int d)
{
    const tg_access_dim *dim = &w->a->dims[d];
    const bool is_at = dim->kind == TG_INDEX_AT;
    source s = {.is_array = is_at && w->a->has_arrays,
                .step = is_at ? 0 : dim->stride,
                .result_dim = is_at ? -1 : dim->result_dim};
    if (!s.is_array) s.begin = tg_ptx_position(em, dim);
    const int64_t size = is_at ? 1 : dim->size;
    s.is_legal = lies_within(&s, size, tg_ptx_known(0), tg_ptx_known(w->ref->shape[d]));
    s.is_inside = lies_within(&s, size, w->ref->low[d], w->ref->high[d]);
    return s;
}

/* To be called when all touches are settled: reads the scalars among the indices. */
static walk walk_access(tg_ptx_emitter *em, const tg_access_plan *a)
{
    walk w = {.a = a, .ref = &em->refs[a->ref], .count = tg_type_count(&a->result)};
    tg_ptx_value first = w.ref->origin;
    for (int d = 0; d < a->rank; d++) {
        w.dims[d] = source_of(em, &w, d);
        if (!w.dims[d].is_array)
            first = tg_ptx_add(em, first, tg_ptx_mul(em, w.dims[d].begin, w.ref->stride[d]));
    }
    w.unit = w.ref->through ? 1 : tg_dtypes[a->dtype].bytes;
    if (!w.ref->through)
        first = tg_ptx_add(em, w.ref->base, tg_ptx_mul(em, first, tg_dtypes[a->dtype].bytes));
    w.first = first;
    w.base = tg_ptx_value_reg(em, first);
    return w;
}

bool tg_ptx_is_inside(tg_ptx_emitter *em, const tg_access_plan *a, int d)
{
    const walk w = {.a = a, .ref = &em->refs[a->ref]};
    const source s = source_of(em, &w, d);
    return s.is_legal && s.is_inside;
}

tg_ptx_value tg_ptx_access_base(tg_ptx_emitter *em, const tg_access_plan *a)
{
    return walk_access(em, a).first;
}

/* ---- one element ---- */

/* *all = *all and "low <= at < high"; *has_all tells whether *all is there yet. */
static void also_between(tg_ptx_emitter *em, tg_ptx_reg at, tg_ptx_value low, tg_ptx_value high,
                         tg_ptx_reg *all, bool *has_all)
{
    const tg_ptx_value bounds[2] = {low, high};
    for (int i = 0; i < 2; i++) {
        const tg_ptx_reg bound = tg_ptx_value_reg(em, bounds[i]),
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

/* The position in dimension d, .b64. */
static tg_ptx_reg position(tg_ptx_emitter *em, const walk *w, int d, const tg_ptx_reg *index)
{
    const source *s = &w->dims[d];
    if (s->is_array) return tg_ptx_load(em, &w->a->dims[d].operand, index + w->a->position_first);
    const tg_ptx_reg begin = tg_ptx_value_reg(em, s->begin);
    if (s->result_dim < 0 || w->a->dims[d].size == 1) return begin;
    const int64_t shape = w->a->dims[d].size;
    return tg_ptx_address_of(em, begin, 1, &shape, &s->step, &index[s->result_dim], 1);
}

static tg_ptx_reg load_predicate(tg_ptx_emitter *em, const tg_operand *o, const tg_ptx_reg *index)
{
    const tg_ptx_reg value = tg_ptx_load(em, o, index), p = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.ne.u32 %s, %s, 0;", p.name, value.name);
    return p;
}

/* Finds an element; reports it if it lies outside the ref and is not masked off. */
static element find(tg_ptx_emitter *em, const walk *w, tg_ptx_reg number)
{
    const tg_access_plan *a = w->a;
    element e = {.pieces = {.count = 1, .bytes = (int)bytes_of(w)}};
    tg_ptx_reg address = w->base;
    int64_t step[TG_MAX_RANK] = {0};
    tg_ptx_unravel(em, number, a->result.rank, a->result.shape, e.index);
    if (a->has_mask) {
        e.has_mask = true;
        e.mask = load_predicate(em, &a->mask, e.index);
        also(em, e.mask, &e.is_there, &e.may_be_absent);
    }
    for (int d = 0; d < a->rank; d++) {
        const source *s = &w->dims[d];
        tg_ptx_reg at = {0};
        if (s->is_array || !s->is_legal || !s->is_inside) at = position(em, w, d, e.index);
        if (!s->is_legal)
            also_between(em, at, tg_ptx_known(0), tg_ptx_known(w->ref->shape[d]), &e.is_legal,
                         &e.may_be_illegal);
        if (!s->is_inside)
            also_between(em, at, w->ref->low[d], w->ref->high[d], &e.is_there, &e.may_be_absent);
        if (s->is_array) {
            const tg_ptx_reg moved = tg_ptx_new(&em->w, TG_PTX_B64);
            tg_ptx_row(&em->w, "mad.lo.s64 %s, %s, %" PRId64 ", %s;", moved.name, at.name,
                       w->ref->stride[d] * w->unit, address.name);
            address = moved;
        } else if (s->result_dim >= 0) {
            step[s->result_dim] = s->step * w->ref->stride[d];
        }
    }
    if (!tg_ptx_is_known(w->ref->is_inside, 1))
        also(em, tg_ptx_is_set(em, w->ref->is_inside), &e.is_there, &e.may_be_absent);
    if (e.may_be_illegal) {
        const tg_ptx_reg bad = tg_ptx_new(&em->w, TG_PTX_PRED);
        tg_ptx_row(&em->w, "not.pred %s, %s;", bad.name, e.is_legal.name);
        if (e.has_mask) tg_ptx_row(&em->w, "and.pred %s, %s, %s;", bad.name, bad.name, e.mask.name);
        tg_ptx_report(em, TG_PTX_SITE_ACCESS, bad);
        also(em, e.is_legal, &e.is_there, &e.may_be_absent);
    }
    address =
        tg_ptx_address_of(em, address, a->result.rank, a->result.shape, step, e.index, w->unit);
    e.pieces.at[0] = address;
    if (!w->ref->through) return e;
    e.pieces = tg_ptx_find_pieces(em, w->ref, a->dtype, address);
    if (!tg_ptx_is_known(e.pieces.is_inside, 1))
        also(em, tg_ptx_is_set(em, e.pieces.is_inside), &e.is_there, &e.may_be_absent);
    return e;
}

/* "@%p ", or nothing where the element is always there. */
static const char *guard_of(const element *e, char *out, size_t size)
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

static tg_ptx_reg load_piece(tg_ptx_emitter *em, const walk *w, const element *e, int i,
                             tg_ptx_reg none)
{
    const int bytes = e->pieces.bytes;
    char guard[24];
    const tg_ptx_reg bits = tg_ptx_new(&em->w, bytes == 8 ? TG_PTX_B64 : TG_PTX_B32);
    if (e->may_be_absent)
        tg_ptx_row(&em->w, "mov.b%d %s, %s;", bytes == 8 ? 64 : 32, bits.name,
                   none.name[0] ? none.name : "0");
    tg_ptx_row(&em->w, "%sld.%s.%s %s, [%s];", guard_of(e, guard, sizeof guard),
               tg_ptx_space_name(w->ref->space), tg_ptx_bits_type(bytes), bits.name,
               e->pieces.at[i].name);
    return bits;
}

/* The element's bits; those of an undefined one where it is not there. */
static tg_ptx_reg read_bits(tg_ptx_emitter *em, const walk *w, const element *e)
{
    tg_ptx_writer *out = &em->w;
    const tg_dtype dtype = w->a->dtype;
    tg_ptx_reg none = {0};
    if (e->may_be_absent) none = tg_ptx_to_memory(out, dtype, tg_ptx_undefined(out, dtype));
    if (e->pieces.count == 1) return load_piece(em, w, e, 0, none);
    const bool is_wide = bytes_of(w) == 8;
    const tg_ptx_reg all = tg_ptx_new(out, is_wide ? TG_PTX_B64 : TG_PTX_B32);
    tg_ptx_row(out, "mov.b%d %s, 0;", is_wide ? 64 : 32, all.name);
    for (int i = 0; i < e->pieces.count; i++)
        add_piece(em, all, load_piece(em, w, e, i, (tg_ptx_reg){0}), i, e->pieces.bytes);
    return e->may_be_absent ? tg_ptx_selp(out, e->is_there, all, none) : all;
}

static void write_bits(tg_ptx_emitter *em, const walk *w, const element *e, tg_ptx_reg bits)
{
    tg_ptx_writer *out = &em->w;
    char guard[24];
    guard_of(e, guard, sizeof guard);
    for (int i = 0; i < e->pieces.count; i++) {
        tg_ptx_reg piece = bits;
        if (i > 0) {
            piece = tg_ptx_new(out, (tg_ptx_class)bits.class);
            tg_ptx_row(out, "shr.u%d %s, %s, %d;", bits.class == TG_PTX_B64 ? 64 : 32, piece.name,
                       bits.name, 8 * e->pieces.bytes * i);
        }
        tg_ptx_row(out, "%sst.%s.%s [%s], %s;", guard, tg_ptx_space_name(w->ref->space),
                   tg_ptx_bits_type(e->pieces.bytes), e->pieces.at[i].name, piece.name);
    }
}

/* The carrier that a load gives: masked off it is `other`, or undefined without one. */
static tg_ptx_reg read_element(tg_ptx_emitter *em, const walk *w, const element *e,
                               const tg_operand *other)
{
    const tg_dtype dtype = w->a->dtype;
    const tg_ptx_reg value = tg_ptx_from_memory(&em->w, dtype, read_bits(em, w, e));
    if (!e->has_mask || !other) return value;
    return tg_ptx_selp(&em->w, e->mask, value, tg_ptx_load(em, other, e->index));
}

/* ---- load ---- */

static void load_all(tg_ptx_emitter *em, const walk *w, const tg_operand *to,
                     const tg_operand *other)
{
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, w->count);
    const element e = find(em, w, loop.element);
    tg_ptx_store(em, to, e.index, read_element(em, w, &e, other));
    tg_ptx_loop_end(em, &loop);
}

void tg_ptx_access_load(tg_ptx_emitter *em, const struct tg_inst_access *load)
{
    const tg_access_plan *a = &load->access;
    if (tg_ptx_may_stay(em, load)) {
        tg_ptx_leave_in_place(em, load);
        return;
    }
    const walk w = walk_access(em, a);
    if (w.count > 0) load_all(em, &w, &load->value, a->has_other ? &a->other : NULL);
}

/* ---- store ---- */

/* Elements may be the same where positions come from arrays: then the last one, row-major, stays. */
static tg_ptx_loop begin_stores(tg_ptx_emitter *em, const walk *w)
{
    return w->a->has_arrays ? tg_ptx_alone_begin(em, w->count) : tg_ptx_loop_begin(em, w->count);
}

static void end_stores(tg_ptx_emitter *em, const walk *w, const tg_ptx_loop *loop)
{
    if (w->a->has_arrays)
        tg_ptx_alone_end(em, loop);
    else
        tg_ptx_loop_end(em, loop);
}

void tg_ptx_access_target(tg_ptx_emitter *em, const struct tg_inst_access *store)
{
    if (tg_ptx_may_stay(em, store)) tg_ptx_leave_in_place(em, store);
}

void tg_ptx_access_store(tg_ptx_emitter *em, const struct tg_inst_access *store)
{
    const tg_access_plan *a = &store->access;
    if (tg_ptx_is_stored(em, store)) return;
    const walk w = walk_access(em, a);
    if (w.count == 0) return;
    if (store->has_old) {
        load_all(em, &w, &store->old, a->has_mask ? &store->value : NULL);
        tg_ptx_barrier(em);
        tg_ptx_touch_inst(em, em->inst);
        tg_ptx_ready(em);
    }
    const tg_ptx_loop loop = begin_stores(em, &w);
    const element e = find(em, &w, loop.element);
    const tg_ptx_reg value = tg_ptx_load(em, &store->value, e.index);
    write_bits(em, &w, &e, tg_ptx_to_memory(&em->w, a->dtype, value));
    end_stores(em, &w, &loop);
}

/* ---- atomics ---- */

static tg_ptx_reg lane(tg_ptx_emitter *em, tg_opcode op, tg_dtype dtype, tg_ptx_reg a, tg_ptx_reg b)
{
    const tg_ptx_reg in[2] = {a, b};
    return tg_ptx_apply(em, op, dtype, dtype, 0, 2, in);
}

/* What an element becomes, in carriers. */
static tg_ptx_reg combined(tg_ptx_emitter *em, const struct tg_inst_access *atomic, tg_ptx_reg old,
                           tg_ptx_reg value, tg_ptx_reg second)
{
    const tg_dtype dtype = atomic->access.dtype;
    if (em->inst->op != TG_OP_atomic_cas)
        return tg_atomic_op(atomic->kind) == TG_OP_COUNT
                   ? value
                   : lane(em, tg_atomic_op(atomic->kind), dtype, old, value);
    const tg_ptx_reg equal = lane(em, TG_OP_eq, dtype, old, value),
                     p = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.ne.u32 %s, %s, 0;", p.name, equal.name);
    return tg_ptx_selp(&em->w, p, second, old);
}

/* A word of memory that compare-and-swap can work on, and where the element is in it. */
typedef struct word {
    tg_ptx_reg address, shift; /* shift: of elements of one byte */
    int bits;
} word;

static word word_of(tg_ptx_emitter *em, const walk *w, const element *e)
{
    tg_ptx_writer *out = &em->w;
    word at = {.address = e->pieces.at[0], .bits = 8 * (int)bytes_of(w)};
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

/* The element's bits in a word, extended by zeros. */
static tg_ptx_reg part_of(tg_ptx_emitter *em, const walk *w, const word *at, tg_ptx_reg bits)
{
    tg_ptx_writer *out = &em->w;
    if (bytes_of(w) > 2) return bits;
    const tg_ptx_reg r = tg_ptx_new(out, TG_PTX_B32);
    if (bytes_of(w) == 2)
        tg_ptx_row(out, "cvt.u32.u16 %s, %s;", r.name, bits.name);
    else
        tg_ptx_row(out, "bfe.u32 %s, %s, %s, 8;", r.name, bits.name, at->shift.name);
    return r;
}

/* The word with the element's bits replaced. */
static tg_ptx_reg with_part(tg_ptx_emitter *em, const walk *w, const word *at, tg_ptx_reg bits,
                            tg_ptx_reg part)
{
    tg_ptx_writer *out = &em->w;
    if (bytes_of(w) > 2) return part;
    const tg_ptx_reg r = tg_ptx_new(out, bytes_of(w) == 2 ? TG_PTX_B16 : TG_PTX_B32);
    if (bytes_of(w) == 2)
        tg_ptx_row(out, "cvt.u16.u32 %s, %s;", r.name, part.name);
    else
        tg_ptx_row(out, "bfi.b32 %s, %s, %s, %s, 8;", r.name, part.name, bits.name, at->shift.name);
    return r;
}

/* Changes one element in one indivisible step, whatever the op: tries until no other came between.  Returns
 * the carrier that was there. */
static tg_ptx_reg exchange(tg_ptx_emitter *em, const walk *w, const struct tg_inst_access *atomic,
                           const element *e, tg_ptx_reg value, tg_ptx_reg second)
{
    tg_ptx_writer *out = &em->w;
    const tg_dtype dtype = w->a->dtype;
    const char *const space = tg_ptx_space_name(w->ref->space);
    const word at = word_of(em, w, e);
    const tg_ptx_class class = at.bits == 64 ? TG_PTX_B64 : at.bits == 32 ? TG_PTX_B32 : TG_PTX_B16;
    const tg_ptx_reg bits = tg_ptx_new(out, class), seen = tg_ptx_new(out, class),
                     again = tg_ptx_new(out, TG_PTX_PRED);
    const uint32_t retry = tg_ptx_new_label(out);
    tg_ptx_row(out, "mov.b%d %s, 0;", at.bits, seen.name);
    tg_ptx_row(out, "atom.%s.cas.b%d %s, [%s], %s, %s;", space, at.bits, bits.name, at.address.name,
               seen.name, seen.name);
    tg_ptx_label(out, retry);
    const tg_ptx_reg old = tg_ptx_from_memory(out, dtype, part_of(em, w, &at, bits));
    const tg_ptx_reg part = tg_ptx_to_memory(out, dtype, combined(em, atomic, old, value, second));
    const tg_ptx_reg wanted = with_part(em, w, &at, bits, part);
    tg_ptx_row(out, "atom.%s.cas.b%d %s, [%s], %s, %s;", space, at.bits, seen.name, at.address.name,
               bits.name, wanted.name);
    tg_ptx_row(out, "setp.ne.%s%d %s, %s, %s;", at.bits == 16 ? "u" : "b", at.bits, again.name,
               seen.name, bits.name);
    tg_ptx_move(out, bits, seen);
    tg_ptx_row(out, "@%s bra $L%u;", again.name, retry);
    return old;
}

static void change_element(tg_ptx_emitter *em, const walk *w, const struct tg_inst_access *atomic,
                           const element *e)
{
    tg_ptx_writer *out = &em->w;
    const tg_dtype dtype = w->a->dtype;
    const tg_ptx_reg value = tg_ptx_load(em, &atomic->value, e->index);
    tg_ptx_reg second = {0};
    if (em->inst->op == TG_OP_atomic_cas) second = tg_ptx_load(em, &atomic->second, e->index);
    const tg_ptx_reg old = tg_ptx_new(out, tg_ptx_class_of(dtype));
    const uint32_t skip = tg_ptx_new_label(out);
    if (e->may_be_absent) {
        tg_ptx_move(&em->w, old, tg_ptx_undefined(out, dtype));
        tg_ptx_row(out, "@!%s bra $L%u;", e->is_there.name, skip);
    }
    tg_ptx_move(&em->w, old, exchange(em, w, atomic, e, value, second));
    if (e->may_be_absent) tg_ptx_label(out, skip);
    if (atomic->has_old) tg_ptx_store(em, &atomic->old, e->index, old);
}

void tg_ptx_access_atomic(tg_ptx_emitter *em, const struct tg_inst_access *atomic)
{
    const tg_access_plan *a = &atomic->access;
    const walk w = walk_access(em, a);
    if (w.count == 0) return;
    const tg_ptx_loop loop = begin_stores(em, &w);
    const element e = find(em, &w, loop.element);
    if (e.pieces.count > 1)
        tg_ptx_refuse(em, TG_PTX_REFUSES_PIECES, "%s", tg_ops[em->inst->op].name);
    change_element(em, &w, atomic, &e);
    end_stores(em, &w, &loop);
}
