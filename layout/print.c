#include "layout/print.h"

#include <inttypes.h>

#include "layout/scope.h"

static tg_axis_set used_by(const tg_iters *iters)
{
    tg_axis_set used = 0;
    for (int i = 0; i < iters->count; i++)
        if (iters->list[i].stride) used |= TG_AXIS_BIT(iters->list[i].axis);
    return used;
}

static tg_axis_set used_axes(const tg_axe *axe)
{
    tg_axis_set used = used_by(&axe->d) | used_by(&axe->r);
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (axe->offset[a]) used |= TG_AXIS_BIT(a);
    if (axe->swizzle.bits) used |= TG_AXIS_BIT(axe->swizzle.axis);
    return used;
}

static void print_axis(tg_axis axis, bool only_m, tg_text *out)
{
    if (!only_m) tg_text_add(out, "@%s", tg_axes[axis].name);
}

static void print_stride(const tg_iter *it, bool only_m, tg_text *out)
{
    tg_text_add(out, "%" PRId64, it->stride);
    if (it->stride) print_axis(it->axis, only_m, out);
}

static void print_extents(const tg_iters *d, tg_text *out)
{
    for (int i = 0; i < d->count; i++)
        tg_text_add(out, "%s%" PRId64, i ? "," : "(", d->list[i].extent);
}

static void print_d(const tg_iters *d, bool only_m, tg_text *out)
{
    if (d->count == 0) {
        tg_text_put(out, "1:0");
    } else if (d->count == 1) {
        tg_text_add(out, "%" PRId64 ":", d->list[0].extent);
        print_stride(&d->list[0], only_m, out);
    } else {
        print_extents(d, out);
        for (int i = 0; i < d->count; i++) {
            tg_text_put(out, i ? "," : "):(");
            print_stride(&d->list[i], only_m, out);
        }
        tg_text_put(out, ")");
    }
}

static void print_r(const tg_iters *r, bool only_m, tg_text *out)
{
    for (int i = 0; i < r->count; i++) {
        tg_text_add(out, "%s%" PRId64 ":", i ? "," : " + [", r->list[i].extent);
        print_stride(&r->list[i], only_m, out);
    }
    if (r->count) tg_text_put(out, "]");
}

void tg_axe_print(const tg_axe *axe, tg_text *out)
{
    const tg_axis_set used = used_axes(axe), missing = tg_scope_missing(used);
    const bool only_m = (used & ~TG_AXIS_BIT(TG_AXIS_m)) == 0;
    const tg_swizzle *s = &axe->swizzle;
    if (s->bits) {
        tg_text_add(out, "Sw<%d,%d,%d>", s->bits, s->base, s->shift);
        print_axis(s->axis, only_m, out);
        tg_text_put(out, " o ");
    }
    print_d(&axe->d, only_m, out);
    print_r(&axe->r, only_m, out);
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        const int64_t v = axe->offset[a];
        if (!v && !(missing & TG_AXIS_BIT(a))) continue;
        tg_text_add(out, v < 0 ? " - %" PRId64 : " + %" PRId64, v < 0 ? -v : v);
        print_axis((tg_axis)a, only_m, out);
    }
}

/* Readers of JSON may take numbers for doubles. */
static void print_integer(int64_t value, tg_text *out)
{
    const bool is_exact = value < INT64_C(1) << 53 && value > -(INT64_C(1) << 53);
    tg_text_add(out, is_exact ? "%" PRId64 : "\"%" PRId64 "\"", value);
}

static void print_iters(const char *name, const tg_iters *iters, tg_text *out)
{
    tg_text_add(out, "\"%s\":[", name);
    for (int i = 0; i < iters->count; i++) {
        const tg_iter *it = &iters->list[i];
        tg_text_put(out, i ? ",[" : "[");
        print_integer(it->extent, out);
        tg_text_put(out, ",");
        print_integer(it->stride, out);
        if (it->stride) tg_text_add(out, ",\"%s\"", tg_axes[it->axis].name);
        tg_text_put(out, "]");
    }
    tg_text_put(out, "]");
}

static void print_offset(const tg_axe *axe, tg_text *out)
{
    const tg_axis_set missing = tg_scope_missing(used_axes(axe));
    bool begun = false;
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        if (!axe->offset[a] && !(missing & TG_AXIS_BIT(a))) continue;
        tg_text_add(out, "%s\"%s\":", begun ? "," : ",\"O\":{", tg_axes[a].name);
        print_integer(axe->offset[a], out);
        begun = true;
    }
    if (begun) tg_text_put(out, "}");
}

void tg_axe_print_json(const tg_axe *axe, tg_text *out)
{
    const tg_swizzle *s = &axe->swizzle;
    tg_text_put(out, "{");
    print_iters("D", &axe->d, out);
    if (axe->r.count) {
        tg_text_put(out, ",");
        print_iters("R", &axe->r, out);
    }
    print_offset(axe, out);
    if (s->bits)
        tg_text_add(out,
                    ",\"swizzle\":{\"axis\":\"%s\",\"unit\":\"%s\",\"bits\":%d,\"base\":%d,"
                    "\"shift\":%d}",
                    tg_axes[s->axis].name, tg_axis_unit_names[tg_axes[s->axis].unit], s->bits,
                    s->base, s->shift);
    tg_text_put(out, "}");
}
