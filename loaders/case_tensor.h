/* Reads the tensors of a case. */
#ifndef TG_LOADERS_CASE_TENSOR_H
#define TG_LOADERS_CASE_TENSOR_H

#include "loaders/case.h"
#include "loaders/json_value.h"

/* Reads the tensor of `param` that `item` of the case describes, of which folder and kind of arrays are
 * known.  Reports problems and returns false. */
bool tg_case_read_tensor(tg_json_reader *r, const tg_case *of, const cJSON *item, const tg_path *at,
                         const tg_param *param, tg_case_tensor *out);

#endif
