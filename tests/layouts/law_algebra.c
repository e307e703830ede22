/* Composition, complement, division, product and inverses of Axe layouts. */
#include <string.h>

#include "layout/cute/axe_algebra.h"
#include "layout/compose.h"
#include "layout/cute/compose.h"
#include "layout/cute/convert.h"
#include "layout/equal.h"
#include "layouts/law.h"
#include "layouts/regular.h"

static model a, b, r;

static bool has_one_axis(const model *of, const tg_axe *axe)
{
    bool used[TG_AXIS_COUNT] = {false};
    int count = 0;
    for (int i = 0; i < of->start[of->size]; i++)
        for (int k = 0; k < TG_AXIS_COUNT; k++) used[k] |= of->list[i].at[k] != 0;
    if (axe->swizzle.bits) used[axe->swizzle.axis] = true;
    for (int k = 0; k < TG_AXIS_COUNT; k++) count += used[k];
    return count <= 1;
}

/* ---- composition ---- */

/* Digits of the elements of a layout, in random order, some left out: what often composes. */
static void random_digits(chance *c, const tg_iters *d, tg_iters *out)
{
    int64_t below = 1;
    for (int i = d->count - 1; i >= 0; i--) {
        const int64_t extent = d->list[i].extent;
        int64_t inner = pick(c, 1, extent);
        while (extent % inner) inner--;
        if (one_in(c, 3)) tg_iters_put(out, inner, below, TG_AXIS_m);
        if (one_in(c, 3)) tg_iters_put(out, extent / inner, below * inner, TG_AXIS_m);
        if (one_in(c, 3) && out->count == 0) tg_iters_put(out, extent, below, TG_AXIS_m);
        below *= extent;
    }
    for (int i = out->count - 1; i > 0; i--) {
        const int k = (int)pick(c, 0, i);
        const tg_iter it = out->list[i];
        out->list[i] = out->list[k];
        out->list[k] = it;
    }
}

static void random_second(chance *c, const tg_axe *first, tg_axe *out)
{
    wish w = any_layout;
    w.only_m = !one_in(c, 8);
    w.most_iters = 3;
    w.most_size = 16;
    w.most_copies = 1;
    tg_axe_begin(out);
    random_layout(c, &w, out);
    if (!one_in(c, 8)) out->swizzle.bits = 0;
    if (one_in(c, 2)) {
        tg_axe_begin(out);
        random_digits(c, &first->d, &out->d);
        while (tg_iters_size(&out->d) > 64) out->d.count--;
        if (one_in(c, 6)) out->offset[TG_AXIS_m] = pick(c, 0, 3);
        if (one_in(c, 6) && out->d.count) { /* from the other end */
            tg_iter *it = &out->d.list[0];
            out->offset[TG_AXIS_m] += (it->extent - 1) * it->stride;
            it->stride = -it->stride;
        }
    } else if (!one_in(c, 4)) {
        out->offset[TG_AXIS_m] -= tg_axe_range(out, TG_AXIS_m).least;
    }
}

static int64_t number_of(const place *p)
{
    int64_t sum = 0;
    for (int k = 0; k < TG_AXIS_COUNT; k++) sum += p->at[k];
    return sum;
}

static bool is_within(void)
{
    for (int i = 0; i < b.start[b.size]; i++)
        if (number_of(&b.list[i]) < 0 || number_of(&b.list[i]) >= a.size) return false;
    return true;
}

/* r(x) is the union of a(y) for all y of b(x). */
static bool is_composed(void)
{
    for (int64_t x = 0; x < b.size; x++) {
        static bool met[MODEL_MOST];
        memset(met, 0, sizeof met);
        for (int i = b.start[x]; i < b.start[x + 1]; i++) {
            const int64_t y = number_of(&b.list[i]);
            for (int k = a.start[y]; k < a.start[y + 1]; k++) {
                int at = r.start[x];
                while (at < r.start[x + 1] && !place_same(&r.list[at], &a.list[k])) at++;
                if (at == r.start[x + 1]) return false;
                met[at - r.start[x]] = true;
            }
        }
        for (int i = 0; i < r.start[x + 1] - r.start[x]; i++)
            if (!met[i]) return false;
    }
    return b.size == r.size;
}

