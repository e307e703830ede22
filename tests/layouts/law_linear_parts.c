/* Linear layouts: other dimensions for the same bits, parts, and layouts put together. */
#include <string.h>

#include "layout/linear/concat.h"
#include "layout/linear/reshape.h"
#include "layout/linear/resize.h"
#include "layout/linear/solve.h"
#include "layout/linear/sublayout.h"
#include "layouts/law.h"
#include "layouts/linear_model.h"

static const dims_wish some_ins = {"abc", 0, 3, 6}, some_outs = {"xyz", 0, 3, 6};

static uint64_t count_of(const tg_linear_dims *dims) { return UINT64_C(1) << dims_bits(dims); }

/* ---- reshaping ---- */

static bool same_images(const tg_linear *a, const tg_linear *b)
{
    if (dims_bits(&a->in) != dims_bits(&b->in)) return false;
    for (uint64_t i = 0; i < count_of(&a->in); i++)
        if (model_image(a, i) != model_image(b, i)) return false;
    return true;
}

/* Dimensions of as many bits, as a rule. */
static void other_dims(chance *c, int bits, const dims_wish *w, tg_linear_dims *out)
{
    random_dims(c, w, out);
    while (dims_bits(out) > bits)
        for (int i = 0; i < out->count; i++)
            if (out->list[i].bits) out->list[i].bits--;
    const int rest = bits - dims_bits(out);
    if (out->count && rest > 0 && !one_in(c, 8)) out->list[0].bits += rest;
}

static outcome try_reshape(chance *c, const tg_linear *linear)
{
    tg_linear result = *linear;
    tg_linear_dims dims;
    const bool is_in = one_in(c, 2);
    const tg_linear_dims *from = is_in ? &linear->in : &linear->out;
    other_dims(c, dims_bits(from), is_in ? &some_ins : &some_outs, &dims);
    const tg_status status = is_in ? tg_linear_reshape_ins(&result, &dims, NULL)
                                   : tg_linear_reshape_outs(&result, &dims, NULL);
    const bool fits = dims_bits(&dims) == dims_bits(from);
    if (status != TG_OK) return fits ? BROKEN : REFUSED;
    const tg_linear_dims *got = is_in ? &result.in : &result.out;
    if (got->count != dims.count || !fits || !same_images(linear, &result)) return BROKEN;
    tg_linear_flatten_ins(&result);
    tg_linear_flatten_outs(&result);
    return result.in.count <= 1 && result.out.count <= 1 && same_images(linear, &result) ? KEPT
                                                                                         : BROKEN;
}

static outcome try_transpose(chance *c, const tg_linear *linear)
{
    tg_linear result = *linear;
    const bool is_in = one_in(c, 2), is_wrong = one_in(c, 8);
    tg_linear_dims order = is_in ? linear->in : linear->out;
    const char *names[TG_LINEAR_MAX_DIMS];
    shuffle_dims(c, &order);
    for (int i = 0; i < order.count; i++) names[i] = order.list[i].name;
    const int count = order.count - (is_wrong && order.count);
    const tg_status status = is_in ? tg_linear_transpose_ins(&result, names, count, NULL)
                                   : tg_linear_transpose_outs(&result, names, count, NULL);
    if (status != TG_OK) return count < order.count ? REFUSED : BROKEN;
    for (uint64_t i = 0; i < count_of(&linear->in); i++) {
        const uint64_t out = model_image(&result, index_by_name(&linear->in, i, &result.in));
        if (index_by_name(&result.out, out, &linear->out) != model_image(linear, i)) return BROKEN;
    }
    const tg_linear_dims *got = is_in ? &result.in : &result.out;
    for (int i = 0; i < order.count; i++)
        if (strcmp(got->list[i].name, names[i]) != 0) return BROKEN;
    return KEPT;
}

outcome law_linear_reshape(chance *c, tg_axe *shown)
{
    tg_linear linear;
    (void)shown;
    random_linear(c, &some_ins, &some_outs, &linear);
    return one_in(c, 2) ? try_reshape(c, &linear) : try_transpose(c, &linear);
}

/* ---- parts ---- */

/* Indices that are 0 in all dimensions but those of the part. */
static outcome try_sublayout(chance *c, const tg_linear *linear)
{
    tg_linear part;
    const tg_linear_dim_set ins = (tg_linear_dim_set)pick(c, 0, 7);
    const tg_linear_dim_set outs = (tg_linear_dim_set)pick(c, 0, 7);
    bool is_zero = true;
    tg_linear_sublayout(linear, ins, outs, &part);
    for (uint64_t i = 0; i < count_of(&part.in); i++) {
        const uint64_t image = model_image(linear, index_by_name(&part.in, i, &linear->in));
        const uint64_t expected = index_by_name(&linear->out, image, &part.out);
        if (model_image(&part, i) != expected) return BROKEN;
        is_zero &= expected == 0;
    }
    return is_zero == tg_linear_is_zero(linear, ins, outs) ? KEPT : BROKEN;
}

