#include "verify/report.h"

#include <stdarg.h>
#include <stdio.h>

TG_PRINTF(3, 0)
static bool report(const tg_verifier *v, tg_status status, const char *format, va_list args)
{
    char message[1024];
    vsnprintf(message, sizeof message, format, args);
    if (v->op)
        tg_fail(v->diags, status, v->at, "%s: %s", tg_ops[v->op->code].name, message);
    else
        tg_fail(v->diags, status, v->at, "%s", message);
    return false;
}

bool tg_mistyped(const tg_verifier *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(v, TG_ERR_TYPE, format, args);
    va_end(args);
    return false;
}

bool tg_illegal(const tg_verifier *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(v, TG_ERR_INVALID, format, args);
    va_end(args);
    return false;
}

tg_type_text tg_show(const tg_type *type)
{
    tg_type_text shown;
    tg_type_print(type, shown.text, sizeof shown.text);
    return shown;
}
