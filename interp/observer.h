/* Observers: who wants to know what programs do, without the handlers knowing why.
 *
 * A handler tells what memory it touched; what that means (written at all, written twice, read before
 * written) is the observer's business.  Calls come from whatever thread runs the program. */
#ifndef TG_INTERP_OBSERVER_H
#define TG_INTERP_OBSERVER_H

#include "ir/plan.h"

typedef enum tg_touch_kind {
    TG_TOUCH_READ = 1,
    TG_TOUCH_WRITE = 2,
    TG_TOUCH_ATOMIC = 4
} tg_touch_kind;

/* Elements of one parameter's memory: a strided box of them, offsets and strides in elements of the array. */
typedef struct tg_touch {
    tg_touch_kind kind;
    uint32_t param;
    const tg_inst *inst;
    const int64_t *program; /* its place on each axis of the grid */
    int64_t order;          /* its place in the grid, row-major */
    int64_t first;
    int rank; /* >= 1 */
    int64_t count[TG_MAX_RANK], stride[TG_MAX_RANK];
} tg_touch;

typedef struct tg_observer {
    unsigned wants; /* tg_touch_kind bits: nobody pays for what nobody wants */
    void *context;
    void (*touched)(void *context, const tg_touch *touch);
} tg_observer;

/* Calls `visit` for each run of `touch` along its last dimension: its first element, stride and count. */
void tg_touch_runs(const tg_touch *touch,
                   void (*visit)(void *context, int64_t first, int64_t stride, int64_t count),
                   void *context);

#endif
