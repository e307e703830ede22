/* The timelines of runs as trace events: the object format of Chrome, a microsecond for a step. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/errors.h"
#include "api/trace_pieces.h"
#include "api/trace_tracks.h"
#include "base/number_text.h"

/* What the events of one recording are written from. */
typedef struct trace {
    tg_trace_pieces *pieces;
    tg_json_out *json; /* of the event that is open */
    const tg_recording *recording;
    tg_tracks tracks;
    int64_t steps;
    int64_t first_id; /* of arrows and flights: no two recordings have one in common */
    size_t number;    /* of the event of the recording that is written */
} trace;

/* ---- parts of events ---- */

enum { NAME = 3 * TG_RECORD_PLACE + 64 };

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* "file.py:12"; "" where the line is unknown. */
static void print_place(const trace *t, size_t location, char out[NAME])
{
    const tg_record_location at = tg_recording_location(t->recording, location);
    out[0] = '\0';
    if (at.line) snprintf(out, NAME, "%.200s:%" PRId64, base_name(at.file), at.line);
}

static tg_trace_rank rank_of(const char *ph, const char *category)
{
    const bool is_outer = strcmp(category, "work") == 0 || strcmp(category, "wait") == 0;
    switch (ph[0]) {
    case 'X': return is_outer ? TG_RANK_OUTER : TG_RANK_INNER;
    case 's': return TG_RANK_ARROW_BEGINS;
    case 'f': return TG_RANK_ARROW_ENDS;
    case 'b': return TG_RANK_FLIGHT_BEGINS;
    case 'e': return TG_RANK_FLIGHT_ENDS;
    default: return TG_RANK_INSTANT;
    }
}

/* Opens an event of the slice of an event of the recording; end it with end_event, after its own
 * members. */
static void begin_of(const trace *t, size_t slice, const char *ph, const char *category,
                     const char *name, tg_track track, int64_t ts)
{
    tg_trace_piece_begin(t->pieces, ts, rank_of(ph, category), slice);
    tg_emit_text(t->json, "ph", ph);
    tg_emit_text(t->json, "cat", category);
    tg_emit_text(t->json, "name", name);
    tg_emit_int(t->json, "pid", track.process);
    tg_emit_int(t->json, "tid", track.thread);
    tg_emit_int(t->json, "ts", ts);
}

static void begin_event(const trace *t, const char *ph, const char *category, const char *name,
                        tg_track track, int64_t ts)
{
    begin_of(t, t->number, ph, category, name, track, ts);
}

static void end_event(const trace *t) { tg_trace_piece_end(t->pieces); }

static void put_text(const trace *t, const char *key, const char *text)
{
    if (text && text[0]) tg_emit_text(t->json, key, text);
}

/* What all events tell of themselves. */
static void begin_args(const trace *t, const tg_record_event *e)
{
    char place[NAME];
    print_place(t, e->location, place);
    tg_emit_open(t->json, "args", '{');
    tg_emit_text(t->json, "op", e->op);
    put_text(t, "line", place);
}

static void end_args(const trace *t) { tg_emit_close(t->json, '}'); }

/* One end of an arrow: "s", from where; "f", to where.  It is in a slice of one step, of that event of the
 * recording. */
static void arrow(const trace *t, size_t slice, const char *ph, const char *name, int64_t id,
                  tg_track track, int64_t ts)
{
    begin_of(t, slice, ph, "order", name, track, ts);
    tg_emit_int(t->json, "id", id);
    if (ph[0] == 'f') tg_emit_text(t->json, "bp", "e");
    end_event(t);
}

/* A slice of one step, within the work or a wait of its thread: arrows begin and end in such. */
static void begin_step(const trace *t, const char *category, const char *name, tg_track track,
                       int64_t step)
{
    begin_event(t, "X", category, name, track, step);
    tg_emit_int(t->json, "dur", 1);
}

static void put_step(const trace *t, const tg_record_event *e, const char *category,
                     const char *name, tg_track track, int64_t step)
{
    begin_step(t, category, name, track, step);
    begin_args(t, e);
    end_args(t);
    end_event(t);
}

/* ---- work, waits, signals ---- */

