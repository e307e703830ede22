/* Names of files in a case, which must stay inside its folder. */
#ifndef TG_LOADERS_CASE_PATH_H
#define TG_LOADERS_CASE_PATH_H

#include "base/diag.h"

/* What is wrong with `name` as the name of a file in a case, or NULL: it must be relative and have no
 * component "..", backslash or NUL. */
const char *tg_case_name_problem(const char *name);

/* folder/name, to be freed with free(), checked to be inside the folder with all symbolic links followed.
 * NULL and *status TG_ERR_IO (no such file), TG_ERR_INVALID (outside) or TG_ERR_NO_MEMORY; *why is then
 * static text. */
char *tg_case_resolve(const char *folder, const char *name, tg_status *status, const char **why);

#endif
