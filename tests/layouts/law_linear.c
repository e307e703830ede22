/* Linear layouts: composition, inverses, products, divisions. */
#include <string.h>

#include "layout/linear/apply.h"
#include "layout/linear/divide.h"
#include "layout/linear/invert.h"
#include "layout/linear/product.h"
#include "layout/linear/solve.h"
#include "layouts/law.h"
#include "layouts/linear_model.h"

static const dims_wish some_ins = {"abc", 0, 3, 6}, some_outs = {"xyz", 0, 3, 6};

static uint64_t count_of(const tg_linear_dims *dims) { return UINT64_C(1) << dims_bits(dims); }

/* ---- composition ---- */

static bool fits(const tg_linear_dims *small, const tg_linear_dims *large)
{
    if (small->count != large->count) return false;
    for (int i = 0; i < small->count; i++) {
        const int dim = dims_find(large, small->list[i].name);
        if (dim < 0 || small->list[i].bits > large->list[dim].bits) return false;
    }
    return true;
}

/* Dimensions that often fit: the same ones in another order, some of them smaller. */
static void similar_dims(chance *c, const tg_linear_dims *of, tg_linear_dims *out)
{
    *out = *of;
    shuffle_dims(c, out);
    for (int i = 0; i < out->count; i++)
        if (one_in(c, 4) && out->list[i].bits) out->list[i].bits--;
    if (one_in(c, 10) && out->count) out->count--;
    if (one_in(c, 10) && out->count) out->list[0].bits++;
}

outcome law_linear_compose(chance *c, tg_axe *shown)
{
    tg_linear inner = {0}, outer, result;
    (void)shown;
    random_linear(c, &some_outs, &(dims_wish){"uvw", 0, 3, 6}, &outer);
    random_dims(c, &some_ins, &inner.in);
    similar_dims(c, &outer.in, &inner.out);
    random_bases(c, &inner);
    const tg_status status = tg_linear_compose(&inner, &outer, &result, NULL);
    if (status != TG_OK) return fits(&inner.out, &outer.in) ? BROKEN : REFUSED;
    for (uint64_t i = 0; i < count_of(&inner.in); i++) {
        const uint64_t middle = index_by_name(&inner.out, model_image(&inner, i), &outer.in);
        if (tg_linear_apply(&result, i) != model_image(&outer, middle)) return BROKEN;
        if (model_image(&result, i) != model_image(&outer, middle)) return BROKEN;
    }
    return fits(&inner.out, &outer.in) ? KEPT : BROKEN;
}

/* ---- inverses ---- */

/* The least index that leads there, or -1. */
static int64_t least_source(const tg_linear *linear, uint64_t image)
{
    for (uint64_t i = 0; i < count_of(&linear->in); i++)
        if (model_image(linear, i) == image) return (int64_t)i;
    return -1;
}

/* Whether a dimension is in both, and leads to the same places. */
static bool is_shared(const tg_linear *inner, const tg_linear *outer, int in)
{
    const int twin = dims_find(&outer->in, inner->in.list[in].name);
    return twin >= 0 && outer->in.list[twin].bits == inner->in.list[in].bits;
}

static bool has_shared(const tg_linear *inner, const tg_linear *outer)
{
    for (int d = 0; d < inner->in.count; d++)
        if (is_shared(inner, outer, d)) return true;
    return false;
}

/* Whether everything that `inner` reaches, `outer` reaches too. */
static bool is_solvable(const tg_linear *inner, const tg_linear *outer)
{
    if (!fits(&inner->out, &outer->out)) return false;
    for (uint64_t i = 0; i < count_of(&inner->in); i++)
        if (least_source(outer, index_by_name(&inner->out, model_image(inner, i), &outer->out)) < 0)
            return false;
    return true;
}

static bool solves(const tg_linear *inner, const tg_linear *outer, const tg_linear *result)
{
    const bool is_least = !has_shared(inner, outer);
    for (uint64_t i = 0; i < count_of(&inner->in); i++) {
        const uint64_t wanted = index_by_name(&inner->out, model_image(inner, i), &outer->out);
        const uint64_t source = model_image(result, i);
        if (model_image(outer, source) != wanted) return false;
        if (is_least && (int64_t)source != least_source(outer, wanted)) return false;
    }
    return true;
}

