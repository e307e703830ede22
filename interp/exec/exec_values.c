/* Instructions that compute a value from others, with the functions of the chosen instruction
 * set. */
#include "interp/state/handlers.h"

#include "interp/memory/cache_prefetch.h"
#include "interp/blocks/arg_reduce.h"
#include "interp/blocks/copy.h"
#include "interp/blocks/reduce.h"
#include "interp/blocks/scan.h"
#include "interp/exec/group.h"
#include "interp/state/operand.h"

/* Loads and stores of these blocks have left them where they are placed.  A machine either always keeps
 * the order of elements or never does, so that nobody looks for them in the workspace. */
static void use_places(tg_machine *m, const tg_group *g)
{
    for (uint32_t i = 0; i < g->placed_count; i++)
        m->slot[g->placed[i].slot] = m->refs[g->placed[i].memory].data;
}

void tg_exec_group(tg_machine *m, const tg_inst *inst)
{
    if (inst->as.group->placed_count && !m->keeps_order) use_places(m, inst->as.group);
    tg_group_run(m, &m->bound->groups[m->pc]);
}

void tg_exec_copy(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_copy *copy = inst->as.copy;
    tg_view from = tg_operand_view(m, &copy->from);
    tg_copy_view(tg_operand_at(m, &copy->to), copy->to.stride[m->storage[copy->to.slot]], &from,
                 tg_carrier_bytes[tg_carrier_of(copy->to.dtype)]);
}

void tg_exec_reduce(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_reduce *reduce = inst->as.reduce;
    tg_view in = tg_operand_view(m, &reduce->in);
    tg_reduce(m->launch->elementwise, inst->op, reduce->in.dtype, &in, reduce->axes,
              tg_operand_at(m, &reduce->out), m->extra);
    tg_prefetch_some(m);
}

void tg_exec_arg_reduce(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_reduce *reduce = inst->as.reduce;
    tg_view in = tg_operand_view(m, &reduce->in);
    tg_arg_reduce(inst->op, reduce->in.dtype, &in, reduce->axis, reduce->out.dtype,
                  tg_operand_at(m, &reduce->out));
    tg_prefetch_some(m);
}

void tg_exec_scan(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_reduce *reduce = inst->as.reduce;
    tg_view in = tg_operand_view(m, &reduce->in);
    tg_scan(m->launch->elementwise, inst->op, reduce->in.dtype, &in, reduce->axis, reduce->reverse,
            tg_operand_at(m, &reduce->out), m->extra);
    tg_prefetch_some(m);
}

/* dynamic_slice, dynamic_update_slice: clamps the start so that the slice lies inside the
 * operand. */
void tg_exec_dynamic(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_dynamic *dynamic = inst->as.dynamic;
    size_t bytes = tg_carrier_bytes[tg_carrier_of(dynamic->whole.dtype)];
    tg_view whole = tg_operand_view(m, &dynamic->whole), part = tg_operand_view(m, &dynamic->part);
    int64_t offset = 0;
    for (int d = 0; d < whole.rank; d++) {
        int64_t start = tg_operand_int(m, &dynamic->starts[d]),
                most = whole.shape[d] - part.shape[d];
        start = start < 0 ? 0 : start > most ? most : start;
        offset += start * whole.stride[d];
        whole.shape[d] = part.shape[d];
    }
    unsigned char *at = tg_operand_at(m, &dynamic->whole) + offset * (int64_t)bytes;
    if (dynamic->is_update) {
        tg_copy_view(at, whole.stride, &part, bytes);
        return;
    }
    whole.data = at;
    tg_copy_view(tg_operand_at(m, &dynamic->part), part.stride, &whole, bytes);
}

void tg_exec_program_id(tg_machine *m, const tg_inst *inst)
{
    tg_operand_set_int(m, &inst->as.grid->out, m->program[inst->as.grid->axis]);
}

void tg_exec_num_programs(tg_machine *m, const tg_inst *inst)
{
    tg_operand_set_int(m, &inst->as.grid->out, m->launch->grid[inst->as.grid->axis]);
}
