#include "checks/undefined/copies.h"

#include "checks/undefined/kept.h"
#include "checks/undefined/pieces.h"
#include "checks/undefined/places.h"
#include "checks/undefined/sides.h"
#include "checks/undefined/slots.h"
#include "checks/undefined/step_trail.h"
#include "interp/sync/async_op.h"
#include "interp/state/index_walk.h"

/* A copy that takes place, of the elements that the destination has inside its array. */
typedef struct copy_walk {
    tg_machine *m;
    const tg_async_op *copy;
    tg_memory_shadow source, target;
    tg_index_walk walk;
} copy_walk;

static bool begin(copy_walk *w)
{
    const tg_ref *const to = &w->copy->to.ref;
    int64_t shape[TG_MAX_RANK];
    for (int d = 0; d < w->copy->to.rank; d++)
        shape[d] = to->high[d] > to->low[d] ? to->high[d] - to->low[d] : 0;
    return tg_index_begin(&w->walk, w->copy->to.rank, shape);
}

/* The index of the walk's element in either side. */
static void index_of(const copy_walk *w, int64_t *index)
{
    for (int d = 0; d < w->copy->to.rank; d++) index[d] = w->copy->to.ref.low[d] + w->walk.at[d];
}

static void read_words(copy_walk *w, uint32_t *words)
{
    const struct tg_inst_async *dma = w->copy->inst->as.async;
    const tg_access_plan source = {.root = dma->source[0].root};
    const uint32_t outside = dma->zero_outside ? 0
                                               : tg_origin_word(w->m, TG_TRAIL_OUTSIDE, &source,
                                                                w->copy->inst, dma->to.type.dtype);
    do {
        int64_t index[TG_MAX_RANK];
        tg_pieces pieces;
        index_of(w, index);
        if (!tg_async_side_find(&w->copy->source[0], index, &pieces))
            *words++ = outside;
        else if (dma->source[0].is_value)
            *words++ = tg_shadow_kept(w->m, w->copy, index);
        else
            *words++ = tg_pieces_word(&w->source, &pieces);
    } while (tg_index_next(&w->walk));
}

static void write_words(copy_walk *w, const uint32_t *words)
{
    tg_step_trail step = tg_step_of(w->m, w->copy->inst, 0);
    const bool combines = w->copy->inst->as.async->combines;
    do {
        int64_t index[TG_MAX_RANK];
        tg_pieces pieces;
        index_of(w, index);
        uint32_t word = *words++;
        if (!tg_async_side_find(&w->copy->to, index, &pieces)) continue;
        /* A combination of which one part is undefined is undefined. */
        if (!word && combines) word = tg_pieces_word(&w->target, &pieces);
        tg_pieces_set_word(&w->target, &pieces,
                           tg_stored_word(w->copy->program_index, &w->target, &step, word));
    } while (tg_index_next(&w->walk));
}

/* The usual case: all that is copied is defined.  Returns whether the destination is, too. */
static bool becomes_defined(tg_machine *m, const tg_async_op *copy)
{
    const struct tg_inst_async *dma = copy->inst->as.async;
    for (int d = 0; d < copy->to.rank; d++)
        if (copy->source[0].ref.shape[d] < copy->to.ref.shape[d]) return false;
    if (dma->source[0].is_value ? *tg_async_note(m, copy) != NULL
                                : !tg_side_is_defined(m, copy, &dma->source[0], &copy->source[0]))
        return false;
    if (dma->combines) return tg_side_is_defined(m, copy, &dma->to, &copy->to);
    tg_side_define(m, copy, &dma->to, &copy->to);
    return true;
}

/* Locks one side at a time, so it reads everything before it writes anything. */
void tg_shadow_copied(tg_machine *m, const tg_async_op *copy)
{
    const struct tg_inst_async *dma = copy->inst->as.async;
    copy_walk w = {.m = m, .copy = copy, .target = tg_side_memory(m, copy, &dma->to, &copy->to)};
    size_t count = 1;
    if (becomes_defined(m, copy) || !begin(&w)) return;
    for (int d = 0; d < w.walk.rank; d++) count *= (size_t)w.walk.shape[d];
    uint32_t *words = tg_shadow_room(tg_shadow_of(m), count * sizeof *words);
    if (!words || !w.target.plane) return;
    if (dma->source[0].is_value) {
        read_words(&w, words);
    } else {
        w.source = tg_side_memory(m, copy, &dma->source[0], &copy->source[0]);
        tg_planes_lock(m, &w.source);
        read_words(&w, words);
        tg_planes_unlock(m, &w.source);
    }
    tg_planes_lock(m, &w.target);
    write_words(&w, words);
    tg_planes_unlock(m, &w.target);
}
