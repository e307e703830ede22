/* Which elements of the outputs were written: one bit each. */
#ifndef TG_CHECKS_WRITTEN_BITS_H
#define TG_CHECKS_WRITTEN_BITS_H

#include "interp/state/observer.h"

typedef struct tg_written {
    uint64_t **bits; /* per param; NULL if it is not watched */
    size_t *width;   /* per param: bytes of an element */
    uint32_t param_count;
    bool is_shared; /* programs of the run are on several threads */
} tg_written;

/* Watches the outputs of the kernel that share no memory with an input.  Returns false if memory
 * runs out. */
bool tg_written_init(tg_written *written, const tg_kernel *kernel);
void tg_written_free(tg_written *written);

/* Marks all elements as unwritten, at the start of each run of `kernel`, whose programs may be on
 * several threads. */
void tg_written_reset(tg_written *written, const tg_kernel *kernel, bool is_shared);

/* Marks the elements of a store or an atomic op.  May be called on any thread of the run. */
void tg_written_accessed(const tg_written *written, const tg_access_event *event);

/* Returns how many of the `count` elements of output `param` no program wrote, and sets *first to
 * the first of them.  Returns 0 if the param is not watched. */
int64_t tg_written_missing(const tg_written *written, uint32_t param, int64_t count,
                           int64_t *first);

bool tg_written_is(const tg_written *written, uint32_t param, int64_t element);

#endif
