/* The text of debug_print, and of failed checks. */
#ifndef TG_REPORT_PRINT_H
#define TG_REPORT_PRINT_H

#include "plan/plan.h"
#include "ir/view.h"

/* Returns operand `i` of the instruction as a view of carriers. */
typedef tg_view tg_print_view_fn(const void *context, const struct tg_inst_print *print,
                                 uint32_t i);

/* Returns the format of a debug_print or check, with its operands inserted, followed by `end`.  All
 * backends use it.  The caller frees the text.  Returns NULL if memory runs out. */
char *tg_print_values(const struct tg_inst_print *print, tg_print_view_fn *view,
                      const void *context, const char *end);

#endif
