/* Places of SARIF: files as URIs, lines with columns and text, and what tells findings apart. */
#define _POSIX_C_SOURCE 200809L /* getcwd */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/excerpt.h"
#include "cli/sarif.h"
#include "base/text.h"

/* The path as seen from the working folder, where it is inside: logs are read where the tree lies
 * elsewhere. */
static const char *inside(const char *file)
{
    char folder[PATH_MAX];
    while (strncmp(file, "./", 2) == 0) file += 2;
    if (file[0] != '/' || !getcwd(folder, sizeof folder)) return file;
    const size_t length = strlen(folder);
    return strncmp(file, folder, length) == 0 && file[length] == '/' ? file + length + 1 : file;
}

/* RFC 3986: a relative reference, or a URI of scheme file; to be freed with free(), NULL without
 * memory. */
static char *uri_of(const char *file)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    tg_text out = {0};
    file = inside(file);
    if (file[0] == '/') tg_text_put(&out, "file://");
    for (const char *c = file; *c; c++) {
        if (strchr(plain, *c))
            tg_text_put_bytes(&out, c, 1);
        else
            tg_text_add(&out, "%%%02X", (unsigned)(unsigned char)*c);
    }
    return tg_text_finish(&out);
}

/* Columns count characters, as the log says of itself. */
static void put_region(tg_json_out *json, const char *file, int64_t line)
{
    tg_excerpt excerpt;
    tg_emit_open(json, "region", '{');
    tg_emit_int(json, "startLine", line);
    if (tg_excerpt_read(file, line, &excerpt) && excerpt.first <= excerpt.last) {
        tg_emit_int(json, "startColumn", excerpt.first);
        if (!excerpt.is_cut) tg_emit_int(json, "endColumn", excerpt.last + 1);
        tg_emit_open(json, "snippet", '{');
        tg_emit_text(json, "text", excerpt.text);
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, '}');
}

void tg_sarif_place(tg_json_out *json, const char *file, int64_t line, const char *instead)
{
    char *uri = uri_of(file[0] ? file : instead);
    tg_emit_open(json, "physicalLocation", '{');
    tg_emit_open(json, "artifactLocation", '{');
    tg_emit_text(json, "uri", uri ? uri : "");
    tg_emit_close(json, '}');
    if (file[0] && line > 0) put_region(json, file, line);
    tg_emit_close(json, '}');
    free(uri);
}

/* ---- fingerprints ---- */

/* A place by what its line says, not by its number; by that where the line cannot be read. */
static uint64_t with_place(uint64_t number, const char *op, const char *param, const char *file,
                           int64_t line)
{
    tg_excerpt excerpt;
    number = tg_number_with(tg_number_with(number, op), param);
    number = tg_number_with(number, inside(file));
    if (!tg_excerpt_read(file, line, &excerpt))
        snprintf(excerpt.text, sizeof excerpt.text, "%" PRId64, line);
    return tg_number_with(number, excerpt.text + strspn(excerpt.text, " "));
}

void tg_sarif_fingerprint(tg_json_out *json, const tg_report *report, size_t index)
{
    const tg_finding f = tg_report_finding(report, index);
    uint64_t number = tg_number_with(tg_number_with(TG_NUMBER_OF_NOTHING, f.kind), f.kernel);
    number = with_place(number, f.op, f.param, f.file, f.line);
    for (size_t i = 0; i < f.related_count; i++) {
        const tg_related r = tg_report_related(report, index, i);
        number = with_place(tg_number_with(number, r.role), r.op, r.param, r.file, r.line);
    }
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, number);
    tg_emit_open(json, "partialFingerprints", '{');
    tg_emit_text(json, "tilegrindFinding/v1", text);
    tg_emit_close(json, '}');
}
