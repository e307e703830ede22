/* Register files as memory: the registers of one thread after the other. */
#ifndef TG_PHYSICAL_REGISTERS_H
#define TG_PHYSICAL_REGISTERS_H

#include "layout/axe.h"

/* Rewrites a layout of values, on axes of threads and reg, as addresses on axis m in a file that has
 * the registers of each thread, in the order of the threads.  Copies stay copies. */
void tg_axe_in_registers(const tg_axe *axe, tg_axe *out);

/* The layout of a block with one more dimension in front, which counts the copies: each has one. */
void tg_axe_with_copies(const tg_axe *axe, tg_axe *out);

#endif
