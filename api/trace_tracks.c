#include "api/trace_tracks.h"

#include <stdlib.h>
#include <string.h>

static size_t axes_of(const tg_recording *r) { return tg_recording_describe(r).axis_count; }

static void coordinates_of(const tg_recording *r, int64_t program, int64_t out[TG_MAX_AXES])
{
    for (size_t a = axes_of(r); a-- > 0;) {
        const int64_t size = tg_recording_axis(r, a).size;
        out[a] = program % size;
        program /= size;
    }
}

/* ---- tracks ---- */

/* Of the axes of threads, or of the others. */
static int64_t count_on(const tg_recording *r, bool of_threads)
{
    int64_t count = 1;
    for (size_t a = 0; a < axes_of(r); a++) {
        const tg_record_axis axis = tg_recording_axis(r, a);
        if ((axis.is_thread != 0) == of_threads) count *= axis.size;
    }
    return count;
}

int64_t tg_tracks_processes(const tg_tracks *t) { return count_on(t->recording, false); }

/* Programs are counted row-major on the axes that are none of threads. */
tg_track tg_track_of(const tg_tracks *t, const tg_record_event *event)
{
    const tg_recording *r = t->recording;
    int64_t at[TG_MAX_AXES] = {0}, process = 0;
    coordinates_of(r, event->program, at);
    for (size_t a = 0; a < axes_of(r); a++) {
        const tg_record_axis axis = tg_recording_axis(r, a);
        if (!axis.is_thread) process = process * axis.size + at[a];
    }
    return (tg_track){t->first_process + process + 1, event->thread + 1};
}

tg_track tg_track_of_ops(const tg_tracks *t, const tg_record_event *event)
{
    return (tg_track){tg_track_of(t, event).process, count_on(t->recording, true) + 1};
}

/* ---- names ---- */

/* The coordinates on the axes of threads, or on the others; returns their number. */
static int coordinates_on(const tg_recording *r, int64_t program, bool of_threads,
                          tg_grid_coordinate out[TG_MAX_AXES])
{
    int64_t at[TG_MAX_AXES] = {0};
    int count = 0;
    coordinates_of(r, program, at);
    for (size_t a = 0; a < axes_of(r); a++) {
        const tg_record_axis axis = tg_recording_axis(r, a);
        if ((axis.is_thread != 0) == of_threads)
            out[count++] = (tg_grid_coordinate){axis.name, axis.size, at[a]};
    }
    return count;
}

char *tg_track_program(const tg_recording *r, int64_t program, char out[TG_PROGRAM_TEXT])
{
    tg_grid_coordinate coordinates[TG_MAX_AXES];
    const int count = coordinates_on(r, program, false, coordinates);
    return tg_named_coordinates_print(count, coordinates, out);
}

char *tg_track_thread(const tg_recording *r, int64_t program, char out[TG_PROGRAM_TEXT])
{
    tg_grid_coordinate coordinates[TG_MAX_AXES];
    const int count = coordinates_on(r, program, true, coordinates);
    out[0] = '\0';
    return count ? tg_named_coordinates_print(count, coordinates, out) : out;
}

/* A track, and one of the events that are on it. */
typedef struct used {
    tg_track track;
    int64_t program;
    bool is_of_ops;
} used;

static int by_track(const void *a, const void *b)
{
    const tg_track *left = &((const used *)a)->track, *right = &((const used *)b)->track;
    if (left->process != right->process) return left->process < right->process ? -1 : 1;
    return (left->thread > right->thread) - (left->thread < right->thread);
}

/* A metadata event as far as what it says of the track; close_metadata ends it. */
static void open_metadata(tg_json_out *json, const tg_track *track, const char *what)
{
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "ph", "M");
    tg_emit_text(json, "name", what);
    tg_emit_int(json, "pid", track->process);
    tg_emit_int(json, "tid", track->thread);
    tg_emit_open(json, "args", '{');
}

static void close_metadata(tg_json_out *json)
{
    tg_emit_close(json, '}');
    tg_emit_close(json, '}');
}

static void write_name(tg_json_out *json, const tg_track *track, const char *what, const char *name)
{
    open_metadata(json, track, what);
    tg_emit_text(json, "name", name);
    close_metadata(json);
}

static void write_index(tg_json_out *json, const tg_track *track, const char *what, int64_t index)
{
    open_metadata(json, track, what);
    tg_emit_int(json, "sort_index", index);
    close_metadata(json);
}

static void write_process(tg_json_out *json, const tg_tracks *t, const used *u)
{
    char program[TG_PROGRAM_TEXT], name[2 * TG_PROGRAM_TEXT + 16];
    snprintf(name, sizeof name, "%.199s%sprogram %s", t->device ? t->device : "",
             t->device ? ", " : "", tg_track_program(t->recording, u->program, program));
    write_name(json, &u->track, "process_name", name);
    write_index(json, &u->track, "process_sort_index", u->track.process);
}

static void write_thread(tg_json_out *json, const tg_recording *r, const used *u)
{
    char thread[TG_PROGRAM_TEXT], name[TG_PROGRAM_TEXT + 16];
    tg_track_thread(r, u->program, thread);
    snprintf(name, sizeof name, "%s%s", thread[0] ? "thread " : "program", thread);
    write_name(json, &u->track, "thread_name", u->is_of_ops ? "copies and products" : name);
    write_index(json, &u->track, "thread_sort_index", u->track.thread);
}

static size_t list_tracks(const tg_tracks *t, used *list)
{
    size_t count = 0;
    const tg_timeline_info info = tg_recording_timeline(t->recording);
    for (size_t i = 0; i < info.event_count; i++) {
        const tg_record_event e = tg_recording_event(t->recording, i);
        list[count++] = (used){tg_track_of(t, &e), e.program, false};
        if (e.happened >= 0 || e.read >= 0)
            list[count++] = (used){tg_track_of_ops(t, &e), e.program, true};
    }
    qsort(list, count, sizeof *list, by_track);
    return count;
}

bool tg_tracks_write(tg_json_out *json, const tg_tracks *t)
{
    used *list = calloc(2 * tg_recording_timeline(t->recording).event_count + 1, sizeof *list);
    if (!list) return false;
    const size_t count = list_tracks(t, list);
    for (size_t i = 0; i < count; i++) {
        const bool is_first = i == 0 || by_track(&list[i - 1], &list[i]) != 0;
        if (!is_first) continue;
        if (i == 0 || list[i - 1].track.process != list[i].track.process)
            write_process(json, t, &list[i]);
        write_thread(json, t->recording, &list[i]);
    }
    free(list);
    return true;
}
