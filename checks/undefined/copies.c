#include "checks/undefined/copies.h"

#include "checks/undefined/places.h"
#include "checks/undefined/slots.h"
#include "checks/undefined/step_trail.h"
#include "interp/sync/dma_state.h"
#include "interp/state/index_walk.h"

/* A copy that takes place. */
typedef struct copy_walk {
    tg_machine *m;
    const tg_inst *inst;
    const tg_ref *from, *to;
    int rank;
    tg_memory_shadow source, target;
} copy_walk;

/* Finds the index in the destination of the walk's element.  Returns whether the source has that
 * element. */
static bool find_index(const copy_walk *w, const tg_index_walk *walk, int64_t *index)
{
    bool is_there = true;
    for (int d = 0; d < w->rank; d++) {
        index[d] = w->to->low[d] + walk->at[d];
        is_there = is_there && index[d] >= w->from->low[d] && index[d] < w->from->high[d];
    }
    return is_there;
}

/* Returns the place at which the element at `index` of a box begins. */
static int64_t place_in(const copy_walk *w, const tg_memory_shadow *memory, const tg_ref *ref,
                        const int64_t *index)
{
    int64_t offset = ref->origin;
    for (int d = 0; d < w->rank; d++) offset += index[d] * ref->stride[d];
    return offset * (int64_t)(tg_dtypes[w->inst->as.dma->type.dtype].bytes / memory->memory->width);
}

static void read_words(const copy_walk *w, tg_index_walk *walk, uint32_t *words)
{
    const struct tg_inst_dma *dma = w->inst->as.dma;
    const tg_access_plan source = {.root = dma->from_root};
    const uint32_t outside =
        tg_origin_word(w->m, TG_TRAIL_OUTSIDE, &source, w->inst, dma->type.dtype);
    do {
        int64_t index[TG_MAX_RANK];
        const bool is_there = find_index(w, walk, index);
        *words++ = !is_there ? outside
                   : w->source.plane
                       ? tg_memory_get(&w->source, place_in(w, &w->source, w->from, index),
                                       dma->type.dtype)
                       : 0;
    } while (tg_index_next(walk));
}

static void write_words(const copy_walk *w, tg_index_walk *walk, int64_t order,
                        const uint32_t *words)
{
    tg_step_trail step = tg_step_of(w->m, w->inst, 0);
    do {
        int64_t index[TG_MAX_RANK];
        find_index(w, walk, index);
        tg_memory_set(&w->target, place_in(w, &w->target, w->to, index),
                      w->inst->as.dma->type.dtype,
                      tg_stored_word(order, &w->target, &step, *words++));
    } while (tg_index_next(walk));
}

/* Locks one side at a time, so it reads everything before it writes anything. */
void tg_shadow_copied(tg_machine *m, const tg_dma *copy)
{
    const struct tg_inst_dma *dma = copy->inst->as.dma;
    const tg_ref *const to = &copy->to;
    const int rank = copy->rank;
    const copy_walk w = {.m = m,
                         .inst = copy->inst,
                         .from = &copy->from,
                         .to = to,
                         .rank = rank,
                         .source = tg_memory_of_ref(m, dma->from, dma->from_root),
                         .target = tg_memory_of_ref(m, dma->to, dma->to_root)};
    int64_t shape[TG_MAX_RANK], count = 1;
    tg_index_walk walk;
    for (int d = 0; d < rank; d++)
        count *= shape[d] = to->high[d] > to->low[d] ? to->high[d] - to->low[d] : 0;
    if (!tg_index_begin(&walk, rank, shape)) return;
    uint32_t *words = tg_shadow_room(tg_shadow_of(m), (size_t)count * sizeof *words);
    if (!words || !w.target.plane) return;
    tg_planes_lock(m, &w.source);
    read_words(&w, &walk, words);
    tg_planes_unlock(m, &w.source);
    tg_planes_lock(m, &w.target);
    write_words(&w, &walk, copy->program_index, words);
    tg_planes_unlock(m, &w.target);
}
