/* Options of runs. */
#ifndef TG_API_OPTIONS_H
#define TG_API_OPTIONS_H

#include <stdbool.h>

#include "run/run.h"
#include "tilegrind/tilegrind.h"

/* The caller's options (NULL: none), whose struct may be that of an older header. */
tg_run_options tg_api_options(const tg_run_options *options);

/* Whether they name a backend other than the interpreter. */
bool tg_is_remote(const tg_run_options *options);

/* Whether a profile's name (NULL: "reference") is "fast"; TG_ERR_USAGE where it is no profile's. */
tg_status tg_api_profile(const char *name, bool *is_fast, tg_diags *diags);

/* What runs on the interpreter take from them: all but plan and observer.  TG_ERR_USAGE, or TG_ERR_UNSUPPORTED where profile
 * fast cannot run. */
tg_status tg_api_set_settings(const tg_run_options *options, tg_run_settings *settings,
                              tg_diags *diags);

#endif
