/* What debug_print prints, and what check says. */
#ifndef TG_REPORT_PRINT_H
#define TG_REPORT_PRINT_H

#include "plan/plan.h"
#include "ir/view.h"

/* Operand number `i` of the instruction: a view of carriers. */
typedef tg_view tg_print_view_fn(const void *context, const struct tg_inst_print *print,
                                 uint32_t i);

/* The format of a debug_print or check with its operands in their places, and `end`.  Every
 * backend's text comes from here.  The caller frees it; NULL without memory. */
char *tg_print_values(const struct tg_inst_print *print, tg_print_view_fn *view,
                      const void *context, const char *end);

#endif
