/* The events of a trace, as texts that are put in an order.
 *
 * Readers of traces sort by time and keep the order of the file where times are equal.  An arrow then
 * belongs to the slice of its thread that has begun last.  So a slice must come before the arrows
 * that begin or end in it, and a longer one before those within it. */
#ifndef TG_API_TRACE_PIECES_H
#define TG_API_TRACE_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json_out.h"

/* What comes first at one time. */
typedef enum tg_trace_rank {
    TG_RANK_OUTER,        /* slices in which others may be: work, waits */
    TG_RANK_INNER,        /* slices of one step, */
    TG_RANK_ARROW_BEGINS, /* each with the arrows that begin in it */
    TG_RANK_FLIGHT_BEGINS,
    TG_RANK_ARROW_ENDS,
    TG_RANK_INSTANT,
    TG_RANK_FLIGHT_ENDS
} tg_trace_rank;

typedef struct tg_trace_piece {
    int64_t ts;
    tg_trace_rank rank;
    size_t slice; /* of a slice of one step and its arrows the same number */
    size_t number;
    long first, end; /* of its text */
} tg_trace_piece;

/* Zero-initialise; begins with tg_trace_pieces_begin, ends with tg_trace_pieces_write. */
typedef struct tg_trace_pieces {
    tg_json_out json; /* where the event that is open is written */
    char *text;
    size_t size;
    tg_trace_piece *list;
    size_t count, room;
    bool failed; /* memory has run out */
} tg_trace_pieces;

void tg_trace_pieces_begin(tg_trace_pieces *pieces);

/* Opens an event, an object of `pieces->json`, which tg_trace_piece_end closes. */
void tg_trace_piece_begin(tg_trace_pieces *pieces, int64_t ts, tg_trace_rank rank, size_t slice);
void tg_trace_piece_end(tg_trace_pieces *pieces);

/* Writes the events in their order, as elements of the open list, and frees them.  Returns false if
 * memory has run out. */
bool tg_trace_pieces_write(tg_trace_pieces *pieces, tg_json_out *json);

#endif
