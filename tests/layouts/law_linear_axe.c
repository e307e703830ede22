/* Axe layouts and linear layouts that say the same, element by element. */
#include <stdlib.h>
#include <string.h>

#include "layout/linear/convert.h"
#include "layouts/law.h"
#include "layouts/linear_model.h"

static model m;

/* ---- the relation ---- */

/* The axis of a dimension, by its name. */
static int axis_of(const char *dim)
{
    static const struct {
        const char *dim;
        int axis;
    } names[] = {{"register", TG_AXIS_reg}, {"lane", TG_AXIS_lane}, {"warp", TG_AXIS_warp},
                 {"block", TG_AXIS_block},  {"offset", TG_AXIS_m},  {"gpuid", TG_AXIS_gpuid},
                 {"col", TG_AXIS_TCol},     {"row", TG_AXIS_TLane}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(dim, names[i].dim) == 0) return names[i].axis;
    return -1;
}

/* The row-major index of an image, of which the first dimension is the slowest. */
static int64_t row_major(const tg_linear_dims *outs, uint64_t image)
{
    int64_t x = 0;
    for (int o = 0; o < outs->count; o++)
        x = x * (INT64_C(1) << outs->list[o].bits) + index_in(outs, image, o);
    return x;
}

/* Whether each index leads to the element that is there, and there are no other places. */
static bool same_relation(const tg_linear *linear)
{
    const uint64_t count = UINT64_C(1) << dims_bits(&linear->in);
    if ((uint64_t)m.start[m.size] != count || m.size != INT64_C(1) << dims_bits(&linear->out))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        place p = {{0}};
        for (int d = 0; d < linear->in.count; d++) {
            const int axis = axis_of(linear->in.list[d].name);
            if (axis < 0) return false;
            p.at[axis] = index_in(&linear->in, i, d);
        }
        if (!model_has(&m, row_major(&linear->out, model_image(linear, i)), &p)) return false;
    }
    return true;
}

/* ---- whether there is a linear layout at all ---- */

enum { MOST_BITS = 10 };

/* Of each index of all used axes, the element that it holds: -1 for none, -2 for several. */
typedef struct holders {
    int bits[TG_AXIS_COUNT], total;
    int element[1 << MOST_BITS];
} holders;

static bool find_holders(holders *h)
{
    memset(h->bits, 0, sizeof h->bits);
    for (int i = 0; i < m.start[m.size]; i++)
        for (int a = 0; a < TG_AXIS_COUNT; a++) {
            if (m.list[i].at[a] < 0) return false;
            while (m.list[i].at[a] >> h->bits[a]) h->bits[a]++;
        }
    h->total = 0;
    for (int a = 0; a < TG_AXIS_COUNT; a++) h->total += h->bits[a];
    /* More indices than places: some hold nothing. */
    if (h->total > MOST_BITS || m.start[m.size] < 1 << h->total) return false;
    for (int i = 0; i < 1 << h->total; i++) h->element[i] = -1;
    for (int x = 0; x < (int)m.size; x++)
        for (int i = m.start[x]; i < m.start[x + 1]; i++) {
            int64_t index = 0;
            for (int a = TG_AXIS_COUNT - 1; a >= 0; a--)
                index = index * (INT64_C(1) << h->bits[a]) + m.list[i].at[a];
            h->element[index] = h->element[index] == -1 ? x : -2;
        }
    return true;
}

static bool is_linear(void)
{
    static holders h;
    if ((m.size & (m.size - 1)) || !find_holders(&h)) return false;
    for (int i = 0; i < 1 << h.total; i++) {
        int sum = 0;
        for (int bit = 0; bit < h.total; bit++)
            if (i >> bit & 1) sum ^= h.element[1 << bit];
        if (h.element[i] < 0 || h.element[i] != sum) return false;
    }
    return true;
}

/* ---- Axe -> linear ---- */

