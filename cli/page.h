/* The page of a run, on one device or several: one HTML file that needs nothing else, with the findings, the grid and the
 * arrays side by side, the history of each element, and the timeline (docs/page.md). */
#ifndef TG_CLI_PAGE_H
#define TG_CLI_PAGE_H

#include <stdio.h>

#include "base/json_out.h"
#include "cli/shown.h"

/* Writes the whole page.  Returns TG_OK; what the stream lacks, the stream says. */
tg_status tg_page_write(FILE *out, const tg_cli_shown *shown);

/* What the page is made of, cli/page/page.html and what it includes, but for the data; size in
 * bytes. */
extern const unsigned char tg_page_html[];
extern const size_t tg_page_html_size;

/* page_data.c: all that the page knows, as one object. */
void tg_page_data(tg_json_out *json, const tg_cli_shown *shown);

/* page_source.c: the lines of the source that findings, accesses and events name, under "sources". */
void tg_page_sources(tg_json_out *json, const tg_cli_shown *shown);

#endif
