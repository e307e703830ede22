#include "layout/cute/text.h"

#include <ctype.h>
#include <inttypes.h>

#include "layout/scan.h"
#include "layout/swizzle_scan.h"

typedef struct reader {
    tg_scanner *scan;
    int depth; /* of tuples and tilers that are open */
} reader;

static tg_status enter(reader *r)
{
    if (r->depth++ < TG_TUPLE_MOST_DEPTH) return TG_OK;
    return tg_fail_at(r->scan->diags, TG_ERR_UNSUPPORTED, NULL, (int64_t)r->scan->at,
                      "tuples are nested more than %d deep", TG_TUPLE_MOST_DEPTH);
}

static tg_status read_integer(tg_scanner *scan, int64_t *out)
{
    tg_scan_accept(scan, '_');
    const char next = tg_scan_peek(scan);
    if (next != '-' && !isdigit((unsigned char)next))
        return tg_scan_wrong(scan, "an integer or '('");
    return tg_scan_integer(scan, NULL, out);
}

static tg_status read_tuple(reader *r, tg_tuple *out)
{
    int64_t value = 0;
    if (!tg_scan_accept(r->scan, '(')) {
        TG_TRY(read_integer(r->scan, &value));
        tg_tuple_put(out, value);
        return TG_OK;
    }
    const int tuple = tg_tuple_open(out);
    TG_TRY(enter(r));
    do {
        TG_TRY(read_tuple(r, out));
    } while (tg_scan_accept(r->scan, ','));
    r->depth--;
    tg_tuple_close(out, tuple);
    return tg_scan_expect(r->scan, ')', "after the elements of a tuple");
}

tg_status tg_tuple_read(const char *text, size_t length, tg_tuple *out, tg_diags *diags)
{
    tg_scanner scan = {text, length, 0, diags};
    reader r = {&scan, 0};
    tg_tuple_begin(out);
    TG_TRY(read_tuple(&r, out));
    TG_TRY(tg_scan_expect_end(&scan));
    return tg_tuple_check(out, diags);
}

/* "Sw<3,4,3> o 0 o", or nothing. */
static tg_status read_swizzle(tg_scanner *scan, tg_cute *out)
{
    if (!tg_scan_accept_word(scan, "Sw"))
        return tg_scan_peek(scan) == 'S' ? tg_scan_wrong(scan, "\"Sw<\" or a layout") : TG_OK;
    TG_TRY(tg_swizzle_scan(scan, &out->swizzle));
    out->swizzle.axis = TG_AXIS_m;
    TG_TRY(tg_scan_expect(scan, 'o', "after a swizzle"));
    TG_TRY(read_integer(scan, &out->offset));
    return tg_scan_expect(scan, 'o', "after the offset");
}

tg_status tg_cute_read(const char *text, size_t length, tg_cute *out, tg_diags *diags)
{
    tg_scanner scan = {text, length, 0, diags};
    reader r = {&scan, 0};
    tg_cute_begin(out);
    TG_TRY(read_swizzle(&scan, out));
    TG_TRY(read_tuple(&r, &out->shape));
    TG_TRY(tg_scan_expect(&scan, ':', "between shape and stride"));
    TG_TRY(read_tuple(&r, &out->stride));
    TG_TRY(tg_scan_expect_end(&scan));
    TG_TRY(tg_tuple_check(&out->stride, diags));
    return tg_cute_check(out, diags);
}

/* ---- tilers ---- */

