#include "layout/mosaic/python.h"

tg_status tg_python_expect(tg_scanner *s, char c)
{
    const char what[] = {'\'', c, '\'', 0};
    return tg_scan_accept(s, c) ? TG_OK : tg_scan_wrong(s, what);
}

tg_status tg_python_expect_name(tg_scanner *s, const char *name)
{
    return tg_scan_accept_name(s, name) ? TG_OK : tg_scan_wrong(s, name);
}

tg_status tg_python_keyword(tg_scanner *s, const char *name)
{
    return tg_scan_accept_name(s, name) ? tg_python_expect(s, '=') : TG_OK;
}

tg_status tg_python_tuple(tg_scanner *s, tg_shape *out)
{
    out->rank = 0;
    TG_TRY(tg_python_expect(s, '('));
    while (tg_scan_peek(s) != ')') {
        if (out->rank == TG_SHAPE_MAX_RANK)
            return tg_fail_at(s->diags, TG_ERR_UNSUPPORTED, NULL, (int64_t)s->at,
                              "a tuple has more than %d integers", TG_SHAPE_MAX_RANK);
        TG_TRY(tg_scan_integer(s, NULL, &out->extent[out->rank++]));
        if (!tg_scan_accept(s, ',')) break;
    }
    return tg_python_expect(s, ')');
}
