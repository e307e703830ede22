/* Results of the cross-check, as text, JSON and XML. */
#include "cli/crosscheck_report.h"

#include <inttypes.h>

#include "cli/style.h"

static const char *const verdict_names[] = {"equal",    "within",  "different",
                                            "unjudged", "refused", "failed"};

/* What is told as bad: all but equal, within and refused. */
static bool is_bad(tg_cross_verdict verdict)
{
    return verdict == TG_CROSS_DIFFERENT || verdict == TG_CROSS_UNJUDGED ||
           verdict == TG_CROSS_FAILED;
}

static void put_xml(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) switch (*c) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((unsigned char)*c < 32 ? ' ' : *c, out);
        }
}

static void xml_result(FILE *out, const char *path, const tg_cross_result *r)
{
    fputs("  <testcase classname=\"", out);
    put_xml(out, r->backend);
    fputs("\" name=\"", out);
    put_xml(out, path);
    fprintf(out, "\" time=\"%.6f\">", r->seconds);
    if (r->bound_output) {
        fputs("<properties><property name=\"bound\" value=\"", out);
        put_xml(out, r->message);
        fputs("\"/></properties>", out);
    }
    if (r->verdict == TG_CROSS_REFUSED || is_bad(r->verdict)) {
        fputs(is_bad(r->verdict) ? "<failure message=\"" : "<skipped message=\"", out);
        put_xml(out, r->message);
        if (r->first_message[0]) {
            fputs("; ", out);
            put_xml(out, r->first_message);
        }
        fputs("\"/>", out);
    }
    fputs("</testcase>\n", out);
}

/* ---- JSON ---- */

static void json_place(tg_json_out *json, const char *key, const tg_cross_place *place)
{
    tg_emit_open(json, key, '{');
    tg_emit_text(json, "op", place->op);
    tg_emit_text(json, "file", place->file);
    tg_emit_int(json, "line", place->line);
    tg_emit_open(json, "program", '[');
    for (int a = 0; a < place->rank; a++) tg_emit_int(json, NULL, place->program[a]);
    tg_emit_close(json, ']');
    tg_emit_int(json, "visit", place->visit);
    tg_emit_close(json, '}');
}

static void json_value(tg_json_out *json, const char *key, const tg_cross_value *value)
{
    char bits[24];
    snprintf(bits, sizeof bits, "%0*" PRIx64, (value->width + 3) / 4, value->bits);
    tg_emit_open(json, key, '{');
    tg_emit_text(json, "value", value->text);
    tg_emit_text(json, "bits", bits);
    tg_emit_close(json, '}');
}

static void json_element(tg_json_out *json, const tg_cross_first *first)
{
    tg_emit_text(json, "output", first->output);
    tg_emit_text(json, "dtype", first->dtype);
    tg_emit_open(json, "index", '[');
    for (int d = 0; d < first->rank; d++) tg_emit_int(json, NULL, first->index[d]);
    tg_emit_close(json, ']');
    json_value(json, "want", &first->want);
    json_value(json, "got", &first->got);
    if (first->ulps != UINT64_MAX) tg_emit_int(json, "ulps", (int64_t)first->ulps);
    tg_emit_int(json, "differing", first->differing);
}

static void json_first(tg_json_out *json, const char *message, const tg_cross_first *first)
{
    tg_emit_open(json, "first", '{');
    tg_emit_text(json, "message", message);
    if (first->kind) tg_emit_text(json, "kind", first->kind);
    if (first->at.op) json_place(json, "at", &first->at);
    if (first->other.op) json_place(json, "other", &first->other);
    if (first->dtype) json_element(json, first);
    tg_emit_close(json, '}');
}

/* Bounds that are no number, as infinities are, have none in JSON. */
static void json_bound(tg_json_out *json, const tg_cross_result *r)
{
    tg_emit_open(json, "bound", '{');
    tg_emit_text(json, "output", r->bound_output);
    tg_emit_int(json, "element", r->bound_element);
    tg_emit_real(json, "off", r->off);
    tg_emit_real(json, "bound", r->bound);
    tg_emit_close(json, '}');
}

static void json_result(const tg_cross_report *report, const char *path, const tg_cross_result *r,
                        const tg_cross_first *first)
{
    tg_json_out *json = report->json;
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "case", path);
    tg_emit_text(json, "backend", r->backend);
    tg_emit_text(json, "against", report->first);
    tg_emit_text(json, "verdict", verdict_names[r->verdict]);
    tg_emit_text(json, "message", r->message[0] ? r->message : NULL);
    if (r->first_message[0]) json_first(json, r->first_message, first);
    if (r->bound_output) json_bound(json, r);
    tg_emit_real(json, "seconds", r->seconds);
    tg_emit_close(json, '}');
}

/* ---- text ---- */

static void print_result(const char *path, const tg_cross_result *r)
{
    const tg_style style = tg_style_for(stdout);
    if (r->verdict <= TG_CROSS_WITHIN) return;
    printf("%s%s%s ", is_bad(r->verdict) ? style.bad : "", verdict_names[r->verdict], style.off);
    tg_put_clean(stdout, path);
    printf(", %s\n  ", r->backend);
    tg_put_clean(stdout, r->message);
    if (r->first_message[0]) fputs("\n  ", stdout);
    tg_put_clean(stdout, r->first_message);
    putchar('\n');
}

/* ---- all of them ---- */

void tg_cross_report_add(tg_cross_report *report, const char *path, const tg_crosscheck *check,
                         size_t index)
{
    const tg_cross_result result = tg_crosscheck_get(check, index);
    const tg_cross_first first = tg_crosscheck_first(check, index);
    report->verdicts[result.verdict]++;
    report->seconds += result.seconds;
    if (report->xml) xml_result(report->xml, path, &result);
    if (report->json)
        json_result(report, path, &result, &first);
    else
        print_result(path, &result);
}

void tg_cross_report_end(const tg_cross_report *report)
{
    char time[TG_NUMBER_TEXT];
    const size_t *v = report->verdicts;
    if (report->json) {
        tg_emit_int(report->json, "cases", (int64_t)report->cases);
        for (int i = 0; i <= TG_CROSS_FAILED; i++)
            tg_emit_int(report->json, verdict_names[i], (int64_t)v[i]);
        return;
    }
    printf("%zu case%s, %zu run%s each: ", report->cases, report->cases == 1 ? "" : "s",
           report->runs, report->runs == 1 ? "" : "s");
    for (int i = 0; i <= TG_CROSS_FAILED; i++)
        if (report->is_fast || v[i] || (i != TG_CROSS_WITHIN && i != TG_CROSS_UNJUDGED))
            printf("%s%zu %s", i ? ", " : "", v[i], verdict_names[i]);
    printf("; %s\n", tg_seconds_text(report->seconds, time));
}