static void put_work(const trace *t, const tg_record_event *e)
{
    char name[NAME];
    print_place(t, e->location, name);
    begin_event(t, "X", "work", name[0] ? name : e->op, tg_track_of(&t->tracks, e), e->begin);
    tg_emit_int(t->json, "dur", e->end - e->begin);
    tg_emit_open(t->json, "args", '{');
    put_text(t, "line", name);
    tg_emit_int(t->json, "instructions", e->number);
    end_args(t);
    end_event(t);
}

/* Of a barrier the phase, of a semaphore by how much it changes. */
static void put_number(const trace *t, const tg_record_event *e)
{
    const bool is_barrier = strncmp(e->op, "barrier", 7) == 0 || strcmp(e->kind, "phase") == 0;
    if (e->number < 0) return;
    tg_emit_int(t->json, is_barrier ? "phase" : "amount", e->number);
}

/* Who ended a wait, to which the arrow points, in words. */
static void put_ender(const trace *t, const tg_record_event *wait)
{
    char place[NAME], program[TG_PROGRAM_TEXT], thread[TG_PROGRAM_TEXT],
        text[NAME + 2 * TG_PROGRAM_TEXT + 128];
    if (wait->by < 0) return;
    const tg_record_event by = tg_recording_event(t->recording, (size_t)wait->by);
    print_place(t, by.location, place);
    tg_track_program(t->recording, by.program, program);
    tg_track_thread(t->recording, by.program, thread);
    snprintf(text, sizeof text, "%s%s%s of program %s%s%s", by.op, place[0] ? " at " : "", place,
             program, thread[0] ? ", thread " : "", thread);
    tg_emit_text(t->json, "ended_by", text);
}

static bool is_op(const tg_record_event *e)
{
    return strcmp(e->kind, "copy") == 0 || strcmp(e->kind, "product") == 0 ||
           strcmp(e->kind, "arrival") == 0;
}

/* The arrow from what ended a wait to its last step, which is a slice of its own, so that the arrow
 * does not point to the begin of the wait. */
static void put_end(const trace *t, const tg_record_event *wait, size_t number)
{
    const int64_t id = t->first_id + 2 * (int64_t)number;
    const tg_track to = tg_track_of(&t->tracks, wait);
    if (wait->by < 0 || wait->end < 0) return;
    const tg_record_event by = tg_recording_event(t->recording, (size_t)wait->by);
    const tg_track from =
        is_op(&by) ? tg_track_of_ops(&t->tracks, &by) : tg_track_of(&t->tracks, &by);
    arrow(t, (size_t)wait->by, "s", "ends the wait", id, from, wait->by_step);
    put_step(t, wait, "end", "goes on", to, wait->end - 1);
    arrow(t, number, "f", "ends the wait", id, to, wait->end - 1);
}

static void put_wait(const trace *t, const tg_record_event *e, size_t number)
{
    char name[NAME];
    const int64_t end = e->end >= 0 ? e->end : t->steps;
    snprintf(name, sizeof name, "wait%s%s", e->place[0] ? " for " : "", e->place);
    begin_event(t, "X", "wait", name, tg_track_of(&t->tracks, e), e->begin);
    tg_emit_int(t->json, "dur", end - e->begin);
    begin_args(t, e);
    put_text(t, "for", e->place);
    put_number(t, e);
    if (e->end < 0) tg_emit_bool(t->json, "never_ends", true);
    put_ender(t, e);
    end_args(t);
    end_event(t);
    put_end(t, e, number);
}

static void put_told(const trace *t, const tg_record_event *e)
{
    begin_args(t, e);
    put_text(t, "to", e->place);
    if (!e->text) put_number(t, e);
    put_text(t, "text", e->text);
    end_args(t);
    end_event(t);
}

static void put_instant(const trace *t, const tg_record_event *e, const char *name)
{
    begin_event(t, "i", e->kind, name, tg_track_of(&t->tracks, e), e->begin);
    tg_emit_text(t->json, "s", "t");
    put_told(t, e);
}

static void put_signal(const trace *t, const tg_record_event *e)
{
    char name[NAME];
    snprintf(name, sizeof name, "%s%s%s", e->op, e->place[0] ? " " : "", e->place);
    begin_step(t, e->kind, name, tg_track_of(&t->tracks, e), e->begin);
    put_told(t, e);
}

