#include "physical/registers.h"

/* For each axis, how far a step on it is: the product of the extents of all axes inside it. */
static void weigh(const tg_axe *axe, int64_t weight[TG_AXIS_COUNT])
{
    int64_t product = 1;
    for (int a = TG_AXIS_COUNT - 1; a >= 0; a--) {
        weight[a] = product;
        product *= tg_axe_range(axe, (tg_axis)a).most + 1;
    }
}

static void move_iters(const tg_iters *from, const int64_t *weight, tg_iters *to)
{
    for (int i = 0; i < from->count; i++) {
        const tg_iter it = from->list[i];
        tg_iters_put(to, it.extent, it.stride ? it.stride * weight[it.axis] : 0, TG_AXIS_m);
    }
}

void tg_axe_in_registers(const tg_axe *axe, tg_axe *out)
{
    int64_t weight[TG_AXIS_COUNT];
    weigh(axe, weight);
    tg_axe_begin(out);
    move_iters(&axe->d, weight, &out->d);
    move_iters(&axe->r, weight, &out->r);
    for (int a = 0; a < TG_AXIS_COUNT; a++) out->offset[TG_AXIS_m] += axe->offset[a] * weight[a];
}

void tg_axe_with_copies(const tg_axe *axe, tg_axe *out)
{
    tg_axe_copy(axe, out);
    tg_iters_copy(&axe->r, &out->d);
    out->r.count = 0;
    for (int i = 0; i < axe->d.count; i++) {
        const tg_iter it = axe->d.list[i];
        tg_iters_put(&out->d, it.extent, it.stride, it.axis);
    }
}
