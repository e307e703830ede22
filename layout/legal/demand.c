#include "layout/legal/demand.h"

#include <stdlib.h>

tg_status tg_demand_broken(const tg_demand *rule, tg_text *found, tg_diags *diags)
{
    char *said = tg_text_finish(found);
    tg_fail(diags, TG_ERR_INVALID, NULL, "%s: %s; %s (%s)", rule->id, said ? said : "",
            rule->demands, rule->source);
    free(said);
    return TG_ERR_INVALID;
}
