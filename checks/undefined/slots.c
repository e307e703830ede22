#include "checks/undefined/slots.h"

#include <stdlib.h>
#include <string.h>

#include "interp/state/index_walk.h"
#include "ir/view.h"

static int64_t element_count(const tg_operand *o)
{
    int64_t count = 1;
    for (int d = 0; d < o->rank; d++) count *= o->shape[d];
    return count;
}

static const tg_slot *slot_of(const tg_shadow *s, const tg_operand *o)
{
    return &s->all->plan->slots[o->slot];
}

static bool is_whole(const tg_shadow *s, const tg_operand *o)
{
    return element_count(o) == slot_of(s, o)->count;
}

static void set_flag(tg_shadow *s, tg_slot_id slot, bool is_flagged)
{
    if (s->is_flagged[slot] == is_flagged) return;
    s->is_flagged[slot] = is_flagged;
    s->flagged += is_flagged ? 1 : UINT32_MAX;
}

tg_view tg_shadow_view(const tg_shadow *s, const tg_operand *o)
{
    static const uint32_t defined = 0;
    tg_view view = {.data = &defined, .rank = o->rank};
    memcpy(view.shape, o->shape, sizeof view.shape);
    if (!s->is_flagged[o->slot]) return view;
    view.data = s->words[o->slot] + o->offset[TG_STORAGE_DENSE];
    memcpy(view.stride, o->stride[TG_STORAGE_DENSE], sizeof view.stride);
    return view;
}

uint32_t tg_shadow_scalar(const tg_shadow *s, const tg_operand *o)
{
    return s->is_flagged[o->slot] ? s->words[o->slot][o->offset[TG_STORAGE_DENSE]] : 0;
}

uint32_t *tg_shadow_open(tg_shadow *s, const tg_operand *o)
{
    const size_t count = (size_t)slot_of(s, o)->count;
    uint32_t **words = &s->words[o->slot];
    if (!*words) *words = malloc((count ? count : 1) * sizeof **words);
    if (!*words) {
        __atomic_store_n(&s->all->is_incomplete, true, __ATOMIC_RELAXED);
        return NULL;
    }
    if (!s->is_flagged[o->slot] && !is_whole(s, o)) memset(*words, 0, count * sizeof **words);
    set_flag(s, o->slot, true);
    return *words + o->offset[TG_STORAGE_DENSE];
}

uint32_t *tg_shadow_reopen(tg_shadow *s, const tg_operand *o)
{
    if (!s->is_flagged[o->slot]) tg_shadow_fill(s, o, 0);
    return s->is_flagged[o->slot] ? s->words[o->slot] + o->offset[TG_STORAGE_DENSE] : NULL;
}

void tg_shadow_close(tg_shadow *s, const tg_operand *o)
{
    if (!s->is_flagged[o->slot] || !is_whole(s, o)) return;
    const uint32_t *words = s->words[o->slot];
    for (int64_t i = 0; i < slot_of(s, o)->count; i++)
        if (words[i]) return;
    set_flag(s, o->slot, false);
}

void tg_shadow_fill(tg_shadow *s, const tg_operand *o, uint32_t word)
{
    uint32_t *words = tg_shadow_open(s, o);
    tg_index_walk walk;
    if (words && is_whole(s, o)) {
        for (int64_t i = 0; i < slot_of(s, o)->count; i++) s->words[o->slot][i] = word;
        return;
    }
    if (!words || !tg_index_begin(&walk, o->rank, o->shape)) return;
    do words[tg_index_offset(&walk, o->stride[TG_STORAGE_DENSE])] = word;
    while (tg_index_next(&walk));
}

void tg_shadow_define(tg_shadow *s, const tg_operand *o)
{
    if (!s->is_flagged[o->slot]) return;
    if (is_whole(s, o))
        set_flag(s, o->slot, false);
    else
        tg_shadow_fill(s, o, 0);
}

uint32_t tg_shadow_first(const tg_view *words)
{
    tg_index_walk walk;
    if (!tg_index_begin(&walk, words->rank, words->shape)) return 0;
    do {
        const uint32_t word =
            ((const uint32_t *)words->data)[tg_index_offset(&walk, words->stride)];
        if (word) return word;
    } while (tg_index_next(&walk));
    return 0;
}

void *tg_shadow_room(tg_shadow *s, size_t bytes)
{
    if (s->room_bytes < bytes) {
        free(s->room);
        s->room = malloc(bytes);
        s->room_bytes = s->room ? bytes : 0;
    }
    if (!s->room && bytes) __atomic_store_n(&s->all->is_incomplete, true, __ATOMIC_RELAXED);
    return s->room;
}
