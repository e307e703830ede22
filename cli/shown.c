#include "cli/shown.h"

const char *tg_cli_shown_device(const tg_cli_shown *shown, size_t which)
{
    if (!tg_report_device_count(shown->report)) return NULL;
    return tg_report_device_name(shown->report, (size_t)shown->devices[which]);
}
