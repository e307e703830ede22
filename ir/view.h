/* Blocks of elements in place in memory. */
#ifndef TG_IR_VIEW_H
#define TG_IR_VIEW_H

#include "ir/type.h"

/* A strided view.  Strides count elements and may be 0 (broadcast) or negative.  `data` points at
 * element [0,...]. */
typedef struct tg_view {
    const void *data;
    int rank;
    int64_t shape[TG_MAX_RANK];
    int64_t stride[TG_MAX_RANK];
} tg_view;

#endif
