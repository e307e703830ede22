/* Computes a strided box of memory from an access plan and the values of its index operands. */
#include "interp/memory/box.h"

#include <inttypes.h>

#include "interp/state/found.h"
#include "interp/memory/spaced.h"
#include "interp/state/operand.h"

/* Of a tensor the element is counted from its first one, and the memory that it lies in may begin before that. */
static void report_of_tensor(tg_machine *m, const tg_inst *inst, const tg_access_plan *a,
                             const tg_param *param, int64_t index)
{
    const int64_t first = tg_op_int(a->tensor, TG_ATTR_offset, 0) / tg_dtypes[a->dtype].bytes;
    tg_machine_found(
        m, TG_FINDING_ACCESS_OUTSIDE_REF, inst, param,
        "%s reaches element %" PRId64 " of %s; its memory has the elements %" PRId64 " to %" PRId64,
        tg_ops[inst->op].name, index - first, tg_op_attr(a->tensor, TG_ATTR_name)->as.text, -first,
        m->refs[a->ref].shape[0] - 1 - first);
}

void tg_report_access(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, int dim,
                      int64_t index)
{
    const tg_kernel *k = m->launch->plan->kernel;
    const tg_param *param = a->root == UINT32_MAX ? NULL : &k->params[a->root];
    tg_type ref = {.dtype = a->dtype, .is_ref = true, .rank = a->rank};
    char type[TG_TYPE_TEXT];
    if (a->tensor && a->rank == 1) {
        report_of_tensor(m, inst, a, param, index);
        return;
    }
    for (int d = 0; d < a->rank; d++) ref.shape[d] = a->ref_shape[d];
    tg_machine_found(m, TG_FINDING_ACCESS_OUTSIDE_REF, inst, param,
                     "%s reaches index %" PRId64
                     " in dimension %d of %s, which is %s: legal is 0 to %" PRId64,
                     tg_ops[inst->op].name, index, dim, param ? param->name : "a scoped ref",
                     tg_type_print(&ref, type, sizeof type), m->refs[a->ref].shape[dim] - 1);
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0); }

/* The indices i of [0, size) with low <= start + i * stride < high. */
static void index_range(int64_t start, int64_t stride, int64_t size, int64_t low, int64_t high,
                        int64_t *first, int64_t *end)
{
    int64_t from = low - start, to = high - start;
    if (stride != 1) { /* divisions are expensive */
        from = floor_div(from + stride - 1, stride);
        to = floor_div(to - 1, stride) + 1;
    }
    *first = from < 0 ? 0 : from > size ? size : from;
    *end = to > size ? size : to < *first ? *first : to;
}

int64_t tg_clamp_slice(int64_t start, int64_t span, int64_t extent, bool is_masked)
{
    if (is_masked) extent += span;
    if (start < 0) start += extent;
    if (start > extent - span) start = extent - span;
    return start < 0 ? 0 : start;
}

static void note_bad(tg_box *box, int dim, int64_t index)
{
    if (!box->is_legal) return;
    box->is_legal = false;
    box->bad_dim = dim;
    box->bad_index = index;
}

static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > INT64_MAX / 4 ? INT64_MAX / 4
                                                                             : product;
}

static void add_slice(tg_box *box, const tg_ref *ref, const tg_access_plan *a, int d, int64_t start)
{
    const tg_access_dim *dim = &a->dims[d];
    int r = dim->result_dim;
    int64_t last = start + times(dim->size - 1, dim->stride);
    if (dim->size > 0 && (start < 0 || last >= ref->shape[d]))
        note_bad(box, d, start < 0 ? start : last);
    box->shape[r] = dim->size;
    box->stride[r] = times(dim->stride, ref->stride[d]);
    index_range(start, dim->stride, dim->size, ref->low[d], ref->high[d], &box->low[r],
                &box->high[r]);
    index_range(start, dim->stride, dim->size, 0, ref->shape[d], &box->legal_low[r],
                &box->legal_high[r]);
    if (box->high[r] - box->low[r] < dim->size) box->is_inside = false;
    if (box->low[r] < box->high[r]) box->origin += start * ref->stride[d];
}

/* With a position outside the array no element is inside; with one outside the ref none is
 * legal. */
static void add_position(tg_box *box, const tg_ref *ref, int d, int64_t at, bool *is_empty,
                         bool *is_bad)
{
    if (at < 0 || at >= ref->shape[d]) {
        note_bad(box, d, at);
        *is_bad = true;
    }
    if (at >= ref->low[d] && at < ref->high[d])
        box->origin += at * ref->stride[d];
    else
        *is_empty = true;
}

static void set_scalar(tg_box *box)
{
    box->rank = 1;
    box->shape[0] = box->stride[0] = box->high[0] = box->legal_high[0] = 1;
}

