#include "interp/spin/watch.h"

#include <stdlib.h>
#include <string.h>

void tg_watch_clear(tg_watch *watch)
{
    watch->count = watch->used = 0;
    watch->is_full = watch->lacks_memory = watch->is_changed = false;
}

void tg_watch_free(tg_watch *watch)
{
    free(watch->list);
    free(watch->first);
    free(watch->now);
    *watch = (tg_watch){0};
}

/* Grows a list to at least `wanted` elements of `size` bytes; doubles it at least.  Returns false
 * if memory runs out. */
static bool grow(void **list, size_t *capacity, size_t wanted, size_t size)
{
    if (wanted <= *capacity) return true;
    const size_t more = wanted > 2 * *capacity ? wanted : 2 * *capacity;
    void *const bigger = realloc(*list, more * size);
    if (!bigger) return false;
    *list = bigger;
    *capacity = more;
    return true;
}

static bool make_room(tg_watch *watch, size_t bytes)
{
    const size_t used = watch->used + bytes;
    if (watch->count == TG_MOST_WATCHED || used > TG_WATCHED_BYTES) return false;
    watch->lacks_memory = !grow((void **)&watch->list, &watch->list_capacity,
                                (size_t)watch->count + 1, sizeof *watch->list) ||
                          !grow((void **)&watch->first, &watch->first_capacity, used, 1) ||
                          !grow((void **)&watch->now, &watch->now_capacity, used, 1);
    return !watch->lacks_memory;
}

static bool meets(const tg_watched *w, const unsigned char *at, size_t bytes)
{
    return at < w->at + w->bytes && w->at < at + bytes;
}

static void add(tg_watch *watch, const tg_watched *what)
{
    if (!make_room(watch, what->bytes)) {
        watch->is_full = true;
        return;
    }
    tg_watched *w = &watch->list[watch->count++];
    *w = *what;
    w->offset = watch->used;
    memcpy(watch->first + w->offset, w->at, w->bytes);
    memcpy(watch->now + w->offset, w->at, w->bytes);
    watch->used += w->bytes;
}

void tg_watch_look(tg_watch *watch, const tg_watched *what)
{
    bool is_known = false;
    for (uint32_t i = 0; i < watch->count; i++) {
        const tg_watched *w = &watch->list[i];
        if (!meets(w, what->at, what->bytes)) continue;
        if (memcmp(w->at, watch->now + w->offset, w->bytes) != 0) watch->is_changed = true;
        is_known = is_known || (w->at == what->at && w->bytes == what->bytes);
    }
    if (!is_known && !watch->is_full) add(watch, what);
}

void tg_watch_written(tg_watch *watch, const unsigned char *at, size_t bytes)
{
    for (uint32_t i = 0; i < watch->count; i++) {
        const tg_watched *w = &watch->list[i];
        if (meets(w, at, bytes)) memcpy(watch->now + w->offset, w->at, w->bytes);
    }
}

bool tg_watch_holds(const tg_watch *watch)
{
    for (uint32_t i = 0; i < watch->count; i++) {
        const tg_watched *w = &watch->list[i];
        if (memcmp(w->at, watch->first + w->offset, w->bytes) != 0) return false;
    }
    return true;
}
