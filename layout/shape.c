#include "layout/shape.h"

#include <ctype.h>
#include <inttypes.h>

typedef struct reader {
    const char *text;
    size_t length, at;
    tg_diags *diags;
} reader;

static char peek(reader *r)
{
    while (r->at < r->length && isspace((unsigned char)r->text[r->at])) r->at++;
    return r->at < r->length ? r->text[r->at] : 0;
}

static tg_status wrong(reader *r, const char *what)
{
    return tg_fail_at(r->diags, TG_ERR_SYNTAX, NULL, (int64_t)r->at, "expected %s", what);
}

static tg_status read_integer(reader *r, int64_t *out)
{
    const bool negative = peek(r) == '-';
    if (negative) r->at++;
    if (!isdigit((unsigned char)peek(r))) return wrong(r, "an integer");
    for (*out = 0; r->at < r->length && isdigit((unsigned char)r->text[r->at]); r->at++)
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, r->text[r->at] - '0', out))
            return wrong(r, "an integer that fits in 63 bits");
    if (negative) *out = -*out;
    return TG_OK;
}

static tg_status read_list(reader *r, char end, tg_shape *out)
{
    for (;;) {
        if (out->rank == TG_SHAPE_MAX_RANK) return wrong(r, "at most 16 integers");
        TG_TRY(read_integer(r, &out->extent[out->rank++]));
        if (peek(r) != ',') return TG_OK;
        r->at++;
        if (end && peek(r) == end) return TG_OK; /* "(8,)" */
    }
}

tg_status tg_shape_read(const char *text, size_t length, tg_shape *out, tg_diags *diags)
{
    reader r = {text, length, 0, diags};
    const char begin = peek(&r), end = begin == '(' ? ')' : begin == '[' ? ']' : 0;
    out->rank = 0;
    if (end) r.at++;
    if (!end || peek(&r) != end) TG_TRY(read_list(&r, end, out));
    if (end && peek(&r) != end) return wrong(&r, end == ')' ? "',' or ')'" : "',' or ']'");
    if (end) r.at++;
    return peek(&r) ? wrong(&r, "the end of the shape") : TG_OK;
}

void tg_shape_print(const tg_shape *shape, tg_text *out)
{
    tg_text_put(out, "(");
    for (int i = 0; i < shape->rank; i++)
        tg_text_add(out, "%s%" PRId64, i ? "," : "", shape->extent[i]);
    tg_text_put(out, ")");
}

tg_status tg_shape_size(const tg_shape *shape, int64_t *out, tg_diags *diags)
{
    *out = 1;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->extent[i] < 1)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "an extent is %lld; it is at least 1",
                           (long long)shape->extent[i]);
        if (__builtin_mul_overflow(*out, shape->extent[i], out))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "the product of the extents does not fit in 63 bits");
    }
    return TG_OK;
}

tg_status tg_shape_index(const tg_shape *shape, const tg_shape *coordinate, int64_t *out,
                         tg_diags *diags)
{
    int64_t size;
    TG_TRY(tg_shape_size(shape, &size, diags));
    if (coordinate->rank != shape->rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a coordinate of %d numbers is none of a shape of rank %d", coordinate->rank,
                       shape->rank);
    *out = 0;
    for (int i = 0; i < shape->rank; i++) {
        if (coordinate->extent[i] < 0 || coordinate->extent[i] >= shape->extent[i])
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "%lld is no index of dimension %d, which has %lld",
                           (long long)coordinate->extent[i], i, (long long)shape->extent[i]);
        *out = *out * shape->extent[i] + coordinate->extent[i];
    }
    return TG_OK;
}

void tg_shape_coordinate(const tg_shape *shape, int64_t index, tg_shape *out)
{
    out->rank = shape->rank;
    for (int i = shape->rank - 1; i >= 0; i--) {
        out->extent[i] = index % shape->extent[i];
        index /= shape->extent[i];
    }
}
