#include <string.h>

#include "layout/linear/bases.h"
#include "layout/linear/encoding.h"
#include "layout/linear/ttg.h"

typedef enum key_type { NUMBER, FLAG, LIST, BLOCKS, LAYOUT, PARENT } key_type;
typedef enum key_need { MUST, MAY } key_need;

typedef struct key {
    const char *name;
    size_t field;
    tg_encoding_kind kind;
    key_type type;
    key_need need;
} key;

static const key keys[] = {
#define TG_ENCODING_KEY(kind, name, type, field, need)                                             \
    {name, offsetof(tg_encoding_node, field), TG_ENCODING_##kind, type, need},
#include "layout/linear/encodings.def"
};

static const char *const names[] = {
#define TG_ENCODING(id, name) name,
#include "layout/linear/encodings.def"
};

enum { KEY_COUNT = sizeof keys / sizeof *keys, KEY_NAME_SIZE = 32 };
_Static_assert(KEY_COUNT <= 64, "a set of keys has 64 bits");

static tg_status read_node(tg_scanner *s, tg_encoding *encoding, int *node);

/* ---- values ---- */

static tg_status read_small(tg_scanner *s, int64_t *out)
{
    tg_scan_peek(s);
    const size_t first = s->at;
    *out = 0;
    TG_TRY(tg_ttg_number(s, out));
    if (*out > TG_ENCODING_MAX_NUMBER)
        return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "%lld is more than an encoding has; it has up to %d", (long long)*out,
                          TG_ENCODING_MAX_NUMBER);
    return TG_OK;
}

static tg_status read_flag(tg_scanner *s, int64_t *out)
{
    *out = tg_scan_accept_word(s, "true");
    if (*out || tg_scan_accept_word(s, "false")) return TG_OK;
    return tg_fail_at(s->diags, TG_ERR_SYNTAX, NULL, (int64_t)s->at, "expected true or false");
}

static tg_status read_small_list(tg_scanner *s, tg_shape *out)
{
    tg_scan_peek(s);
    const size_t first = s->at;
    TG_TRY(tg_ttg_list(s, out));
    for (int i = 0; i < out->rank; i++)
        if (out->extent[i] > TG_ENCODING_MAX_NUMBER)
            return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                              "%lld is more than an encoding has; it has up to %d",
                              (long long)out->extent[i], TG_ENCODING_MAX_NUMBER);
    return TG_OK;
}

static tg_status read_blocks(tg_scanner *s, tg_linear *out)
{
    tg_bases bases;
    tg_bases_begin(&bases);
    TG_TRY(tg_bases_read_dim(s, "block", &bases));
    TG_TRY(tg_bases_standard_outs(&bases, 0, &out->out, s->diags));
    return tg_bases_to_linear(&bases, out, s->diags);
}

static tg_status read_layout(tg_scanner *s, tg_linear *out)
{
    tg_bases bases;
    TG_TRY(tg_bases_read(s, &bases));
    TG_TRY(tg_bases_standard_outs(&bases, 0, &out->out, s->diags));
    return tg_bases_to_linear(&bases, out, s->diags);
}

static tg_status read_value(tg_scanner *s, const key *k, tg_encoding *encoding, int node)
{
    void *to = (char *)&encoding->nodes[node] + k->field;
    switch (k->type) {
    case NUMBER: return read_small(s, to);
    case FLAG: return read_flag(s, to);
    case LIST: return read_small_list(s, to);
    case BLOCKS: return read_blocks(s, to);
    case LAYOUT: return read_layout(s, to);
    case PARENT: return read_node(s, encoding, to);
    }
    return TG_ERR_INVALID;
}

/* ---- nodes ---- */

static tg_status read_key(tg_scanner *s, tg_encoding *encoding, int node, uint64_t *seen)
{
    char name[KEY_NAME_SIZE];
    const tg_encoding_kind kind = encoding->nodes[node].kind;
    tg_scan_peek(s);
    const size_t first = s->at;
    TG_TRY(tg_ttg_name(s, name, sizeof name));
    for (int i = 0; i < KEY_COUNT; i++) {
        if (keys[i].kind != kind || strcmp(keys[i].name, name) != 0) continue;
        if (*seen >> i & 1)
            return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                              "key \"%s\" is there twice", name);
        *seen |= UINT64_C(1) << i;
        TG_TRY(tg_scan_expect(s, '=', "after a key"));
        return read_value(s, &keys[i], encoding, node);
    }
    return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)first, "%s has no key \"%s\"",
                      names[kind], name);
}

static tg_status check_keys(tg_scanner *s, tg_encoding_kind kind, uint64_t seen)
{
    for (int i = 0; i < KEY_COUNT; i++)
        if (keys[i].kind == kind && keys[i].need == MUST && !(seen >> i & 1))
            return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)s->at, "%s lacks key \"%s\"",
                              names[kind], keys[i].name);
    return TG_OK;
}

/* "{key = value, ..}"; the attributes of tensor memory have no braces. */
static tg_status read_keys(tg_scanner *s, tg_encoding *encoding, int node)
{
    uint64_t seen = 0;
    const bool has_braces = tg_scan_accept(s, '{');
    if (tg_scan_peek(s) != (has_braces ? '}' : '>')) do
            TG_TRY(read_key(s, encoding, node, &seen));
        while (tg_scan_accept(s, ','));
    if (has_braces) TG_TRY(tg_scan_expect(s, '}', "after the keys"));
    return check_keys(s, encoding->nodes[node].kind, seen);
}

static tg_status read_kind(tg_scanner *s, tg_encoding_kind *kind)
{
    for (int k = 0; k < TG_ENCODING_COUNT; k++) {
        const size_t first = s->at;
        if (tg_scan_accept_word(s, names[k])) {
            *kind = (tg_encoding_kind)k;
            if (tg_scan_peek(s) == '<') return TG_OK;
        }
        s->at = first;
    }
    tg_scan_peek(s);
    return tg_fail_at(s->diags, TG_ERR_SYNTAX, NULL, (int64_t)s->at,
                      "expected an encoding, such as %s<", names[0]);
}

static tg_status read_node(tg_scanner *s, tg_encoding *encoding, int *node)
{
    if (encoding->count == TG_ENCODING_MAX_NODES)
        return tg_fail_at(s->diags, TG_ERR_UNSUPPORTED, NULL, (int64_t)s->at,
                          "encodings are nested more than %d deep", TG_ENCODING_MAX_NODES);
    *node = encoding->count++;
    tg_encoding_node *n = &encoding->nodes[*node];
    memset(n, 0, sizeof *n);
    TG_TRY(read_kind(s, &n->kind));
    TG_TRY(tg_scan_expect(s, '<', "after the name of an encoding"));
    if (n->kind == TG_ENCODING_linear || n->kind == TG_ENCODING_shared_linear)
        TG_TRY(read_layout(s, &n->layout));
    else
        TG_TRY(read_keys(s, encoding, *node));
    return tg_scan_expect(s, '>', "after an encoding");
}

tg_status tg_encoding_read(const char *text, size_t length, tg_encoding *out, tg_diags *diags)
{
    tg_scanner s = {text, length, 0, diags};
    int node;
    out->count = 0;
    TG_TRY(read_node(&s, out, &node));
    if (tg_scan_peek(&s))
        return tg_fail_at(diags, TG_ERR_SYNTAX, NULL, (int64_t)s.at,
                          "expected the end of the encoding");
    return TG_OK;
}