/* Bits of some axes, in a random order, for the digits of elements and of copies. */
static void power_layout(chance *c, tg_axe *axe)
{
    static const tg_axis all[] = {TG_AXIS_reg, TG_AXIS_lane, TG_AXIS_warp, TG_AXIS_m,
                                  TG_AXIS_gpuid};
    int64_t next[5] = {1, 1, 1, 1, 1};
    const int kinds = one_in(c, 3) ? 1 : 5, first = kinds == 1 ? (int)pick(c, 0, 4) : 0;
    tg_iter iters[8];
    const int count = (int)pick(c, 0, 5);
    tg_axe_begin(axe);
    for (int i = 0; i < count; i++) {
        const int a = first + (int)pick(c, 0, kinds - 1);
        const int64_t extent = INT64_C(1) << pick(c, 0, 2);
        iters[i] = (tg_iter){extent, next[a], all[a]};
        next[a] *= extent;
    }
    for (int i = count - 1; i > 0; i--) {
        const int64_t j = pick(c, 0, i);
        const tg_iter t = iters[i];
        iters[i] = iters[j];
        iters[j] = t;
    }
    for (int i = 0; i < count; i++)
        tg_iters_put(one_in(c, 4) ? &axe->r : &axe->d, iters[i].extent, iters[i].stride,
                     iters[i].axis);
    if (one_in(c, 3)) {
        const int bits = (int)pick(c, 1, 2), shift = (int)pick(c, bits, 3);
        axe->swizzle =
            (tg_swizzle){bits, (int)pick(c, 0, 2), one_in(c, 3) ? -shift : shift, TG_AXIS_m};
    }
}

/* Something that may make it say what no linear layout can. */
static void damage(chance *c, tg_axe *axe)
{
    tg_iters *part = one_in(c, 2) ? &axe->r : &axe->d;
    tg_iter *it = part->count ? &part->list[pick(c, 0, part->count - 1)] : NULL;
    switch (pick(c, 0, 4)) {
    case 0:
        if (it) it->extent++;
        break;
    case 1:
        if (it) it->stride *= one_in(c, 2) ? 2 : 3;
        break;
    case 2: /* from the other end */
        if (!it || !it->stride) break;
        axe->offset[it->axis] += one_in(c, 4) ? 0 : it->stride * (it->extent - 1);
        it->stride = -it->stride;
        break;
    case 3: axe->offset[TG_AXIS_lane] += pick(c, 0, 2); break;
    default:
        if (it) *it = (tg_iter){it->extent, 0, TG_AXIS_NONE};
        break;
    }
}

/* A shape of the elements: two extents, if they can be split. */
static tg_shape shape_of(chance *c, int64_t size)
{
    tg_shape shape = {.rank = 1, .extent = {size}};
    const int64_t inner = INT64_C(1) << pick(c, 0, 3);
    if (size % inner == 0) shape = (tg_shape){.rank = 2, .extent = {size / inner, inner}};
    return shape;
}

outcome law_linear_from_axe(chance *c, tg_axe *shown)
{
    tg_linear linear;
    if (one_in(c, 6)) {
        wish w = any_layout;
        w.most_extent = 4;
        random_layout(c, &w, shown);
    } else {
        power_layout(c, shown);
        if (one_in(c, 3)) damage(c, shown);
    }
    if (tg_axe_check(shown, NULL) != TG_OK) return BROKEN;
    model_of(shown, &m);
    const tg_shape shape = shape_of(c, m.size);
    if (tg_linear_from_axe(shown, &shape, &linear, NULL) != TG_OK)
        return is_linear() ? BROKEN : REFUSED;
    if (linear.out.count != shape.rank) return BROKEN;
    for (int i = 0; i < shape.rank; i++)
        if (INT64_C(1) << linear.out.list[i].bits != shape.extent[i]) return BROKEN;
    return same_relation(&linear) ? KEPT : BROKEN;
}

/* ---- linear -> Axe ---- */

/* Of CuTe's definition. */
static uint64_t swizzled(int bits, int base, int shift, uint64_t v)
{
    for (int i = 0; i < bits; i++) {
        const int from = base + i + (shift > 0 ? shift : 0),
                  to = base + i + (shift < 0 ? -shift : 0);
        if (v >> from & 1) v ^= UINT64_C(1) << to;
    }
    return v;
}

static bool is_one_bit(uint64_t v) { return v == 0 || __builtin_popcountll(v) == 1; }

