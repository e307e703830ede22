/* Who is told of what happens in runs. */
#ifndef TG_PYTHON_XLA_LISTEN_H
#define TG_PYTHON_XLA_LISTEN_H

#include "tilegrind/tilegrind.h"

typedef enum tg_xla_event {
    TG_XLA_PRINT,  /* the text of a debug_print */
    TG_XLA_WARNING /* findings of a call that only warns of them */
} tg_xla_event;

/* A run of a call with `checks`, to its end; nothing of it lives longer than the call of the listener. */
typedef struct tg_xla_checked {
    const tg_module *module; /* with one kernel */
    const tg_report *report;
    const tg_suppressions *known; /* those of the call; NULL: none */
    /* Per param, a byte or more an element: inputs as they were before the run, outputs as it left them. */
    void *const *data;
    const int64_t *grid; /* sizes of the dynamic axes */
    size_t grid_count;
    const char *target; /* as in tg_run_options */
} tg_xla_checked;

typedef void (*tg_xla_listener)(int event, const char *text);
typedef void (*tg_xla_check_listener)(const tg_xla_checked *checked);

/* Who gets texts, and who the runs of checks, from whatever thread runs a kernel; NULL: nobody.  They return when nobody is
 * being told any more: not to be called by a listener. */
TG_API void tg_xla_listen(tg_xla_listener listener);
TG_API void tg_xla_listen_to_checks(tg_xla_check_listener listener);

/* Tells whoever listens, from the calling thread; nothing where nobody does. */
void tg_tell(tg_xla_event event, const char *text);
void tg_tell_checked(const tg_xla_checked *checked);

#endif
