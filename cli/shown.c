#include "cli/shown.h"

#include <string.h>

static bool has(const tg_cli_shown *shown, int64_t device)
{
    for (size_t i = 0; i < shown->count; i++)
        if (shown->devices[i] == device) return true;
    return false;
}

/* In its place among the others, unless there is no room. */
static void add(tg_cli_shown *shown, int64_t device)
{
    size_t at = shown->count;
    if (at == TG_CLI_MOST_DEVICES || has(shown, device)) return;
    for (; at && shown->devices[at - 1] > device; at--) shown->devices[at] = shown->devices[at - 1];
    shown->devices[at] = device;
    shown->count++;
}

void tg_cli_choose_devices(tg_cli_shown *shown)
{
    const tg_report *report = shown->report;
    const size_t devices = tg_report_device_count(report);
    shown->count = 0;
    for (size_t i = 0; i < tg_report_finding_count(report); i++)
        for (size_t d = 0; d < tg_report_finding(report, i).device_count; d++)
            add(shown, tg_report_device(report, i, d));
    for (size_t d = 0; d < devices; d++) add(shown, (int64_t)d);
}

const char *tg_cli_shown_device(const tg_cli_shown *shown, size_t which)
{
    if (!tg_report_device_count(shown->report)) return NULL;
    return tg_report_device_name(shown->report, (size_t)shown->devices[which]);
}
