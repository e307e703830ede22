#include "layout/linear/ttg.h"

#include <ctype.h>
#include <string.h>

tg_status tg_ttg_name(tg_scanner *s, char *name, size_t size)
{
    tg_scan_peek(s);
    const size_t first = s->at;
    while (s->at < s->length && (isalnum((unsigned char)s->text[s->at]) || s->text[s->at] == '_'))
        s->at++;
    if (s->at == first)
        return tg_fail_at(s->diags, TG_ERR_SYNTAX, NULL, (int64_t)first, "expected a name");
    if (s->at - first >= size)
        return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "a name has at most %zu bytes", size - 1);
    memcpy(name, s->text + first, s->at - first);
    name[s->at - first] = 0;
    return TG_OK;
}

tg_status tg_ttg_number(tg_scanner *s, int64_t *out)
{
    if (isdigit((unsigned char)tg_scan_peek(s))) return tg_scan_natural(s, NULL, out);
    return tg_scan_wrong(s, "an integer, not negative");
}

tg_status tg_ttg_list(tg_scanner *s, tg_shape *out)
{
    out->rank = 0;
    TG_TRY(tg_scan_expect(s, '[', "before a list"));
    if (tg_scan_accept(s, ']')) return TG_OK;
    do {
        if (out->rank == TG_SHAPE_MAX_RANK)
            return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)s->at,
                              "a list has at most %d integers", TG_SHAPE_MAX_RANK);
        TG_TRY(tg_ttg_number(s, &out->extent[out->rank++]));
    } while (tg_scan_accept(s, ','));
    return tg_scan_expect(s, ']', "after a list");
}
