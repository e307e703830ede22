#include "checks/races/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "checks/access_box.h"

/* Returns whether, as far as is known, all writes to the places of the set wrote one value. */
static bool has_one_value(const tg_access_set *set)
{
    for (uint32_t i = 0; i < set->count && !set->differs; i++)
        if (tg_race_kind_of(set->list[i].site) == TG_RACE_WRITE) return true;
    return false;
}

static bool make_room(tg_races *races, size_t bytes)
{
    tg_race_snapshot *list =
        tg_list_grow(races->snapshots, races->snapshot_count, &races->snapshot_room, sizeof *list);
    if (!list) return false;
    races->snapshots = list;
    if (races->byte_count + bytes > races->byte_room) {
        const size_t room = 2 * (races->byte_count + bytes);
        unsigned char *all = realloc(races->bytes, room);
        if (!all) return false;
        races->bytes = all;
        races->byte_room = room;
    }
    return true;
}

static void take_snapshot(void *context, uint32_t set, int64_t first, int64_t count)
{
    tg_races *races = context;
    const size_t width = races->at->width, bytes = (size_t)count * width;
    if (!has_one_value(&races->sets.list[set])) return;
    if (!make_room(races, bytes)) {
        races->is_incomplete = true;
        return;
    }
    memcpy(races->bytes + races->byte_count, races->event->data + (size_t)first * width, bytes);
    races->snapshots[races->snapshot_count++] = (tg_race_snapshot){first, count, races->byte_count};
    races->byte_count += bytes;
}

static void intend_run(void *context, int64_t first, int64_t stride, int64_t count)
{
    tg_races *races = context;
    tg_plane_visit_strided(&races->at->plane, first, stride, count, take_snapshot, races);
}

void tg_races_before_write(tg_races *races, const tg_access_event *event)
{
    if (event->width != races->at->width) {
        tg_access_runs(event, races->at->width, intend_run, races);
        return;
    }
    const tg_plane_box box = tg_access_box(event);
    uint32_t set;
    if (tg_plane_knows_box(&races->at->plane, &box, &set) && !has_one_value(&races->sets.list[set]))
        return;
    tg_plane_visit_box(&races->at->plane, &box, take_snapshot, races);
}

static uint32_t differ(void *context, uint32_t set, int64_t first, int64_t count)
{
    tg_races *races = context;
    struct tg_race_known *known = tg_race_known_of(races, set);
    (void)first;
    (void)count;
    if (!known->to) known->to = tg_access_sets_differ(&races->sets, set);
    return known->to;
}

/* Returns how many elements from the first on all differ between `now` and `then`, or are all
 * equal.  Works in strips, which compilers vectorize. */
#define ALIKE(type)                                                                                \
    static int64_t alike_##type(const unsigned char *now, const unsigned char *then,               \
                                int64_t count, bool *has_changed)                                  \
    {                                                                                              \
        enum { STRIP = 64 };                                                                       \
        type a[STRIP], b[STRIP];                                                                   \
        int64_t run = 0;                                                                           \
        *has_changed = memcmp(now, then, sizeof *a) != 0;                                          \
        while (run < count) {                                                                      \
            const int64_t strip = count - run < STRIP ? count - run : STRIP;                       \
            int changed = 0;                                                                       \
            memcpy(a, now + run * (int64_t)sizeof *a, (size_t)strip * sizeof *a);                  \
            memcpy(b, then + run * (int64_t)sizeof *b, (size_t)strip * sizeof *b);                 \
            for (int64_t i = 0; i < strip; i++) changed += a[i] != b[i];                           \
            if (changed == (*has_changed ? strip : 0)) {                                           \
                run += strip;                                                                      \
                continue;                                                                          \
            }                                                                                      \
            for (int64_t i = 0; (a[i] != b[i]) == *has_changed; i++) run++;                        \
            return run;                                                                            \
        }                                                                                          \
        return run;                                                                                \
    }
ALIKE(uint8_t)
ALIKE(uint16_t)
ALIKE(uint32_t)
ALIKE(uint64_t)

typedef int64_t alike_fn(const unsigned char *now, const unsigned char *then, int64_t count,
                         bool *has_changed);

static alike_fn *alike_for(size_t width)
{
    return width == 1   ? alike_uint8_t
           : width == 2 ? alike_uint16_t
           : width == 4 ? alike_uint32_t
                        : alike_uint64_t;
}

void tg_races_compare(tg_races *races)
{
    const size_t width = races->at->width;
    alike_fn *alike = alike_for(width);
    memset(races->known, 0, sizeof races->known);
    for (size_t i = 0; i < races->snapshot_count; i++) {
        const tg_race_snapshot *s = &races->snapshots[i];
        const unsigned char *now = races->event->data + (size_t)s->first * width,
                            *then = races->bytes + s->at;
        for (int64_t p = 0, run; p < s->count; p += run) {
            bool has_changed;
            run = alike(now + (size_t)p * width, then + (size_t)p * width, s->count - p,
                        &has_changed);
            if (has_changed) tg_plane_update(&races->at->plane, s->first + p, run, differ, races);
        }
    }
    races->snapshot_count = races->byte_count = 0;
}