/* Whether CuTe's composition, of layouts of memory that both can say, is the same. */
static bool agrees_with_cute(const tg_axe *first, const tg_axe *second, const tg_axe *out,
                             tg_status status)
{
    tg_cute x, y, both;
    tg_axe wanted;
    bool same;
    for (int i = 0; i < a.start[a.size]; i++) /* CuTe's have one axis, here m */
        if (number_of(&a.list[i]) != a.list[i].at[TG_AXIS_m]) return true;
    const tg_shape all = {1, {tg_iters_size(&first->d)}}, part = {1, {tg_iters_size(&second->d)}};
    if (tg_cute_from_axe(first, &all, &x, NULL) != TG_OK ||
        tg_cute_from_axe(second, &part, &y, NULL) != TG_OK || !tg_cute_is_plain(&y))
        return true;
    if (tg_cute_compose(&x, &y, &both, NULL) != TG_OK) return true;
    if (status != TG_OK) return false;
    return tg_cute_to_axe(&both, &part, TG_AXIS_m, &wanted, NULL) == TG_OK &&
           tg_axe_equal(out, &wanted, &same, NULL) == TG_OK && same;
}

outcome law_compose(chance *c, tg_axe *shown)
{
    tg_axe second, out;
    wish w = any_layout;
    w.most_copies = 1;
    w.only_m = one_in(c, 3);
    random_layout(c, &w, shown);
    random_second(c, shown, &second);
    const tg_status status = tg_axe_compose(shown, &second, &out, NULL);
    model_of(shown, &a);
    model_of(&second, &b);
    if (status == TG_OK) {
        if (tg_axe_check(&out, NULL) != TG_OK) return BROKEN;
        model_of(&out, &r);
        if (!is_within() || !is_composed()) return BROKEN;
    } else if (second.swizzle.bits || !has_one_axis(&b, &second)) {
        return status == TG_ERR_UNSUPPORTED ? REFUSED : BROKEN;
    } else if ((status == TG_ERR_INVALID) == is_within()) {
        return BROKEN;
    }
    if (status == TG_ERR_INVALID) return REFUSED;
    if (!agrees_with_cute(shown, &second, &out, status)) return BROKEN;
    return status == TG_OK ? KEPT : REFUSED;
}

/* ---- complement ---- */

/* The coordinates of a model on axis m, from the least one on, each once. */
static int coordinates(const model *of, int64_t *out)
{
    int count = 0;
    for (int i = 0; i < of->start[of->size]; i++) {
        int k = 0;
        while (k < count && out[k] != of->list[i].at[TG_AXIS_m]) k++;
        if (k == count) out[count++] = of->list[i].at[TG_AXIS_m];
    }
    int64_t least = out[0];
    for (int i = 1; i < count; i++)
        if (out[i] < least) least = out[i];
    for (int i = 0; i < count; i++) out[i] -= least;
    return count;
}

static bool are_disjoint(const int64_t *x, int x_count, const int64_t *y, int y_count, bool *all,
                         int64_t most)
{
    memset(all, 0, (size_t)most);
    for (int i = 0; i < x_count; i++)
        for (int k = 0; k < y_count; k++) {
            const int64_t sum = x[i] + y[k];
            if (sum < 0 || sum >= most) continue;
            if (all[sum]) return false;
            all[sum] = true;
        }
    return true;
}

/* Whether an iter on m ends beyond the stride of another one. */
static bool iters_overlap(const tg_axe *axe)
{
    const tg_iters *parts[] = {&axe->d, &axe->r};
    for (int p = 0; p < 4; p++)
        for (int i = 0; i < parts[p / 2]->count; i++)
            for (int k = 0; k < parts[p % 2]->count; k++) {
                const tg_iter x = parts[p / 2]->list[i], y = parts[p % 2]->list[k];
                const int64_t low = x.stride < 0 ? -x.stride : x.stride;
                const int64_t high = y.stride < 0 ? -y.stride : y.stride;
                if (x.axis != TG_AXIS_m || y.axis != TG_AXIS_m || x.extent == 1 || y.extent == 1)
                    continue;
                if ((p / 2 != p % 2 || i != k) && low <= high && x.extent * low > high) return true;
            }
    return false;
}

