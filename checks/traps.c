/* Ops that produce a NaN or an infinity from operands that have none. */
#include "checks/checks.h"
#include "interp/state/found.h"
#include "interp/state/operand.h"
#include "interp/state/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state of a machine. */
typedef struct traps {
    bool is_explained;       /* an operand of the instruction has a NaN or an infinity */
    bool had[TG_MOST_STRIP]; /* the same per element, for an op of a group */
} traps;

static traps *traps_of(const tg_machine *m) { return m->own; }

static double float_at(const void *carriers, tg_dtype dtype, int64_t at)
{
    return tg_carrier_of(dtype) == TG_C_f64 ? ((const double *)carriers)[at]
                                            : (double)((const float *)carriers)[at];
}

/* An operand that is NaN or infinite explains both a NaN and an infinity. */
static bool explains(tg_dtype dtype, const void *carriers, int64_t at)
{
    return !isfinite(float_at(carriers, dtype, at));
}

static bool is_trapped(const tg_machine *m, double value)
{
    return ((m->launch->traps & TG_TRAP_NAN) && isnan(value)) ||
           ((m->launch->traps & TG_TRAP_INF) && isinf(value));
}

/* `at`: the row-major offset within `block`. */
static void report(tg_machine *m, tg_opcode op, uint32_t loc, const tg_type *block, int64_t at,
                   double value)
{
    const tg_inst place = {.op = op, .loc = loc};
    const tg_finding_kind kind = isnan(value) ? TG_FINDING_NAN_MADE : TG_FINDING_INF_MADE;
    tg_found found = tg_machine_finding(m, kind, &place, NULL);
    char index[TG_INDEX_TEXT], type[TG_TYPE_TEXT];
    snprintf(found.message, sizeof found.message,
             "%s makes %s, of operands that have none, at %s of its result, %s", tg_ops[op].name,
             isnan(value) ? "NaN"
             : value > 0  ? "infinity"
                          : "minus infinity",
             tg_index_print(block, at, index), tg_type_print(block, type, sizeof type));
    tg_findings_add(m->launch->findings, &found);
}

/* ---- element-wise ops ---- */

static tg_dtype operand_dtype(const tg_group_op *op, uint32_t i)
{
    if (op->op == TG_OP_select && i == 0) return op->second;
    if (op->op == TG_OP_pow && i == 1) return op->second;
    return op->dtype;
}

/* Records which elements have a NaN or an infinity in an operand. */
static void before_op(tg_machine *m, const tg_strip_op *op)
{
    bool *const had = traps_of(m)->had;
    memset(had, 0, op->count * sizeof *had);
    if (!tg_is_float(tg_group_op_dtype(op->op))) return;
    for (uint32_t i = 0; i < op->op->in_count; i++) {
        const tg_dtype dtype = operand_dtype(op->op, i);
        if (!tg_is_float(dtype)) continue;
        for (size_t e = 0; e < op->count; e++)
            if (explains(dtype, op->src[i], op->splat >> i & 1 ? 0 : (int64_t)e)) had[e] = true;
    }
}

/* Reports the first element with a NaN or an infinity that no operand had. */
static void after_op(tg_machine *m, const tg_strip_op *op)
{
    const tg_dtype dtype = tg_group_op_dtype(op->op);
    const bool *const had = traps_of(m)->had;
    if (!tg_is_float(dtype)) return;
    bool has_nan = false, has_inf = false; /* one finding of each kind is enough */
    for (size_t e = 0; e < op->count && !(has_nan && has_inf); e++) {
        const double value = float_at(op->dst, dtype, (int64_t)e);
        if (had[e] || !is_trapped(m, value) || (isnan(value) ? has_nan : has_inf)) continue;
        tg_type block = {.dtype = dtype, .rank = op->group->rank};
        memcpy(block.shape, op->group->shape, sizeof block.shape);
        report(m, op->op->op, op->op->loc, &block, (int64_t)(op->first + e), value);
        has_nan = has_nan || isnan(value);
        has_inf = has_inf || isinf(value);
    }
}

/* ---- instructions on whole blocks ---- */

static bool is_whole(const tg_inst *inst)
{
    return inst->kind == TG_I_REDUCE || inst->kind == TG_I_SCAN || inst->kind == TG_I_DOT;
}

typedef struct search {
    const tg_machine *m;
    bool is_found;
    /* of the results: */
    const tg_operand *out;
    int64_t at;
    double value;
} search;

/* Finds the first such element of an operand; returns false if there is none.  It updates the
 * offset together with the index: this function examines every element of every operand and result,
 * and computing the offset of each from scratch would double the cost of the traps. */
static bool find(search *s, const tg_operand *o, bool is_result)
{
    const tg_view view = tg_operand_view(s->m, o);
    int64_t index[TG_MAX_RANK] = {0}, offset = 0;
    for (int d = 0; d < view.rank; d++)
        if (view.shape[d] == 0) return false;
    for (s->at = 0;; s->at++) {
        s->value = float_at(view.data, o->dtype, offset);
        if (is_result ? is_trapped(s->m, s->value) : !isfinite(s->value)) return true;
        int d = view.rank - 1;
        while (d >= 0 && ++index[d] == view.shape[d]) {
            offset -= (view.shape[d] - 1) * view.stride[d];
            index[d--] = 0;
        }
        if (d < 0) return false;
        offset += view.stride[d];
    }
}

static void look_at_read(void *context, const tg_operand *o, bool is_written)
{
    search *s = context;
    if (!is_written && !s->is_found && tg_is_float(o->dtype)) s->is_found = find(s, o, false);
}

static void look_at_written(void *context, const tg_operand *o, bool is_written)
{
    search *s = context;
    if (!is_written || s->is_found || !tg_is_float(o->dtype)) return;
    s->is_found = find(s, o, true);
    s->out = o;
}

static void before(tg_machine *m, const tg_inst *inst)
{
    search s = {.m = m};
    if (is_whole(inst)) tg_inst_operands(inst, look_at_read, &s);
    traps_of(m)->is_explained = s.is_found;
}

static void after(tg_machine *m, const tg_inst *inst)
{
    search s = {.m = m};
    if (!is_whole(inst) || traps_of(m)->is_explained) return;
    tg_inst_operands(inst, look_at_written, &s);
    if (!s.is_found) return;
    tg_type block = {.dtype = s.out->dtype, .rank = s.out->rank};
    memcpy(block.shape, s.out->shape, sizeof block.shape);
    report(m, inst->op, inst->loc, &block, s.at, s.value);
}

/* ---- the detector ---- */

static bool wants(const tg_launch *launch) { return launch->traps != 0; }

static bool attach(void *state, tg_machine *m, void **own)
{
    (void)state, (void)m;
    *own = calloc(1, sizeof(traps));
    return *own != NULL;
}

const tg_detector tg_detector_traps = {.wants = wants,
                                       .attach = attach,
                                       .detach = free,
                                       .before = before,
                                       .after = after,
                                       .before_op = before_op,
                                       .after_op = after_op};
