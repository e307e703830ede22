/* Elements of another width, dimensions in another order, and what a thread holds. */
#include <string.h>

#include "layout/equal.h"
#include "layout/permute.h"
#include "layout/recast.h"
#include "layouts/law.h"
#include "layouts/regular.h"

static model m, n;

static const tg_axis axes[] = {TG_AXIS_m, TG_AXIS_reg, TG_AXIS_TCol, TG_AXIS_lane};

static bool is_packable(tg_axis axis) { return axis == TG_AXIS_m || axis == TG_AXIS_reg; }

/* The parts of an element lie side by side, from `count` times its coordinate on. */
static bool is_unpacked(const tg_axe *axe, const tg_axe *out, tg_axis axis, int64_t count)
{
    tg_axe plain;
    tg_axe_copy(axe, &plain);
    plain.swizzle.bits = 0;
    model_of(&plain, &m);
    tg_axe_copy(out, &plain);
    plain.swizzle.bits = 0;
    model_of(&plain, &n);
    if (n.size != m.size * count) return false;
    for (int64_t x = 0; x < n.size; x++) {
        const int64_t y = x / count, copies = m.start[y + 1] - m.start[y];
        if (n.start[x + 1] - n.start[x] != copies) return false;
        for (int64_t i = m.start[y]; i < m.start[y + 1]; i++) {
            place p = m.list[i];
            p.at[axis] = p.at[axis] * count + x % count;
            if (!model_has(&n, x, &p)) return false;
        }
    }
    return true;
}

/* The swizzle moves parts of one element together: as its address times `count`, and the part. */
static bool is_swizzled_alike(const tg_axe *axe, const tg_axe *out, tg_axis axis, int64_t count)
{
    if (!axe->swizzle.bits || axe->swizzle.axis != axis)
        return tg_swizzle_same(&axe->swizzle, &out->swizzle);
    for (int64_t v = -300; v < 300; v++)
        for (int64_t part = 0; part < count; part++)
            if (tg_swizzle_apply(&out->swizzle, v * count + part) !=
                tg_swizzle_apply(&axe->swizzle, v) * count + part)
                return false;
    return true;
}

outcome law_unpack(chance *c, tg_axe *shown)
{
    tg_axe out, back;
    bool same;
    wish w = any_layout;
    w.most_size = 48;
    w.most_copies = 2;
    random_layout(c, &w, shown);
    while (tg_iters_size(&shown->r) > 12) shown->r.count--;
    const tg_axis axis = axes[pick(c, 0, 3)];
    const int64_t count = one_in(c, 16) ? 0 : pick(c, 1, 5);
    const tg_status status = tg_axe_unpack(shown, axis, count, &out, NULL);
    if (!is_packable(axis) || count < 1) return status == TG_ERR_INVALID ? REFUSED : BROKEN;
    const bool moves = shown->swizzle.bits && shown->swizzle.axis == axis;
    if (status != TG_OK)
        return status == TG_ERR_UNSUPPORTED && moves && count & (count - 1) ? REFUSED : BROKEN;
    if (!is_unpacked(shown, &out, axis, count)) return BROKEN;
    if (!is_swizzled_alike(shown, &out, axis, count)) return BROKEN;
    if (tg_axe_pack(&out, axis, count, &back, NULL) != TG_OK) return BROKEN;
    return tg_axe_equal(shown, &back, &same, NULL) == TG_OK && same ? KEPT : BROKEN;
}

/* Whether elements that follow each other lie side by side, and each first one at a multiple, without swizzle. */
static bool may_be_packed(const tg_axe *axe, tg_axis axis, int64_t count)
{
    tg_axe plain;
    tg_axe_copy(axe, &plain);
    plain.swizzle.bits = 0;
    model_of(&plain, &m);
    if (m.size % count) return false;
    for (int64_t x = 0; x < m.size; x++)
        for (int i = m.start[x]; i < m.start[x + 1]; i++) {
            place p = m.list[i];
            if (x % count == 0 && p.at[axis] % count) return false;
            p.at[axis] -= x % count;
            if (!model_has(&m, x - x % count, &p)) return false;
        }
    return true;
}

