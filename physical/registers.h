/* Register files as memory: the registers of one thread after the other. */
#ifndef TG_PHYSICAL_REGISTERS_H
#define TG_PHYSICAL_REGISTERS_H

#include "layout/axe.h"

/* A file with room for all places of the layouts that are added. */
typedef struct tg_register_file {
    int64_t extent[TG_AXIS_COUNT]; /* 1 + the greatest coordinate on each axis */
} tg_register_file;

void tg_register_file_begin(tg_register_file *file);
void tg_register_file_add(tg_register_file *file, const tg_axe *axe);

/* Rewrites a layout of values, on axes of threads, reg, TLane and TCol, as addresses in the file, on axis
 * m.  Threads count as in their block, whatever axes say which (layout/thread.h).  Copies stay copies. */
void tg_axe_in_registers(const tg_axe *axe, const tg_register_file *file, tg_axe *out);

/* The layout of a block with one more dimension in front, which counts the copies: each has one. */
void tg_axe_with_copies(const tg_axe *axe, tg_axe *out);

#endif
