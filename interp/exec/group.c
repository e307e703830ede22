/* Groups of element-wise ops, executed strip by strip: each op runs over some hundred elements that
 * stay in the first-level cache, then the next op over the same strip, then the next strip. */
#include "interp/exec/group.h"

#include <string.h>

#include "interp/memory/cache_prefetch.h"
#include "interp/exec/geometry.h"
#include "interp/state/operand.h"
#include "interp/exec/trace.h"
#include "ir/loc.h"

enum {
    STRIP = 1024,
    SHORT_ROW = STRIP / 4, /* for rows up to this length, a strip has several rows */
    LONG_STRIP = TG_MOST_STRIP,
    REGISTER_BYTES = STRIP * 8
};

static size_t operand_bytes(const tg_operand *o)
{
    return tg_carrier_bytes[tg_carrier_of(o->dtype)];
}

/* ---- binding ---- */

static tg_status bind_op(tg_launch *launch, const tg_group_op *lane, tg_elementwise_call *op,
                         tg_diags *diags)
{
    *op = lane->op == TG_OP_convert
              ? tg_elementwise_convert(launch->elementwise, lane->dtype, lane->second)
              : tg_elementwise_op(launch->elementwise, lane->op, lane->dtype, lane->second);
    if (op->compute) return TG_OK;
    char place[TG_LOC_TEXT];
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "kernel %s: %s on %s is not supported%s",
                   launch->plan->kernel->name, tg_ops[lane->op].name, tg_dtypes[lane->dtype].name,
                   tg_loc_print(&launch->plan->module->locs[lane->loc], place));
}

tg_status tg_group_bind(tg_launch *launch, const tg_inst *inst, tg_bound_group *bound,
                        tg_diags *diags)
{
    const tg_group *g = inst->as.group;
    uint32_t count = tg_group_operand_count(g);
    uint8_t *storage = tg_arena_take(&launch->arena, count, 1);
    bound->group = g;
    bound->ops = tg_arena_take(&launch->arena, g->op_count, sizeof *bound->ops);
    if (!bound->ops || !storage) return TG_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < g->op_count; i++)
        TG_TRY(bind_op(launch, &g->ops[i], &bound->ops[i], diags));
    for (int v = 0; v < TG_STORAGE_COUNT; v++) {
        bound->geometry[v].stride =
            tg_arena_take(&launch->arena, (size_t)count * TG_MAX_RANK, sizeof(int64_t));
        if (!bound->geometry[v].stride) return TG_ERR_NO_MEMORY;
        for (uint32_t i = 0; i < count; i++)
            storage[i] = launch->plan->slots[tg_group_operand(g, i)->slot].has_memory
                             ? (uint8_t)v
                             : TG_STORAGE_DENSE;
        tg_geometry_make(g, storage, &bound->geometry[v]);
    }
    /* one for each register of the group, and one for each operand that must be gathered */
    size_t strips = (size_t)(g->register_count + count) * REGISTER_BYTES;
    if (strips > launch->strip_bytes) launch->strip_bytes = strips;
    if (count > launch->most_operands) launch->most_operands = count;
    return TG_OK;
}

/* ---- execution ---- */

/* How element-wise ops access an operand during one geometry. */
typedef enum tg_way {
    TG_WAY_RUN,   /* in place: the strip is contiguous */
    TG_WAY_SPLAT, /* in place: the strip is one element, repeated */
    TG_WAY_ASIDE  /* in a register of its own: gathered before or scattered after */
} tg_way;

/* The innermost loops.  A strip is a part of one row or, if rows are short, several whole rows of
 * the last dimension but one.  Strides are in elements. */
typedef struct inner {
    const tg_bound_group *bound;
    const tg_elementwise *lanes;
    unsigned char **pointer; /* per operand: its current strip */
    const uint8_t *way;      /* per operand */
    const int64_t *stride;   /* innermost ones, TG_MAX_RANK apart; before each, that of the rows */
    unsigned char *registers, *gathered;
    tg_machine *machine;
} inner;

