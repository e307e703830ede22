/* Run contexts: the memory in which runs work, kept from run to run.  Each of several simultaneous
 * runs needs its own. */
#ifndef TG_RUN_CONTEXT_H
#define TG_RUN_CONTEXT_H

#include "schedule/machines.h"

/* Memory of a parameter that replaces the caller's. */
typedef struct tg_own_memory {
    void *data; /* NULL until it is first needed */
    /* In this run, the memory holds an output that must be copied to the caller's memory at the
     * end. */
    bool goes_back;
} tg_own_memory;

typedef struct tg_run_context {
    tg_launch launch;
    tg_machines machines;
    tg_own_memory *own; /* per param */
} tg_run_context;

enum { TG_KEPT_CONTEXTS = 16 }; /* contexts kept for later runs */

/* Unused run contexts are in `kept`.  One atomic exchange takes a context or gives it back, so
 * there is no lock that a thread could hold during a fork. */
typedef struct tg_run_contexts {
    /* What all run contexts share; it has no memory of parameters. */
    const tg_launch *bound;
    tg_run_context *kept[TG_KEPT_CONTEXTS];
} tg_run_contexts;

/* Takes a context, which belongs to the caller until it is given back.  Returns NULL if memory runs
 * out. */
tg_run_context *tg_run_context_take(tg_run_contexts *contexts);
void tg_run_context_give_back(tg_run_contexts *contexts, tg_run_context *b);

/* Frees the unused contexts. */
void tg_run_contexts_free(tg_run_contexts *contexts);

#endif
