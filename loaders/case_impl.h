/* What the parts of the case loader share. */
#ifndef TG_LOADERS_CASE_IMPL_H
#define TG_LOADERS_CASE_IMPL_H

#include "loaders/case.h"
#include "loaders/json_value.h"

/* A case being read. */
typedef struct tg_case_reader {
    tg_json_reader json;
    tg_case *out;
    char file[sizeof((tg_diags *)0)->file]; /* path of case.json, for diagnoses */
} tg_case_reader;

/* The path of the file named by the string `item`, to be freed with free(), or NULL, reported. */
char *tg_case_file(tg_case_reader *r, const cJSON *item, const tg_path *at);

/* case_tensor.c: the tensor of `param` as `item` describes it.  False, reported, where it is wrong. */
bool tg_case_read_tensor(tg_case_reader *r, const cJSON *item, const tg_path *at,
                         const tg_param *param, tg_case_tensor *out);

#endif
