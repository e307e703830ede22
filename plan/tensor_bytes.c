#include "plan/tensor_bytes.h"

typedef struct steps {
    const int64_t *extent, *step;
    int64_t rank;
} steps;

static steps steps_of(const tg_op *tensor)
{
    const tg_attr *extents = tg_op_attr(tensor, TG_ATTR_extents);
    return (steps){.extent = extents->as.ints,
                   .step = tg_op_attr(tensor, TG_ATTR_steps)->as.ints,
                   .rank = extents->count};
}

static int64_t offset_of(const tg_op *tensor) { return tg_op_int(tensor, TG_ATTR_offset, 0); }

/* The distance from the first to the last byte of dimensions `d` and later ones. */
static int64_t span(const steps *s, int64_t d)
{
    int64_t all = 0;
    for (; d < s->rank; d++) all += (s->extent[d] - 1) * s->step[d];
    return all;
}

/* Views may overlap themselves, so that a byte may belong to several repetitions. */
static int64_t longest_run(const steps *s, int64_t d, int64_t at) // NOLINT(misc-no-recursion)
{
    if (at < 0 || s->extent[d] == 0) return 0;
    if (d == s->rank - 1) return at < s->extent[d] ? s->extent[d] - at : 0;
    const int64_t rest = span(s, d + 1);
    int64_t longest = 0, i = at / s->step[d];
    if (i >= s->extent[d]) i = s->extent[d] - 1;
    for (; i >= 0 && at - i * s->step[d] <= rest; i--) {
        const int64_t run = longest_run(s, d + 1, at - i * s->step[d]);
        if (run > longest) longest = run;
    }
    return longest;
}

int64_t tg_tensor_run(const tg_op *tensor, int64_t byte)
{
    const steps s = steps_of(tensor);
    return longest_run(&s, 0, byte - offset_of(tensor));
}

const tg_op *tg_tensor_of(const tg_inst *inst)
{
    return tg_inst_traits[inst->kind] & TG_INST_ACCESSES ? inst->as.access->access.tensor : NULL;
}

static bool is_whole(const tg_op *tensor, int64_t bytes)
{
    const steps s = steps_of(tensor);
    return offset_of(tensor) == 0 && s.rank == 1 && s.extent[0] == bytes;
}

bool tg_tensor_is_part_of(const tg_plan *plan, uint32_t param)
{
    const tg_type *array = &plan->kernel->params[param].array;
    const int64_t bytes = tg_type_count(array) * (int64_t)tg_dtypes[array->dtype].bytes;
    for (uint32_t i = 0; i < plan->body.count; i++) {
        const tg_inst *inst = &plan->body.list[i];
        const tg_op *tensor = tg_tensor_of(inst);
        if (tensor && inst->as.access->access.root == param && !is_whole(tensor, bytes))
            return true;
    }
    return false;
}

tg_tensor_side tg_tensor_side_of(const tg_op *tensor, int64_t byte)
{
    const steps s = steps_of(tensor);
    const int64_t at = byte - offset_of(tensor);
    for (int64_t d = 0; d < s.rank; d++)
        if (s.extent[d] == 0) return TG_TENSOR_BEHIND;
    return at < 0 ? TG_TENSOR_BEFORE : at > span(&s, 0) ? TG_TENSOR_BEHIND : TG_TENSOR_BETWEEN;
}

int64_t tg_tensor_element(const tg_op *tensor, int64_t byte, int64_t element_bytes)
{
    const int64_t at = byte - offset_of(tensor);
    return at / element_bytes - (at % element_bytes < 0);
}
