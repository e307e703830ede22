#include "loaders/json_string.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Returns the code unit of the "\uXXXX" at `p`, or -1 if there is none. */
static int32_t code_unit(const char *p, const char *end)
{
    if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return -1;
    int32_t unit = 0;
    for (int i = 2; i < 6; i++) {
        const int digit = hex_value(p[i]);
        if (digit < 0) return -1;
        unit = 16 * unit + digit;
    }
    return unit;
}

static const char *check_escape(const char **at, const char *end)
{
    const char *p = *at;
    if (end - p < 2) return "a string is not closed";
    if (p[1] != 'u') {
        if (!p[1] || !strchr("\"\\/bfnrt", p[1])) return "an escape is unknown";
        *at = p + 2;
        return NULL;
    }
    int32_t unit = code_unit(p, end);
    if (unit < 0) return "\\u lacks its four hexadecimal digits";
    if (unit == 0) return "\\u0000 is not allowed";
    if (unit >= 0xdc00 && unit <= 0xdfff)
        return "the second half of a surrogate pair lacks the first";
    if (unit >= 0xd800 && unit <= 0xdbff) {
        int32_t low = code_unit(p + 6, end);
        if (low < 0xdc00 || low > 0xdfff)
            return "the first half of a surrogate pair lacks the second";
        p += 6;
    }
    *at = p + 6;
    return NULL;
}

const char *tg_json_check_string(const char **at, const char *end)
{
    for (++*at; *at < end && **at != '"';) {
        if ((unsigned char)**at < 0x20) return "a string holds a control character without escape";
        if (**at == '\\') {
            const char *wrong = check_escape(at, end);
            if (wrong) return wrong;
            continue;
        }
        int length = tg_utf8_length(*at, end);
        if (!length) return "the text is not UTF-8";
        *at += length;
    }
    if (*at == end) return "a string is not closed";
    ++*at;
    return NULL;
}

static int encode_utf8(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    int length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)((length == 2 ? 0xc0u : length == 3 ? 0xe0u : 0xf0u) | c);
    return length;
}

/* Decodes the valid escape at bytes->at. */
static void decode_escape(tg_json_bytes *bytes)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    const char *p = bytes->at, *found = strchr(letters, p[1]);
    bytes->used = 0;
    if (p[1] != 'u') {
        bytes->decoded[0] = found ? meant[found - letters] : p[1];
        bytes->count = 1;
        bytes->at = p + 2;
        return;
    }
    uint32_t c = (uint32_t)code_unit(p, p + 6);
    bytes->at = p + 6;
    if (c >= 0xd800 && c <= 0xdbff) {
        c = 0x10000 + ((c - 0xd800) << 10) + ((uint32_t)code_unit(p + 6, p + 12) - 0xdc00);
        bytes->at = p + 12;
    }
    bytes->count = encode_utf8(c, bytes->decoded);
}

int tg_json_next_byte(tg_json_bytes *bytes)
{
    if (bytes->used == bytes->count) {
        if (*bytes->at == '"') return -1;
        if (*bytes->at != '\\') return (unsigned char)*bytes->at++;
        decode_escape(bytes);
    }
    return (unsigned char)bytes->decoded[bytes->used++];
}

char *tg_json_decode(const char *behind_quote, char *out, size_t size)
{
    tg_json_bytes bytes = {.at = behind_quote};
    size_t used = 0;
    for (int byte; used + 1 < size && (byte = tg_json_next_byte(&bytes)) >= 0;)
        out[used++] = (char)byte;
    if (size) out[used] = '\0';
    return out;
}

int tg_json_compare(const char *a, const char *b)
{
    tg_json_bytes left = {.at = a}, right = {.at = b};
    for (;;) {
        int x = tg_json_next_byte(&left), y = tg_json_next_byte(&right);
        if (x != y) return x < y ? -1 : 1;
        if (x < 0) return 0;
    }
}
