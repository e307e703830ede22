#include "layout/picture/label.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void tg_label_put(char *label, const char *text)
{
    const size_t used = strlen(label);
    snprintf(label + used, TG_PICTURE_LABEL - used, "%s", text);
}

void tg_label_put_range(char *label, int64_t first, int64_t last)
{
    char text[48];
    if (first == last)
        snprintf(text, sizeof text, "%" PRId64, first);
    else
        snprintf(text, sizeof text, "%" PRId64 "..%" PRId64, first, last);
    tg_label_put(label, text);
}
