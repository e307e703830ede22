/* The shadows of slots, and walks over views of them. */
#include <stdlib.h>
#include <string.h>

#include "checks/undefined_impl.h"

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
    view.data = s->words[o->slot] + o->offset[TG_LAYOUT_DENSE];
    memcpy(view.stride, o->stride[TG_LAYOUT_DENSE], sizeof view.stride);
    return view;
}

uint32_t tg_shadow_scalar(const tg_shadow *s, const tg_operand *o)
{
    return s->is_flagged[o->slot] ? s->words[o->slot][o->offset[TG_LAYOUT_DENSE]] : 0;
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
    return *words + o->offset[TG_LAYOUT_DENSE];
}

uint32_t *tg_shadow_reopen(tg_shadow *s, const tg_operand *o)
{
    if (!s->is_flagged[o->slot]) tg_shadow_fill(s, o, 0);
    return s->is_flagged[o->slot] ? s->words[o->slot] + o->offset[TG_LAYOUT_DENSE] : NULL;
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
    do words[tg_index_offset(&walk, o->stride[TG_LAYOUT_DENSE])] = word;
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

/* ---- runs ---- */

/* Elements that are spread; those that are close together are copied, and one for all is common. */
#define MOVE(n, type)                                                                              \
    case n:                                                                                        \
        for (int64_t i = 0; from_stride == 0 && to_stride == 1 && i < count; i++)                  \
            ((type *)to)[i] = *(const type *)from;                                                 \
        if (from_stride == 0 && to_stride == 1) return;                                            \
        for (int64_t i = 0; i < count; i++)                                                        \
            ((type *)to)[i * to_stride] = ((const type *)from)[i * from_stride];                   \
        return;

static void move_run(void *to, int64_t to_stride, const void *from, int64_t from_stride,
                     int64_t count, size_t bytes)
{
    if (to_stride == 1 && from_stride == 1) {
        memcpy(to, from, (size_t)count * bytes);
        return;
    }
    switch (bytes) {
        MOVE(1, uint8_t)
        MOVE(2, uint16_t)
        MOVE(4, uint32_t)
        MOVE(8, uint64_t)
    default: return;
    }
}

/* Rows of a view of at least one dimension, from some element on: part by part of at most a row. */
typedef struct part {
    int64_t index[TG_MAX_RANK], extent, stride; /* the extent and stride of a row */
    int last;
} part;

static part part_at(const tg_view *view, int64_t first)
{
    part p = {.extent = 1, .stride = 1, .last = view->rank - 1};
    for (int d = view->rank - 1; d >= 0; d--) {
        p.index[d] = first % view->shape[d];
        first /= view->shape[d];
    }
    if (p.last < 0) return p;
    p.extent = view->shape[p.last];
    p.stride = view->stride[p.last];
    return p;
}

static int64_t part_offset(const part *p, const tg_view *view)
{
    int64_t offset = 0;
    for (int d = 0; d <= p->last; d++) offset += p->index[d] * view->stride[d];
    return offset;
}

static int64_t part_length(const part *p, int64_t left)
{
    const int64_t in_row = p->last < 0 ? 1 : p->extent - p->index[p->last];
    return in_row < left ? in_row : left;
}

static void part_advance(part *p, const tg_view *view, int64_t count)
{
    if (p->last < 0) return;
    p->index[p->last] += count;
    for (int d = p->last; d > 0 && p->index[d] == view->shape[d]; d--) {
        p->index[d] = 0;
        p->index[d - 1]++;
    }
}

void tg_take_run(const tg_view *view, int64_t first, int64_t count, size_t bytes, void *to)
{
    part p = part_at(view, first);
    for (int64_t done = 0, n; done < count; done += n) {
        n = part_length(&p, count - done);
        const int64_t offset = part_offset(&p, view) * (int64_t)bytes;
        move_run((unsigned char *)to + done * (int64_t)bytes, 1,
                 (const unsigned char *)view->data + offset, p.stride, n, bytes);
        part_advance(&p, view, n);
    }
}

void tg_put_run(const tg_view *view, int64_t first, int64_t count, size_t bytes, const void *from)
{
    part p = part_at(view, first);
    for (int64_t done = 0, n; done < count; done += n) {
        n = part_length(&p, count - done);
        const int64_t offset = part_offset(&p, view) * (int64_t)bytes;
        move_run((unsigned char *)(uintptr_t)view->data + offset, p.stride,
                 (const unsigned char *)from + done * (int64_t)bytes, 1, n, bytes);
        part_advance(&p, view, n);
    }
}
