#include "gpu_backend/text/template.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

const char *tg_ptx_type(tg_dtype dtype)
{
    switch (tg_ptx_class_of(dtype)) {
    case TG_PTX_F32: return "f32";
    case TG_PTX_F64: return "f64";
    case TG_PTX_B64: return tg_is_signed(dtype) ? "s64" : "u64";
    default: return tg_is_signed(dtype) ? "s32" : "u32";
    }
}

const char *tg_ptx_untyped(tg_dtype dtype) { return tg_ptx_is_wide(dtype) ? "b64" : "b32"; }

tg_ptx_reg tg_ptx_result(tg_ptx_writer *w, tg_ptx_class class, const char *format, ...)
{
    char row[256];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(row, sizeof row, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof row) w->text.failed = true;
    const tg_ptx_reg result = tg_ptx_new(w, class);
    const char *const hole = strchr(row, '$');
    tg_ptx_row(w, "%.*s%s%s", (int)(hole - row), row, result.name, hole + 1);
    return result;
}

/* -- placeholders -- */

enum { TEMPORARIES = 10, NAME = 24 };

typedef struct expansion {
    tg_ptx_writer *w;
    tg_dtype dtype;
    tg_ptx_reg result;
    uint32_t count;
    const tg_ptx_reg *in;
    tg_ptx_reg temporary[TG_PTX_CLASS_COUNT][TEMPORARIES];
} expansion;

/* Constants by name, for ints and for floats of 32 and of 64 bits. */
typedef struct constant {
    char name[6];
    const char *of32, *of64;
} constant;

static const constant constants[] = {
    {"zero", "0f00000000", "0d0000000000000000"},
    {"one", "0f3F800000", "0d3FF0000000000000"},
    {"minus", "0fBF800000", "0dBFF0000000000000"},
    {"half", "0f3F000000", "0d3FE0000000000000"},
    {"inf", "0f7F800000", "0d7FF0000000000000"},
    {"nan", "0f7FC00000", "0d7FF8000000000000"},
    {"sign", "0x80000000", "0x8000000000000000"},
    {"size", "0x7fffffff", "0x7fffffffffffffff"},
    {"s", "s32", "s64"},
    {"u", "b32", "b64"},
};

static const char *constant_text(const expansion *e, const char *name)
{
    const bool wide = tg_ptx_is_wide(e->dtype);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strcmp(constants[i].name, name) == 0)
            return wide ? constants[i].of64 : constants[i].of32;
    return NULL;
}

/* The text for a property of an int's width; `out` has NAME bytes. */
static bool width_text(const expansion *e, const char *name, char *out)
{
    const int bits = tg_dtypes[e->dtype].bits;
    if (strcmp(name, "width") == 0)
        snprintf(out, NAME, "%d", bits);
    else if (strcmp(name, "spare") == 0)
        snprintf(out, NAME, "%d", 32 - bits);
    else if (strcmp(name, "ones") == 0)
        snprintf(out, NAME, "0x%llx", ~0ull >> (64 - bits));
    else
        return false;
    return true;
}

static const char *temporary(expansion *e, tg_ptx_class class, int number)
{
    tg_ptx_reg *const reg = &e->temporary[class][number];
    if (reg->name[0] == '\0') *reg = tg_ptx_new(e->w, class);
    return reg->name;
}

/* The class of temporaries whose name begins with `letter`; TG_PTX_CLASS_COUNT if there is none. */
static tg_ptx_class class_of_letter(const expansion *e, char letter)
{
    switch (letter) {
    case 'p': return TG_PTX_PRED;
    case 'n': return TG_PTX_B32;
    case 'x': return tg_ptx_class_of(e->dtype);
    default: return TG_PTX_CLASS_COUNT;
    }
}

static void put_placeholder(expansion *e, const char *name)
{
    char width[NAME];
    tg_text *const to = &e->w->text;
    const char *const known = constant_text(e, name);
    const tg_ptx_class class = class_of_letter(e, name[0]);
    if (strcmp(name, "r") == 0)
        tg_text_put(to, e->result.name);
    else if (strcmp(name, "t") == 0)
        tg_text_put(to, tg_ptx_type(e->dtype));
    else if (name[1] == '\0' && name[0] >= 'a' && name[0] - 'a' < (int)e->count)
        tg_text_put(to, e->in[name[0] - 'a'].name);
    else if (class < TG_PTX_CLASS_COUNT && name[1] >= '0' && name[1] <= '9' && name[2] == '\0')
        tg_text_put(to, temporary(e, class, name[1] - '0'));
    else if (known != NULL)
        tg_text_put(to, known);
    else if (width_text(e, name, width))
        tg_text_put(to, width);
    else
        to->failed = true; /* no such placeholder: an error in our own templates */
}

static bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/* Writes one row of `text`, up to its semicolon or line end.  Returns the rest of the text. */
static const char *put_row(expansion *e, const char *text)
{
    tg_text_put(&e->w->text, "    ");
    bool ended = false;
    while (!ended && *text != '\0' && *text != '\n') {
        if (*text != '$') {
            ended = *text == ';';
            tg_text_put_bytes(&e->w->text, text++, 1);
            continue;
        }
        char name[NAME] = "";
        size_t length = 0;
        for (text++; is_name(*text) && length + 1 < sizeof name; text++) name[length++] = *text;
        put_placeholder(e, name);
    }
    tg_text_put(&e->w->text, "\n");
    return text;
}

tg_ptx_reg tg_ptx_expand(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_class result, const char *text,
                         uint32_t count, const tg_ptx_reg *in)
{
    expansion e = {
        .w = w, .dtype = dtype, .result = tg_ptx_new(w, result), .count = count, .in = in};
    for (text += strspn(text, " \n"); *text != '\0'; text += strspn(text, " \n"))
        text = put_row(&e, text);
    return e.result;
}
