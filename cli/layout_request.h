/* tilegrind layout: what its options say. */
#ifndef TG_CLI_LAYOUT_REQUEST_H
#define TG_CLI_LAYOUT_REQUEST_H

#include <stdbool.h>

#include "tilegrind/layout.h"

/* A shape or a coordinate. */
typedef struct tg_cli_shape {
    size_t rank;
    int64_t extent[16];
} tg_cli_shape;

typedef struct tg_cli_layout {
    tg_cli_shape shape; /* rank 0: not given */
    const char *by, *from, *to, *mesh;
    int element_bytes;
    bool places, svg, json, sum;
    tg_errors *errors;
} tg_cli_layout;

#endif
