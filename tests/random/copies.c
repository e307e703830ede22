/* Copies that run beside the program, and semaphores.
 *
 * Between its start and its wait only element-wise ops stand, which touch no memory; so the moment of a copy changes no bit. */
#include "random/maker.h"

/* What a copy is between. */
typedef struct sides {
    made from, to;
} sides;

/* Kernels without layouts were made before references without strides were copied. */
static bool fits(const maker *g, const sides *s)
{
    return !s->to.is_fixed && (g->has_layouts || (!s->from.is_recast && !s->to.is_recast)) &&
           s->from.type.dtype == s->to.type.dtype && s->from.type.rank == s->to.type.rank;
}

static bool find_sides(maker *g, sides *out)
{
    enum { TRIES = 60 };
    for (int i = 0; i < TRIES; i++) {
        out->from = g->refs[roll(g, (unsigned)g->ref_count)];
        out->to = g->refs[roll(g, (unsigned)g->ref_count)];
        if (fits(g, out)) return true;
    }
    return false;
}

/* A box of `type` in the ref, of which `count` is taken where it is a part. */
static made take_box(maker *g, const made *ref, const tg_type *type, const made *count)
{
    made start[TG_MAX_RANK];
    tg_index_dim index[TG_MAX_RANK];
    for (int d = 0; d < type->rank; d++) {
        start[d] = index_up_to(g, ref->type.shape[d] - type->shape[d]);
        index[d] = (tg_index_dim){TG_INDEX_SLICE, false, 0, type->shape[d], 1};
    }
    use(g, *ref);
    for (int d = 0; d < type->rank; d++) use(g, start[d]);
    for (int d = 0; count && d < type->rank; d++) use(g, count[d]);
    if (!count) tg_build_index(&g->b, index, type->rank);
    return give_ref(g, count ? TG_OP_view_part : TG_OP_view, *type);
}

/* Boxes of the same size in both; with lengths known at run time, or the same of which is known of one side. */
static sides take_boxes(maker *g, const sides *of)
{
    tg_type type = of->from.type;
    made count[TG_MAX_RANK];
    const bool is_part = roll(g, 3) != 0, is_known = roll(g, 3) == 0;
    for (int d = 0; d < type.rank; d++) {
        const int64_t a = of->from.type.shape[d], b = of->to.type.shape[d];
        type.shape[d] = 1 + roll(g, (unsigned)(a < b ? a : b));
    }
    for (int d = 0; is_part && d < type.rank; d++)
        count[d] = is_known ? exactly(g, type.shape[d]) : index_up_to(g, type.shape[d]);
    sides boxes;
    boxes.from = take_box(g, &of->from, &type, is_part ? count : NULL);
    boxes.to = take_box(g, &of->to, &type, is_part && !is_known ? count : NULL);
    return boxes;
}

/* Half of the copies combine what they bring with what is there, if nothing forbids atomics. */
static void choose_kind(maker *g, const made *to)
{
    static const char *const kinds[] = {"add", "max", "min"};
    if (!g->has_combined || to->is_copied || to->type.dtype == TG_DT_bool || roll(g, 2)) return;
    tg_build_int(&g->b, TG_ATTR_kind, tg_attr_name_index(TG_ATTR_kind, kinds[roll(g, 3)]));
}

/* A copy that joins a group; the wait may come after ops that have nothing to do with it. */
static void make_grouped_copy(maker *g, const sides *boxes, const made *to)
{
    use(g, boxes->from);
    use(g, boxes->to);
    choose_kind(g, to);
    tg_build_op(&g->b, TG_OP_dma_start);
    tg_build_op(&g->b, roll(g, 2) ? TG_OP_proxy_fence : TG_OP_dma_commit);
    for (unsigned lanes = roll(g, 3); lanes > 0; lanes--) make_lane(g);
    tg_build_op(&g->b, TG_OP_dma_commit);
    const made newest = zero(g);
    for (int reads = (int)roll(g, 2); reads >= 0; reads--) {
        use(g, newest);
        if (reads) tg_build_int(&g->b, TG_ATTR_reads, true);
        tg_build_op(&g->b, TG_OP_dma_wait_groups);
    }
}

void make_copy(maker *g)
{
    sides of;
    if (!find_sides(g, &of)) {
        make_lane(g);
        return;
    }
    const sides boxes = take_boxes(g, &of);
    if (g->has_groups && roll(g, 2)) {
        make_grouped_copy(g, &boxes, &of.to);
        return;
    }
    const scope inside = open_scope(g);
    tg_build_open(&g->b);
    const tg_value_id semaphore =
        tg_build_new_arg(&g->b, &(tg_type){.dtype = TG_DT_dma_sem, .is_ref = true});
    use(g, boxes.from);
    use(g, boxes.to);
    tg_build_in(&g->b, semaphore);
    tg_build_op(&g->b, TG_OP_dma_start);
    for (unsigned lanes = roll(g, 3); lanes > 0; lanes--) make_lane(g);
    use(g, roll(g, 2) ? boxes.from : boxes.to);
    tg_build_in(&g->b, semaphore);
    tg_build_op(&g->b, TG_OP_dma_wait);
    tg_build_region(&g->b, tg_build_close(&g->b));
    tg_build_op(&g->b, TG_OP_scoped);
    close_scope(g, inside);
}

static void change(maker *g, tg_opcode op, made semaphore, made amount)
{
    use(g, semaphore);
    use(g, amount);
    tg_build_op(&g->b, op);
}

/* Up and down again; how far up it was is a value. */
void make_semaphore(maker *g)
{
    static const tg_type three = {.dtype = TG_DT_sem, .is_ref = true, .rank = 1, .shape = {3}};
    static const tg_index_dim at = {.kind = TG_INDEX_AT};
    made amount = index_up_to(g, 5), which = index_up_to(g, 2);
    tg_build_open(&g->b);
    tg_build_in(&g->b, tg_build_new_arg(&g->b, &three));
    use(g, which);
    tg_build_index(&g->b, &at, 1);
    const made one = give_ref(g, TG_OP_view, (tg_type){.dtype = TG_DT_sem});
    change(g, TG_OP_semaphore_signal, one, amount);
    if (roll(g, 2)) {
        tg_build_int(&g->b, TG_ATTR_keep, true);
        change(g, TG_OP_semaphore_wait, one, amount);
    }
    use(g, one);
    const tg_value_id count = tg_build_result(&g->b, TG_OP_semaphore_read, &scalar);
    change(g, TG_OP_semaphore_wait, one, amount);
    tg_build_yield(&g->b, count);
    tg_build_region(&g->b, tg_build_close(&g->b));
    give(g, TG_OP_scoped, scalar);
}
