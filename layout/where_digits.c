/* The digits of an axis. */
#include "layout/where_digits.h"

static void put(tg_axis_digits *digits, const tg_iter *it, int64_t place)
{
    int k = digits->count++;
    tg_axis_digit digit = {it->extent, it->stride, place};
    if (it->stride < 0) {
        digit = (tg_axis_digit){it->extent, -it->stride, -place};
        digits->least += (it->extent - 1) * it->stride;
        digits->first += (it->extent - 1) * place;
    }
    for (; k > 0 && digits->list[k - 1].stride < digit.stride; k--)
        digits->list[k] = digits->list[k - 1];
    digits->list[k] = digit;
}

void tg_axis_digits_of(const tg_axe *axe, tg_axis axis, tg_axis_digits *out)
{
    int64_t place = 1;
    out->count = 0;
    out->least = axe->offset[axis];
    out->first = 0;
    for (int i = axe->d.count - 1; i >= 0; i--) {
        const tg_iter *it = &axe->d.list[i];
        if (it->axis == axis && it->extent > 1) put(out, it, place);
        place *= it->extent;
    }
    for (int i = 0; i < axe->r.count; i++)
        if (axe->r.list[i].axis == axis && axe->r.list[i].extent > 1) put(out, &axe->r.list[i], 0);
    out->reach[out->count] = 0;
    for (int i = out->count - 1; i >= 0; i--)
        out->reach[i] = out->reach[i + 1] + (out->list[i].extent - 1) * out->list[i].stride;
}

bool tg_axis_digits_are_separated(const tg_axis_digits *digits)
{
    for (int i = 0; i < digits->count; i++)
        if (digits->reach[i + 1] >= digits->list[i].stride) return false;
    return true;
}
