/* Groups of element-wise ops, executed strip by strip: each lane op runs over a few hundred elements that
 * stay in the first-level cache, then the next op over the same strip, then the next strip. */
#include <string.h>

#include "interp/machine.h"

enum { STRIP = 512, LONG_STRIP = 8192, REGISTER_BYTES = STRIP * 8 };

static const tg_operand *operand_of(const tg_group *g, uint32_t i)
{
    return i < g->input_count ? &g->inputs[i] : &g->outputs[i - g->input_count];
}

static uint32_t operand_count(const tg_group *g) { return g->input_count + g->output_count; }

static size_t operand_bytes(const tg_operand *o)
{
    return tg_carrier_bytes[tg_carrier_of(o->dtype)];
}

/* ---- geometry ---- */

static bool merges(const tg_geometry *geo, uint32_t count, const uint8_t *layout, const tg_group *g,
                   int d)
{
    int last = geo->rank - 1;
    for (uint32_t i = 0; i < count; i++) {
        int64_t inner = operand_of(g, i)->stride[layout[i]][d];
        if (geo->stride[i * TG_MAX_RANK + (uint32_t)last] != inner * g->shape[d]) return false;
    }
    return true;
}

/* Walks from the outermost dimension in, merging each into the one before where every operand allows. */
static void make_geometry(const tg_group *g, const uint8_t *layout, tg_geometry *geo)
{
    uint32_t count = operand_count(g);
    geo->rank = 0;
    for (int d = 0; d < g->rank; d++) {
        if (g->shape[d] == 1) continue;
        bool merged = geo->rank > 0 && merges(geo, count, layout, g, d);
        int at = merged ? geo->rank - 1 : geo->rank++;
        geo->shape[at] = merged ? geo->shape[at] * g->shape[d] : g->shape[d];
        for (uint32_t i = 0; i < count; i++)
            geo->stride[i * TG_MAX_RANK + (uint32_t)at] = operand_of(g, i)->stride[layout[i]][d];
    }
    if (geo->rank == 0) {
        geo->rank = 1;
        geo->shape[0] = 1;
        for (uint32_t i = 0; i < count; i++)
            geo->stride[i * TG_MAX_RANK] = i < g->input_count ? 0 : 1;
    }
}

/* ---- binding ---- */

static tg_status bind_lane(tg_launch *launch, const tg_lane *lane, tg_lane_op *op, tg_diags *diags)
{
    *op = lane->op == TG_OP_convert
              ? tg_lanes_convert(launch->lanes, lane->dtype, lane->second)
              : tg_lanes_op(launch->lanes, lane->op, lane->dtype, lane->second);
    if (op->compute) return TG_OK;
    const tg_loc *loc = &launch->plan->module->locs[lane->loc];
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "kernel %s: %s on %s is not supported (%s:%lld)", launch->plan->kernel->name,
                   tg_ops[lane->op].name, tg_dtypes[lane->dtype].name, loc->file,
                   (long long)loc->line);
}

tg_status tg_group_bind(tg_launch *launch, const tg_inst *inst, tg_bound_group *bound,
                        tg_diags *diags)
{
    const tg_group *g = inst->as.group;
    uint32_t count = operand_count(g);
    uint8_t *layout = tg_arena_take(&launch->arena, count, 1);
    bound->group = g;
    bound->ops = tg_arena_take(&launch->arena, g->lane_count, sizeof *bound->ops);
    if (!bound->ops || !layout) return TG_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < g->lane_count; i++)
        TG_TRY(bind_lane(launch, &g->lanes[i], &bound->ops[i], diags));
    for (int v = 0; v < TG_LAYOUT_COUNT; v++) {
        bound->geometry[v].stride =
            tg_arena_take(&launch->arena, (size_t)count * TG_MAX_RANK, sizeof(int64_t));
        if (!bound->geometry[v].stride) return TG_ERR_NO_MEMORY;
        for (uint32_t i = 0; i < count; i++)
            layout[i] = launch->plan->slots[operand_of(g, i)->slot].has_memory ? (uint8_t)v
                                                                               : TG_LAYOUT_DENSE;
        make_geometry(g, layout, &bound->geometry[v]);
    }
    /* a register for each register of the group, and one for each operand that needs gathering */
    size_t strips = (size_t)(g->register_count + count) * REGISTER_BYTES;
    if (strips > launch->strip_bytes) launch->strip_bytes = strips;
    if (count > launch->most_operands) launch->most_operands = count;
    return TG_OK;
}

