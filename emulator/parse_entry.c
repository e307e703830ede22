/* Parses an entry from its name to its end: parameters, bounds on its blocks, and its body; then
 * sets the addresses of dynamic shared memory. */
#include "emulator/parse_entry.h"

#include <string.h>

#include "base/align.h"
#include "emulator/cluster.h"
#include "emulator/operands.h"
#include "emulator/parse_body.h"
#include "emulator/parse_variable.h"

enum { MOST_PARAM_BYTES = 0x7ffc };

static tg_status add_param(tg_emu_parser *p, const tg_emu_declared *d)
{
    tg_emu_entry *e = p->entry;
    tg_emu_param *list =
        tg_emu_grow(&p->module->arena, e->params, e->param_count, &e->param_capacity, sizeof *list);
    char *name = tg_emu_kept_text(p, d->name.text, d->name.length);
    if (!list || !name) return tg_emu_no_memory(p);
    e->params = list;
    size_t offset = tg_align_up(e->param_bytes, d->alignment);
    size_t bytes = d->count * tg_emu_types[d->type].bytes;
    if (d->is_open || offset + bytes > MOST_PARAM_BYTES)
        return tg_emu_fail_at(p, TG_ERR_INVALID, &d->name, "parameters of %s",
                              d->is_open ? "open size" : "more than 32,764 bytes");
    list[e->param_count++] =
        (tg_emu_param){name, tg_emu_types[d->type].name, offset, bytes, d->alignment};
    e->param_bytes = offset + bytes;
    tg_emu_symbol symbol = {.name = d->name.text,
                            .length = d->name.length,
                            .kind = TG_EMU_SYMBOL_PARAM,
                            .type = d->type,
                            .space = TG_EMU_PARAM,
                            .address = offset,
                            .bytes = bytes};
    return tg_emu_names_add(&p->names, &symbol) ? TG_OK : tg_emu_no_memory(p);
}

static tg_status parse_params(tg_emu_parser *p)
{
    if (!tg_emu_is_mark(&p->reader.token, '(')) return TG_OK;
    TG_TRY(tg_emu_next(&p->reader));
    if (tg_emu_is_mark(&p->reader.token, ')')) return tg_emu_next(&p->reader);
    for (;;) {
        tg_emu_declared declared;
        if (!tg_emu_is(&p->reader.token, TG_EMU_TOKEN_DOT, "param"))
            return tg_emu_fail_at(p, TG_ERR_SYNTAX, &p->reader.token, "expected .param");
        TG_TRY(tg_emu_next(&p->reader));
        TG_TRY(tg_emu_parse_declared(p, &declared));
        TG_TRY(add_param(p, &declared));
        if (!tg_emu_is_mark(&p->reader.token, ',')) return tg_emu_expect(&p->reader, ')');
        TG_TRY(tg_emu_next(&p->reader));
    }
}

/* 128[, 1[, 1]] of `what` */
static tg_status parse_extents(tg_emu_parser *p, const char *what, uint32_t out[3])
{
    for (int i = 0; i < 3; i++) {
        uint64_t extent;
        tg_emu_token at = p->reader.token;
        TG_TRY(tg_emu_parse_number(p, 1024, &extent));
        if (extent == 0) return tg_emu_fail_at(p, TG_ERR_INVALID, &at, "%s", what);
        out[i] = (uint32_t)extent;
        if (!tg_emu_is_mark(&p->reader.token, ',')) {
            for (int k = i + 1; k < 3; k++) out[k] = 1;
            return TG_OK;
        }
        TG_TRY(tg_emu_next(&p->reader));
    }
    return tg_emu_fail_at(p, TG_ERR_SYNTAX, &p->reader.token, "more than three extents");
}

/* .explicitcluster, .reqnctapercluster 2[, 1[, 1]] */
static tg_status parse_cluster(tg_emu_parser *p)
{
    tg_emu_entry *e = p->entry;
    const tg_emu_token name = p->reader.token;
    const bool has_extents = tg_emu_is(&name, TG_EMU_TOKEN_DOT, "reqnctapercluster");
    bool *seen = has_extents ? &e->has_cluster : &e->is_explicit_cluster;
    if (*seen) return tg_emu_fail_at(p, TG_ERR_INVALID, &name, "the directive stands here twice");
    *seen = true;
    TG_TRY(tg_emu_next(&p->reader));
    if (!has_extents) return TG_OK;
    TG_TRY(parse_extents(p, "a cluster of no blocks", e->cluster));
    const uint64_t ctas = (uint64_t)e->cluster[0] * e->cluster[1] * e->cluster[2];
    if (ctas > TG_EMU_MOST_CTAS)
        return tg_emu_fail_at(p, TG_ERR_INVALID, &name, "a cluster of more than %d blocks",
                              TG_EMU_MOST_CTAS);
    if (ctas > 1) e->is_partial = true;
    return TG_OK;
}

