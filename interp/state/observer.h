/* Observers are notified of what programs do; handlers do not know why.
 *
 * A handler says which memory it accesses; the observer decides what that means (written at all,
 * written twice, read before written).  Calls come from whichever thread runs the program. */
#ifndef TG_INTERP_STATE_OBSERVER_H
#define TG_INTERP_STATE_OBSERVER_H

#include "interp/state/index_walk.h"
#include "plan/inst.h"

typedef enum tg_access_kind {
    TG_ACCESS_READ = 1,
    TG_ACCESS_WRITE = 2,
    TG_ACCESS_ATOMIC = 4,
    TG_ACCESS_INTENT = 8,   /* before a WRITE, for what it will write */
    TG_ACCESS_UPDATED = 16, /* after an ATOMIC, for what it has accessed */
    /* The same, if the ATOMIC left the value as it was: no wait can be over by it. */
    TG_ACCESS_KEPT = 32,
    TG_ACCESS_COMPARED = 64 /* the same, if the ATOMIC has compared in vain: it has only read */
} tg_access_kind;

/* Part of the memory of one parameter: a strided box of elements of `width` bytes.  These are the
 * parameter's elements or, through a ref that a bitcast has made, narrower ones.  Offsets and
 * strides count such elements. */
typedef struct tg_access_event {
    tg_access_kind kind;
    uint32_t param;
    size_t width;
    unsigned char *data; /* the parameter's memory; for scratch, the chain's */
    const tg_inst *inst;
    const int64_t *program; /* coordinates of the program in the grid */
    int64_t program_index;  /* place of the program in the grid, row-major */
    int64_t chain;          /* see interp/state/order.h */
    int64_t actor;          /* see interp/state/actors.h */
    int64_t since;          /* the read sees memory as of this program, see tg_window_memory */
    int64_t first;
    int rank; /* >= 1 */
    int64_t count[TG_MAX_RANK], stride[TG_MAX_RANK];
} tg_access_event;

typedef struct tg_observer {
    unsigned wants; /* tg_access_kind bits: other accesses cost nothing */
    void *context;
    void (*accessed)(void *context, const tg_access_event *event);
} tg_observer;

/* Calls `visit` for each run of elements of `event`, with its first element, stride and count: a
 * row, or as many as follow each other.  All three count elements of `width` bytes, a power of two; an element
 * that is wider than those of the access counts if any part of it is accessed. */
typedef void tg_run_visitor(void *context, int64_t first, int64_t stride, int64_t count);
void tg_access_runs(const tg_access_event *event, size_t width, tg_run_visitor *visit,
                    void *context);

/* The same in the access's own elements.  It is inlined for callers that do little with each
 * run. */
static inline void tg_access_own_runs(const tg_access_event *event, tg_run_visitor *visit,
                                      void *context)
{
    int outer = event->rank - 1;
    const int64_t stride = event->stride[outer];
    int64_t count = event->count[outer];
    tg_index_walk row;
    while (count > 0 && outer > 0 && event->stride[outer - 1] == count * stride)
        count *= event->count[--outer];
    if (count <= 0 || !tg_index_begin(&row, outer, event->count)) return;
    do visit(context, event->first + tg_index_offset(&row, event->stride), stride, count);
    while (tg_index_next(&row));
}

#endif
