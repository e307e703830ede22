#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `count` more bytes and the NUL. */
static bool reserve(tg_text *text, size_t count)
{
    if (text->failed) return false;
    if (count < text->capacity - text->length) return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity - text->length <= count && capacity <= SIZE_MAX / 2) capacity *= 2;
    char *data = capacity - text->length > count ? realloc(text->data, capacity) : NULL;
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void tg_text_put_bytes(tg_text *text, const char *bytes, size_t count)
{
    if (!reserve(text, count)) return;
    memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void tg_text_put(tg_text *text, const char *string)
{
    tg_text_put_bytes(text, string, strlen(string));
}

/* There is usually room, so formatting once is usually enough. */
void tg_text_add(tg_text *text, const char *format, ...)
{
    va_list args, again;
    const size_t room = text->failed ? 0 : text->capacity - text->length;
    va_start(args, format);
    va_copy(again, args);
    int count = vsnprintf(room ? text->data + text->length : NULL, room, format, args);
    if (count < 0)
        text->failed = true;
    else if ((size_t)count < room)
        text->length += (size_t)count;
    else if (reserve(text, (size_t)count)) {
        vsnprintf(text->data + text->length, (size_t)count + 1, format, again);
        text->length += (size_t)count;
    }
    if (text->data) text->data[text->length] = '\0';
    va_end(again);
    va_end(args);
}

void tg_text_put_uint(tg_text *text, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    tg_text_put_bytes(text, digits + at, sizeof digits - at);
}

/* The short escape of a character, or 0. */
static char short_escape(char c)
{
    switch (c) {
    case '"':
    case '\\': return c;
    case '\n': return 'n';
    case '\t': return 't';
    case '\r': return 'r';
    case '\b': return 'b';
    case '\f': return 'f';
    default: return 0;
    }
}

void tg_text_quote(tg_text *text, const char *string)
{
    tg_text_put_bytes(text, "\"", 1);
    for (const char *p = string; *p; p++) {
        if (short_escape(*p))
            tg_text_put_bytes(text, (char[]){'\\', short_escape(*p)}, 2);
        else if ((unsigned char)*p < 0x20)
            tg_text_add(text, "\\u%04x", (unsigned)(unsigned char)*p);
        else
            tg_text_put_bytes(text, p, 1);
    }
    tg_text_put_bytes(text, "\"", 1);
}

void tg_text_line(tg_text *text, int columns)
{
    tg_text_put_bytes(text, "\n", 1);
    for (int i = 0; i < columns; i++) tg_text_put_bytes(text, " ", 1);
}

char *tg_text_finish(tg_text *text)
{
    tg_text_put(text, ""); /* an empty text is "", not NULL */
    char *data = text->data;
    if (text->failed) {
        free(data);
        data = NULL;
    }
    *text = (tg_text){0};
    return data;
}

void tg_text_drop(tg_text *text)
{
    free(text->data);
    *text = (tg_text){0};
}
