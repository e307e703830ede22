/* Layouts in two lines. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/print.h"

enum { NUMBER = 48 }; /* bytes of a stride with its axis */

typedef struct column {
    char extent[NUMBER], stride[NUMBER];
    int width;
} column;

static column column_of(const tg_iter *it)
{
    column c;
    snprintf(c.extent, NUMBER, "%" PRId64, it->extent);
    if (it->stride)
        snprintf(c.stride, NUMBER, "%" PRId64 "@%s", it->stride, tg_axes[it->axis].name);
    else
        snprintf(c.stride, NUMBER, "0");
    const int extent = (int)strlen(c.extent), stride = (int)strlen(c.stride);
    c.width = extent > stride ? extent : stride;
    return c;
}

/* Of an odd number of spaces, the left has one more exactly if the width is odd. */
static void put_centred(const column *c, tg_text *out)
{
    const int spaces = c->width - (int)strlen(c->extent);
    const int left = spaces / 2 + (spaces & c->width & 1);
    tg_text_add(out, "%*s%s%*s", left, "", c->extent, spaces - left, "");
}

static void put_extents(const tg_iters *iters, tg_text *out)
{
    tg_text_put(out, "( ");
    for (int i = 0; i < iters->count; i++) {
        const column c = column_of(&iters->list[i]);
        if (i) tg_text_put(out, "  ");
        put_centred(&c, out);
    }
    tg_text_put(out, iters->count ? " )" : ")");
}

static void put_strides(const tg_iters *iters, tg_text *out)
{
    tg_text_put(out, "( ");
    for (int i = 0; i < iters->count; i++) {
        const column c = column_of(&iters->list[i]);
        tg_text_add(out, "%s%*s", i ? ", " : "", c.width, c.stride);
    }
    tg_text_put(out, iters->count ? " )" : ")");
}

void tg_axe_print_rows(const tg_axe *axe, tg_text *out)
{
    const tg_swizzle *s = &axe->swizzle;
    char swizzle[2 * NUMBER] = "";
    if (s->bits)
        snprintf(swizzle, sizeof swizzle, "Sw<%d,%d,%d>@%s o ", s->bits, s->base, s->shift,
                 tg_axes[s->axis].name);
    tg_text_add(out, "%*s", (int)strlen(swizzle), "");
    put_extents(&axe->d, out);
    if (axe->r.count) {
        tg_text_put(out, "   ");
        put_extents(&axe->r, out);
    }
    tg_text_add(out, "\n%s", swizzle);
    put_strides(&axe->d, out);
    if (axe->r.count) {
        tg_text_put(out, " + ");
        put_strides(&axe->r, out);
    }
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (axe->offset[a])
            tg_text_add(out, " %c %" PRId64 "@%s", axe->offset[a] < 0 ? '-' : '+',
                        axe->offset[a] < 0 ? -axe->offset[a] : axe->offset[a], tg_axes[a].name);
    tg_text_put(out, "\n");
}
