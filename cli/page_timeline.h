/* The timeline that a page shows. */
#ifndef TG_CLI_PAGE_TIMELINE_H
#define TG_CLI_PAGE_TIMELINE_H

#include "base/json_out.h"
#include "tilegrind/record.h"

/* What happened when, under "timeline". */
void tg_page_timeline(tg_json_out *json, const tg_recording *recording);

#endif
