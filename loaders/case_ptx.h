/* Reads the PTX that a case has of its kernel, made by another compiler. */
#ifndef TG_LOADERS_CASE_PTX_H
#define TG_LOADERS_CASE_PTX_H

#include "loaders/case.h"
#include "loaders/json_value.h"

/* Reads the file and the launch that `item` describes into *out, in the arena; the case has its kernel
 * by then.  Reports problems and returns false. */
bool tg_case_read_ptx(tg_json_reader *r, const tg_case *of, const cJSON *item, const tg_path *at,
                      tg_case_ptx **out);

#endif
