/* tilegrind layout: what its options and operands say, and what its operations share. */
#ifndef TG_CLI_LAYOUT_H
#define TG_CLI_LAYOUT_H

#include <stdbool.h>

#include "tilegrind/layout.h"

/* A shape or a coordinate. */
typedef struct tg_cli_shape {
    size_t rank;
    int64_t extent[16];
} tg_cli_shape;

typedef struct tg_cli_layout {
    tg_cli_shape shape; /* rank 0: not given */
    const char *by;
    int element_bytes;
    bool places, svg, json;
    tg_errors *errors;
} tg_cli_layout;

/* An operation: `tilegrind layout NAME OPERANDS`. */
typedef struct tg_cli_layout_op {
    const char *name, *operands, *help;
    int least, most; /* operands */
    int (*run)(const tg_cli_layout *request, int count, char **operands);
} tg_cli_layout_op;

/* Reads a layout; where that fails, says why, with the place in the text, and sets the exit code. */
tg_layout *tg_cli_layout_read(const tg_cli_layout *request, const char *text, int *code);

/* Says what a call has found, and returns the exit code of its status. */
int tg_cli_layout_failed(const tg_cli_layout *request);

/* Reads "8,16", "(8,16)" or "8"; false if it is none. */
bool tg_cli_shape_read(const char *text, tg_cli_shape *out);

/* The element of an operand: an index, or a coordinate in the shape.  False, after it has been said, if
 * it is none. */
bool tg_cli_layout_element(const tg_cli_layout *request, const char *text, int64_t *out);

/* Prints a place, "lane=8 warp=6 reg=1", with all axes that `layout` uses. */
void tg_cli_print_place(const tg_layout *layout, const int64_t *place);

extern const tg_cli_layout_op tg_cli_layout_ops[]; /* the last has no name */

#endif
