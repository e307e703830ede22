/* Pictures of block mappings: which program gets which element of a parameter. */
#ifndef TG_RUN_MAP_H
#define TG_RUN_MAP_H

#include "ir/ir.h"

/* Draws the parameter called `name` as a table of text, or as SVG.  Each element shows the programs
 * whose block contains it: the last one in grid order, and the number of others.  Arrays of more
 * than two dimensions are drawn slice by slice.  The caller frees the text.  Returns NULL, with a
 * diagnosis, if the kernel has no such parameter, an axis is dynamic, the index map reads
 * prefetched values, the picture would have more than 10,000 elements, or the grid has more than
 * 100,000 programs. */
char *tg_map_draw(const tg_module *module, const tg_kernel *kernel, const char *name, bool is_svg,
                  tg_diags *diags);

#endif
