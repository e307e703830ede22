/* Files that a case names. */
#ifndef TG_LOADERS_CASE_FILE_H
#define TG_LOADERS_CASE_FILE_H

#include "loaders/json_value.h"

/* The path of the file of `folder` that the string `item` names, to be freed with free(), or NULL, reported. */
char *tg_case_file(tg_json_reader *r, const char *folder, const cJSON *item, const tg_path *at);

#endif