static int64_t inner_stride(const inner *in, uint32_t operand)
{
    return in->stride[operand * TG_MAX_RANK];
}

static int64_t row_stride(const inner *in, uint32_t operand)
{
    return in->stride[(int64_t)operand * TG_MAX_RANK - 1];
}

#define MOVE_LOOP(n, type)                                                                         \
    case n:                                                                                        \
        for (int64_t i = 0; i < count; i++)                                                        \
            ((type *)to)[i * to_stride] = ((const type *)from)[i * from_stride];                   \
        return;

static void move_row(void *to, int64_t to_stride, const void *from, int64_t from_stride,
                     int64_t count, size_t bytes)
{
    if (to_stride == 1 && from_stride == 1) {
        memcpy(to, from, (size_t)count * bytes);
        return;
    }
    switch (bytes) {
        MOVE_LOOP(1, uint8_t)
        MOVE_LOOP(2, uint16_t)
        MOVE_LOOP(4, uint32_t)
        MOVE_LOOP(8, uint64_t)
    default: return;
    }
}

/* The function that copies elements of `bytes` bytes, or repeats one. */
static tg_elementwise_fn *copy_lanes(const tg_elementwise *lanes, size_t bytes)
{
    static const tg_dtype same_size[9] = {
        [1] = TG_DT_u8, [2] = TG_DT_u16, [4] = TG_DT_u32, [8] = TG_DT_u64};
    return tg_elementwise_convert(lanes, same_size[bytes], same_size[bytes]).compute;
}

static unsigned char *aside_of(const inner *in, uint32_t operand)
{
    return in->gathered + (size_t)operand * REGISTER_BYTES;
}

static void gather(const inner *in, uint32_t operand, int64_t rows, int64_t count)
{
    size_t bytes = operand_bytes(tg_group_operand(in->bound->group, operand));
    int64_t stride = inner_stride(in, operand);
    tg_elementwise_fn *repeat = stride == 0 ? copy_lanes(in->lanes, bytes) : NULL;
    unsigned char *to = aside_of(in, operand);
    for (int64_t r = 0; r < rows; r++, to += count * (int64_t)bytes) {
        int64_t offset = rows > 1 ? r * row_stride(in, operand) : 0;
        const void *from = in->pointer[operand] + offset * (int64_t)bytes;
        if (repeat)
            repeat(to, &from, 1, (size_t)count, 0);
        else
            move_row(to, 1, from, stride, count, bytes);
    }
}

static void scatter(const inner *in, uint32_t operand, int64_t rows, int64_t count)
{
    size_t bytes = operand_bytes(tg_group_operand(in->bound->group, operand));
    unsigned char *to = in->pointer[operand];
    const unsigned char *from = aside_of(in, operand);
    for (int64_t r = 0; r < rows; r++)
        move_row(to + r * (rows > 1 ? row_stride(in, operand) : 0) * (int64_t)bytes,
                 inner_stride(in, operand), from + r * count * (int64_t)bytes, 1, count, bytes);
}

static inline unsigned char *place_of(const inner *in, tg_place place)
{
    if (place.kind == TG_PLACE_REGISTER)
        return in->registers + (size_t)place.index * REGISTER_BYTES;
    uint32_t operand =
        place.index + (place.kind == TG_PLACE_OUTPUT ? in->bound->group->input_count : 0);
    return in->way[operand] == TG_WAY_ASIDE ? aside_of(in, operand) : in->pointer[operand];
}

static inline void compute(const tg_elementwise_call *call, const tg_group_op *lane, void *dst,
                           const void *const *src, unsigned splat, size_t count)
{
    const void *again = dst;
    call->compute(dst, src, splat, count, lane->imm);
    if (call->finish) call->finish(dst, &again, 0, count, 0);
}

static void compute_detected(tg_machine *m, const tg_elementwise_call *call, const tg_strip_op *op,
                             void *dst)
{
    TG_DETECT(m, before_op, m, op)
    compute(call, op->op, dst, op->src, op->splat, op->count);
    TG_DETECT(m, after_op, m, op)
}

