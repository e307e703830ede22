#include "cli/page_timeline.h"

#include <string.h>

/* Each event is one list, as there may be very many:
 * [KIND, BEGIN, END, PROGRAM, CHAIN, THREAD, PLACE, ...]: PLACE numbers the locations of the module,
 * and an end that has not come is -1. */
static void begin_event(tg_json_out *json, const tg_record_event *e)
{
    tg_emit_open(json, NULL, '[');
    tg_emit_text(json, NULL, e->kind);
    tg_emit_int(json, NULL, e->begin);
    tg_emit_int(json, NULL, e->end);
    tg_emit_int(json, NULL, e->program);
    tg_emit_int(json, NULL, e->chain);
    tg_emit_int(json, NULL, e->thread);
    tg_emit_int(json, NULL, (int64_t)e->location);
    tg_emit_int(json, NULL, e->number);
}

/* ..., NUMBER, OP, WHAT, MEMORY, BY, BY_STEP, OWNER, SOURCE, SECOND, READ, HAPPENED, TEXT]; NUMBER alone for
 * work. */
static void put_event(tg_json_out *json, const tg_record_event *e)
{
    begin_event(json, e);
    if (strcmp(e->kind, "work") != 0) {
        tg_emit_text(json, NULL, e->op);
        tg_emit_text(json, NULL, e->place);
        tg_emit_int(json, NULL, e->place_param);
        tg_emit_int(json, NULL, e->by);
        tg_emit_int(json, NULL, e->by_step);
        tg_emit_int(json, NULL, e->owner);
        tg_emit_text(json, NULL, e->source);
        tg_emit_text(json, NULL, e->second);
        tg_emit_int(json, NULL, e->read);
        tg_emit_int(json, NULL, e->happened);
        tg_emit_text(json, NULL, e->text);
    }
    tg_emit_close(json, ']');
}

void tg_page_timeline(tg_json_out *json, const tg_recording *recording)
{
    const tg_timeline_info info = tg_recording_timeline(recording);
    tg_emit_open(json, "timeline", '{');
    tg_emit_int(json, "steps", info.steps);
    tg_emit_int(json, "left_out", info.left_out);
    tg_emit_int(json, "left_since", info.left_since);
    tg_emit_int(json, "left_program", info.left_program);
    tg_emit_int(json, "left_location", (int64_t)info.left_location);
    tg_emit_open(json, "events", '[');
    json->flat_from = json->depth + 1;
    for (size_t i = 0; i < info.event_count; i++) {
        const tg_record_event event = tg_recording_event(recording, i);
        put_event(json, &event);
    }
    json->flat_from = 0;
    tg_emit_close(json, ']');
    tg_emit_close(json, '}');
}
