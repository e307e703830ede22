/* Where a value stands in a text, which cJSON does not keep. */
#ifndef TG_LOADERS_JSON_LOCATE_H
#define TG_LOADERS_JSON_LOCATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Byte offset of the value at `path` (NULL: the root), in a text that passed the scan; -1 where there is none. */
int64_t tg_json_locate(const char *text, size_t length, const tg_path *path);

#endif