static void put_phase(const trace *t, const tg_record_event *e)
{
    char name[NAME];
    snprintf(name, sizeof name, "phase %" PRId64 " of %s is complete", e->number, e->place);
    put_instant(t, e, name);
}

/* ---- ops beside the programs ---- */

static void print_op(const tg_record_event *e, char name[NAME])
{
    if (e->second[0])
        snprintf(name, NAME, "%s x %s to %s", e->source, e->second, e->place);
    else
        snprintf(name, NAME, "%s%sto %s", e->source, e->source[0] ? " " : "",
                 e->place[0] ? e->place : "scoped memory");
}

/* One of the events that together show the time in flight. */
static void flight(const trace *t, const tg_record_event *e, const char *ph, size_t number,
                   int64_t ts)
{
    char name[NAME];
    print_op(e, name);
    begin_event(t, ph, e->kind, name, tg_track_of(&t->tracks, e), ts);
    tg_emit_int(t->json, "id", t->first_id + 2 * (int64_t)number);
    begin_args(t, e);
    if (ph[0] == 'b' && e->number >= 0) tg_emit_int(t->json, "bytes", e->number);
    if (ph[0] == 'n')
        tg_emit_text(t->json, "moment", ts == e->happened ? "takes place" : "has read");
    if (ph[0] == 'e' && e->end < 0) tg_emit_bool(t->json, "never_awaited", true);
    end_args(t);
    end_event(t);
}

/* The moment when it reads or takes place, as a step of a thread of its own, to which arrows lead. */
static void moment(const trace *t, const tg_record_event *e, size_t number, int64_t step)
{
    char name[NAME];
    print_op(e, name);
    if (step < 0) return;
    flight(t, e, "n", number, step);
    put_step(t, e, e->kind, name, tg_track_of_ops(&t->tracks, e), step);
}

static void put_op(const trace *t, const tg_record_event *e, size_t number)
{
    char name[NAME + 16], what[NAME];
    const int64_t id = t->first_id + 2 * (int64_t)number + 1;
    print_op(e, what);
    snprintf(name, sizeof name, "starts %s", what);
    flight(t, e, "b", number, e->begin);
    moment(t, e, number, e->read);
    moment(t, e, number, e->happened);
    flight(t, e, "e", number, e->end >= 0 ? e->end : t->steps);
    put_step(t, e, "start", name, tg_track_of(&t->tracks, e), e->begin);
    if (e->happened < 0) return;
    arrow(t, number, "s", "starts", id, tg_track_of(&t->tracks, e), e->begin);
    arrow(t, number, "f", "starts", id, tg_track_of_ops(&t->tracks, e), e->happened);
}

/* ---- the file ---- */

static void put_event(const trace *t, size_t number)
{
    const tg_record_event e = tg_recording_event(t->recording, number);
    if (strcmp(e.kind, "work") == 0)
        put_work(t, &e);
    else if (strcmp(e.kind, "wait") == 0)
        put_wait(t, &e, number);
    else if (strcmp(e.kind, "signal") == 0)
        put_signal(t, &e);
    else if (strcmp(e.kind, "phase") == 0)
        put_phase(t, &e);
    else if (strcmp(e.kind, "print") == 0)
        put_instant(t, &e, "print");
    else
        put_op(t, &e, number);
}

/* Where events begin to be missing. */
static void put_left_out(const trace *t)
{
    const tg_timeline_info info = tg_recording_timeline(t->recording);
    char text[TG_RECORD_LEFT_OUT];
    tg_recording_left_out(t->recording, text, sizeof text);
    if (!text[0]) return;
    const tg_record_event first = {.program = info.left_program};
    begin_event(t, "i", "left_out", text, tg_track_of(&t->tracks, &first), info.left_since);
    tg_emit_text(t->json, "s", "g");
    end_event(t);
}

/* How many steps a recording has, of how many events there is no room for, and where. */
static void put_extent(tg_json_out *json, const tg_recording *recording)
{
    char left_out[TG_RECORD_LEFT_OUT];
    const tg_timeline_info info = tg_recording_timeline(recording);
    tg_recording_left_out(recording, left_out, sizeof left_out);
    tg_emit_int(json, "steps", info.steps);
    tg_emit_int(json, "events_left_out", info.left_out);
    if (left_out[0]) tg_emit_text(json, "left_out", left_out);
}