/* Whether extent times stride of each iter on m divides the next larger stride. */
static bool is_even(const tg_axe *axe)
{
    const tg_iters *parts[] = {&axe->d, &axe->r};
    int64_t ends = 1;
    for (int64_t stride = 1; stride < 2000; stride++)
        for (int p = 0; p < 2; p++)
            for (int i = 0; i < parts[p]->count; i++) {
                const tg_iter it = parts[p]->list[i];
                if (it.axis != TG_AXIS_m || it.extent == 1) continue;
                if (it.stride != stride && it.stride != -stride) continue;
                if (stride % ends) return false;
                ends = stride * it.extent;
            }
    return true;
}

outcome law_complement(chance *c, tg_axe *shown)
{
    static int64_t taken[MODEL_MOST], rest[MODEL_MOST];
    static bool all[8192];
    tg_axe out;
    wish w = any_layout;
    w.injective = !one_in(c, 8);
    w.most_iters = 3;
    w.most_copies = 1;
    w.swizzle = one_in(c, 8);
    random_layout(c, &w, shown);
    const int64_t size = one_in(c, 32) ? 0 : pick(c, 1, 200);
    const tg_status status = tg_axe_complement(shown, TG_AXIS_m, size, &out, NULL);
    if (shown->swizzle.bits) return status == TG_ERR_UNSUPPORTED ? REFUSED : BROKEN;
    if (size == 0) return status == TG_ERR_INVALID ? REFUSED : BROKEN;
    if (status != TG_OK) return status == TG_ERR_INVALID && iters_overlap(shown) ? REFUSED : BROKEN;
    model_of(shown, &a);
    model_of(&out, &r);
    const int count = coordinates(&a, taken), more = coordinates(&r, rest);
    for (int i = 1; i < more; i++)
        if (rest[i - 1] >= rest[i]) return BROKEN;
    if (!are_disjoint(taken, count, rest, more, all, 8192)) return BROKEN;
    if (iters_overlap(shown) || !is_even(shown)) return KEPT;
    for (int64_t v = 0; v < size; v++) /* nothing is missing */
        if (!all[v]) return BROKEN;
    return KEPT;
}

/* ---- division and product ---- */

static bool places_same(const model *x, int64_t i, const model *y, int64_t k)
{
    const int count = x->start[i + 1] - x->start[i];
    return y->start[k + 1] - y->start[k] == count &&
           memcmp(&x->list[x->start[i]], &y->list[y->start[k]], (size_t)count * sizeof(place)) == 0;
}

/* Whether each element of a is one of the result. */
static bool has_all_of_a(void)
{
    static bool used[MODEL_MOST];
    memset(used, 0, sizeof used);
    for (int64_t x = 0; x < a.size; x++) {
        int64_t y = 0;
        while (y < r.size && (used[y] || !places_same(&a, x, &r, y))) y++;
        if (y == r.size) return false;
        used[y] = true;
    }
    return true;
}

outcome law_divide(chance *c, tg_axe *shown)
{
    tg_axe tile, out;
    wish w = any_layout;
    w.most_copies = 1;
    w.most_size = 48;
    random_layout(c, &w, shown);
    tg_axe_begin(&tile);
    random_digits(c, &shown->d, &tile.d);
    if (one_in(c, 8)) {
        w.most_iters = 2;
        w.only_m = true;
        random_layout(c, &w, &tile);
    }
    const tg_status status = tg_axe_divide(shown, &tile, &out, NULL);
    if (status != TG_OK)
        return status == TG_ERR_UNSUPPORTED || status == TG_ERR_INVALID ? REFUSED : BROKEN;
    if (tile.r.count && tg_iters_size(&tile.r) > 1) return BROKEN;
    model_of(shown, &a);
    model_of(&tile, &b);
    model_of(&out, &r);
    for (int64_t i = 0; i < b.size; i++)
        if (!places_same(&r, i, &a, number_of(&b.list[b.start[i]]))) return BROKEN;
    return r.size != a.size || has_all_of_a() ? KEPT : BROKEN;
}

