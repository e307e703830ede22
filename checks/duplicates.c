/* Stores through index arrays, and scatters, that give one element several values.  No rule defines
 * which value stays; in Tilegrind it is the last one, row-major. */
#include "checks/checks.h"
#include "interp/state/found.h"
#include "interp/state/operand.h"
#include "interp/state/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "interp/blocks/slices.h"
#include "checks/number_map.h"
#include "interp/memory/elements.h"
#include "interp/memory/spaced.h"
#include "interp/state/index_walk.h"
#include "physical/logical_element.h"

/* The elements written so far: a map from their place to the number of the element of the value. */
typedef struct duplicates {
    tg_machine *m;
    const unsigned char *values; /* carriers */
    tg_dtype dtype;
    size_t wide;
    tg_number_map seen;
    bool is_incomplete;
    int64_t first, last, count;  /* places that get several values */
    const tg_laid_out *laid_out; /* of which they are the elements; NULL: in logical order */
} duplicates;

static duplicates start(tg_machine *m, const tg_view *values, tg_dtype dtype)
{
    return (duplicates){.m = m,
                        .values = values->data,
                        .dtype = dtype,
                        .wide = tg_carrier_bytes[tg_carrier_of(dtype)],
                        .first = INT64_MAX,
                        .last = -1};
}

static bool is_nan(const duplicates *d, const void *carrier)
{
    double wide;
    float narrow;
    if (!tg_is_float(d->dtype)) return false;
    if (d->wide == sizeof wide) {
        memcpy(&wide, carrier, sizeof wide);
        return wide != wide;
    }
    memcpy(&narrow, carrier, sizeof narrow);
    return narrow != narrow;
}

static bool is_same_value(const duplicates *d, int64_t a, int64_t b)
{
    const void *const one = d->values + (size_t)a * d->wide, *const other =
                                                                 d->values + (size_t)b * d->wide;
    return memcmp(one, other, d->wide) == 0 || (is_nan(d, one) && is_nan(d, other));
}

/* Records that element `from` of the value goes to `place`. */
static void note(duplicates *d, int64_t place, int64_t from)
{
    const uint32_t before = tg_number_map_get(&d->seen, (uint64_t)place);
    if (before == UINT32_MAX) {
        if (!tg_number_map_put(&d->seen, (uint64_t)place, (uint32_t)from)) d->is_incomplete = true;
        return;
    }
    if (is_same_value(d, before, from)) return;
    if (d->laid_out) place = tg_laid_out_element(d->laid_out, place);
    if (place < d->first) d->first = place;
    if (place > d->last) d->last = place;
    d->count++;
}

/* `param` is NULL if the memory belongs to no parameter; `shape` is that of the array, or of the
 * value that the scatter updates. */
static void finish(duplicates *d, const tg_inst *inst, const tg_param *param, const char *name,
                   const tg_type *shape)
{
    tg_number_map_free(&d->seen);
    if (d->is_incomplete) d->m->launch->findings->is_incomplete = true;
    if (d->count == 0) return;
    char at[TG_INDEX_TEXT];
    tg_found found = tg_machine_finding(d->m, TG_FINDING_SCATTER_DUPLICATES, inst, param);
    found.has_elements = param != NULL;
    found.first = d->first;
    found.last = d->last;
    snprintf(
        found.message, sizeof found.message,
        "%s gives %s%s several values, of which any one may stay: its indices name it more than "
        "once, and %" PRId64 " time%s in all with another value",
        tg_ops[inst->op].name, name, tg_index_print(shape, d->first, at), d->count,
        d->count == 1 ? "" : "s");
    tg_findings_add(d->m->launch->findings, &found);
}

/* ---- stores ---- */

