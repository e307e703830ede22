#include "verify/layout.h"

#include <inttypes.h>
#include <stdio.h>

#include "layout/address.h"
#include "verify/common.h"
#include "verify/own_rules.h"

/* Reports the first of `wrong` as a problem of a layout, and frees them. */
static bool tell(const tg_verifier *v, const char *whose, tg_diags *wrong)
{
    tg_illegal(v, "the layout of %s: %s", whose,
               wrong->count ? wrong->list[0].message : "memory ran out");
    tg_diags_free(wrong);
    return false;
}

static bool check_size(const tg_verifier *v, const char *whose, const tg_type *type,
                       const tg_axe *layout)
{
    const int64_t elements = tg_iters_size(&layout->d);
    if (elements == tg_type_count(type)) return true;
    return tg_illegal(v, "the layout of %s has %" PRId64 " elements, but %s has %" PRId64, whose,
                      elements, tg_show(type).text, tg_type_count(type));
}

/* ---- registers ---- */

/* How many coordinates an axis of threads, or of tensor memory, has; 0: any number. */
static int64_t extent_of(tg_axis axis)
{
    switch (axis) {
    case TG_AXIS_lane: return 32;
    case TG_AXIS_wid_in_wg: return 4;
    case TG_AXIS_tid_in_wg: return 128;
    case TG_AXIS_tx: return 1024;
    case TG_AXIS_warp: return 32;
    case TG_AXIS_wgid: return 8;
    case TG_AXIS_TLane: return 128;
    case TG_AXIS_TCol: return 512;
    default: return 0;
    }
}

static bool holds_values(tg_axis axis)
{
    return tg_axes[axis].kind == TG_AXIS_THREAD || axis == TG_AXIS_reg || axis == TG_AXIS_TLane ||
           axis == TG_AXIS_TCol;
}

/* A block of values is held by threads, each of which has registers, or in tensor memory. */
static bool check_registers(const tg_verifier *v, const char *whose, const tg_axe *layout)
{
    int64_t registers = 1;
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        const tg_range range = tg_axe_range(layout, (tg_axis)a);
        const tg_axis_info *axis = &tg_axes[a];
        const int64_t extent = extent_of((tg_axis)a);
        if (range.least == 0 && range.most == 0) continue;
        if (!holds_values((tg_axis)a))
            return tg_illegal(v,
                              "the layout of %s moves along %s, but values are held by threads "
                              "in registers, axis reg, or in tensor memory",
                              whose, axis->name);
        if (range.least < 0)
            return tg_illegal(v, "the layout of %s reaches %s %" PRId64, whose, axis->name,
                              range.least);
        if (extent && range.most >= extent)
            return tg_illegal(v,
                              "the layout of %s reaches %s %" PRId64 ", but there are %" PRId64
                              ": 0 to %" PRId64,
                              whose, axis->name, range.most, extent, extent - 1);
        if (__builtin_mul_overflow(registers, range.most + 1, &registers) ||
            registers > TG_MOST_ELEMENTS)
            return tg_illegal(v, "the layout of %s spans more than 2^47 registers", whose);
    }
    return true;
}

/* ---- memory ---- */

/* Writes the layout as addresses to `out`. */
static bool check_memory(const tg_verifier *v, const char *whose, const tg_type *type,
                         const tg_axe *layout, tg_axe *out)
{
    tg_diags wrong = {0};
    if (tg_axe_address(layout, tg_dtypes[type->dtype].bits, out, &wrong) != TG_OK)
        return tell(v, whose, &wrong);
    if (out->r.count && tg_iters_size(&out->r) > 1)
        return tg_illegal(v, "the layout of %s has copies, but a reference has each element once",
                          whose);
    if (tg_axe_reach(out) > TG_MOST_ELEMENTS)
        return tg_illegal(v, "the layout of %s reaches beyond 2^47 elements", whose);
    return true;
}

static bool check_memory_layout(const tg_verifier *v, const char *whose, const tg_type *type,
                                const tg_axe *layout)
{
    tg_axe address;
    if (tg_is_semaphore(type->dtype))
        return tg_illegal(v, "%s is %s, but semaphores have no layout", whose, tg_show(type).text);
    return check_size(v, whose, type, layout) && check_memory(v, whose, type, layout, &address);
}

/* ---- values and params ---- */

/* Whether the op makes references to memory of its own. */
static bool makes_memory(tg_opcode code) { return code == TG_OP_alloc || code == TG_OP_scoped; }

bool tg_verify_place(const tg_verifier *v, tg_value_id id, const char *what, uint32_t number)
{
    const tg_value *value = &v->kernel->values[id];
    const tg_opcode code = v->op->code;
    char whose[32];
    if (!value->layout && !value->space) return true;
    snprintf(whose, sizeof whose, "%s %" PRIu32, what, number);
    if (value->space && !(value->type.is_ref && makes_memory(code)))
        return tg_illegal(v, "%s has a space, but only memory of alloc and scoped has one", whose);
    if (!value->layout) return true;
    if (!value->type.is_ref)
        return check_size(v, whose, &value->type, value->layout) &&
               check_registers(v, whose, value->layout);
    if (!makes_memory(code) && code != TG_OP_view_layout)
        return tg_illegal(v,
                          "%s has a layout, but of references only those of alloc, scoped and "
                          "view_layout have one",
                          whose);
    return check_memory_layout(v, whose, &value->type, value->layout);
}

bool tg_verify_no_place(const tg_verifier *v, tg_value_id id)
{
    const tg_value *value = &v->kernel->values[id];
    if (!value->layout && !value->space) return true;
    return tg_illegal(v,
                      "an argument of the body or of an index map has no %s of its own; its "
                      "param may have one",
                      value->layout ? "layout" : "space");
}

bool tg_verify_param_layout(const tg_verifier *v, const tg_param *param)
{
    if (!param->layout) return true;
    if (param->role == TG_ROLE_PREFETCH)
        return tg_illegal(v, "role prefetch takes no layout; index maps read it before the body");
    return check_memory_layout(v, "the param", &param->ref, param->layout);
}

/* ---- ops ---- */

void tg_verify_op_view_layout(const tg_verifier *v)
{
    const tg_type *from = tg_in(v, 0), *to = tg_out(v, 0);
    const tg_axe *layout = v->kernel->values[v->op->out[0]].layout;
    tg_axe address;
    if (to->dtype != from->dtype) {
        tg_mistyped(v, "the result is %s, but must have the dtype of %s", tg_show(to).text,
                    tg_show(from).text);
        return;
    }
    if (!layout) {
        tg_illegal(v, "the result has no layout, but it says which elements are referred to");
        return;
    }
    if (!check_memory(v, "the result", to, layout, &address)) return;
    if (tg_axe_reach(&address) > tg_type_count(from))
        tg_illegal(v,
                   "the layout of the result reaches element %" PRId64 " of %s, which has %" PRId64,
                   tg_axe_reach(&address) - 1, tg_show(from).text, tg_type_count(from));
}

void tg_verify_op_layout_cast(const tg_verifier *v)
{
    if (!v->kernel->values[v->op->out[0]].layout)
        tg_illegal(v, "the result has no layout, but the op is there to say it");
    tg_verify_result(v, tg_in(v, 0));
}
