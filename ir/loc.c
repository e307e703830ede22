#include "ir/loc.h"

#include <inttypes.h>
#include <stdio.h>

char *tg_loc_print(const tg_loc *loc, char out[TG_LOC_TEXT])
{
    out[0] = '\0';
    if (loc->line) snprintf(out, TG_LOC_TEXT, " (%s:%" PRId64 ")", loc->file, loc->line);
    return out;
}