/* The bases of a dimension that both have, made the same. */
static void share_bases(tg_linear *inner, const tg_linear *outer)
{
    for (int d = 0, k = 0; d < inner->in.count; k += inner->in.list[d++].bits) {
        if (!is_shared(inner, outer, d)) continue;
        const int twin = dims_find(&outer->in, inner->in.list[d].name);
        int from = 0;
        for (int i = 0; i < twin; i++) from += outer->in.list[i].bits;
        for (int i = 0; i < inner->in.list[d].bits; i++)
            inner->columns[k + i] =
                index_by_name(&outer->out, outer->columns[from + i], &inner->out);
    }
}

static outcome invert_one(chance *c)
{
    tg_linear linear, result;
    random_linear(c, &some_ins, &some_outs, &linear);
    uint64_t reached = 0;
    for (uint64_t i = 0; i < count_of(&linear.out); i++) reached += least_source(&linear, i) >= 0;
    const bool is_surjective = reached == count_of(&linear.out);
    const bool is_injective = reached == count_of(&linear.in);
    if (is_surjective != tg_linear_is_surjective(&linear)) return BROKEN;
    if (is_injective != tg_linear_is_injective(&linear)) return BROKEN;
    if (reached != UINT64_C(1) << tg_linear_rank(&linear)) return BROKEN;
    const tg_status pseudo = tg_linear_pseudoinvert(&linear, &result, NULL);
    if ((pseudo == TG_OK) != is_surjective) return BROKEN;
    for (uint64_t i = 0; pseudo == TG_OK && i < count_of(&linear.out); i++)
        if ((int64_t)model_image(&result, i) != least_source(&linear, i)) return BROKEN;
    const tg_status status = tg_linear_invert(&linear, &result, NULL);
    if ((status == TG_OK) != (is_surjective && is_injective)) return BROKEN;
    return status == TG_OK ? KEPT : REFUSED;
}

outcome law_linear_invert(chance *c, tg_axe *shown)
{
    tg_linear inner = {0}, outer, result;
    (void)shown;
    if (one_in(c, 4)) return invert_one(c);
    random_linear(c, &some_ins, &some_outs, &outer);
    if (one_in(c, 2))
        random_dims(c, &(dims_wish){"uvw", 0, 3, 6}, &inner.in);
    else
        similar_dims(c, &outer.in, &inner.in);
    similar_dims(c, &outer.out, &inner.out);
    random_bases(c, &inner);
    if (one_in(c, 2)) share_bases(&inner, &outer);
    const tg_status status = tg_linear_invert_and_compose(&inner, &outer, &result, NULL);
    if (status != TG_OK) return is_solvable(&inner, &outer) ? BROKEN : REFUSED;
    return solves(&inner, &outer, &result) ? KEPT : BROKEN;
}

/* ---- products ---- */

static const dims_wish factor_ins = {"abc", 0, 3, 4}, factor_outs = {"xyz", 0, 3, 4};

/* Whether two dimensions stand one way in the one and the other way in the other. */
static bool conflicts(const tg_linear_dims *a, const tg_linear_dims *b)
{
    for (int i = 0; i < a->count; i++)
        for (int j = i + 1; j < a->count; j++) {
            const int x = dims_find(b, a->list[i].name), y = dims_find(b, a->list[j].name);
            if (x >= 0 && y >= 0 && x > y) return true;
        }
    return false;
}

static bool keeps_order(const tg_linear_dims *part, const tg_linear_dims *all)
{
    int last = -1;
    for (int i = 0; i < part->count; i++) {
        const int at = dims_find(all, part->list[i].name);
        if (at <= last) return false;
        last = at;
    }
    return true;
}

outcome law_linear_product(chance *c, tg_axe *shown)
{
    tg_linear a, b, p;
    (void)shown;
    random_linear(c, &factor_ins, &factor_outs, &a);
    random_linear(c, &factor_ins, &factor_outs, &b);
    const bool is_ordered = !conflicts(&a.in, &b.in) && !conflicts(&a.out, &b.out);
    if (tg_linear_product(&a, &b, &p, NULL) != TG_OK) return is_ordered ? BROKEN : REFUSED;
    const bool orders = keeps_order(&a.in, &p.in) && keeps_order(&b.in, &p.in) &&
                        keeps_order(&a.out, &p.out) && keeps_order(&b.out, &p.out);
    return is_ordered && orders && model_is_product(&a, &b, &p) ? KEPT : BROKEN;
}

/* ---- division ---- */

static int bits_in(const tg_linear_dims *dims, const char *name)
{
    const int dim = dims_find(dims, name);
    return dim < 0 ? 0 : dims->list[dim].bits;
}