/* Each out bit is hit by exactly one in bit; all others lead nowhere. */
static bool is_matching(const tg_linear *linear)
{
    uint64_t hit = 0;
    for (int i = 0; i < dims_bits(&linear->in); i++) {
        if (!is_one_bit(linear->columns[i]) || hit & linear->columns[i]) return false;
        hit |= linear->columns[i];
    }
    return hit == (UINT64_C(1) << dims_bits(&linear->out)) - 1;
}

/* Whether it is a matching before a swizzle of its first dimension, which is memory. */
static bool is_swizzled_matching(const tg_linear *linear)
{
    const int count = linear->in.list[0].bits;
    for (int bits = 1; bits <= count; bits++)
        for (int base = 0; base <= count; base++)
            for (int shift = -count; shift <= count; shift++) {
                if (abs(shift) < bits) continue;
                tg_linear plain = *linear;
                bool stays = true;
                for (int i = 0; i < count; i++) {
                    const uint64_t to = swizzled(bits, base, shift, UINT64_C(1) << i);
                    stays &= to >> count == 0;
                    plain.columns[i] = model_image(linear, to & ((UINT64_C(1) << count) - 1));
                }
                if (stays && is_matching(&plain)) return true;
            }
    return false;
}

static void swizzle_memory(chance *c, tg_linear *linear)
{
    const int count = linear->in.list[0].bits, bits = (int)pick(c, 1, 2);
    const int shift = (int)pick(c, bits, 4), base = (int)pick(c, 0, 2);
    if (base + bits + shift > count) return;
    const int sign = one_in(c, 3) ? -1 : 1;
    const tg_linear plain = *linear;
    for (int i = 0; i < count; i++)
        linear->columns[i] =
            model_image(&plain, swizzled(bits, base, sign * shift, UINT64_C(1) << i));
}

/* Memory, or registers, lanes and warps; each out bit once, and then some damage. */
static void nice_linear(chance *c, bool is_memory, tg_linear *out)
{
    static const char *const names[] = {"register", "lane", "warp", "block"};
    int at[12];
    memset(out, 0, sizeof *out);
    out->in.count = is_memory ? 1 : (int)pick(c, 1, 4);
    for (int d = 0; d < out->in.count; d++) {
        strcpy(out->in.list[d].name, is_memory ? "offset" : names[d]);
        out->in.list[d].bits = (int)pick(c, 0, is_memory ? 7 : 2);
    }
    random_dims(c, &(dims_wish){"xyz", 1, 3, 8}, &out->out);
    const int ins = dims_bits(&out->in);
    int outs = dims_bits(&out->out);
    while (outs > ins) { /* so that each out bit can be hit */
        const int o = (int)pick(c, 0, out->out.count - 1);
        if (!out->out.list[o].bits) continue;
        out->out.list[o].bits--;
        outs--;
    }
    for (int i = 0; i < ins; i++) at[i] = i;
    for (int i = ins - 1; i > 0 && !one_in(c, 4); i--) {
        const int j = (int)pick(c, 0, i), t = at[i];
        at[i] = at[j];
        at[j] = t;
    }
    for (int i = 0; i < outs; i++) out->columns[at[i]] = UINT64_C(1) << i;
    if (one_in(c, 10) && ins) out->columns[pick(c, 0, ins - 1)] = out->columns[pick(c, 0, ins - 1)];
    if (one_in(c, 6) && outs && ins)
        out->columns[pick(c, 0, ins - 1)] ^= UINT64_C(1) << pick(c, 0, outs - 1);
    if (is_memory && one_in(c, 2)) swizzle_memory(c, out);
}

outcome law_linear_to_axe(chance *c, tg_axe *shown)
{
    tg_linear linear;
    tg_shape shape;
    const bool is_memory = one_in(c, 2);
    nice_linear(c, is_memory, &linear);
    const tg_status status = tg_linear_to_axe(&linear, shown, &shape, NULL);
    if (status != TG_OK)
        return is_matching(&linear) || (is_memory && is_swizzled_matching(&linear)) ? BROKEN
                                                                                    : REFUSED;
    model_of(shown, &m);
    if (shape.rank != linear.out.count) return BROKEN;
    for (int i = 0; i < shape.rank; i++)
        if (shape.extent[i] != INT64_C(1) << linear.out.list[i].bits) return BROKEN;
    return same_relation(&linear) ? KEPT : BROKEN;
}
