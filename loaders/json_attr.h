/* Reads the attributes of operations.  Paths are those of the JSON value that is read; false means
 * that a problem was reported. */
#ifndef TG_LOADERS_JSON_ATTR_H
#define TG_LOADERS_JSON_ATTR_H

#include "ir/ir.h"
#include "loaders/json_value.h"

/* Reads the attributes of `item`, an operation of code op->code, in the order of ops.def.  `result`
 * is the type of the first result, to which DATA is converted.  It is NULL if there is no result,
 * or, with `result_known` false, if the type could not be read, so that DATA cannot be checked. */
bool tg_json_read_attrs(tg_json_reader *r, const cJSON *item, const tg_path *at,
                        const tg_type *result, bool result_known, tg_op *op);

#endif
