/* The algebra of layouts; threads on other axes, elements of another width, memory. */
#include <string.h>

#include "api/layout_made.h"
#include "layout/compose.h"
#include "layout/cute/axe_algebra.h"
#include "layout/permute.h"
#include "layout/recast.h"
#include "layout/threads_axes.h"

/* ---- of two layouts ---- */

typedef struct pair_call {
    const tg_layout *a, *b;
    tg_status (*combine)(const tg_axe *a, const tg_axe *b, tg_axe *out, tg_diags *diags);
} pair_call;

static tg_status combine(const void *call, tg_axe *out, tg_diags *diags)
{
    const pair_call *c = call;
    return c->combine(&c->a->axe, &c->b->axe, out, diags);
}

tg_status tg_layout_compose(const tg_layout *a, const tg_layout *b, tg_layout **out,
                            tg_errors *errors)
{
    return tg_layout_make(combine, &(pair_call){a, b, tg_axe_compose}, out, errors);
}

tg_status tg_layout_divide(const tg_layout *a, const tg_layout *b, tg_layout **out,
                           tg_errors *errors)
{
    return tg_layout_make(combine, &(pair_call){a, b, tg_axe_divide}, out, errors);
}

tg_status tg_layout_product(const tg_layout *a, const tg_layout *b, tg_layout **out,
                            tg_errors *errors)
{
    return tg_layout_make(combine, &(pair_call){a, b, tg_axe_product}, out, errors);
}

/* ---- of one layout ---- */

typedef struct single_call {
    const tg_layout *layout;
    size_t axis;
    const char *name; /* of an axis, or of several */
    int64_t number;
} single_call;

static tg_status complement(const void *call, tg_axe *out, tg_diags *diags)
{
    const single_call *c = call;
    if (c->axis >= TG_AXIS_COUNT)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "there is no axis %zu", c->axis);
    return tg_axe_complement(&c->layout->axe, (tg_axis)c->axis, c->number, out, diags);
}

tg_status tg_layout_complement(const tg_layout *layout, size_t axis, int64_t size, tg_layout **out,
                               tg_errors *errors)
{
    return tg_layout_make(complement, &(single_call){layout, axis, NULL, size}, out, errors);
}

static tg_status right_inverse(const void *call, tg_axe *out, tg_diags *diags)
{
    return tg_axe_right_inverse(&((const single_call *)call)->layout->axe, out, diags);
}

tg_status tg_layout_right_inverse(const tg_layout *layout, tg_layout **out, tg_errors *errors)
{
    return tg_layout_make(right_inverse, &(single_call){.layout = layout}, out, errors);
}

static tg_status left_inverse(const void *call, tg_axe *out, tg_diags *diags)
{
    return tg_axe_left_inverse(&((const single_call *)call)->layout->axe, out, diags);
}

tg_status tg_layout_left_inverse(const tg_layout *layout, tg_layout **out, tg_errors *errors)
{
    return tg_layout_make(left_inverse, &(single_call){.layout = layout}, out, errors);
}

static tg_status storage(const void *call, tg_axe *out, tg_diags *diags)
{
    (void)diags;
    tg_axe_storage(&((const single_call *)call)->layout->axe, out);
    return TG_OK;
}

tg_status tg_layout_storage(const tg_layout *layout, tg_layout **out, tg_errors *errors)
{
    return tg_layout_make(storage, &(single_call){.layout = layout}, out, errors);
}

/* ---- axes by their names ---- */

static tg_status find_axis(const char *name, size_t length, tg_axis *out, tg_diags *diags)
{
    *out = tg_axis_find(name, length);
    if (*out != TG_AXIS_NONE) return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL, "there is no axis \"%.*s\"", (int)length, name);
}

static tg_status move_threads(const void *call, tg_axe *out, tg_diags *diags)
{
    const single_call *c = call;
    tg_axis_set axes = 0;
    for (const char *at = c->name; *at;) {
        const size_t length = strcspn(at, ",");
        tg_axis axis;
        TG_TRY(find_axis(at, length, &axis, diags));
        axes |= TG_AXIS_BIT(axis);
        at += length + (at[length] == ',');
    }
    return tg_axe_move_threads(&c->layout->axe, axes, out, diags);
}

tg_status tg_layout_move_threads(const tg_layout *layout, const char *axes, tg_layout **out,
                                 tg_errors *errors)
{
    return tg_layout_make(move_threads, &(single_call){.layout = layout, .name = axes}, out,
                          errors);
}

static tg_status packed_axis(const single_call *c, tg_axis *out, tg_diags *diags)
{
    if (!c->name) return tg_axe_packed_axis(&c->layout->axe, out, diags);
    return find_axis(c->name, strlen(c->name), out, diags);
}

static tg_status unpack(const void *call, tg_axe *out, tg_diags *diags)
{
    const single_call *c = call;
    tg_axis axis;
    TG_TRY(packed_axis(c, &axis, diags));
    return tg_axe_unpack(&c->layout->axe, axis, c->number, out, diags);
}

tg_status tg_layout_unpack(const tg_layout *layout, const char *axis, int64_t count,
                           tg_layout **out, tg_errors *errors)
{
    return tg_layout_make(unpack, &(single_call){layout, 0, axis, count}, out, errors);
}

static tg_status pack(const void *call, tg_axe *out, tg_diags *diags)
{
    const single_call *c = call;
    tg_axis axis;
    TG_TRY(packed_axis(c, &axis, diags));
    return tg_axe_pack(&c->layout->axe, axis, c->number, out, diags);
}

tg_status tg_layout_pack(const tg_layout *layout, const char *axis, int64_t count, tg_layout **out,
                         tg_errors *errors)
{
    return tg_layout_make(pack, &(single_call){layout, 0, axis, count}, out, errors);
}
