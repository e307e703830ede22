#include "physical/registers.h"

#include "layout/thread.h"

void tg_register_file_begin(tg_register_file *file)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++) file->extent[a] = 1;
}

void tg_register_file_add(tg_register_file *file, const tg_axe *axe)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        const int64_t extent = tg_axe_range(axe, (tg_axis)a).most + 1;
        if (extent > file->extent[a]) file->extent[a] = extent;
    }
}

/* The threads that a step on an axis is from one to the next, within a block; 0: it is no such axis. */
static int64_t threads_of(tg_axis axis)
{
    tg_coordinate at = {{0}};
    at.at[axis] = 1;
    return tg_axes[axis].kind == TG_AXIS_THREAD ? tg_thread_in_block(&at) : 0;
}

/* How far apart in the file neighbours on each axis are: memory of a thread inside, then threads, then
 * blocks of them. */
static void weigh(const tg_register_file *file, int64_t weight[TG_AXIS_COUNT])
{
    int64_t product = 1, threads = 1;
    for (int a = TG_AXIS_COUNT - 1; a >= 0; a--) {
        if (tg_axes[a].kind != TG_AXIS_MEMORY) continue;
        weight[a] = product;
        product *= file->extent[a];
    }
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        if (!threads_of((tg_axis)a)) continue;
        weight[a] = product * threads_of((tg_axis)a);
        threads += threads_of((tg_axis)a) * (file->extent[a] - 1);
    }
    product *= threads;
    for (int a = TG_AXIS_COUNT - 1; a >= 0; a--) {
        if (tg_axes[a].kind == TG_AXIS_MEMORY || threads_of((tg_axis)a)) continue;
        weight[a] = product;
        product *= file->extent[a];
    }
}

static void move_iters(const tg_iters *from, const int64_t *weight, tg_iters *to)
{
    for (int i = 0; i < from->count; i++) {
        const tg_iter it = from->list[i];
        tg_iters_put(to, it.extent, it.stride ? it.stride * weight[it.axis] : 0, TG_AXIS_m);
    }
}

void tg_axe_in_registers(const tg_axe *axe, const tg_register_file *file, tg_axe *out)
{
    int64_t weight[TG_AXIS_COUNT];
    weigh(file, weight);
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