/* A dimension "t" that is in and out, and stays as it is, unless something is changed. */
static outcome try_quotient(chance *c)
{
    tg_linear linear = {0}, q;
    const char *const names[] = {"t"};
    const dims_wish ins = {"at", 1, 2, 4}, outs = {"xt", 1, 2, 4};
    random_dims(c, &ins, &linear.in);
    random_dims(c, &outs, &linear.out);
    random_bases(c, &linear);
    const int in = dims_find(&linear.in, "t"), out = dims_find(&linear.out, "t");
    if (in >= 0 && out >= 0 && one_in(c, 2)) linear.out.list[out].bits = linear.in.list[in].bits;
    for (int d = 0, k = 0; d < linear.in.count; d++)
        for (int i = 0; i < linear.in.list[d].bits; i++, k++)
            if (in >= 0 && out >= 0 && !one_in(c, 12)) {
                uint64_t column = 0;
                for (int o = linear.out.count - 1; o >= 0; o--) {
                    const int64_t size = INT64_C(1) << linear.out.list[o].bits;
                    const int64_t t = d == in ? (INT64_C(1) << i) % size : 0;
                    column = column * (uint64_t)size + (uint64_t)(o == out  ? t
                                                                  : d == in ? 0
                                                                            : pick(c, 0, size - 1));
                }
                linear.columns[k] = column;
            } else {
                linear.columns[k] &= count_of(&linear.out) - 1;
            }
    bool is_trivial = in >= 0 && out >= 0 && linear.in.list[in].bits == linear.out.list[out].bits;
    for (uint64_t i = 0; is_trivial && i < count_of(&linear.in); i++) {
        const uint64_t image = model_image(&linear, i);
        is_trivial &= index_in(&linear.out, image, out) == index_in(&linear.in, i, in);
    }
    /* What only "t" does must not be seen elsewhere. */
    const tg_linear_dims only = {1, {{"t", in >= 0 ? linear.in.list[in].bits : 0}}};
    for (uint64_t t = 0; is_trivial && t < count_of(&only); t++) {
        const uint64_t image = model_image(&linear, index_by_name(&only, t, &linear.in));
        is_trivial &= index_by_name(&only, t, &linear.out) == image;
    }
    if (tg_linear_quotient(&linear, names, 1, &q, NULL) != TG_OK)
        return is_trivial ? BROKEN : REFUSED;
    if (!is_trivial) return BROKEN;
    for (uint64_t i = 0; i < count_of(&q.in); i++) {
        const uint64_t image = model_image(&linear, index_by_name(&q.in, i, &linear.in));
        if (index_by_name(&linear.out, image, &q.out) != model_image(&q, i)) return BROKEN;
    }
    return KEPT;
}

/* By its definition: each multiple of n leads to a multiple of n, and on to n in a row. */
static bool is_run(const tg_linear *linear, int64_t n)
{
    for (uint64_t i = 0; i < count_of(&linear->in); i++) {
        const int64_t low = index_in(&linear->in, i, 0) % n;
        const uint64_t first = model_image(linear, i - (uint64_t)low),
                       here = model_image(linear, i);
        if (index_in(&linear->out, first, 0) % n || here != first + (uint64_t)low) return false;
    }
    return true;
}

static outcome try_runs_and_masks(const tg_linear *linear)
{
    const int64_t n = tg_linear_consecutive(linear);
    int64_t mask[TG_LINEAR_MAX_DIMS];
    if (linear->in.count && linear->out.count) {
        const int64_t in = INT64_C(1) << linear->in.list[0].bits;
        const int64_t out = INT64_C(1) << linear->out.list[0].bits;
        if (!is_run(linear, n) || (2 * n <= in && 2 * n <= out && is_run(linear, 2 * n)))
            return BROKEN;
    }
    tg_linear_free_masks(linear, mask);
    for (int d = 0, k = 0; d < linear->in.count; d++)
        for (int i = 0; i < linear->in.list[d].bits; i++, k++) {
            bool is_free = false; /* made by lower bits */
            for (uint64_t below = 0; below < UINT64_C(1) << k; below++)
                is_free |= model_image(linear, below) == linear->columns[k];
            if (is_free != (mask[d] >> i & 1)) return BROKEN;
        }
    return KEPT;
}