static void put_devices(tg_json_out *json, const tg_traced *list, size_t count)
{
    tg_emit_open(json, "devices", '[');
    for (size_t i = 0; i < count; i++) {
        tg_emit_open(json, NULL, '{');
        tg_emit_text(json, "name", list[i].device);
        put_extent(json, list[i].recording);
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, ']');
}

static void put_about(tg_json_out *json, const tg_traced *list, size_t count,
                      const tg_trace_about *about)
{
    tg_emit_open(json, "otherData", '{');
    tg_emit_text(json, "tilegrind", tg_version());
    tg_emit_text(json, "kernel", tg_recording_describe(list->recording).kernel);
    tg_emit_text(json, "order", about->order);
    tg_emit_text(json, "time", "a microsecond is a step of the run in this order");
    if (list->device)
        put_devices(json, list, count);
    else
        put_extent(json, list->recording);
    if (about->repeat) tg_emit_text(json, "repeat", about->repeat);
    tg_emit_close(json, '}');
}

/* Returns false if memory runs out. */
static bool put_recording(trace *t, tg_json_out *json)
{
    tg_trace_pieces pieces = {.failed = false};
    const size_t count = tg_recording_timeline(t->recording).event_count;
    if (!tg_tracks_write(json, &t->tracks)) return false;
    tg_trace_pieces_begin(&pieces);
    t->pieces = &pieces;
    t->json = &pieces.json;
    for (t->number = 0; t->number < count && !pieces.failed; t->number++) put_event(t, t->number);
    if (!pieces.failed) put_left_out(t);
    t->pieces = NULL;
    t->json = NULL;
    return tg_trace_pieces_write(&pieces, json);
}

static bool write_all(FILE *out, const tg_traced *list, size_t count, const tg_trace_about *about)
{
    tg_json_out json = {.out = out, .flat_from = 3};
    trace t = {.first_id = 0};
    bool is_good = true;
    tg_emit_open(&json, NULL, '{');
    put_about(&json, list, count, about);
    tg_emit_text(&json, "displayTimeUnit", "ns");
    tg_emit_open(&json, "traceEvents", '[');
    for (size_t i = 0; i < count && is_good; i++) {
        const tg_timeline_info info = tg_recording_timeline(list[i].recording);
        t.recording = t.tracks.recording = list[i].recording;
        t.tracks.device = list[i].device;
        t.steps = info.steps;
        is_good = put_recording(&t, &json);
        t.first_id += 2 * (int64_t)info.event_count;
        t.tracks.first_process += tg_tracks_processes(&t.tracks);
    }
    tg_emit_close(&json, ']');
    tg_emit_close(&json, '}');
    return is_good;
}

static char *text_of(const tg_traced *list, size_t count, const tg_trace_about *about,
                     tg_diags *diags)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool is_good = out && write_all(out, list, count, about);
    if (out && ferror(out)) is_good = false;
    if (out && fclose(out) != 0) is_good = false;
    if (is_good && text) return text;
    free(text);
    tg_no_memory(diags);
    return NULL;
}

char *tg_trace_text(const tg_traced *list, size_t count, const tg_trace_about *about,
                    tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    char *text = NULL;
    if (count)
        text = text_of(list, count, about, diags);
    else
        tg_fail(diags, TG_ERR_USAGE, NULL, "a trace needs at least one recording");
    tg_diags_free(&unwanted);
    return text;
}

char *tg_recording_left_out(const tg_recording *recording, char *out, size_t size)
{
    const tg_timeline_info info = tg_recording_timeline(recording);
    char program[TG_PROGRAM_TEXT], count[TG_NUMBER_TEXT], place[TG_RECORD_LEFT_OUT] = "";
    if (size) out[0] = '\0';
    if (!info.left_out) return out;
    const tg_record_location at = tg_recording_location(recording, info.left_location);
    tg_track_program(recording, info.left_program, program);
    if (at.line) snprintf(place, sizeof place, ", %.200s:%" PRId64, at.file, at.line);
    snprintf(out, size,
             "%s events are left out for want of room, the first at step %" PRId64
             " of program %s%s",
             tg_number_text(info.left_out, count), info.left_since, program, place);
    return out;
}
