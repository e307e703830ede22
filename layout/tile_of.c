#include "layout/tile_of.h"

#include <stdlib.h>

#include "layout/canonical.h"
#include "layout/minkowski.h"
#include "layout/print.h"

/* A question: `whole` and the known part, canonical, and grouped. */
typedef struct question {
    tg_axe whole, known;
    tg_shape other; /* the shape of what is sought */
    tg_groups in_whole, in_known;
    int64_t scale[TG_AXIS_COUNT]; /* of the outer layout */
    tg_diags *diags;
} question;

static tg_status divide_shape(const tg_shape *whole, const tg_shape *known, tg_shape *out,
                              tg_diags *diags)
{
    if (whole->rank != known->rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the whole has %d dimensions, the known part %d: both need as many",
                       whole->rank, known->rank);
    *out = *whole;
    for (int i = 0; i < whole->rank; i++) {
        if (known->extent[i] < 1 || whole->extent[i] % known->extent[i] != 0)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "dimension %d has %lld, no multiple of the %lld of the known part", i,
                           (long long)whole->extent[i], (long long)known->extent[i]);
        out->extent[i] /= known->extent[i];
    }
    return TG_OK;
}

static tg_status ask(const tg_shaped *whole, const tg_shaped *known, bool is_inner, question *q)
{
    tg_extents domain;
    TG_TRY(tg_axe_admit(whole->axe, whole->shape, q->diags));
    TG_TRY(divide_shape(whole->shape, known->shape, &q->other, q->diags));
    TG_TRY(tg_shapes_alternate(is_inner ? &q->other : known->shape,
                               is_inner ? known->shape : &q->other, &domain, q->diags));
    TG_TRY(tg_axe_group(known->axe, known->shape, &q->in_known, q->diags));
    TG_TRY(tg_iters_group(&whole->axe->d, &domain, &q->in_whole, q->diags));
    tg_axe_copy(whole->axe, &q->whole);
    tg_axe_copy(known->axe, &q->known);
    tg_axe_canonize(&q->whole);
    tg_axe_canonize(&q->known);
    return TG_OK;
}

/* The iters of a block as a text, which the caller frees; NULL without memory. */
static char *text_of(const tg_groups *groups, int block)
{
    tg_axe only;
    tg_text text = {0};
    tg_axe_begin(&only);
    tg_groups_put(groups, block, &only.d);
    tg_axe_print(&only, &text);
    return tg_text_finish(&text);
}

static tg_status no_match(const question *q, int dim, int block, bool scaled)
{
    char *whole = text_of(&q->in_whole, block), *known = text_of(&q->in_known, dim);
    const tg_status status = tg_fail(
        q->diags, TG_ERR_UNSUPPORTED, NULL,
        "in dimension %d, the %s iters of the whole are %s; those of the known part are %s%s", dim,
        scaled ? "outer" : "inner", whole ? whole : "?", known ? known : "?",
        scaled ? ", times the span of the inner layout" : "");
    free(whole);
    free(known);
    return status;
}

/* Whether a dimension of the known part is what the whole has there, with strides times the scale. */
static tg_status check_dimension(const question *q, int dim, int block, bool scaled)
{
    const int first = q->in_known.first[dim], count = q->in_known.first[dim + 1] - first;
    const int at = q->in_whole.first[block];
    bool same = q->in_whole.first[block + 1] - at == count;
    for (int i = 0; same && i < count; i++) {
        const tg_iter a = q->in_whole.d.list[at + i], b = q->in_known.d.list[first + i];
        const int64_t scale = scaled && b.stride ? q->scale[b.axis] : 1;
        int64_t stride;
        same = a.extent == b.extent && a.axis == b.axis &&
               !__builtin_mul_overflow(b.stride, scale, &stride) && a.stride == stride;
    }
    return same ? TG_OK : no_match(q, dim, block, scaled);
}

static tg_status no_multiple(const question *q, const char *what, int64_t number, tg_axis axis)
{
    return tg_fail(q->diags, TG_ERR_UNSUPPORTED, NULL,
                   "%s %lld on axis %s is no multiple of %lld, the span of the inner layout", what,
                   (long long)number, tg_axes[axis].name, (long long)q->scale[axis]);
}

/* ---- the outer layout ---- */

static tg_status divide_block(const question *q, int block, tg_iters *out)
{
    for (int i = q->in_whole.first[block]; i < q->in_whole.first[block + 1]; i++) {
        tg_iter it = q->in_whole.d.list[i];
        if (it.stride && it.stride % q->scale[it.axis] != 0)
            return no_multiple(q, "stride", it.stride, it.axis);
        if (it.stride) it.stride /= q->scale[it.axis];
        out->list[out->count++] = it;
    }
    return TG_OK;
}

