/* Listeners that are notified of events in runs. */
#ifndef TG_PYTHON_XLA_LISTEN_H
#define TG_PYTHON_XLA_LISTEN_H

#include "tilegrind/tilegrind.h"

typedef enum tg_xla_event {
    TG_XLA_PRINT,  /* the text of a debug_print */
    TG_XLA_WARNING /* findings of a call that only warns of them */
} tg_xla_event;

/* A finished run of a call with `checks`; valid only during the call of the listener. */
typedef struct tg_xla_checked {
    const tg_module *module; /* with one kernel */
    const tg_report *report;
    const tg_suppressions *known; /* suppressions of the call; NULL: none */
    /* Per param, one or more bytes per element: inputs before the run, outputs after it. */
    void *const *data;
    const int64_t *grid; /* sizes of the dynamic axes */
    size_t grid_count;
    const char *target; /* as in tg_run_options */
} tg_xla_checked;

typedef void (*tg_xla_listener)(int event, const char *text);
typedef void (*tg_xla_check_listener)(const tg_xla_checked *checked);

/* Set the listener for texts, and the listener for runs of checks; NULL: none.  Any thread that
 * runs a kernel calls a listener.  They return only when no listener is running any more, so a
 * listener must not call them. */
TG_API void tg_xla_listen(tg_xla_listener listener);
TG_API void tg_xla_listen_to_checks(tg_xla_check_listener listener);

/* Calls the listener, if there is one, on the calling thread. */
void tg_tell(tg_xla_event event, const char *text);
void tg_tell_checked(const tg_xla_checked *checked);

#endif