static void run_lanes(const inner *in, size_t count)
{
    tg_machine *const m = in->machine;
    const struct tg_hooked *hooked = m->launch->detectors.hooked;
    const bool is_detected = hooked[TG_HOOK_before_op].count + hooked[TG_HOOK_after_op].count > 0;
    const tg_group *g = in->bound->group;
    for (uint32_t l = 0; l < g->op_count; l++) {
        const tg_group_op *lane = &g->ops[l];
        const void *src[TG_MAX_OP_INPUTS];
        unsigned splat = 0;
        for (uint32_t i = 0; i < lane->in_count; i++) {
            src[i] = place_of(in, lane->in[i]);
            if (lane->in[i].kind == TG_PLACE_INPUT && in->way[lane->in[i].index] == TG_WAY_SPLAT)
                splat |= 1U << i;
        }
        void *dst = place_of(in, lane->out);
        if (is_detected) {
            const tg_strip_op op = {g, lane, src, splat, dst, m->group_elements, count};
            compute_detected(m, &in->bound->ops[l], &op, dst);
        } else {
            compute(&in->bound->ops[l], lane, dst, src, splat, count);
        }
        if (m->traced) tg_machine_trace_op(m, l, dst, count);
    }
    m->group_elements += count;
}

/* Runs a strip of `rows` rows of `count` elements each. */
static void run_strip(const inner *in, int64_t rows, int64_t count)
{
    uint32_t inputs = in->bound->group->input_count, all = tg_group_operand_count(in->bound->group);
    for (uint32_t i = 0; i < inputs; i++)
        if (in->way[i] == TG_WAY_ASIDE) gather(in, i, rows, count);
    run_lanes(in, (size_t)(rows * count));
    tg_prefetch_some(in->machine);
    for (uint32_t i = inputs; i < all; i++)
        if (in->way[i] == TG_WAY_ASIDE) scatter(in, i, rows, count);
}

static void advance(const inner *in, int64_t elements, bool by_rows)
{
    for (uint32_t i = 0; i < tg_group_operand_count(in->bound->group); i++)
        in->pointer[i] += elements * (by_rows ? row_stride(in, i) : inner_stride(in, i)) *
                          (int64_t)operand_bytes(tg_group_operand(in->bound->group, i));
}

static void run_row(const inner *in, int64_t extent, int64_t strip)
{
    for (int64_t done = 0; done < extent; done += strip) {
        int64_t n = extent - done < strip ? extent - done : strip;
        run_strip(in, 1, n);
        if (done + n < extent) advance(in, n, false);
    }
}

static void run_rows(const inner *in, int64_t rows, int64_t at_once, int64_t extent)
{
    for (int64_t done = 0; done < rows; done += at_once) {
        int64_t n = rows - done < at_once ? rows - done : at_once;
        run_strip(in, n, extent);
        if (done + n < rows) advance(in, n, true);
    }
}

/* Number of rows in a strip; 1 if a row is long enough to make strips by itself. */
static int64_t rows_of_strip(const tg_geometry *geo)
{
    int64_t extent = geo->shape[geo->rank - 1];
    return geo->rank > 1 && extent <= SHORT_ROW ? STRIP / extent : 1;
}

static tg_way way_of(const tg_geometry *geo, uint32_t operand, bool is_output, int64_t rows)
{
    const int64_t *stride = &geo->stride[operand * TG_MAX_RANK + (uint32_t)(geo->rank - 1)];
    int64_t extent = geo->shape[geo->rank - 1];
    if (stride[0] == 1 && (rows == 1 || stride[-1] == extent)) return TG_WAY_RUN;
    if (stride[0] == 0 && !is_output && (rows == 1 || stride[-1] == 0)) return TG_WAY_SPLAT;
    return TG_WAY_ASIDE;
}

/* Registers limit the length of strips; a group that needs none may have longer ones. */
static int64_t strip_length(const tg_group *g, const uint8_t *way)
{
    if (g->register_count) return STRIP;
    for (uint32_t i = 0; i < tg_group_operand_count(g); i++)
        if (way[i] == TG_WAY_ASIDE) return STRIP;
    return LONG_STRIP;
}