static void set_any(tg_box *box, const tg_machine *m, const tg_access_plan *a)
{
    enum { FAR_AWAY = 60 };
    const int64_t far_away = (int64_t)1 << FAR_AWAY; /* no sum below can overflow */
    const tg_ref *ref = &m->refs[a->ref];
    bool is_empty = ref->is_nothing, is_bad = false;
    bool clamps = tg_setting_clamps(&m->launch->setting) && !a->is_even;
    *box = (tg_box){.data = ref->data,
                    .origin = ref->origin,
                    .rank = a->result.rank,
                    .is_inside = true,
                    .is_legal = true};
    for (int r = 0; r < box->rank; r++) /* dimensions without a slice have size 1 */
        box->shape[r] = box->high[r] = box->legal_high[r] = 1;
    for (int d = 0; d < a->rank; d++) {
        const tg_access_dim *dim = &a->dims[d];
        int64_t start = dim->has_operand ? tg_operand_int(m, &dim->operand) : dim->start;
        bool is_at = dim->kind == TG_INDEX_AT;
        start = start > far_away ? far_away : start < -far_away ? -far_away : start;
        if (clamps)
            start = tg_clamp_slice(start, is_at ? 1 : times(dim->size - 1, dim->stride) + 1,
                                   ref->shape[d], a->has_mask);
        if (is_at)
            add_position(box, ref, d, start, &is_empty, &is_bad);
        else
            add_slice(box, ref, a, d, start);
    }
    if (box->rank == 0) set_scalar(box);
    for (int r = 0; r < box->rank; r++) {
        if (is_empty) box->high[r] = box->low[r];
        if (is_bad) box->legal_high[r] = box->legal_low[r];
    }
    if (is_empty) box->is_inside = false;
}

/* The box of an access inside its ref, when the ref is inside its array, which is the usual case, in a
 * few steps: sets no more than `rank` entries.  Returns false, with a part of the box set, if this is
 * not such an access. */
static bool set_inside(tg_box *box, const tg_ref *ref, const tg_machine *m, const tg_access_plan *a)
{
    int slices = 0;
    box->data = ref->data;
    box->origin = ref->origin;
    box->rank = a->result.rank;
    box->is_inside = box->is_legal = true;
    for (int d = 0; d < a->rank; d++) {
        const tg_access_dim *dim = &a->dims[d];
        const bool is_at = dim->kind == TG_INDEX_AT;
        const int64_t start = dim->has_operand ? tg_operand_int(m, &dim->operand) : dim->start,
                      last = is_at ? 0 : times(dim->size - 1, dim->stride);
        if (start < 0 || start >= ref->shape[d] - last) return false;
        box->origin += start * ref->stride[d];
        if (is_at) continue;
        const int r = dim->result_dim;
        box->stride[r] = times(dim->stride, ref->stride[d]);
        box->low[r] = box->legal_low[r] = 0;
        box->shape[r] = box->high[r] = box->legal_high[r] = dim->size;
        slices++;
    }
    if (slices < box->rank) return false;
    if (box->rank > 0) return true;
    box->low[0] = box->legal_low[0] = 0;
    set_scalar(box);
    return true;
}

void tg_box_of(const tg_machine *m, const tg_access_plan *a, tg_box *box)
{
    const tg_ref *ref = &m->refs[a->ref];
    if (!ref->is_inside || !set_inside(box, ref, m, a)) set_any(box, m, a);
}

void tg_box_join_rows(tg_box *box, int64_t *stride)
{
    for (int last = box->rank - 1; last > 0; last--) {
        const int64_t row = box->shape[last];
        if (box->low[last] != 0 || box->high[last] != row ||
            box->stride[last - 1] != row * box->stride[last] ||
            stride[last - 1] != row * stride[last])
            return;
        box->shape[last - 1] *= row;
        box->low[last - 1] *= row;
        box->high[last - 1] *= row;
        box->stride[last - 1] = box->stride[last];
        stride[last - 1] = stride[last];
        box->rank = last;
    }
}

bool tg_access_is_scattered(const tg_machine *m, const tg_access_plan *a, tg_box *box)
{
    if (m->refs[a->ref].recast) return true;
    if (a->has_arrays) return !tg_access_is_spaced(m, a, box);
    tg_box_of(m, a, box);
    return a->is_even && tg_setting_clamps(&m->launch->setting) && !box->is_legal;
}

tg_view tg_box_view(const tg_machine *m, const tg_operand *o)
{
    tg_view view = tg_operand_view(m, o);
    if (view.rank > 0) return view;
    view.rank = 1;
    view.shape[0] = view.stride[0] = 1;
    return view;
}