static void look_at_store(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *store = inst->as.access;
    const tg_access_plan *a = &store->access;
    const tg_param *param =
        a->root == UINT32_MAX ? NULL : &m->launch->plan->kernel->params[a->root];
    tg_laid_out laid_out = {.param = param};
    tg_box box;
    if (!a->has_arrays || tg_access_is_spaced(m, a, &box)) return;
    tg_elements w = tg_elements_begin(m, inst);
    const tg_view value = tg_operand_view(m, &store->value), mask = tg_elements_mask(&w);
    duplicates d = start(m, &value, a->dtype);
    if (param && tg_laid_out_find(m->launch->plan->kernel, a->root, &laid_out))
        d.laid_out = &laid_out;
    w.has_reported = true; /* the access itself reports elements outside */
    for (int64_t i = 0; i < w.count; i++, tg_elements_next(&w)) {
        tg_pieces pieces;
        if (tg_elements_is_off(&w, &mask) || !tg_elements_locate(&w, &pieces)) continue;
        const int64_t bytes = pieces.at[0] - w.ref->data;
        note(&d, bytes / (int64_t)tg_dtypes[param ? param->array.dtype : a->dtype].bytes,
             tg_elements_offset(&w, &value));
    }
    const tg_type flat = {.dtype = a->dtype, .rank = 1, .shape = {INT64_MAX}};
    const tg_param *named = d.laid_out ? laid_out.param : param;
    finish(&d, inst, param, named ? named->name : "scoped memory", named ? &named->array : &flat);
}

/* ---- scatters ---- */

static void note_slice(duplicates *d, const tg_slices *s, int64_t offset)
{
    tg_index_walk walk;
    if (!tg_index_begin(&walk, s->rank, s->shape)) return;
    do
        note(d, offset + tg_index_offset(&walk, s->in_operand),
             s->list_offset + tg_index_offset(&walk, s->in_list));
    while (tg_index_next(&walk));
}

static void look_at_scatter(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_scatter *scatter = inst->as.scatter;
    if (scatter->combine != TG_OP_COUNT) return;
    tg_type type = {.dtype = scatter->out.dtype, .rank = scatter->out.rank};
    tg_view target = tg_operand_view(m, &scatter->out);
    const tg_view indices = tg_operand_view(m, &scatter->indices),
                  updates = tg_operand_view(m, &scatter->updates);
    memcpy(type.shape, scatter->out.shape, sizeof type.shape);
    tg_dense_strides(type.rank, type.shape, target.stride); /* places are row-major */
    const tg_gather_shape g = tg_gather_shape_of(scatter->op, target.rank, updates.shape);
    tg_slices s = tg_slices_of(&g, &target, &indices, &updates);
    duplicates d = start(m, &updates, type.dtype);
    if (s.slice_count == 0 || s.batch_count == 0) return;
    do {
        int64_t offset;
        if (tg_slices_find(&s, scatter->clamps, &offset)) note_slice(&d, &s, offset);
    } while (tg_slices_next(&s));
    finish(&d, inst, NULL, "element ", &type);
}

/* Runs before the instruction, so duplicates are reported before it has an effect. */
static void before(tg_machine *m, const tg_inst *inst)
{
    if (inst->kind == TG_I_STORE) look_at_store(m, inst);
    if (inst->kind == TG_I_SCATTER) look_at_scatter(m, inst);
}

static bool may_repeat(const tg_inst *inst)
{
    return (inst->kind == TG_I_STORE && inst->as.access->access.has_arrays) ||
           (inst->kind == TG_I_SCATTER && inst->as.scatter->combine == TG_OP_COUNT);
}

static bool has_any(const tg_code *code)
{
    for (uint32_t i = 0; i < code->count; i++)
        if (may_repeat(&code->list[i])) return true;
    return false;
}

static bool wants(const tg_launch *launch)
{
    const tg_plan *plan = launch->plan;
    for (uint32_t p = 0; p < plan->kernel->param_count; p++)
        if (has_any(&plan->mappings[p].code)) return true;
    return has_any(&plan->body);
}

const tg_detector tg_detector_duplicates = {
    .checks = TG_CHECK_DUPLICATES, .wants = wants, .before = before};