static void run_geometry(tg_machine *m, const tg_bound_group *bound, const tg_geometry *geo)
{
    const tg_group *g = bound->group;
    uint32_t count = tg_group_operand_count(g);
    int64_t index[TG_MAX_RANK] = {0}, rows = rows_of_strip(geo);
    int last = geo->rank - 1, outer = rows > 1 ? last - 1 : last;
    for (uint32_t i = 0; i < count; i++)
        m->way[i] = (uint8_t)way_of(geo, i, i >= g->input_count, rows);
    inner in = {.bound = bound,
                .lanes = m->launch->elementwise,
                .pointer = m->pointer,
                .way = m->way,
                .stride = geo->stride + last,
                .registers = m->strips,
                .gathered = m->strips + (size_t)g->register_count * REGISTER_BYTES,
                .machine = m};
    int64_t strip = strip_length(g, m->way);
    for (;;) {
        for (uint32_t i = 0; i < count; i++) {
            const tg_operand *o = tg_group_operand(g, i);
            int64_t offset = 0;
            for (int d = 0; d < outer; d++)
                offset += index[d] * geo->stride[i * TG_MAX_RANK + (uint32_t)d];
            m->pointer[i] = tg_operand_at(m, o) + offset * (int64_t)operand_bytes(o);
        }
        if (rows > 1)
            run_rows(&in, geo->shape[outer], rows, geo->shape[last]);
        else
            run_row(&in, geo->shape[last], strip);
        int d = outer - 1;
        while (d >= 0 && ++index[d] == geo->shape[d]) index[d--] = 0;
        if (d < 0) return;
    }
}

/* One element needs no loops. */
static void run_one(tg_machine *m, const tg_bound_group *bound)
{
    const tg_group *g = bound->group;
    inner in = {
        .bound = bound, .pointer = m->pointer, .way = m->way, .registers = m->strips, .machine = m};
    for (uint32_t i = 0; i < tg_group_operand_count(g); i++) {
        m->pointer[i] = tg_operand_at(m, tg_group_operand(g, i));
        m->way[i] = i < g->input_count ? TG_WAY_SPLAT : TG_WAY_RUN;
    }
    run_lanes(&in, 1);
}

static const tg_geometry *choose_geometry(tg_machine *m, const tg_bound_group *bound,
                                          tg_geometry *mixed)
{
    const tg_group *g = bound->group;
    uint8_t *storage = m->operand_storage;
    unsigned seen = 0;
    if (!g->may_be_in_memory) return &bound->geometry[TG_STORAGE_DENSE];
    for (uint32_t i = 0; i < tg_group_operand_count(g); i++) {
        tg_slot_id slot = tg_group_operand(g, i)->slot;
        storage[i] = m->storage[slot];
        if (m->launch->plan->slots[slot].has_memory) seen |= 1U << storage[i];
    }
    if (seen == 1U << TG_STORAGE_DENSE) return &bound->geometry[TG_STORAGE_DENSE];
    if (seen == 1U << TG_STORAGE_MEMORY) return &bound->geometry[TG_STORAGE_MEMORY];
    mixed->stride = m->stride;
    tg_geometry_make(g, storage, mixed);
    return mixed;
}

/* Returns whether the group's outputs are there already.  Outputs of a group that runs only once
 * count as there from now on. */
static bool is_done(tg_machine *m, const tg_group *g)
{
    if (!g->is_once) return false;
    bool *is_kept = &m->is_kept[g->outputs[0].slot], was_kept = *is_kept;
    *is_kept = true;
    return was_kept && !m->launch->trace; /* the log has every instruction that is executed */
}

void tg_group_run(tg_machine *m, const tg_bound_group *bound)
{
    tg_geometry mixed;
    m->group_elements = 0;
    if (bound->group->count == 0 || is_done(m, bound->group)) return;
    if (bound->group->count == 1)
        run_one(m, bound);
    else
        run_geometry(m, bound, choose_geometry(m, bound, &mixed));
}
