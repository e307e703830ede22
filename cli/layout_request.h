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

enum { TG_CLI_MOST_LANES = 16 };

typedef struct tg_cli_layout {
    tg_cli_shape shape; /* rank 0: not given */
    const char *by, *title, *from, *to, *mesh;
    const char *lanes[TG_CLI_MOST_LANES]; /* the texts of --lanes */
    size_t lanes_count;
    int element_bytes, access_bytes, join_rows, join_columns; /* 0: not given */
    bool places, svg, json, sum;
    tg_errors *errors;
} tg_cli_layout;

#endif
