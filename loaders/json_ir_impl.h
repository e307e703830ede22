/* What the parts of the IR loader share.  Paths are those of the JSON value at hand; false means
 * that a problem was reported. */
#ifndef TG_LOADERS_JSON_IR_IMPL_H
#define TG_LOADERS_JSON_IR_IMPL_H

#include "ir/ir.h"
#include "loaders/json_scope.h"
#include "loaders/json_value.h"

/* The kernel being read. */
typedef struct tg_json_kernel {
    tg_json_reader *r;
    tg_kernel *kernel;
    tg_json_scope scope;
    uint32_t loc_count;
} tg_json_kernel;

/* json_attr.c: the attributes of `item`, an operation of code op->code, in the order of ops.def.
 * `result` is the type of the first result, which DATA is converted to; NULL where there is none
 * and where `result_known` says that it was not readable, so that DATA cannot be checked. */
bool tg_json_read_attrs(tg_json_reader *r, const cJSON *item, const tg_path *at,
                        const tg_type *result, bool result_known, tg_op *op);

/* json_region.c: a region whose values are visible until it ends; `depth` is 1 for a body or index
 * map. */
bool tg_json_read_region(tg_json_kernel *k, const cJSON *item, const tg_path *at, int depth,
                         tg_region *out);

/* json_region.c: the type that a VALUE or param states. */
bool tg_json_read_type(tg_json_reader *r, const cJSON *item, const tg_path *at, tg_type *out);

/* json_region.c: the number of a location. */
bool tg_json_read_loc(tg_json_kernel *k, const cJSON *item, const tg_path *at, uint32_t *out);

/* json_param.c: all params, with k->kernel->axes already there. */
bool tg_json_read_params(tg_json_kernel *k, const cJSON *list, const tg_path *at);

#endif
