/* Shared memory of a GPU kernel: threads access it by the generic proxy, copies by the asynchronous
 * one. */
#ifndef TG_CHECKS_SHARED_MEMORY_H
#define TG_CHECKS_SHARED_MEMORY_H

#include <string.h>

#include "ir/ir.h"

static inline bool tg_param_is_shared_memory(const tg_param *param)
{
    return param->role == TG_ROLE_SCRATCH && param->space && strcmp(param->space, "smem") == 0;
}

#endif
