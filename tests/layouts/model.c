#include "layouts/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"

int64_t pick(chance *c, int64_t least, int64_t most)
{
    c->state += TG_SPLITMIX_STEP;
    return least + (int64_t)(tg_splitmix(c->state) % (uint64_t)(most - least + 1));
}

bool one_in(chance *c, int n) { return pick(c, 1, n) == 1; }

/* ---- random layouts ---- */

const wish any_layout = {.most_iters = 5,
                         .most_copies = 3,
                         .most_extent = 6,
                         .most_size = 96,
                         .negative = true,
                         .zero = true,
                         .offset = true,
                         .swizzle = true};

static const tg_axis axes[] = {TG_AXIS_m,   TG_AXIS_m,     TG_AXIS_lane, TG_AXIS_warp,
                               TG_AXIS_reg, TG_AXIS_gpuid, TG_AXIS_TCol};

static tg_axis random_axis(chance *c, const wish *w)
{
    return w->only_m ? TG_AXIS_m : axes[pick(c, 0, (int64_t)(sizeof axes / sizeof *axes) - 1)];
}

int random_extents(chance *c, int most, int64_t most_extent, int64_t most_size, int64_t *out)
{
    int64_t size = 1;
    const int count = (int)pick(c, 0, most);
    for (int i = 0; i < count; i++) {
        const int64_t room = most_size / size, limit = room < most_extent ? room : most_extent;
        out[i] = pick(c, 1, limit);
        size *= out[i];
    }
    return count;
}

/* Small ones, so that iters fuse, absorb each other and meet; or the extent times the stride of a
 * neighbour. */
static int64_t random_stride(chance *c, const wish *w, const tg_iters *before)
{
    int64_t stride = pick(c, 1, 12);
    if (before->count && one_in(c, 2)) {
        const tg_iter it = before->list[before->count - 1];
        stride = it.stride * (one_in(c, 2) ? it.extent : 1);
        if (one_in(c, 2)) stride *= pick(c, 1, 3);
        if (stride > 1000 || stride < -1000 || stride == 0) stride = 1;
    }
    if (w->negative && one_in(c, 5)) stride = -stride;
    if (!w->negative && stride < 0) stride = -stride;
    return w->zero && one_in(c, 10) ? 0 : stride;
}

static void add_iters(chance *c, const wish *w, int most, int64_t most_size, tg_iters *out)
{
    int64_t extents[16];
    const int count = random_extents(c, most, w->most_extent, most_size, extents);
    for (int i = 0; i < count; i++)
        tg_iters_put(out, extents[i], random_stride(c, w, out), random_axis(c, w));
}

/* From the last iter to the first, each steps over all that is below it on its axis. */
static void separate(chance *c, tg_axe *axe)
{
    int64_t below[TG_AXIS_COUNT] = {0};
    tg_iters *parts[] = {&axe->r, &axe->d};
    for (int p = 0; p < 2; p++)
        for (int i = parts[p]->count - 1; i >= 0; i--) {
            tg_iter *it = &parts[p]->list[i];
            if (it->axis == TG_AXIS_NONE) it->axis = TG_AXIS_m;
            const int64_t step = below[it->axis] + pick(c, 1, one_in(c, 3) ? 3 : 1);
            it->stride = it->stride < 0 ? -step : step;
            below[it->axis] += step * (it->extent - 1);
        }
}

void random_layout(chance *c, const wish *w, tg_axe *out)
{
    tg_axe_begin(out);
    add_iters(c, w, w->most_iters, w->most_size, &out->d);
    if (one_in(c, 2)) add_iters(c, w, w->most_copies, 24, &out->r);
    if (w->injective) separate(c, out);
    if (w->offset && one_in(c, 2))
        for (int i = 0; i < 2; i++) out->offset[random_axis(c, w)] = pick(c, -9, 9);
    if (w->swizzle && one_in(c, 4)) {
        const int bits = (int)pick(c, 1, 3), shift = (int)pick(c, bits, 4);
        out->swizzle =
            (tg_swizzle){bits, (int)pick(c, 0, 3), one_in(c, 4) ? -shift : shift, TG_AXIS_m};
    }
}

