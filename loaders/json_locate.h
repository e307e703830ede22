/* Finds the offset of a value in a text, as cJSON does not store it. */
#ifndef TG_LOADERS_JSON_LOCATE_H
#define TG_LOADERS_JSON_LOCATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Returns the byte offset of the value at `path` (NULL: the root) in a text that passed the scan;
 * -1 if there is none. */
int64_t tg_json_locate(const char *text, size_t length, const tg_path *path);

#endif
