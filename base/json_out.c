#include "base/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"

/* What is no UTF-8, such as a name given on the command line may hold, becomes U+FFFD. */
static void put_string(const tg_json_out *json, const char *text)
{
    FILE *out = json->out;
    const char *end = text + strlen(text);
    putc('"', out);
    for (int length; text < end; text += length ? length : 1) {
        length = tg_utf8_length(text, end);
        if (!length)
            fputs("\xef\xbf\xbd", out);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20 || *text == 0x7f || (*text == '<' && json->is_in_html))
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fwrite(text, 1, (size_t)length, out);
    }
    putc('"', out);
}

static bool is_flat(const tg_json_out *json)
{
    return json->flat_from && json->depth >= json->flat_from;
}

/* Comma, line and key before a value. */
static void begin(tg_json_out *json, const char *key)
{
    uint64_t bit = UINT64_C(1) << json->depth;
    const bool had_member = (json->has_member & bit) != 0;
    if (had_member) putc(',', json->out);
    json->has_member |= bit;
    if (json->depth && !is_flat(json))
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    else if (had_member)
        putc(' ', json->out);
    if (!key) return;
    put_string(json, key);
    fputs(": ", json->out);
}

void tg_emit_open(tg_json_out *json, const char *key, char bracket)
{
    begin(json, key);
    putc(bracket, json->out);
    json->depth++;
    json->has_member &= ~(UINT64_C(1) << json->depth);
}

void tg_emit_close(tg_json_out *json, char bracket)
{
    bool had_member = (json->has_member >> json->depth) & 1;
    const bool was_flat = is_flat(json);
    json->depth--;
    if (had_member && !was_flat) fprintf(json->out, "\n%*s", 2 * json->depth, "");
    putc(bracket, json->out);
    if (json->depth == 0) putc('\n', json->out);
}

void tg_emit_text(tg_json_out *json, const char *key, const char *text)
{
    begin(json, key);
    if (text)
        put_string(json, text);
    else
        fputs("null", json->out);
}

FILE *tg_emit_text_begin(tg_json_out *json, const char *key)
{
    begin(json, key);
    putc('"', json->out);
    return json->out;
}

void tg_emit_text_end(tg_json_out *json) { putc('"', json->out); }

void tg_emit_written(tg_json_out *json, const char *text, size_t length)
{
    begin(json, NULL);
    fwrite(text, 1, length, json->out);
}

void tg_emit_int(tg_json_out *json, const char *key, int64_t number)
{
    begin(json, key);
    fprintf(json->out, "%" PRId64, number);
}

void tg_emit_real(tg_json_out *json, const char *key, double number)
{
    begin(json, key);
    if (isfinite(number))
        fprintf(json->out, "%.9g", number);
    else
        fputs("null", json->out);
}

void tg_emit_bool(tg_json_out *json, const char *key, bool truth)
{
    begin(json, key);
    fputs(truth ? "true" : "false", json->out);
}
