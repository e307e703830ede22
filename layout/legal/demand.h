/* What hardware demands, or what programs it: each demand is a row of a table, beside the function that
 * tries it. */
#ifndef TG_LAYOUT_LEGAL_DEMAND_H
#define TG_LAYOUT_LEGAL_DEMAND_H

#include <stdbool.h>

#include "base/text.h"

typedef struct tg_demand {
    const char *id, *demands;
    const char *source; /* a document and its section, or a program and its file */
} tg_demand;

/* Records "<id>: <found>; <demands> (<source>)", and frees `found`.  Returns TG_ERR_INVALID. */
tg_status tg_demand_broken(const tg_demand *rule, tg_text *found, tg_diags *diags);

#endif
