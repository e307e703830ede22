/* Reads regions, operations and values.  Paths are those of the JSON value that is read; false
 * means that a problem was reported. */
#ifndef TG_LOADERS_JSON_REGION_H
#define TG_LOADERS_JSON_REGION_H

#include "loaders/json_ir_impl.h"

/* Reads a region, whose values are visible until it ends; `depth` is 1 for a body or index map. */
bool tg_json_read_region(tg_json_kernel *k, const cJSON *item, const tg_path *at, int depth,
                         tg_region *out);

/* Reads the type of a VALUE or param. */
bool tg_json_read_type(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_type *out);

/* Reads the index of a location. */
bool tg_json_read_loc(tg_json_kernel *k, const cJSON *item, const tg_path *at, uint32_t *out);

#endif
