/* What the user may declare, where findings have the one cause that nobody did. */
#include "api/hint.h"

#include <stdlib.h>

#include "api/api_impl.h"
#include "base/text.h"

static bool has_axis(uint32_t axes, int axis) { return axes >> axis & 1; }

static uint32_t axes_of(const tg_report *report)
{
    uint32_t axes = 0;
    for (size_t i = 0; i < report->findings.count; i++) axes |= report->findings.list[i].assumed;
    return axes;
}

/* "axis 1 of the grid has no declared semantics and was taken as parallel" */
static void put_axes(tg_text *out, const tg_kernel *k, uint32_t axes, bool is_one)
{
    const char *before = "";
    tg_text_put(out, is_one ? "axis " : "axes ");
    for (int a = 0; a < k->axis_count; a++) {
        if (!has_axis(axes, a)) continue;
        tg_text_add(out, "%s%d", before, a);
        const uint32_t rest = axes >> a >> 1;
        before = rest & (rest - 1) ? ", " : " and ";
    }
    tg_text_put(out, is_one ? " of the grid has no declared semantics and was taken as parallel"
                            : " of the grid have no declared semantics and were taken as parallel");
}

/* The tuple that declares `axes` as ordered.  Axes that are declared come from elsewhere, such as
 * vmap: it leaves them out. */
static void put_tuple(tg_text *out, const tg_kernel *k, uint32_t axes)
{
    const char *before = "";
    int count = 0;
    tg_text_put(out, "(");
    for (int a = 0; a < k->axis_count; a++) {
        if (!k->axes[a].is_assumed) continue;
        tg_text_add(out, "%s\"%s\"", before, has_axis(axes, a) ? "arbitrary" : "parallel");
        before = ", ";
        count++;
    }
    tg_text_put(out, count == 1 ? ",)" : ")");
}

static void put_declaration(tg_text *out, const tg_kernel *k, uint32_t axes, bool is_one)
{
    tg_text_put(out, is_one ? "; if its" : "; if their");
    tg_text_put(out, " programs run in order, as on a TPU, say compiler_params="
                     "pltpu.CompilerParams(dimension_semantics=");
    put_tuple(out, k, axes);
    tg_text_put(out, ") to pallas_call, or to Tilegrind target=\"tpu\" or grid_semantics=");
    put_tuple(out, k, axes);
    tg_text_put(out, "; on a GPU no axis is ordered: ");
}

tg_status tg_api_set_hint(tg_report *report, tg_diags *diags)
{
    const uint32_t axes = axes_of(report);
    tg_text text = {0};
    free(report->hint);
    report->hint = NULL;
    if (!axes) return TG_OK;
    const bool is_one = (axes & (axes - 1)) == 0;
    put_axes(&text, report->kernel, axes, is_one);
    if (report->kernel->dialect == TG_DIALECT_XLA)
        put_declaration(&text, report->kernel, axes, is_one);
    else
        tg_text_put(&text, "; on a GPU no axis is ordered: ");
    tg_text_put(&text, "there one program makes the steps in a loop, or they add by atomics");
    report->hint = tg_text_finish(&text);
    return report->hint ? TG_OK : tg_no_memory(diags);
}
