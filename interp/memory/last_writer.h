/* The observer of who wrote one element of an array last. */
#ifndef TG_INTERP_MEMORY_LAST_WRITER_H
#define TG_INTERP_MEMORY_LAST_WRITER_H

#include "interp/state/observer.h"

typedef struct tg_last_writer {
    const tg_kernel *kernel;
    uint32_t param;
    int64_t element;     /* row-major, in elements of the parameter */
    const tg_inst *inst; /* of the plan that ran; NULL: nobody has written it */
    int64_t program[TG_MAX_AXES];
    const tg_access_event *event; /* that is being looked at */
} tg_last_writer;

/* Watches one element of parameter `param`, also where it is written by way of the input that it is
 * an alias of.  For runs of one thread. */
tg_last_writer tg_last_writer_of(const tg_kernel *kernel, uint32_t param, int64_t element);

/* `writer` outlives the observer. */
tg_observer tg_last_writer_observer(tg_last_writer *writer);

#endif