/* Whether an index is below, or a multiple of, a power of two in each dimension. */
static bool is_low(const tg_linear_dims *dims, uint64_t index, const tg_linear_dims *part,
                   bool low_part)
{
    for (int i = 0; i < dims->count; i++) {
        const int bits = bits_in(part, dims->list[i].name);
        const int low = low_part ? bits : dims->list[i].bits - bits;
        if (index_in(dims, index, i) >> low) return false;
    }
    return true;
}

static bool is_high(const tg_linear_dims *dims, uint64_t index, const tg_linear_dims *part,
                    bool low_part)
{
    for (int i = 0; i < dims->count; i++) {
        const int bits = bits_in(part, dims->list[i].name);
        const int low = low_part ? bits : dims->list[i].bits - bits;
        if (index_in(dims, index, i) % (INT64_C(1) << low)) return false;
    }
    return true;
}

static bool is_part(const tg_linear_dims *part, const tg_linear_dims *all)
{
    for (int i = 0; i < part->count; i++) {
        const int dim = dims_find(all, part->list[i].name);
        if (dim < 0 || all->list[dim].bits < part->list[i].bits) return false;
    }
    return true;
}

/* The index of the divisor, of one in the dividend that has only its bits. */
static uint64_t of_divisor(const tg_linear_dims *dims, uint64_t index, const tg_linear_dims *part,
                           bool is_left)
{
    uint64_t out = 0;
    for (int i = part->count - 1; i >= 0; i--) {
        const int dim = dims_find(dims, part->list[i].name);
        const int below = is_left ? 0 : dims->list[dim].bits - part->list[i].bits;
        out *= UINT64_C(1) << part->list[i].bits;
        out +=
            (uint64_t)(index_in(dims, index, dim) >> below) % (UINT64_C(1) << part->list[i].bits);
    }
    return out;
}

/* Whether the dividend has the divisor in its low (left) or high (right) bits, and nothing of it in the
 * others. */
static bool is_divisible(const tg_linear *dividend, const tg_linear *divisor, bool is_left)
{
    if (!is_part(&divisor->in, &dividend->in) || !is_part(&divisor->out, &dividend->out))
        return false;
    for (uint64_t i = 0; i < count_of(&dividend->in); i++) {
        const bool low = is_low(&dividend->in, i, &divisor->in, is_left);
        const bool high = is_high(&dividend->in, i, &divisor->in, is_left);
        const uint64_t image = model_image(dividend, i);
        const bool is_of_divisor = is_left ? low : high, is_other = is_left ? high : low;
        const bool low_image = is_low(&dividend->out, image, &divisor->out, is_left);
        const bool high_image = is_high(&dividend->out, image, &divisor->out, is_left);
        if (is_of_divisor && !(is_left ? low_image : high_image)) return false;
        if (is_of_divisor &&
            of_divisor(&dividend->out, image, &divisor->out, is_left) !=
                model_image(divisor, of_divisor(&dividend->in, i, &divisor->in, is_left)))
            return false;
        if (is_other && !(is_left ? high_image : low_image)) return false;
    }
    return true;
}

outcome law_linear_divide(chance *c, tg_axe *shown)
{
    tg_linear a, b, dividend, q;
    const bool is_left = one_in(c, 2);
    (void)shown;
    random_linear(c, &factor_ins, &factor_outs, &a);
    random_linear(c, &factor_ins, &factor_outs, &b);
    if (tg_linear_product(&a, &b, &dividend, NULL) != TG_OK) dividend = a;
    if (one_in(c, 3) && dims_bits(&dividend.in) && dims_bits(&dividend.out))
        dividend.columns[pick(c, 0, dims_bits(&dividend.in) - 1)] ^=
            UINT64_C(1) << pick(c, 0, dims_bits(&dividend.out) - 1);
    const tg_linear *divisor = is_left ? &a : &b;
    const tg_status status = is_left ? tg_linear_divide_left(&dividend, divisor, &q, NULL)
                                     : tg_linear_divide_right(&dividend, divisor, &q, NULL);
    if (status != TG_OK) return is_divisible(&dividend, divisor, is_left) ? BROKEN : REFUSED;
    const bool is_product = is_left ? model_is_product(divisor, &q, &dividend)
                                    : model_is_product(&q, divisor, &dividend);
    return is_product && q.in.count == dividend.in.count ? KEPT : BROKEN;
}