static tg_status find_outer(question *q, tg_axe *out)
{
    tg_axe_begin(out);
    for (int i = 0; i < q->other.rank; i++) {
        TG_TRY(check_dimension(q, i, 2 * i + 1, false));
        TG_TRY(divide_block(q, 2 * i, &out->d));
    }
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        const int64_t rest = q->whole.offset[a] - q->known.offset[a];
        if (rest % q->scale[a] != 0) return no_multiple(q, "offset", rest, (tg_axis)a);
        out->offset[a] = rest / q->scale[a];
        TG_TRY(
            tg_copies_quotient(&q->whole, &q->known, (tg_axis)a, q->scale[a], &out->r, q->diags));
    }
    return tg_axe_check(out, q->diags);
}

tg_status tg_axe_outer_of(const tg_shaped *whole, const tg_shaped *inner, tg_joined how,
                          tg_axe *out, tg_diags *diags)
{
    tg_axe found;
    question q = {.diags = diags};
    TG_TRY(ask(whole, inner, true, &q));
    if (!tg_swizzle_same(&whole->axe->swizzle, &inner->axe->swizzle))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the swizzle of the whole is not that of the inner layout");
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        q.scale[a] = how == TG_JOINED_TILE ? tg_axe_span(inner->axe, (tg_axis)a) : 1;
    TG_TRY(find_outer(&q, &found));
    tg_axe_copy(&found, out);
    return TG_OK;
}

/* ---- the inner layout ---- */

static int64_t reach_of_copies(const tg_axe *canonical, tg_axis axis)
{
    int64_t reach = 0;
    for (int i = 0; i < canonical->r.count; i++) {
        const tg_iter it = canonical->r.list[i];
        if (it.axis == axis) reach += (it.extent - 1) * it.stride;
    }
    return reach;
}

/* The span of the inner layout follows: with span = 1 + reach of its D + reach of its R, and
 * reach of R of the whole = span * reach of R of the outer + reach of R of the inner. */
static tg_status find_span(question *q, const tg_axe *inner, tg_axis axis)
{
    const int64_t all = tg_axe_span(inner, axis) + reach_of_copies(&q->whole, axis);
    const int64_t parts = 1 + reach_of_copies(&q->known, axis);
    q->scale[axis] = all / parts;
    if (all % parts == 0) return TG_OK;
    return tg_fail(q->diags, TG_ERR_UNSUPPORTED, NULL,
                   "the copies on axis %s are not %lld times those of an inner layout",
                   tg_axes[axis].name, (long long)parts);
}

/* R and O of the outer layout as they are in the whole. */
static tg_status scale_known(question *q)
{
    for (int i = 0; i < q->known.r.count; i++) {
        tg_iter *it = &q->known.r.list[i];
        if (__builtin_mul_overflow(it->stride, q->scale[it->axis], &it->stride))
            return no_multiple(q, "stride", it->stride, it->axis);
    }
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (__builtin_mul_overflow(q->known.offset[a], q->scale[a], &q->known.offset[a]))
            return no_multiple(q, "offset", q->whole.offset[a], (tg_axis)a);
    return tg_axe_check(&q->known, q->diags);
}

static tg_status find_inner(question *q, tg_joined how, tg_axe *out)
{
    tg_axe_begin(out);
    for (int i = 0; i < q->other.rank; i++) tg_groups_put(&q->in_whole, 2 * i + 1, &out->d);
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        q->scale[a] = 1;
        if (how == TG_JOINED_TILE) TG_TRY(find_span(q, out, (tg_axis)a));
    }
    for (int i = 0; i < q->other.rank; i++) TG_TRY(check_dimension(q, i, 2 * i, true));
    q->known.d.count = 0; /* only R and O are asked for */
    TG_TRY(scale_known(q));
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        out->offset[a] = q->whole.offset[a] - q->known.offset[a];
        TG_TRY(tg_copies_quotient(&q->whole, &q->known, (tg_axis)a, 1, &out->r, q->diags));
    }
    out->swizzle = q->whole.swizzle;
    return tg_axe_check(out, q->diags);
}

tg_status tg_axe_inner_of(const tg_shaped *whole, const tg_shaped *outer, tg_joined how,
                          tg_axe *out, tg_diags *diags)
{
    tg_axe found;
    question q = {.diags = diags};
    TG_TRY(ask(whole, outer, false, &q));
    if (outer->axe->swizzle.bits)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the outer layout has a swizzle, so that it is none of a tile or a sum");
    TG_TRY(find_inner(&q, how, &found));
    tg_axe_copy(&found, out);
    return TG_OK;
}
