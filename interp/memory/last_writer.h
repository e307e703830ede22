/* An observer that finds the last writer of one element of an array. */
#ifndef TG_INTERP_MEMORY_LAST_WRITER_H
#define TG_INTERP_MEMORY_LAST_WRITER_H

#include "interp/state/observer.h"

typedef struct tg_last_writer {
    const tg_kernel *kernel;
    uint32_t param;
    int64_t element;     /* row-major, in elements of the parameter */
    const tg_inst *inst; /* of the plan that ran; NULL: no program has written the element */
    int64_t program[TG_MAX_AXES];
    const tg_access_event *event; /* the event being looked at */
} tg_last_writer;

/* Watches one element of parameter `param`, also when it is written through the input of which the
 * parameter is an alias.  Only for runs on one thread. */
tg_last_writer tg_last_writer_of(const tg_kernel *kernel, uint32_t param, int64_t element);

/* `writer` must outlive the observer. */
tg_observer tg_last_writer_observer(tg_last_writer *writer);

#endif