/* A layout; or, if there is no ':', a shape, whose integers become layouts of stride 1. */
static tg_status read_part(reader *r, tg_tiler *out)
{
    tg_cute part;
    tg_tiler_kind kind = TG_TILER_LAYOUT;
    const int first = out->layout.shape.count;
    tg_cute_begin(&part);
    TG_TRY(read_swizzle(r->scan, &part));
    TG_TRY(read_tuple(r, &part.shape));
    if (tg_scan_accept(r->scan, ':')) {
        TG_TRY(read_tuple(r, &part.stride));
        TG_TRY(tg_tuple_check(&part.stride, r->scan->diags));
    } else if (!tg_cute_is_plain(&part)) {
        return tg_scan_wrong(r->scan, "':' between shape and stride");
    } else {
        tg_tuple_copy(&part.shape, &part.stride);
        for (int i = 0; i < part.stride.count; i++) part.stride.node[i].value = 1;
        kind = TG_TILER_BY_MODE;
    }
    TG_TRY(tg_cute_check(&part, r->scan->diags));
    if (first) {
        TG_TRY(tg_cute_check_plain(&part, "a tiler by mode", r->scan->diags));
        tg_cute_put_node(&out->layout, &part, 0);
    } else {
        tg_cute_copy(&part, &out->layout);
    }
    if (first < TG_TUPLE_MOST_NODES) out->kind[first] = kind;
    for (int i = first; kind == TG_TILER_BY_MODE && i < out->layout.shape.count; i++)
        out->kind[i] = tg_tuple_is_integer(&out->layout.shape, i) ? TG_TILER_LAYOUT : kind;
    return TG_OK;
}

/* "_" alone: a static integer goes on with a digit. */
static bool accept_none(reader *r)
{
    if (tg_scan_peek(r->scan) != '_') return false;
    const char next = r->scan->at + 1 < r->scan->length ? r->scan->text[r->scan->at + 1] : 0;
    if (isdigit((unsigned char)next) || next == '-') return false;
    r->scan->at++;
    return true;
}

static tg_status read_tiler(reader *r, tg_tiler *out)
{
    const int at = out->layout.shape.count;
    if (accept_none(r)) {
        if (at < TG_TUPLE_MOST_NODES) out->kind[at] = TG_TILER_NONE;
        tg_cute_put(&out->layout, 1, 0);
        return TG_OK;
    }
    if (!tg_scan_accept(r->scan, '<')) return read_part(r, out);
    if (at < TG_TUPLE_MOST_NODES) out->kind[at] = TG_TILER_BY_MODE;
    const int tuple = tg_cute_open(&out->layout);
    TG_TRY(enter(r));
    do {
        TG_TRY(read_tiler(r, out));
    } while (tg_scan_accept(r->scan, ','));
    r->depth--;
    tg_cute_close(&out->layout, tuple);
    return tg_scan_expect(r->scan, '>', "after the modes of a tiler");
}

tg_status tg_tiler_read(const char *text, size_t length, tg_tiler *out, tg_diags *diags)
{
    tg_scanner scan = {text, length, 0, diags};
    reader r = {&scan, 0};
    tg_cute_begin(&out->layout);
    TG_TRY(read_tiler(&r, out));
    TG_TRY(tg_scan_expect_end(&scan));
    return tg_cute_check(&out->layout, diags);
}

/* ---- print ---- */

static void print_node(const tg_tuple *tuple, int at, tg_text *out)
{
    if (tg_tuple_is_integer(tuple, at)) {
        tg_text_add(out, "%" PRId64, tuple->node[at].value);
        return;
    }
    tg_text_put(out, "(");
    for (int i = at + 1; i < at + tuple->node[at].span; i += tuple->node[i].span) {
        if (i > at + 1) tg_text_put(out, ",");
        print_node(tuple, i, out);
    }
    tg_text_put(out, ")");
}

void tg_tuple_print(const tg_tuple *tuple, tg_text *out) { print_node(tuple, 0, out); }

void tg_cute_print(const tg_cute *cute, tg_text *out)
{
    const tg_swizzle *s = &cute->swizzle;
    if (!tg_cute_is_plain(cute))
        tg_text_add(out, "Sw<%d,%d,%d> o %" PRId64 " o ", s->bits, s->base, s->shift, cute->offset);
    tg_tuple_print(&cute->shape, out);
    tg_text_put(out, ":");
    tg_tuple_print(&cute->stride, out);
}
