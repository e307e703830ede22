#include "layout/notation/notation.h"

#include <stdio.h>
#include <string.h>

#include "layout/notation/forms.h"

const tg_notation tg_notations[] = {
#define TG_NOTATION(id, name, means, example)                                                      \
    {name, means, example, tg_notation_read_##id, tg_notation_print_##id},
#include "layout/notation/notations.def"
    {NULL, NULL, NULL, NULL, NULL},
};

tg_status tg_notation_find(const char *name, const tg_notation **out, tg_diags *diags)
{
    char known[256] = "";
    size_t used = 0;
    for (*out = tg_notations; (*out)->name; ++*out) {
        if (strcmp((*out)->name, name) == 0) return TG_OK;
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, " %s", (*out)->name);
    }
    return tg_fail(diags, TG_ERR_USAGE, NULL, "there is no notation \"%s\"; there are:%s", name,
                   known);
}
