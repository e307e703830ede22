/* The timeline of a run as events for Perfetto and chrome://tracing (docs/page.md): the object
 * format of Chrome's trace events, a microsecond for a step. */
#ifndef TG_CLI_TRACE_H
#define TG_CLI_TRACE_H

#include <stdio.h>

#include "cli/json_out.h"
#include "cli/run_request.h"
#include "tilegrind/record.h"

/* Returns TG_OK or TG_ERR_NO_MEMORY; what the stream lacks, the stream says. */
tg_status tg_trace_write(FILE *out, const tg_run_request *request, const tg_recording *recording,
                         const tg_report *report);

/* Says how many events the recording lacks, and where the first of them is: "5 events are left out,
 * the first ...".  "": none is. */
enum { TG_TRACE_LEFT_OUT = 512 };
void tg_trace_left_out(const tg_recording *recording, char out[TG_TRACE_LEFT_OUT]);

#endif
