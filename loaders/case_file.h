/* Paths of the files that a case names. */
#ifndef TG_LOADERS_CASE_FILE_H
#define TG_LOADERS_CASE_FILE_H

#include "loaders/json_value.h"

/* Returns the path of the file of `folder` that the string `item` names, which the caller frees
 * with free().  Reports failures and returns NULL. */
char *tg_case_file(tg_json_reader *r, const char *folder, const cJSON *item, const tg_path *at);

#endif
