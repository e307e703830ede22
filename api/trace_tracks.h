/* Where a trace shows what: a process for each program, without its axes of threads, a thread for
 * each of its threads, and one more for its copies and products. */
#ifndef TG_API_TRACE_TRACKS_H
#define TG_API_TRACE_TRACKS_H

#include <stdbool.h>

#include "base/json_out.h"
#include "plan/program_text.h"
#include "tilegrind/record.h"

typedef struct tg_track {
    int64_t process, thread; /* numbers from 1 on */
} tg_track;

/* Those of one recording among several. */
typedef struct tg_tracks {
    const tg_recording *recording;
    const char *device;    /* of a mesh, in the names of processes; NULL: none */
    int64_t first_process; /* processes of the recordings before it */
} tg_tracks;

/* The track of the thread of an event, and of ops beside the programs that it has started. */
tg_track tg_track_of(const tg_tracks *tracks, const tg_record_event *event);
tg_track tg_track_of_ops(const tg_tracks *tracks, const tg_record_event *event);

/* How many processes the programs are, whether they have events or not. */
int64_t tg_tracks_processes(const tg_tracks *tracks);

/* Print the coordinates of the program with that number on the axes that are none of threads, and on
 * those of threads ("" where there are none), as tg_named_coordinates_print does; return `out`. */
char *tg_track_program(const tg_recording *recording, int64_t program, char out[TG_PROGRAM_TEXT]);
char *tg_track_thread(const tg_recording *recording, int64_t program, char out[TG_PROGRAM_TEXT]);

/* Writes the events that name processes and threads.  Returns false if memory runs out. */
bool tg_tracks_write(tg_json_out *json, const tg_tracks *tracks);

#endif
