#include "ir/format.h"

#include <string.h>

enum { MOST_COLUMNS = 100000 };

static const char lone_brace[] = "a lone brace; {} stands for an operand, {{ and }} for braces";

/* Reads a number of columns or digits; false if it is too large. */
static bool take_number(const char **p, int *number)
{
    for (*number = 0; **p >= '0' && **p <= '9'; (*p)++) {
        *number = *number * 10 + (**p - '0');
        if (*number > MOST_COLUMNS) return false;
    }
    return true;
}

static char take_one_of(const char **p, const char *set)
{
    return **p && strchr(set, **p) ? *(*p)++ : '\0';
}

static const char *take_spec(const char **p, tg_format_spec *spec)
{
    if ((*p)[0] && (*p)[0] != '}' && (*p)[1] && strchr("<>^=", (*p)[1])) spec->fill = *(*p)++;
    spec->align = take_one_of(p, "<>^=");
    spec->sign = take_one_of(p, "+- ");
    spec->alternate = take_one_of(p, "#") != '\0';
    spec->zeros = take_one_of(p, "0") != '\0';
    if (!take_number(p, &spec->width)) return "a width above 100000";
    spec->grouping = take_one_of(p, ",_");
    if (take_one_of(p, ".")) {
        if (**p < '0' || **p > '9') return "a point without a precision";
        if (!take_number(p, &spec->precision)) return "a precision above 100000";
    }
    spec->type = take_one_of(p, "sdboxXeEfFgG%");
    return **p == '}' ? NULL : "a specification that is not supported";
}

static const char *take_place(const char **p, tg_format_spec *spec)
{
    *spec = (tg_format_spec){.precision = -1};
    if ((*p)[0] == '!' && (*p)[1] == 's') {
        spec->is_text = true;
        *p += 2;
    }
    if (**p == ':') {
        (*p)++;
        spec->is_given = true;
        const char *problem = take_spec(p, spec);
        if (problem) return problem;
    }
    if (**p != '}') return lone_brace;
    (*p)++;
    return NULL;
}

const char *tg_format_next(const char **format, tg_format_piece *piece)
{
    const char *p = *format;
    *piece = (tg_format_piece){.kind = TG_FORMAT_TEXT, .text = p};
    if (*p == '\0') {
        piece->kind = TG_FORMAT_END;
        return NULL;
    }
    if (*p != '{' && *p != '}') {
        piece->length = strcspn(p, "{}");
        *format = p + piece->length;
        return NULL;
    }
    if (p[1] == p[0]) {
        piece->length = 1;
        *format = p + 2;
        return NULL;
    }
    if (*p == '}') return lone_brace;
    p++;
    piece->kind = TG_FORMAT_PLACE;
    const char *problem = take_place(&p, &piece->spec);
    *format = p;
    return problem;
}

const char *tg_format_misfit(const tg_format_spec *spec, const tg_type *type)
{
    const bool is_int = !tg_is_float(type->dtype);
    const char t = spec->type;
    if (!spec->is_given) return NULL;
    if (type->rank > 0) return "a block takes no specification";
    if (spec->is_text && (spec->sign || spec->alternate || spec->zeros || spec->grouping ||
                          spec->align == '=' || (t && t != 's')))
        return "a specification for numbers on what is written as text";
    if (spec->is_text) return NULL;
    if (t == 's') return "the type s on a number";
    if (!is_int && t && strchr("dboxX", t)) return "a type for integers on a float";
    if (is_int && (!t || strchr("dboxX", t)) && spec->precision >= 0)
        return "a precision on an integer";
    if (spec->grouping == ',' && t && strchr("boxX", t)) return "commas among digits of that base";
    return NULL;
}
