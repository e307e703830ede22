#include "layout/cute/modes.h"

void tg_modes_of(const tg_cute *cute, int at, tg_modes *out)
{
    out->count = 0;
    for (int i = at; i < at + cute->shape.node[at].span; i++)
        if (tg_tuple_is_integer(&cute->shape, i))
            out->list[out->count++] =
                (tg_mode){cute->shape.node[i].value, cute->stride.node[i].value};
}

void tg_modes_put(const tg_modes *modes, tg_cute *out)
{
    if (modes->count == 0) {
        tg_cute_put(out, 1, 0);
    } else if (modes->count == 1) {
        tg_cute_put(out, modes->list[0].extent, modes->list[0].stride);
    } else {
        const int tuple = tg_cute_open(out);
        for (int i = 0; i < modes->count; i++)
            tg_cute_put(out, modes->list[i].extent, modes->list[i].stride);
        tg_cute_close(out, tuple);
    }
}

static bool merges(const tg_mode *before, const tg_mode *mode)
{
    int64_t step;
    return !__builtin_mul_overflow(before->extent, before->stride, &step) && step == mode->stride;
}

static void coalesce(tg_modes *modes, bool keep_last)
{
    int count = 0;
    for (int i = 0; i < modes->count; i++) {
        const tg_mode mode = modes->list[i];
        if (mode.extent == 1 && !(keep_last && i == modes->count - 1)) continue;
        if (count && merges(&modes->list[count - 1], &mode))
            modes->list[count - 1].extent *= mode.extent;
        else
            modes->list[count++] = mode;
    }
    modes->count = count;
}

void tg_modes_coalesce(tg_modes *modes) { coalesce(modes, false); }

void tg_modes_coalesce_beyond(tg_modes *modes) { coalesce(modes, true); }

void tg_modes_sort(tg_modes *modes)
{
    for (int i = 1; i < modes->count; i++) {
        const tg_mode mode = modes->list[i];
        int k = i;
        for (; k > 0 && mode.stride < modes->list[k - 1].stride; k--)
            modes->list[k] = modes->list[k - 1];
        modes->list[k] = mode;
    }
}