/* Without the extents here, a launch would have to give them. */
static tg_status check_cluster(tg_emu_parser *p)
{
    if (!p->entry->is_explicit_cluster || p->entry->has_cluster) return TG_OK;
    return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &p->reader.token,
                          ".explicitcluster without .reqnctapercluster");
}

static tg_status parse_bounds(tg_emu_parser *p)
{
    tg_emu_entry *e = p->entry;
    while (p->reader.token.kind == TG_EMU_TOKEN_DOT) {
        tg_emu_token name = p->reader.token;
        if (tg_emu_is(&name, TG_EMU_TOKEN_DOT, "explicitcluster") ||
            tg_emu_is(&name, TG_EMU_TOKEN_DOT, "reqnctapercluster")) {
            TG_TRY(parse_cluster(p));
            continue;
        }
        bool is_required = tg_emu_is(&name, TG_EMU_TOKEN_DOT, "reqntid");
        if (!is_required && !tg_emu_is(&name, TG_EMU_TOKEN_DOT, "maxntid"))
            return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &name,
                                  "only .reqntid, .maxntid, .explicitcluster and "
                                  ".reqnctapercluster are understood here");
        if (e->required[0] || e->most[0])
            return tg_emu_fail_at(p, TG_ERR_INVALID, &name,
                                  "more than one of .reqntid and .maxntid");
        TG_TRY(tg_emu_next(&p->reader));
        TG_TRY(parse_extents(p, "a block of no threads", is_required ? e->required : e->most));
    }
    return check_cluster(p);
}

/* Adds the address of dynamic shared memory wherever it is used. */
static void resolve_dynamic(tg_emu_parser *p)
{
    tg_emu_entry *e = p->entry;
    uint32_t align = e->dynamic_align ? e->dynamic_align : 1;
    uint32_t start = (uint32_t)tg_align_up(e->shared_bytes, align);
    if (e->dynamic_align) e->shared_bytes = start;
    for (size_t i = 0; i < e->shared_count; i++)
        if (e->shared[i].offset == UINT32_MAX) e->shared[i].offset = start;
    uint64_t address = (uint64_t)TG_EMU_SHARED_START + start;
    for (size_t i = 0; i < p->dynamic_count; i++) {
        const tg_emu_dynamic_use *use = &p->dynamic[i];
        if (use->constant == UINT32_MAX)
            e->code[use->inst].immediate += (int64_t)address;
        else
            tg_emu_add_to_constant(e, use->constant, use->bytes, address);
    }
    p->dynamic_count = 0;
}

tg_status tg_emu_parse_entry(tg_emu_parser *p)
{
    char text[TG_EMU_TOKEN_TEXT];
    tg_emu_module *m = p->module;
    tg_emu_token name = p->reader.token;
    if (name.kind != TG_EMU_TOKEN_NAME)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &name, "expected the name of an entry before %s",
                              tg_emu_token_text(&name, text));
    tg_emu_entry *list =
        tg_emu_grow(&m->arena, m->entries, m->entry_count, &m->entry_capacity, sizeof *list);
    char *copy = tg_emu_kept_text(p, name.text, name.length);
    if (!list || !copy) return tg_emu_no_memory(p);
    m->entries = list;
    if (tg_emu_entry_find(m, copy) != m->entry_count)
        return tg_emu_fail_at(p, TG_ERR_INVALID, &name, "%s is declared twice",
                              tg_emu_token_text(&name, text));
    tg_emu_entry *e = p->entry = &list[m->entry_count];
    *e = p->common;
    e->shared_capacity = e->shared_count; /* so that the next addition copies the list */
    e->name = copy;
    e->register_count = 1;
    for (int i = 0; i < 3; i++) e->cluster[i] = 1;
    e->frame_bytes = (size_t)TG_EMU_SPECIAL_COUNT * TG_EMU_SPECIAL_BYTES;
    p->carry = (tg_emu_slot){0};
    p->calls = 0;
    memset(p->recent, 0, sizeof p->recent);
    TG_TRY(tg_emu_next(&p->reader));
    tg_emu_names_open(&p->names);
    TG_TRY(parse_params(p));
    TG_TRY(parse_bounds(p));
    TG_TRY(tg_emu_parse_body(p));
    p->entry->waits |= p->entry->is_partial;
    tg_emu_names_close(&p->names);
    resolve_dynamic(p);
    m->entry_count++;
    p->entry = &p->common;
    return TG_OK;
}
