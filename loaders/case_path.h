/* Checks names of files in a case, which must be inside its folder. */
#ifndef TG_LOADERS_CASE_PATH_H
#define TG_LOADERS_CASE_PATH_H

#include "base/diag.h"

/* Returns what is wrong with `name` as the name of a file in a case, or NULL.  The name must be
 * relative and have no component "..", backslash or NUL. */
const char *tg_case_name_problem(const char *name);

/* Returns the path folder/name, which the caller frees with free(), after following all symbolic
 * links and checking that it is inside the folder.  On failure returns NULL and sets *status to
 * TG_ERR_IO (no such file), TG_ERR_INVALID (outside) or TG_ERR_NO_MEMORY, and *why to a static
 * text. */
char *tg_case_resolve(const char *folder, const char *name, tg_status *status, const char **why);

#endif
