#include "layout/address.h"

enum { LINE_BYTES = 128, BANK_BYTES = 4, TENSOR_LANE_BYTES = 512 * 4, TENSOR_COLUMN_BYTES = 4 };

/* What a step on an axis of memory is worth: so many elements, or else so many bytes. */
typedef struct worth {
    int64_t elements, bytes;
} worth;

static worth worth_of(const tg_axe *axe, tg_axis axis)
{
    switch (axis) {
    case TG_AXIS_m:
    case TG_AXIS_Col: return (worth){.elements = 1};
    case TG_AXIS_byte: return (worth){.bytes = 1};
    case TG_AXIS_line: return (worth){.bytes = LINE_BYTES};
    case TG_AXIS_bank: return (worth){.bytes = BANK_BYTES};
    case TG_AXIS_TLane: return (worth){.bytes = TENSOR_LANE_BYTES};
    case TG_AXIS_TCol: return (worth){.bytes = TENSOR_COLUMN_BYTES};
    case TG_AXIS_Lane: return (worth){.elements = tg_axe_range(axe, TG_AXIS_Col).most + 1};
    default: return (worth){0};
    }
}

/* `steps` on the axis, in elements. */
static tg_status in_elements(const tg_axe *axe, tg_axis axis, int64_t steps, int bits, int64_t *out,
                             tg_diags *diags)
{
    const worth step = worth_of(axe, axis);
    if (step.elements == 0 && step.bytes == 0)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "axis %s is no axis of memory that is held",
                       tg_axes[axis].name);
    if (step.bytes && bits % 8)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "axis %s counts bytes, but elements have %d bits", tg_axes[axis].name, bits);
    int64_t moved;
    if (__builtin_mul_overflow(steps, step.elements + step.bytes, &moved))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "addresses do not fit in 63 bits");
    if (step.bytes && moved % (bits / 8))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "%lld on axis %s is not a multiple of an element, which has %d bytes",
                       (long long)steps, tg_axes[axis].name, bits / 8);
    *out = step.bytes ? moved / (bits / 8) : moved;
    return TG_OK;
}

static tg_status move_iters(const tg_axe *axe, const tg_iters *from, int bits, tg_iters *to,
                            tg_diags *diags)
{
    for (int i = 0; i < from->count; i++) {
        const tg_iter it = from->list[i];
        int64_t stride = 0;
        if (it.stride) TG_TRY(in_elements(axe, it.axis, it.stride, bits, &stride, diags));
        tg_iters_put(to, it.extent, stride, TG_AXIS_m);
    }
    return TG_OK;
}

static tg_status move_offset(const tg_axe *axe, int bits, tg_axe *out, tg_diags *diags)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        int64_t moved;
        if (!axe->offset[a]) continue;
        TG_TRY(in_elements(axe, (tg_axis)a, axe->offset[a], bits, &moved, diags));
        if (__builtin_add_overflow(out->offset[TG_AXIS_m], moved, &out->offset[TG_AXIS_m]))
            return tg_fail(diags, TG_ERR_INVALID, NULL, "addresses do not fit in 63 bits");
    }
    return TG_OK;
}

/* Whether the layout moves along an axis other than these two. */
static bool has_axis_beside(const tg_axe *axe, tg_axis first, tg_axis second)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        const tg_range range = tg_axe_range(axe, (tg_axis)a);
        if ((range.least || range.most) && a != (int)first && a != (int)second) return true;
    }
    return false;
}

/* A swizzle of bytes permutes elements if it moves no bit inside one. */
static tg_status move_swizzle(const tg_axe *axe, int bits, tg_swizzle *out, tg_diags *diags)
{
    const tg_swizzle *from = &axe->swizzle;
    *out = *from;
    if (!from->bits) return TG_OK;
    if ((from->axis != TG_AXIS_m && from->axis != TG_AXIS_byte) ||
        has_axis_beside(axe, TG_AXIS_m, TG_AXIS_byte))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "a swizzle on axis %s of a layout with other axes of memory",
                       tg_axes[from->axis].name);
    out->axis = TG_AXIS_m;
    if (from->axis == TG_AXIS_m && tg_axe_range(axe, TG_AXIS_byte).most == 0) return TG_OK;
    int inside = 0; /* bits of the number of a byte in an element */
    while (8 << inside < bits) inside++;
    if (from->axis == TG_AXIS_m || bits % 8 || 8 << inside != bits || from->base < inside)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the swizzle moves parts of elements of %d bits", bits);
    out->base -= inside;
    return TG_OK;
}

tg_status tg_axe_address(const tg_axe *axe, int bits, tg_axe *out, tg_diags *diags)
{
    tg_axe_begin(out);
    TG_TRY(move_iters(axe, &axe->d, bits, &out->d, diags));
    TG_TRY(move_iters(axe, &axe->r, bits, &out->r, diags));
    TG_TRY(move_offset(axe, bits, out, diags));
    TG_TRY(move_swizzle(axe, bits, &out->swizzle, diags));
    TG_TRY(tg_axe_check(out, diags));
    if (tg_axe_range(out, TG_AXIS_m).least < 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "an address is negative: %lld",
                       (long long)tg_axe_range(out, TG_AXIS_m).least);
    return TG_OK;
}

int64_t tg_axe_reach(const tg_axe *address)
{
    const int64_t reach = tg_axe_range(address, TG_AXIS_m).most + 1;
    const tg_swizzle *swizzle = &address->swizzle;
    if (!swizzle->bits) return reach;
    const int top = swizzle->base + swizzle->bits + (swizzle->shift < 0 ? -swizzle->shift : 0);
    const int64_t group = INT64_C(1) << top;
    return (reach + group - 1) / group * group;
}
