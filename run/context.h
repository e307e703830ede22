/* Run contexts: where runs take place, kept from run to run.  Several runs at once need one each. */
#ifndef TG_RUN_CONTEXT_H
#define TG_RUN_CONTEXT_H

#include "schedule/machines.h"

/* Memory of a parameter that takes the place of the caller's. */
typedef struct tg_own_memory {
    void *data;     /* NULL until it is needed for the first time */
    bool goes_back; /* in this run: an output whose memory is the caller's copy */
} tg_own_memory;

typedef struct tg_run_context {
    tg_launch launch;
    tg_machines machines;
    tg_own_memory *own; /* per param */
} tg_run_context;

enum { TG_KEPT_CONTEXTS = 16 }; /* that wait for the next run */

/* Run contexts that are not in use lie in `kept`, each of which one atomic exchange takes or gives back:
 * no lock is there to be held by a thread that a fork leaves behind. */
typedef struct tg_run_contexts {
    const tg_launch *bound; /* what all run contexts share; has no memory of parameters */
    tg_run_context *kept[TG_KEPT_CONTEXTS];
} tg_run_contexts;

/* One that is the caller's until it is given back; NULL without memory. */
tg_run_context *tg_run_context_take(tg_run_contexts *contexts);
void tg_run_context_give_back(tg_run_contexts *contexts, tg_run_context *b);

/* Frees those that are not in use. */
void tg_run_contexts_free(tg_run_contexts *contexts);

#endif
