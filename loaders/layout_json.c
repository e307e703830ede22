#include "loaders/layout_json.h"

#include <string.h>

#include "layout/scope.h"
#include "loaders/json_scan.h"
#include "loaders/json_value.h"

enum { MOST_SHIFT = 64 };

#define AT(above, name) (&(tg_path){.up = (above), .key = (name)})
#define AT_INDEX(above, i) (&(tg_path){.up = (above), .index = (size_t)(i)})

static bool find_axis(tg_json_reader *r, const char *name, const tg_path *at, tg_axis *out)
{
    *out = tg_axis_find(name, strlen(name));
    if (*out != TG_AXIS_NONE) return true;
    return tg_json_problem(r, TG_ERR_INVALID, at, "there is no axis \"%s\"", name);
}

/* The name of an axis, or m where there is none. */
static bool read_axis(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_axis *out,
                      tg_axis_set *named)
{
    *out = TG_AXIS_m;
    const char *name = item ? tg_json_text(r, item, at) : "m";
    if (!name || !find_axis(r, name, at, out)) return false;
    *named |= TG_AXIS_BIT(*out);
    return true;
}

static bool read_iter(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_iters *iters,
                      tg_axis_set *named)
{
    int64_t extent, stride;
    tg_axis axis;
    if (!tg_json_list(r, item, at)) return false;
    const size_t count = tg_json_count(item);
    if (count != 2 && count != 3)
        return tg_json_problem(r, TG_ERR_INVALID, at,
                               "an iter is [extent, stride] or [extent, stride, axis]");
    const cJSON *at_extent = item->child, *at_stride = at_extent->next;
    if (!tg_json_int(r, at_extent, AT_INDEX(at, 0), 1, INT64_MAX, &extent) ||
        !tg_json_int(r, at_stride, AT_INDEX(at, 1), -INT64_MAX, INT64_MAX, &stride) ||
        !read_axis(r, at_stride->next, AT_INDEX(at, 2), &axis, named))
        return false;
    tg_iters_put(iters, extent, stride, axis);
    return true;
}

static void read_iters(tg_json_reader *r, const cJSON *list, const char *key, tg_iters *iters,
                       tg_axis_set *named)
{
    const tg_path *at = AT(NULL, key);
    const cJSON *item;
    size_t i = 0;
    if (!list || !tg_json_list(r, list, at)) return;
    if (tg_json_count(list) > TG_AXE_MAX_ITERS) {
        tg_json_problem(r, TG_ERR_INVALID, at, "a layout has at most %d iters", TG_AXE_MAX_ITERS);
        return;
    }
    cJSON_ArrayForEach(item, list) read_iter(r, item, AT_INDEX(at, i++), iters, named);
}

static void read_offsets(tg_json_reader *r, const cJSON *object, tg_axe *out, tg_axis_set *named)
{
    const tg_path *at = AT(NULL, "O");
    const cJSON *item;
    if (!object || !tg_json_object(r, object, at)) return;
    cJSON_ArrayForEach(item, object)
    {
        tg_axis axis;
        int64_t value;
        const tg_path *here = AT(at, item->string);
        if (!find_axis(r, item->string, here, &axis) ||
            !tg_json_int(r, item, here, -INT64_MAX, INT64_MAX, &value))
            continue;
        if (__builtin_add_overflow(out->offset[axis], value, &out->offset[axis]))
            tg_json_problem(r, TG_ERR_INVALID, here, "the offset does not fit in 63 bits");
        *named |= TG_AXIS_BIT(axis);
    }
}

static bool read_part(tg_json_reader *r, const cJSON *object, const char *key, int64_t least,
                      int *out)
{
    int64_t value;
    const tg_path *at = AT(NULL, "swizzle");
    const cJSON *item = tg_json_need(r, object, at, key);
    if (!item || !tg_json_int(r, item, AT(at, key), least, MOST_SHIFT, &value)) return false;
    *out = (int)value;
    return true;
}

static void check_unit(tg_json_reader *r, const cJSON *item, tg_axis axis)
{
    const tg_path *at = AT(AT(NULL, "swizzle"), "unit");
    const char *unit = item ? tg_json_text(r, item, at) : NULL,
               *is = tg_axis_unit_names[tg_axes[axis].unit];
    if (unit && strcmp(unit, is) != 0)
        tg_json_problem(r, TG_ERR_INVALID, at, "the unit of axis %s is \"%s\"", tg_axes[axis].name,
                        is);
}

static void read_swizzle(tg_json_reader *r, const cJSON *object, tg_swizzle *out,
                         tg_axis_set *named)
{
    static const char *const known[] = {"axis", "unit", "bits", "base", "shift", NULL};
    const tg_path *at = AT(NULL, "swizzle");
    if (!object || !tg_json_object(r, object, at)) return;
    tg_json_known_keys(r, object, at, known);
    if (!read_axis(r, tg_json_member(object, "axis"), AT(at, "axis"), &out->axis, named)) return;
    check_unit(r, tg_json_member(object, "unit"), out->axis);
    read_part(r, object, "bits", 0, &out->bits);
    read_part(r, object, "base", 0, &out->base);
    read_part(r, object, "shift", -MOST_SHIFT, &out->shift);
}

static void read_root(tg_json_reader *r, const cJSON *root, tg_axe *out, tg_axis_set *named)
{
    static const char *const known[] = {"D", "R", "O", "swizzle", NULL};
    if (!tg_json_object(r, root, NULL)) return;
    tg_json_known_keys(r, root, NULL, known);
    read_iters(r, tg_json_need(r, root, NULL, "D"), "D", &out->d, named);
    read_iters(r, tg_json_member(root, "R"), "R", &out->r, named);
    read_offsets(r, tg_json_member(root, "O"), out, named);
    read_swizzle(r, tg_json_member(root, "swizzle"), &out->swizzle, named);
}

tg_status tg_axe_read_json(const char *text, size_t length, tg_axe *out, tg_diags *diags)
{
    tg_axis_set named = 0;
    tg_axe_begin(out);
    TG_TRY(tg_json_scan(text, length, diags));
    tg_json_reader r = {.text = text, .length = length, .diags = diags};
    cJSON *root = cJSON_ParseWithLength(text, length);
    if (root)
        read_root(&r, root, out, &named);
    else
        tg_json_no_memory(&r);
    cJSON_Delete(root);
    TG_TRY(r.status);
    TG_TRY(tg_axe_check(out, diags));
    return tg_scope_check(named, 0, diags);
}
