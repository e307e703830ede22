/* Observers: who wants to know what programs do, without the handlers knowing why.
 *
 * A handler tells what memory it touches; what that means (written at all, written twice, read
 * before written) is the observer's business.  Calls come from whatever thread runs the program. */
#ifndef TG_INTERP_STATE_OBSERVER_H
#define TG_INTERP_STATE_OBSERVER_H

#include "interp/state/index_walk.h"
#include "plan/inst.h"

typedef enum tg_access_kind {
    TG_ACCESS_READ = 1,
    TG_ACCESS_WRITE = 2,
    TG_ACCESS_ATOMIC = 4,
    TG_ACCESS_INTENT = 8,   /* what a WRITE is going to touch, before it does */
    TG_ACCESS_UPDATED = 16, /* what an ATOMIC has touched, after it */
    TG_ACCESS_KEPT =
        32 /* the same, where it has left the value as it was: nobody who waits needs to look */
} tg_access_kind;

/* Part of one parameter's memory: a strided box of elements of `width` bytes, which are its own or,
 * through a reference that a bitcast has made, narrower ones.  Offsets and strides are in such
 * elements. */
typedef struct tg_access_event {
    tg_access_kind kind;
    uint32_t param;
    size_t width;
    unsigned char *data; /* the parameter's memory; of scratch, that of the chain */
    const tg_inst *inst;
    const int64_t *program; /* its place on each axis of the grid */
    int64_t program_index;  /* its place in the grid, row-major */
    int64_t chain;          /* see interp/state/order.h */
    int64_t actor;          /* see interp/state/actors.h */
    int64_t since;          /* the program as of which the memory is read, see tg_window_memory */
    int64_t first;
    int rank; /* >= 1 */
    int64_t count[TG_MAX_RANK], stride[TG_MAX_RANK];
} tg_access_event;

typedef struct tg_observer {
    unsigned wants; /* tg_access_kind bits: nobody pays for what nobody wants */
    void *context;
    void (*accessed)(void *context, const tg_access_event *event);
} tg_observer;

/* Calls `visit` for each run of `event` along its last dimension: its first element, stride and
 * count, all in elements of `width` bytes, a power of two (a wider one counts where a part of it is
 * touched). */
typedef void tg_run_visitor(void *context, int64_t first, int64_t stride, int64_t count);
void tg_access_runs(const tg_access_event *event, size_t width, tg_run_visitor *visit,
                    void *context);

/* The same in the access's own elements, and inlined: for who has little to do with each run. */
static inline void tg_access_own_runs(const tg_access_event *event, tg_run_visitor *visit,
                                      void *context)
{
    const int last = event->rank - 1;
    tg_index_walk row;
    if (event->count[last] <= 0 || !tg_index_begin(&row, last, event->count)) return;
    do
        visit(context, event->first + tg_index_offset(&row, event->stride), event->stride[last],
              event->count[last]);
    while (tg_index_next(&row));
}

#endif
