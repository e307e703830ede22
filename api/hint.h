/* What the user may declare, of which findings speak. */
#ifndef TG_API_HINT_H
#define TG_API_HINT_H

#include "base/diag.h"
#include "tilegrind/tilegrind.h"

/* When all findings are known: what the user may declare, of which some of them speak; NULL where
 * none does. TG_ERR_NO_MEMORY. */
tg_status tg_api_set_hint(tg_report *report, tg_diags *diags);

#endif
