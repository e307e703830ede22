/* The lines of source that a page shows. */
#include <stdlib.h>
#include <string.h>

#include "cli/page.h"
#include "base/file.h"

/* `AROUND` lines before the first that is named and after the last are shown as well. */
enum { MOST_BYTES = 4 << 20, MOST_LINES = 2000, MOST_COLUMNS = 400, AROUND = 8, MOST_FILES = 32 };

/* The lines of one file that are named. */
typedef struct range {
    const char *file;
    int64_t first, last;
} range;

typedef struct ranges {
    range list[MOST_FILES];
    int count;
} ranges;

static void name_line(ranges *r, const char *file, int64_t line)
{
    int i = 0;
    if (!file[0] || line < 1) return;
    while (i < r->count && strcmp(r->list[i].file, file) != 0) i++;
    if (i == MOST_FILES) return;
    if (i == r->count) r->list[r->count++] = (range){file, line, line};
    if (line < r->list[i].first) r->list[i].first = line;
    if (line > r->list[i].last) r->list[i].last = line;
}

static void name_location(ranges *r, const tg_recording *recording, size_t index)
{
    const tg_record_location location = tg_recording_location(recording, index);
    name_line(r, location.file, location.line);
}

static void name_findings(ranges *r, const tg_report *report)
{
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        name_line(r, f.file, f.line);
        for (size_t j = 0; j < f.related_count; j++) {
            const tg_related other = tg_report_related(report, i, j);
            name_line(r, other.file, other.line);
        }
    }
}

static void name_recorded(ranges *r, const tg_recording *recording)
{
    const tg_recording_info info = tg_recording_describe(recording);
    for (size_t i = 0; i < info.access_count; i++)
        name_location(r, recording, tg_recording_access(recording, i).location);
    for (size_t i = 0; i < tg_recording_timeline(recording).event_count; i++)
        name_location(r, recording, tg_recording_event(recording, i).location);
}

static ranges ranges_of(const tg_cli_shown *shown)
{
    ranges r = {.count = 0};
    const tg_recording *first = shown->recordings[0];
    name_location(&r, first, tg_recording_describe(first).kernel_location);
    name_findings(&r, shown->report);
    for (size_t i = 0; i < shown->count; i++) name_recorded(&r, shown->recordings[i]);
    return r;
}

/* Cuts the text at the end of its first line; returns the start of the next one, or NULL. */
static char *cut_line(char *line)
{
    char *end = strchr(line, '\n'), *next = end ? end + 1 : NULL;
    if (end) *end = '\0';
    if (strlen(line) > MOST_COLUMNS) line[MOST_COLUMNS] = '\0';
    line[strcspn(line, "\r")] = '\0';
    return next;
}

static void put_lines(tg_json_out *json, char *text, int64_t first, int64_t last)
{
    char *line = text;
    tg_emit_open(json, "lines", '[');
    for (int64_t number = 1; line && number <= last; number++) {
        char *next = cut_line(line);
        if (number >= first && (next || line[0])) tg_emit_text(json, NULL, line);
        line = next;
    }
    tg_emit_close(json, ']');
}

/* Nothing of a file that cannot be read. */
static void put_file(tg_json_out *json, const range *r)
{
    tg_diags unwanted = {0};
    char *text;
    size_t size;
    const int64_t first = r->first > AROUND ? r->first - AROUND : 1;
    int64_t last = r->last + AROUND;
    if (last - first >= MOST_LINES) last = first + MOST_LINES - 1;
    const tg_status status = tg_file_read(r->file, MOST_BYTES, &text, &size, &unwanted);
    tg_diags_free(&unwanted);
    if (status != TG_OK) return;
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "file", r->file);
    tg_emit_int(json, "first", first);
    put_lines(json, text, first, last);
    tg_emit_close(json, '}');
    free(text);
}

void tg_page_sources(tg_json_out *json, const tg_cli_shown *shown)
{
    const ranges r = ranges_of(shown);
    tg_emit_open(json, "sources", '[');
    for (int i = 0; i < r.count; i++) put_file(json, &r.list[i]);
    tg_emit_close(json, ']');
}
