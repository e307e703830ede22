#include "checks/proxies/touches.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

/* ---- memories ---- */

static void forget(tg_touched_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++) tg_plane_free(&memory->list[i].numbers);
    memory->count = 0;
}

tg_touched_memory *tg_touched_at(tg_touches *t, const unsigned char *data, int64_t chain)
{
    const uint32_t number = tg_number_map_get(&t->memory_numbers, (uintptr_t)data);
    if (number == UINT32_MAX) return NULL;
    tg_touched_memory *memory = &t->memories[number];
    if (memory->chain != chain) forget(memory);
    memory->chain = chain;
    return memory;
}

tg_last_touches *tg_last_touches_of(const tg_touched_memory *memory, int64_t reader)
{
    for (size_t i = 0; i < memory->count; i++)
        if (memory->list[i].reader == reader) return &memory->list[i];
    return NULL;
}

/* Returns the memory of the event's parameter, as one that is accessed; NULL if memory runs out. */
static tg_touched_memory *add_memory(tg_touches *t, const tg_access_event *event)
{
    tg_touched_memory *known = tg_touched_at(t, event->data, event->chain);
    if (known) return known;
    tg_touched_memory *list =
        tg_list_grow(t->memories, t->memory_count, &t->memory_room, sizeof *list);
    if (list) t->memories = list;
    if (!list ||
        !tg_number_map_put(&t->memory_numbers, (uintptr_t)event->data, (uint32_t)t->memory_count)) {
        t->is_incomplete = true;
        return NULL;
    }
    const tg_type *array = &t->kernel->params[event->param].array;
    list[t->memory_count] = (tg_touched_memory){
        .chain = event->chain, .bytes = tg_type_count(array) * tg_dtypes[array->dtype].bytes};
    return &list[t->memory_count++];
}

/* Returns the touches of one kind, of which there will be some; NULL if memory runs out. */
static tg_last_touches *add_kind(tg_touches *t, tg_touched_memory *memory, int64_t reader)
{
    tg_last_touches *known = tg_last_touches_of(memory, reader);
    if (known) return known;
    tg_last_touches *list = tg_list_grow(memory->list, memory->count, &memory->room, sizeof *list);
    if (list) memory->list = list;
    if (list) list[memory->count] = (tg_last_touches){.reader = reader};
    if (!list || !tg_plane_init(&list[memory->count].numbers, memory->bytes, 0, 0)) {
        t->is_incomplete = true;
        return NULL;
    }
    return &list[memory->count++];
}

/* ---- touches ---- */

static bool is_same(const tg_touch *a, const tg_touch *b)
{
    return a->actor == b->actor && a->time == b->time && a->inst == b->inst;
}

/* Returns the number of the touch; 0 if memory runs out. */
static uint32_t number_of(tg_touches *t, const tg_touch *touch)
{
    if (t->count && is_same(touch, &t->list[t->count - 1])) return (uint32_t)t->count;
    tg_touch *list = tg_list_grow(t->list, t->count, &t->room, sizeof *list);
    if (!list || t->count + 2 >= TG_PLANE_LIMIT) {
        t->is_incomplete = true;
        return 0;
    }
    t->list = list;
    list[t->count++] = *touch;
    return (uint32_t)t->count;
}

typedef struct marking {
    tg_last_touches *of;
    uint32_t number;
} marking;

static uint32_t number_to_be(void *context, uint32_t old, int64_t first, int64_t count)
{
    (void)old, (void)first, (void)count;
    return ((const marking *)context)->number;
}

static void mark_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    const marking *mark = context;
    tg_plane_update_strided(&mark->of->numbers, first, stride, count, number_to_be, context);
}

void tg_touches_add(tg_touches *t, const tg_access_event *event, uint32_t time)
{
    tg_touch touch = {.actor = event->actor, .time = time, .inst = event->inst};
    memcpy(touch.program, event->program, sizeof touch.program);
    tg_touched_memory *memory = add_memory(t, event);
    if (!memory) return;
    const int64_t reader = event->kind == TG_ACCESS_READ ? event->actor : TG_TOUCHES_WRITE;
    marking mark = {add_kind(t, memory, reader), number_of(t, &touch)};
    if (!mark.of) return;
    tg_access_runs(event, 1, mark_run, &mark);
    if (mark.of->numbers.is_incomplete) t->is_incomplete = true;
}

void tg_last_touches_clear(tg_last_touches *touches, int64_t first, int64_t bytes)
{
    marking mark = {touches, 0};
    mark_run(&mark, first, 1, bytes);
}

/* ---- the whole ---- */

void tg_touches_clear(tg_touches *t)
{
    for (size_t i = 0; i < t->memory_count; i++) {
        forget(&t->memories[i]);
        free(t->memories[i].list);
    }
    tg_number_map_free(&t->memory_numbers);
    t->memory_count = t->count = 0;
    t->is_incomplete = false;
}

void tg_touches_free(tg_touches *t)
{
    tg_touches_clear(t);
    free(t->memories);
    free(t->list);
}
