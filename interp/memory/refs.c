/* Refs to parts of other refs, and to scoped memory. */
#include <inttypes.h>

#include "interp/memory/box.h"
#include "interp/state/fill.h"
#include "interp/state/found.h"
#include "interp/state/handlers.h"
#include "interp/state/operand.h"

/* Reports a view that reaches outside its ref, once; the part of the view outside is undefined. */
void tg_exec_view(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_view *view = inst->as.view;
    tg_ref *ref = &m->refs[view->out];
    tg_box box;
    tg_box_of(m, &view->access, &box);
    if (!box.is_legal) tg_report_access(m, inst, &view->access, box.bad_dim, box.bad_index);
    ref->data =
        box.data; /* entries beyond its rank are never read: to clear them would cost time */
    ref->origin = box.origin;
    ref->is_inside = box.is_inside;
    ref->recast = m->refs[view->access.ref].recast;
    for (int d = 0; d < view->access.result.rank; d++) {
        ref->shape[d] = box.shape[d];
        ref->stride[d] = box.stride[d];
        ref->low[d] = box.low[d];
        ref->high[d] = box.high[d];
    }
    ref->is_nothing = view->access.result.rank == 0 && box.low[0] == box.high[0];
}

static int64_t within(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Reduces dimension d of `ref` to the `count` indices from `start` on, which must be inside. */
static void take_part(tg_ref *ref, int d, int64_t start, int64_t count)
{
    ref->origin += start * ref->stride[d];
    ref->low[d] = within(ref->low[d] - start, 0, count);
    ref->high[d] = within(ref->high[d] - start, ref->low[d], count);
    ref->shape[d] = count;
}

static void report_part(tg_machine *m, const tg_inst *inst, int d, int64_t start, int64_t count)
{
    const struct tg_inst_part *part = inst->as.part;
    const tg_param *param =
        part->root == UINT32_MAX ? NULL : &m->launch->plan->kernel->params[part->root];
    tg_machine_found(m, TG_FINDING_ACCESS_OUTSIDE_REF, inst, param,
                     "%s takes %" PRId64 " elements from %" PRId64
                     " on of dimension %d of %s, which has %" PRId64
                     ", and may take at most %" PRId64,
                     tg_ops[inst->op].name, count, start, d, param ? param->name : "a scoped ref",
                     m->refs[part->from].shape[d], part->type.shape[d]);
}

void tg_exec_part(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_part *part = inst->as.part;
    bool is_reported = false;
    tg_ref ref = m->refs[part->from];
    for (int d = 0; d < part->type.rank; d++) {
        int64_t start = tg_operand_int(m, &part->starts[d]),
                count = tg_operand_int(m, &part->sizes[d]);
        int64_t end = ref.shape[d] + part->beyond[d], most = part->type.shape[d];
        bool fits =
            start >= 0 && start <= end && count >= 0 && count <= most && count <= end - start;
        if (!fits && !is_reported) report_part(m, inst, d, start, count);
        is_reported |= !fits;
        start = within(start, 0, end);
        count = within(count, 0, most < end - start ? most : end - start);
        if (count < most || start + count > ref.high[d]) ref.is_inside = false;
        take_part(&ref, d, start, count);
    }
    m->refs[part->out] = ref;
}

static void set_scoped(tg_ref *ref, const tg_type *type, void *memory)
{
    int64_t stride[TG_MAX_RANK] = {0};
    tg_dense_strides(type->rank, type->shape, stride);
    ref->data = memory;
    ref->origin = 0;
    ref->is_inside = true;
    for (int d = 0; d < type->rank; d++)
        tg_ref_set_dim(ref, d, 0, type->shape[d], type->shape[d], stride[d]);
}

/* The ref is the same in every program, unless slots have exchanged their memory. */
void tg_exec_scope(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_scope *scope = inst->as.scope;
    tg_ref *ref = &m->refs[scope->out];
    if (ref->data != m->slot[scope->slot]) set_scoped(ref, &scope->type, m->slot[scope->slot]);
    if (!scope->is_overwritten)
        tg_launch_fill_memory(m->launch, ref->data, scope->type.dtype,
                              (size_t)tg_type_count(&scope->type));
}
