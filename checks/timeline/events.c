#include "checks/timeline/events.h"

#include <stdlib.h>

#include "base/list.h"

tg_timeline *tg_timeline_new(size_t most)
{
    tg_timeline *timeline = calloc(1, sizeof *timeline);
    if (!timeline) return NULL;
    if (pthread_mutex_init(&timeline->lock, NULL) != 0) {
        free(timeline);
        return NULL;
    }
    timeline->most = most < UINT32_MAX - 1 ? most : UINT32_MAX - 1;
    return timeline;
}

void tg_timeline_free(tg_timeline *timeline)
{
    if (!timeline) return;
    for (size_t i = 0; i < timeline->count; i++) free(timeline->events[i].text);
    free(timeline->events);
    tg_number_map_free(&timeline->known);
    pthread_mutex_destroy(&timeline->lock);
    free(timeline);
}

static bool has_room(const tg_timeline *timeline, tg_time_kind kind)
{
    if (timeline->count >= timeline->most) return false;
    return kind != TG_TIME_WORK || timeline->work_count < (timeline->most + 1) / 2;
}

static void leave_out(tg_timeline *timeline, const tg_time_event *event)
{
    if (timeline->left_out++ == 0) timeline->first_left = *event;
    timeline->first_left.text = NULL;
    free(event->text);
}

int64_t tg_timeline_add(tg_timeline *timeline, const tg_time_event *event)
{
    if (!has_room(timeline, event->kind)) {
        leave_out(timeline, event);
        return TG_TIME_NONE;
    }
    tg_time_event *events =
        tg_list_grow(timeline->events, timeline->count, &timeline->room, sizeof *events);
    if (!events) {
        timeline->is_incomplete = true;
        free(event->text);
        return TG_TIME_NONE;
    }
    timeline->events = events;
    timeline->events[timeline->count] = *event;
    timeline->work_count += event->kind == TG_TIME_WORK;
    return (int64_t)timeline->count++;
}

/* The map has no value for "none", so events count from 1 in it. */
void tg_timeline_know(tg_timeline *timeline, uint64_t key, int64_t number)
{
    if (!tg_number_map_put(&timeline->known, key, (uint32_t)(number + 1)))
        timeline->is_incomplete = true;
}

int64_t tg_timeline_find(const tg_timeline *timeline, uint64_t key)
{
    const uint32_t value = tg_number_map_get(&timeline->known, key);
    return value == UINT32_MAX ? TG_TIME_NONE : (int64_t)value - 1;
}