outcome law_linear_parts(chance *c, tg_axe *shown)
{
    tg_linear linear;
    (void)shown;
    random_linear(c, &some_ins, &some_outs, &linear);
    switch (pick(c, 0, 2)) {
    case 0: return try_sublayout(c, &linear);
    case 1: return try_quotient(c);
    default: return try_runs_and_masks(&linear);
    }
}

/* ---- fewer bits, and two layouts as one ---- */

static outcome try_resize(chance *c, const tg_linear *linear)
{
    tg_linear result = *linear;
    const bool is_in = one_in(c, 2);
    const tg_linear_dims *dims = is_in ? &linear->in : &linear->out;
    if (!dims->count) return KEPT;
    const int dim = (int)pick(c, 0, dims->count - 1), bits = (int)pick(c, 0, 3);
    const char *name = dims->list[dim].name;
    const tg_status status = is_in ? tg_linear_resize_in(&result, name, INT64_C(1) << bits, NULL)
                                   : tg_linear_resize_out(&result, name, INT64_C(1) << bits, NULL);
    const bool fits = bits <= dims->list[dim].bits;
    if (status != TG_OK) return fits ? BROKEN : REFUSED;
    if (!fits) return BROKEN;
    for (int d = 0, k = 0; d < result.in.count; d++)
        for (int i = 0; i < result.in.list[d].bits; i++, k++) {
            const uint64_t one = index_by_name(&result.in, UINT64_C(1) << k, &linear->in);
            const uint64_t was = model_image(linear, one),
                           is = model_image(&result, UINT64_C(1) << k);
            for (int o = 0; o < linear->out.count; o++) {
                const int64_t a = index_in(&linear->out, was, o), b = index_in(&result.out, is, o);
                const bool is_cut = !is_in && o == dim && a >> bits;
                if (b != (is_cut ? 0 : a)) return BROKEN;
            }
        }
    return KEPT;
}

static outcome try_select(chance *c, const tg_linear *linear)
{
    tg_linear result = *linear;
    int kept[8], count = 0;
    if (!linear->in.count) return KEPT;
    const int bits = linear->in.list[0].bits;
    for (int i = 0; i < bits; i++)
        if (!one_in(c, 3)) kept[count++] = i;
    for (int i = count - 1; i > 0; i--) {
        const int j = (int)pick(c, 0, i), t = kept[i];
        kept[i] = kept[j];
        kept[j] = t;
    }
    if (tg_linear_select(&result, linear->in.list[0].name, kept, count, NULL) != TG_OK)
        return BROKEN;
    for (int i = 0; i < count; i++)
        if (result.columns[i] != linear->columns[kept[i]]) return BROKEN;
    for (int i = bits; i < dims_bits(&linear->in); i++)
        if (result.columns[i - bits + count] != linear->columns[i]) return BROKEN;
    return result.in.list[0].bits == count ? KEPT : BROKEN;
}

static outcome try_concat(chance *c, const tg_linear *linear)
{
    tg_linear second, result;
    const bool is_in = one_in(c, 2), is_same = !one_in(c, 8);
    random_linear(c, &(dims_wish){"defx", 0, 2, 4}, &(dims_wish){"uvwa", 0, 2, 4}, &second);
    if (is_same && is_in) second.out = linear->out;
    if (is_same && !is_in) second.in = linear->in;
    random_bases(c, &second);
    const tg_status status = is_in ? tg_linear_concat_ins(linear, &second, &result, NULL)
                                   : tg_linear_concat_outs(linear, &second, &result, NULL);
    if (status != TG_OK) return is_same ? BROKEN : REFUSED;
    for (uint64_t i = 0; i < count_of(&linear->in); i++)
        for (uint64_t j = 0; j < (is_in ? count_of(&second.in) : 1); j++) {
            const uint64_t a = model_image(linear, i), b = model_image(&second, is_in ? j : i);
            const uint64_t in = is_in ? i + j * count_of(&linear->in) : i;
            const uint64_t expected = is_in ? a ^ b : a + b * count_of(&linear->out);
            if (model_image(&result, in) != expected) return BROKEN;
        }
    return KEPT;
}

outcome law_linear_cut(chance *c, tg_axe *shown)
{
    tg_linear linear;
    (void)shown;
    random_linear(c, &some_ins, &some_outs, &linear);
    switch (pick(c, 0, 2)) {
    case 0: return try_resize(c, &linear);
    case 1: return try_select(c, &linear);
    default: return try_concat(c, &linear);
    }
}
