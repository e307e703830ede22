/* Copies that run beside the program, and semaphores.
 *
 * Between its start and its wait only element-wise ops stand, which touch no memory; so the moment of a copy changes no bit. */
#include "random/maker.h"

/* What a copy is between. */
typedef struct sides {
    made from, to;
} sides;

static bool fits(const sides *s)
{
    return !s->to.is_fixed && !s->from.is_recast && !s->to.is_recast &&
           s->from.type.dtype == s->to.type.dtype && s->from.type.rank == s->to.type.rank;
}

static bool find_sides(maker *g, sides *out)
{
    enum { TRIES = 60 };
    for (int i = 0; i < TRIES; i++) {
        out->from = g->refs[roll(g, (unsigned)g->ref_count)];
        out->to = g->refs[roll(g, (unsigned)g->ref_count)];
        if (fits(out)) return true;
    }
    return false;
}

/* A box of `type` in the ref, of which `count` is taken where it is a part. */
static made take_box(maker *g, const made *ref, const tg_type *type, const made *count)
{
    made start[TG_MAX_RANK], box = {.id = g->next_id++, .type = *type};
    tg_type shape = *type;
    shape.is_ref = true;
    for (int d = 0; d < type->rank; d++)
        start[d] = index_up_to(g, ref->type.shape[d] - type->shape[d]);
    tg_text_add(&g->text, "%%%d:%s = view%s %%%d", box.id, shown(&shape), count ? "_part" : "",
                ref->id);
    for (int d = 0; d < type->rank; d++) tg_text_add(&g->text, " %%%d", start[d].id);
    if (count) {
        for (int d = 0; d < type->rank; d++) tg_text_add(&g->text, " %%%d", count[d].id);
    } else {
        tg_text_put(&g->text, " [");
        for (int d = 0; d < type->rank; d++)
            tg_text_add(&g->text, "%s*:%lld", d ? "," : "", (long long)type->shape[d]);
        tg_text_put(&g->text, "]");
    }
    tg_text_put(&g->text, "\n");
    return box;
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
    const sides boxes = {take_box(g, &of->from, &type, is_part ? count : NULL),
                         take_box(g, &of->to, &type, is_part && !is_known ? count : NULL)};
    return boxes;
}

void make_copy(maker *g)
{
    sides of;
    if (!find_sides(g, &of)) {
        make_lane(g);
        return;
    }
    const sides boxes = take_boxes(g, &of);
    const int semaphore = g->next_id++;
    const scope inside = open_scope(g);
    tg_text_add(&g->text, "scoped { (%%%d:ref<dma_sem[]>)\ndma_start %%%d %%%d %%%d\n", semaphore,
                boxes.from.id, boxes.to.id, semaphore);
    for (unsigned lanes = roll(g, 3); lanes > 0; lanes--) make_lane(g);
    tg_text_add(&g->text, "dma_wait %%%d %%%d\nyield }\n", roll(g, 2) ? boxes.from.id : boxes.to.id,
                semaphore);
    close_scope(g, inside);
}

/* Up and down again; how far up it was is a value. */
void make_semaphore(maker *g)
{
    made amount = index_up_to(g, 5), which = index_up_to(g, 2),
         result = {.id = g->next_id++, .type = scalar};
    const int all = g->next_id++, one = g->next_id++, count = g->next_id++;
    tg_text_add(&g->text, "%%%d:i32[] = scoped { (%%%d:ref<sem[3]>)\n", result.id, all);
    tg_text_add(&g->text, "%%%d:ref<sem[]> = view %%%d %%%d [@]\nsemaphore_signal %%%d %%%d\n", one,
                all, which.id, one, amount.id);
    if (roll(g, 2)) tg_text_add(&g->text, "semaphore_wait %%%d %%%d keep=true\n", one, amount.id);
    tg_text_add(&g->text,
                "%%%d:i32[] = semaphore_read %%%d\nsemaphore_wait %%%d %%%d\nyield %%%d }\n", count,
                one, one, amount.id, count);
    take_value(g, result);
}
