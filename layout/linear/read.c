#include "layout/linear/read.h"

#include <string.h>

#include "layout/linear/bases.h"
#include "layout/linear/ttg.h"

/* A size, as bits. */
static tg_status read_size(tg_scanner *s, int *bits)
{
    int64_t size = 0;
    tg_scan_peek(s);
    const size_t first = s->at;
    TG_TRY(tg_ttg_number(s, &size));
    if (size < 1 || (size & (size - 1)))
        return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "size %lld is no power of two", (long long)size);
    *bits = __builtin_ctzll((unsigned long long)size);
    return TG_OK;
}

/* "(dim0 = 16, dim1)", after the arrow */
static tg_status read_outs(tg_scanner *s, const tg_bases *bases, tg_linear_dims *outs)
{
    outs->count = 0;
    TG_TRY(tg_scan_expect(s, '(', "before the out dimensions"));
    if (tg_scan_accept(s, ')')) return TG_OK;
    do {
        char name[TG_LINEAR_NAME_SIZE];
        TG_TRY(tg_ttg_name(s, name, sizeof name));
        int bits = outs->count < bases->rank ? tg_bases_bits(bases, outs->count) : 0;
        if (tg_scan_accept(s, '=')) TG_TRY(read_size(s, &bits));
        TG_TRY(tg_linear_add_dim(outs, name, bits, s->diags));
    } while (tg_scan_accept(s, ','));
    return tg_scan_expect(s, ')', "after the out dimensions");
}

static tg_status read_attribute(tg_scanner *s, tg_bases *bases, tg_linear *out)
{
    const bool is_attribute =
        tg_scan_accept_word(s, "#ttg.linear") || tg_scan_accept_word(s, "#ttg.shared_linear");
    if (is_attribute) TG_TRY(tg_scan_expect(s, '<', "before the layout"));
    TG_TRY(tg_bases_read(s, bases));
    if (is_attribute) TG_TRY(tg_scan_expect(s, '>', "after the layout"));
    if (!is_attribute && tg_scan_accept_word(s, "->")) return read_outs(s, bases, &out->out);
    return tg_bases_standard_outs(bases, 0, &out->out, s->diags);
}

/* ---- lines ---- */

static tg_status read_line_basis(tg_scanner *s, const char *name, tg_bases *bases)
{
    char again[TG_LINEAR_NAME_SIZE];
    int64_t index = 0;
    TG_TRY(tg_ttg_name(s, again, sizeof again));
    TG_TRY(tg_scan_expect(s, '=', "after the name of an in dimension"));
    const size_t first = s->at;
    TG_TRY(tg_ttg_number(s, &index));
    tg_linear_dim *dim = &bases->in.list[bases->in.count - 1];
    if (strcmp(again, name) != 0 || index != INT64_C(1) << dim->bits ||
        bases->count == TG_LINEAR_MAX_BITS)
        return tg_fail_at(s->diags, TG_ERR_SYNTAX, NULL, (int64_t)first,
                          "expected the basis of %s=%lld", name, (long long)1 << dim->bits);
    if (!tg_scan_accept_word(s, "->"))
        return tg_fail_at(s->diags, TG_ERR_SYNTAX, NULL, (int64_t)s->at, "expected \"->\"");
    tg_shape *basis = &bases->list[bases->count];
    bases->at[bases->count] = s->at;
    basis->rank = 0;
    TG_TRY(tg_scan_expect(s, '(', "before a basis"));
    while (tg_scan_peek(s) != ')' && basis->rank < TG_SHAPE_MAX_RANK) {
        TG_TRY(tg_ttg_number(s, &basis->extent[basis->rank++]));
        if (!tg_scan_accept(s, ',')) break;
    }
    TG_TRY(tg_scan_expect(s, ')', "after a basis"));
    if (bases->rank < 0) bases->rank = basis->rank;
    if (bases->rank != basis->rank)
        return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)bases->at[bases->count],
                          "a basis has %d numbers, but the first one has %d", basis->rank,
                          bases->rank);
    bases->count++;
    dim->bits++;
    return TG_OK;
}

/* " - name=1 -> (0, 1)" and further lines, or " - name is a size 1 dimension"; after the '-'. */
static tg_status read_line_dim(tg_scanner *s, tg_bases *bases)
{
    char name[TG_LINEAR_NAME_SIZE];
    tg_scan_peek(s);
    const size_t first = s->at;
    TG_TRY(tg_ttg_name(s, name, sizeof name));
    TG_TRY(tg_linear_add_dim(&bases->in, name, 0, s->diags));
    if (tg_scan_accept_word(s, "is a size 1 dimension")) return TG_OK;
    s->at = first;
    do {
        TG_TRY(read_line_basis(s, name, bases));
        tg_scan_peek(s);
    } while (s->at < s->length && s->text[s->at] != '-' &&
             !tg_scan_accept_word(s, "where out dims are:"));
    return TG_OK;
}

/* "[dim0 (size 16), ..]" */
static tg_status read_line_outs(tg_scanner *s, tg_linear_dims *outs)
{
    outs->count = 0;
    TG_TRY(tg_scan_expect(s, '[', "before the out dimensions"));
    if (tg_scan_accept(s, ']')) return TG_OK;
    do {
        char name[TG_LINEAR_NAME_SIZE];
        int bits;
        TG_TRY(tg_ttg_name(s, name, sizeof name));
        if (!tg_scan_accept_word(s, "(size"))
            return tg_fail_at(s->diags, TG_ERR_SYNTAX, NULL, (int64_t)s->at, "expected \"(size\"");
        TG_TRY(read_size(s, &bits));
        TG_TRY(tg_scan_expect(s, ')', "after a size"));
        TG_TRY(tg_linear_add_dim(outs, name, bits, s->diags));
    } while (tg_scan_accept(s, ','));
    return tg_scan_expect(s, ']', "after the out dimensions");
}

static tg_status read_lines(tg_scanner *s, tg_bases *bases, tg_linear *out)
{
    tg_bases_begin(bases);
    while (tg_scan_accept(s, '-')) TG_TRY(read_line_dim(s, bases));
    tg_scan_accept_word(s, "where out dims are:");
    return read_line_outs(s, &out->out);
}

static tg_status read_empty(tg_scanner *s, tg_bases *bases, tg_linear *out)
{
    tg_bases_begin(bases);
    if (tg_scan_accept_word(s, "with out-dims")) TG_TRY(read_line_outs(s, &out->out));
    return tg_scan_expect(s, ')', "after the empty layout");
}

tg_status tg_linear_read(const char *text, size_t length, tg_linear *out, tg_diags *diags)
{
    tg_scanner s = {text, length, 0, diags};
    tg_bases bases;
    tg_linear_begin(out);
    if (tg_scan_accept_word(&s, "(empty layout"))
        TG_TRY(read_empty(&s, &bases, out));
    else if (tg_scan_peek(&s) == '-')
        TG_TRY(read_lines(&s, &bases, out));
    else
        TG_TRY(read_attribute(&s, &bases, out));
    if (tg_scan_peek(&s))
        return tg_fail_at(diags, TG_ERR_SYNTAX, NULL, (int64_t)s.at,
                          "expected the end of the layout");
    return tg_bases_to_linear(&bases, out, diags);
}
