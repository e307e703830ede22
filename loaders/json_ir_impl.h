/* Definitions shared by the files of the IR loader. */
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

#endif