outcome law_pack(chance *c, tg_axe *shown)
{
    tg_axe out;
    wish w = any_layout;
    w.most_copies = 1;
    random_layout(c, &w, shown);
    const int64_t count = pick(c, 1, 4);
    if (one_in(c, 2) && shown->d.count < 8 && tg_iters_size(&shown->d) <= 48)
        tg_iters_put(&shown->d, count * pick(c, 1, 2), 1, TG_AXIS_m);
    const tg_status status = tg_axe_pack(shown, TG_AXIS_m, count, &out, NULL);
    if (status == TG_OK) {
        if (!is_unpacked(&out, shown, TG_AXIS_m, count)) return BROKEN;
        return is_swizzled_alike(&out, shown, TG_AXIS_m, count) ? KEPT : BROKEN;
    }
    if (status != TG_ERR_UNSUPPORTED) return BROKEN;
    const bool moves = shown->swizzle.bits && shown->swizzle.axis == TG_AXIS_m;
    return moves || !may_be_packed(shown, TG_AXIS_m, count) ? REFUSED : BROKEN;
}

/* ---- permute ---- */

static void shuffle(chance *c, tg_shape *permutation)
{
    for (int i = 0; i < permutation->rank; i++) permutation->extent[i] = i;
    for (int i = permutation->rank - 1; i > 0; i--) {
        const int k = (int)pick(c, 0, i);
        const int64_t dim = permutation->extent[i];
        permutation->extent[i] = permutation->extent[k];
        permutation->extent[k] = dim;
    }
}

outcome law_permute(chance *c, tg_axe *shown)
{
    static place by[MODEL_MOST];
    tg_axe out;
    tg_shape shape, permutation;
    random_layout(c, &any_layout, shown);
    shape_for(c, &shown->d, tg_iters_size(&shown->d), 4, &shape);
    permutation.rank = shape.rank;
    shuffle(c, &permutation);
    const bool wrong = shape.rank && one_in(c, 32);
    if (wrong) permutation.extent[0] = shape.rank;
    const tg_status status = tg_axe_permute(shown, &shape, &permutation, &out, NULL);
    if (wrong) return status == TG_ERR_INVALID ? REFUSED : BROKEN;
    model_of(shown, &m);
    displacements_of(shown, by);
    if (status != TG_OK)
        return is_regular_in(by, m.size, shape.extent, shape.rank) ? BROKEN : REFUSED;
    model_of(&out, &n);
    for (int64_t y = 0; y < n.size; y++) {
        int64_t at[TG_SHAPE_MAX_RANK], rest = y, x = 0;
        for (int i = shape.rank - 1; i >= 0; i--) {
            const int dim = (int)permutation.extent[i];
            at[dim] = rest % shape.extent[dim];
            rest /= shape.extent[dim];
        }
        for (int i = 0; i < shape.rank; i++) x = x * shape.extent[i] + at[i];
        const int count = m.start[x + 1] - m.start[x];
        if (n.start[y + 1] - n.start[y] != count) return BROKEN;
        if (memcmp(&n.list[n.start[y]], &m.list[m.start[x]], (size_t)count * sizeof(place)) != 0)
            return BROKEN;
    }
    return m.size == n.size ? KEPT : BROKEN;
}

/* ---- storage ---- */

/* The memory of the places of all elements is that of the storage, and no more. */
outcome law_storage(chance *c, tg_axe *shown)
{
    static bool met[MODEL_MOST];
    tg_axe out;
    wish w = any_layout;
    w.most_size = 16;
    w.most_copies = 1;
    random_layout(c, &w, shown);
    tg_axe_storage(shown, &out);
    model_of(shown, &m);
    model_of(&out, &n);
    memset(met, 0, sizeof met);
    for (int i = 0; i < m.start[m.size]; i++) {
        place p = m.list[i];
        bool found = false;
        for (int a = 0; a < TG_AXIS_COUNT; a++)
            if (tg_axes[a].kind != TG_AXIS_MEMORY) p.at[a] = 0;
        for (int k = 0; k < n.start[n.size]; k++)
            if (place_same(&p, &n.list[k])) found = met[k] = true;
        if (!found) return BROKEN;
    }
    for (int k = 0; k < n.start[n.size]; k++)
        if (!met[k]) return BROKEN;
    return KEPT;
}