outcome law_product(chance *c, tg_axe *shown)
{
    tg_axe grid, out;
    wish w = any_layout;
    w.injective = !one_in(c, 8);
    w.most_iters = 3;
    w.most_size = 16;
    w.most_copies = 1;
    random_layout(c, &w, shown);
    w = (wish){.most_iters = 2, .most_extent = 4, .most_size = 8, .only_m = true};
    w.offset = one_in(c, 8);
    random_layout(c, &w, &grid);
    const tg_status status = tg_axe_product(shown, &grid, &out, NULL);
    if (status != TG_OK)
        return status == TG_ERR_UNSUPPORTED || status == TG_ERR_INVALID ? REFUSED : BROKEN;
    model_of(shown, &a);
    model_of(&grid, &b);
    model_of(&out, &r);
    if (r.size != a.size * b.size) return BROKEN;
    for (int64_t x = 0; x < r.size; x++) { /* each repetition is a, moved along m */
        const int64_t i = x % a.size, first = x - i;
        if (r.start[x + 1] - r.start[x] != a.start[i + 1] - a.start[i]) return BROKEN;
        const int64_t by = r.list[r.start[first]].at[TG_AXIS_m] - a.list[0].at[TG_AXIS_m];
        if ((b.list[x / a.size].at[TG_AXIS_m] == 0) != (by == 0)) return BROKEN;
        for (int k = 0; k < a.start[i + 1] - a.start[i]; k++) {
            place p = a.list[a.start[i] + k];
            p.at[TG_AXIS_m] += by;
            if (!place_same(&p, &r.list[r.start[x] + k])) return BROKEN;
            for (int64_t y = 0; w.injective && y < r.size; y++) /* and overlaps with no other */
                if (b.list[x / a.size].at[TG_AXIS_m] != b.list[y / a.size].at[TG_AXIS_m] &&
                    model_has(&r, y, &p))
                    return BROKEN;
        }
    }
    return KEPT;
}

/* ---- inverses ---- */

static bool is_plain(const tg_axe *axe)
{
    for (int64_t x = 0; x < a.size; x++)
        if (a.start[x + 1] - a.start[x] != 1) return false;
    for (int k = 0; k < TG_AXIS_COUNT; k++)
        if (axe->offset[k]) return false;
    return has_one_axis(&a, axe);
}

outcome law_inverse(chance *c, tg_axe *shown)
{
    tg_axe right, left;
    bool negative = false;
    wish w = any_layout;
    w.injective = !one_in(c, 4);
    w.only_m = !one_in(c, 8);
    w.most_copies = one_in(c, 8);
    w.offset = one_in(c, 8);
    w.negative = one_in(c, 4);
    random_layout(c, &w, shown);
    model_of(shown, &a);
    const tg_status has_right = tg_axe_right_inverse(shown, &right, NULL);
    const tg_status has_left = tg_axe_left_inverse(shown, &left, NULL);
    if (!is_plain(shown)) return has_right != TG_OK && has_left != TG_OK ? REFUSED : BROKEN;
    if (has_right == TG_OK) {
        model_of(&right, &r);
        for (int64_t v = 0; v < r.size; v++) {
            const int64_t x = number_of(&r.list[v]);
            if (x < 0 || x >= a.size || number_of(&a.list[x]) != v) return BROKEN;
        }
    } else if (!shown->swizzle.bits) {
        return BROKEN;
    }
    for (int64_t x = 0; x < a.size; x++) negative |= number_of(&a.list[x]) < 0;
    if (negative) return has_left == TG_ERR_UNSUPPORTED ? REFUSED : BROKEN;
    if (has_left != TG_OK) return has_right == TG_OK ? KEPT : REFUSED;
    if (tg_iters_size(&left.d) > MODEL_MOST) return KEPT;
    model_of(&left, &r);
    for (int64_t x = 0; x < a.size; x++) {
        const int64_t v = number_of(&a.list[x]);
        if (v >= r.size) return BROKEN;
        const int64_t y = number_of(&r.list[v]); /* x, or another element that is there */
        if (y < 0 || y >= a.size || number_of(&a.list[y]) != v) return BROKEN;
    }
    return KEPT;
}
