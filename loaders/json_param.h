/* Reads parameters of kernels.  Paths are those of the JSON value that is read; false means that a
 * problem was reported. */
#ifndef TG_LOADERS_JSON_PARAM_H
#define TG_LOADERS_JSON_PARAM_H

#include "loaders/json_ir_impl.h"

/* Reads all params; k->kernel->axes must have been read before. */
bool tg_json_read_params(tg_json_kernel *k, const cJSON *list, const tg_path *at);

#endif