/* ---- execution ---- */

/* What one run of the innermost loop works with. */
typedef struct inner {
    const tg_bound_group *bound;
    unsigned char **pointer; /* per operand: the current strip */
    const int64_t *stride;   /* innermost strides, TG_MAX_RANK apart */
    unsigned char *registers, *gathered;
} inner;

static int64_t inner_stride(const inner *in, uint32_t operand)
{
    return in->stride[operand * TG_MAX_RANK];
}

#define MOVE_LOOPS(X) X(1, uint8_t) X(2, uint16_t) X(4, uint32_t) X(8, uint64_t)

static void gather_strip(void *to, const void *from, int64_t stride, size_t count, size_t bytes)
{
    switch (bytes) {
#define X(n, type)                                                                                 \
    case n:                                                                                        \
        for (size_t i = 0; i < count; i++)                                                         \
            ((type *)to)[i] = ((const type *)from)[(int64_t)i * stride];                           \
        return;
        MOVE_LOOPS(X)
#undef X
    default: return;
    }
}

static void scatter_strip(void *to, const void *from, int64_t stride, size_t count, size_t bytes)
{
    switch (bytes) {
#define X(n, type)                                                                                 \
    case n:                                                                                        \
        for (size_t i = 0; i < count; i++)                                                         \
            ((type *)to)[(int64_t)i * stride] = ((const type *)from)[i];                           \
        return;
        MOVE_LOOPS(X)
#undef X
    default: return;
    }
}

static bool is_direct(int64_t stride) { return stride == 0 || stride == 1; }

/* Where lane ops read an input or leave an output: in place, or in a register of its own. */
static unsigned char *strip_of(const inner *in, uint32_t operand)
{
    int64_t stride = inner_stride(in, operand);
    bool is_output = operand >= in->bound->group->input_count;
    if (stride == 1 || (stride == 0 && !is_output)) return in->pointer[operand];
    return in->gathered + (size_t)operand * REGISTER_BYTES;
}

static unsigned char *place_of(const inner *in, tg_place place)
{
    if (place.kind == TG_PLACE_REGISTER)
        return in->registers + (size_t)place.index * REGISTER_BYTES;
    uint32_t first = place.kind == TG_PLACE_OUTPUT ? in->bound->group->input_count : 0;
    return strip_of(in, first + place.index);
}

static void run_lanes(const inner *in, size_t count)
{
    const tg_group *g = in->bound->group;
    for (uint32_t l = 0; l < g->lane_count; l++) {
        const tg_lane *lane = &g->lanes[l];
        const void *src[TG_MAX_LANE_INPUTS];
        unsigned splat = 0;
        for (uint32_t i = 0; i < lane->in_count; i++) {
            src[i] = place_of(in, lane->in[i]);
            if (lane->in[i].kind == TG_PLACE_INPUT && inner_stride(in, lane->in[i].index) == 0)
                splat |= 1U << i;
        }
        void *dst = place_of(in, lane->out);
        in->bound->ops[l].compute(dst, src, splat, count, lane->imm);
        const void *again = dst;
        if (in->bound->ops[l].finish) in->bound->ops[l].finish(dst, &again, 0, count, 0);
    }
}

