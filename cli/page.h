/* The page of a run: one HTML file that needs nothing else, with the findings, the grid and the
 * arrays side by side, and the history of each element (docs/page.md). */
#ifndef TG_CLI_PAGE_H
#define TG_CLI_PAGE_H

#include "base/diag.h"
#include "cli/json_out.h"
#include "cli/run_request.h"
#include "tilegrind/arrays.h"
#include "tilegrind/record.h"

/* `inner`, after which the run is made once more to be recorded for the page that the request asks
 * for: of several runs the first with findings, else the first.  For one request a process. */
tg_run_hook tg_cli_page_hook(const tg_run_request *request, tg_run_hook inner);

/* Writes the page to the file that the request names, if a run came to its end; then forgets it.
 * TG_ERR_IO where it cannot be written, which leaves what was there untouched. */
tg_status tg_cli_page_finish(const tg_run_request *request, tg_diags *diags);

/* What the page is made of, cli/page/page.html and what it includes, but for the data; size in
 * bytes. */
extern const unsigned char tg_page_html[];
extern const size_t tg_page_html_size;

/* page_data.c: all that the page knows, as one object. */
void tg_page_data(tg_json_out *json, const tg_run_request *request, const tg_recording *recording,
                  const tg_report *report);

/* page_source.c: the lines of the source that findings and accesses name, under "sources". */
void tg_page_sources(tg_json_out *json, const tg_recording *recording, const tg_report *report);

#endif