bool iters_same(const tg_iters *a, const tg_iters *b)
{
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++) {
        const tg_iter x = a->list[i], y = b->list[i];
        if (x.extent != y.extent || x.stride != y.stride || x.axis != y.axis) return false;
    }
    return true;
}

/* ---- the map ---- */

static int compare(const void *a, const void *b)
{
    const place *x = a, *y = b;
    for (int i = 0; i < TG_AXIS_COUNT; i++)
        if (x->at[i] != y->at[i]) return x->at[i] < y->at[i] ? -1 : 1;
    return 0;
}

bool place_same(const place *a, const place *b) { return compare(a, b) == 0; }

/* Of the definition: floor(x / (product of the extents after k)) mod extent k. */
static int64_t digit(const tg_iters *iters, int64_t x, int k)
{
    int64_t below = 1;
    for (int l = k + 1; l < iters->count; l++) below *= iters->list[l].extent;
    return x / below % iters->list[k].extent;
}

static int64_t product(const tg_iters *iters)
{
    int64_t size = 1;
    for (int k = 0; k < iters->count; k++) size *= iters->list[k].extent;
    return size;
}

/* As CuTe defines it: y bits, shifted to z bits. */
static int64_t swizzled(const tg_swizzle *s, int64_t v)
{
    int64_t y = 0;
    for (int b = 0; b < s->bits; b++)
        y |= INT64_C(1) << (s->base + b + (s->shift > 0 ? s->shift : 0));
    const int64_t taken = v & y;
    return v ^ (s->shift > 0 ? taken >> s->shift : taken * (INT64_C(1) << -s->shift));
}

static place place_of(const tg_axe *axe, int64_t x, int64_t r)
{
    place p;
    memcpy(p.at, axe->offset, sizeof p.at);
    for (int k = 0; k < axe->d.count; k++)
        if (axe->d.list[k].stride)
            p.at[axe->d.list[k].axis] += digit(&axe->d, x, k) * axe->d.list[k].stride;
    for (int k = 0; k < axe->r.count; k++)
        if (axe->r.list[k].stride)
            p.at[axe->r.list[k].axis] += digit(&axe->r, r, k) * axe->r.list[k].stride;
    if (axe->swizzle.bits)
        p.at[axe->swizzle.axis] = swizzled(&axe->swizzle, p.at[axe->swizzle.axis]);
    return p;
}

void model_of(const tg_axe *axe, model *out)
{
    const int64_t copies = product(&axe->r);
    int used = 0;
    out->size = product(&axe->d);
    if (out->size > MODEL_MOST / copies) abort();
    for (int64_t x = 0; x < out->size; x++) {
        const int first = out->start[x] = used;
        for (int64_t r = 0; r < copies; r++) {
            const place p = place_of(axe, x, r);
            int at = used;
            while (at > first && compare(&p, &out->list[at - 1]) < 0) at--;
            if (at > first && place_same(&p, &out->list[at - 1])) continue;
            memmove(&out->list[at + 1], &out->list[at], (size_t)(used - at) * sizeof p);
            out->list[at] = p;
            used++;
        }
    }
    out->start[out->size] = used;
}

int64_t model_difference(const model *a, const model *b)
{
    if (a->size != b->size) return -1;
    for (int64_t x = 0; x < a->size; x++) {
        const int count = a->start[x + 1] - a->start[x];
        if (b->start[x + 1] - b->start[x] != count ||
            memcmp(&a->list[a->start[x]], &b->list[b->start[x]], (size_t)count * sizeof(place)) !=
                0)
            return x;
    }
    return a->size;
}

bool model_same(const model *a, const model *b)
{
    return model_difference(a, b) == a->size && a->size == b->size;
}

bool model_has(const model *m, int64_t x, const place *p)
{
    for (int i = m->start[x]; i < m->start[x + 1]; i++)
        if (place_same(&m->list[i], p)) return true;
    return false;
}