static void run_inner(inner *in, int64_t extent, int64_t strip)
{
    const tg_group *g = in->bound->group;
    uint32_t inputs = g->input_count, count = operand_count(g);
    for (int64_t done = 0; done < extent; done += strip) {
        int64_t n = extent - done < strip ? extent - done : strip;
        for (uint32_t i = 0; i < inputs; i++)
            if (!is_direct(inner_stride(in, i)))
                gather_strip(strip_of(in, i), in->pointer[i], inner_stride(in, i), (size_t)n,
                             operand_bytes(operand_of(g, i)));
        run_lanes(in, (size_t)n);
        for (uint32_t i = inputs; i < count; i++)
            if (inner_stride(in, i) != 1)
                scatter_strip(in->pointer[i], strip_of(in, i), inner_stride(in, i), (size_t)n,
                              operand_bytes(operand_of(g, i)));
        for (uint32_t i = 0; i < count; i++)
            in->pointer[i] += n * inner_stride(in, i) * (int64_t)operand_bytes(operand_of(g, i));
    }
}

/* Strips are bounded by the registers; a group that needs none may take longer ones. */
static int64_t strip_length(const tg_group *g, const tg_geometry *geo)
{
    if (g->register_count) return STRIP;
    for (uint32_t i = 0; i < operand_count(g); i++) {
        int64_t stride = geo->stride[i * TG_MAX_RANK + (uint32_t)(geo->rank - 1)];
        if (i < g->input_count ? !is_direct(stride) : stride != 1) return STRIP;
    }
    return LONG_STRIP;
}

static void run_geometry(tg_machine *m, const tg_bound_group *bound, const tg_geometry *geo)
{
    const tg_group *g = bound->group;
    uint32_t count = operand_count(g);
    int last = geo->rank - 1;
    int64_t index[TG_MAX_RANK] = {0}, strip = strip_length(g, geo);
    inner in = {.bound = bound,
                .pointer = m->pointer,
                .stride = geo->stride + last,
                .registers = m->strips,
                .gathered = m->strips + (size_t)g->register_count * REGISTER_BYTES};
    for (;;) {
        for (uint32_t i = 0; i < count; i++) {
            const tg_operand *o = operand_of(g, i);
            int64_t offset = 0;
            for (int d = 0; d < last; d++)
                offset += index[d] * geo->stride[i * TG_MAX_RANK + (uint32_t)d];
            m->pointer[i] = tg_operand_at(m, o) + offset * (int64_t)operand_bytes(o);
        }
        run_inner(&in, geo->shape[last], strip);
        int d = last - 1;
        while (d >= 0 && ++index[d] == geo->shape[d]) index[d--] = 0;
        if (d < 0) return;
    }
}

/* One element: no loops to set up. */
static void run_one(tg_machine *m, const tg_bound_group *bound)
{
    const tg_group *g = bound->group;
    inner in = {.bound = bound, .pointer = m->pointer, .stride = bound->geometry[0].stride};
    in.registers = m->strips;
    in.gathered = m->strips + (size_t)g->register_count * REGISTER_BYTES;
    for (uint32_t i = 0; i < operand_count(g); i++)
        m->pointer[i] = tg_operand_at(m, operand_of(g, i));
    run_lanes(&in, 1);
}

static const tg_geometry *choose_geometry(tg_machine *m, const tg_bound_group *bound,
                                          tg_geometry *mixed)
{
    const tg_group *g = bound->group;
    uint8_t *layout = m->operand_layout;
    unsigned seen = 0;
    if (!g->has_memory_layout) return &bound->geometry[TG_LAYOUT_DENSE];
    for (uint32_t i = 0; i < operand_count(g); i++) {
        tg_slot_id slot = operand_of(g, i)->slot;
        layout[i] = m->layout[slot];
        if (m->launch->plan->slots[slot].has_memory) seen |= 1U << layout[i];
    }
    if (seen == 1U << TG_LAYOUT_DENSE) return &bound->geometry[TG_LAYOUT_DENSE];
    if (seen == 1U << TG_LAYOUT_MEMORY) return &bound->geometry[TG_LAYOUT_MEMORY];
    mixed->stride = m->stride;
    make_geometry(g, layout, mixed);
    return mixed;
}

void tg_group_run(tg_machine *m, const tg_bound_group *bound)
{
    tg_geometry mixed;
    if (bound->group->count == 0) return;
    if (bound->group->count == 1)
        run_one(m, bound);
    else
        run_geometry(m, bound, choose_geometry(m, bound, &mixed));
}
