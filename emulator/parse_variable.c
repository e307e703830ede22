/* Variables: their declarations, initialisers and addresses. */
#include "emulator/parse_variable.h"

#include "base/align.h"

enum {
    MOST_SHARED = 48 * 1024,
    SHARED_GUARD = 16,
    MOST_ALIGNMENT = 4096,
    MOST_BYTES = 1 << 26,
    MOST_LOCAL = 512 * 1024
};

static tg_status parse_alignment(tg_emu_parser *p, size_t *out)
{
    uint64_t alignment;
    tg_emu_token at = p->reader.token;
    TG_TRY(tg_emu_parse_number(p, MOST_ALIGNMENT, &alignment));
    if (alignment == 0 || (alignment & (alignment - 1)))
        return tg_emu_fail_at(p, TG_ERR_INVALID, &at, "an alignment is a power of two");
    *out = alignment;
    return TG_OK;
}

static tg_status parse_type(tg_emu_parser *p, tg_emu_type *out)
{
    char text[TG_EMU_TOKEN_TEXT];
    tg_emu_token token = p->reader.token;
    *out =
        token.kind == TG_EMU_TOKEN_DOT ? tg_emu_type_find(token.text, token.length) : TG_EMU_NONE;
    if (*out == TG_EMU_NONE || *out == TG_EMU_PRED || *out == TG_EMU_F16 || *out == TG_EMU_BF16)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &token, "%s is no type of a variable",
                              tg_emu_token_text(&token, text));
    return tg_emu_next(&p->reader);
}

/* .ptr{.global, .const, .shared, .local}{.align 16}: what a parameter points to */
static tg_status parse_pointee(tg_emu_parser *p, tg_emu_declared *out)
{
    static const char *const spaces[] = {"global", "const", "shared", "local"};
    size_t alignment;
    out->has_pointee = tg_emu_is(&p->reader.token, TG_EMU_TOKEN_DOT, "ptr");
    if (!out->has_pointee) return TG_OK;
    TG_TRY(tg_emu_next(&p->reader));
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (tg_emu_is(&p->reader.token, TG_EMU_TOKEN_DOT, spaces[i])) {
            TG_TRY(tg_emu_next(&p->reader));
            break;
        }
    if (!tg_emu_is(&p->reader.token, TG_EMU_TOKEN_DOT, "align")) return TG_OK;
    TG_TRY(tg_emu_next(&p->reader));
    return parse_alignment(p, &alignment);
}

static tg_status parse_brackets(tg_emu_parser *p, tg_emu_declared *out)
{
    uint64_t count;
    out->is_array = true;
    TG_TRY(tg_emu_next(&p->reader));
    if (tg_emu_is_mark(&p->reader.token, ']')) {
        out->is_open = true;
        return tg_emu_next(&p->reader);
    }
    tg_emu_token at = p->reader.token;
    TG_TRY(tg_emu_parse_number(p, MOST_BYTES / tg_emu_types[out->type].bytes, &count));
    if (count == 0) return tg_emu_fail_at(p, TG_ERR_INVALID, &at, "an array of no elements");
    out->count = count;
    return tg_emu_expect(&p->reader, ']');
}

tg_status tg_emu_parse_declared(tg_emu_parser *p, tg_emu_declared *out)
{
    char text[TG_EMU_TOKEN_TEXT];
    *out = (tg_emu_declared){.count = 1};
    if (tg_emu_is(&p->reader.token, TG_EMU_TOKEN_DOT, "align")) {
        TG_TRY(tg_emu_next(&p->reader));
        TG_TRY(parse_alignment(p, &out->alignment));
    }
    TG_TRY(parse_type(p, &out->type));
    TG_TRY(parse_pointee(p, out));
    size_t natural = tg_emu_types[out->type].bytes;
    if (out->alignment < natural) out->alignment = natural;
    out->name = p->reader.token;
    if (out->name.kind != TG_EMU_TOKEN_NAME)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &out->name, "expected a name before %s",
                              tg_emu_token_text(&out->name, text));
    tg_emu_found other = tg_emu_names_find(&p->names, out->name.text, out->name.length);
    if (other.symbol && other.symbol->depth == p->names.depth)
        return tg_emu_fail_at(p, TG_ERR_INVALID, &out->name, "%s is declared twice",
                              tg_emu_token_text(&out->name, text));
    TG_TRY(tg_emu_next(&p->reader));
    return tg_emu_is_mark(&p->reader.token, '[') ? parse_brackets(p, out) : TG_OK;
}

/* `symbol` has the space, the address, and what else is special. */
static tg_status add_symbol(tg_emu_parser *p, const tg_emu_declared *d, tg_emu_symbol symbol)
{
    symbol.name = d->name.text;
    symbol.length = d->name.length;
    symbol.kind = TG_EMU_SYMBOL_VARIABLE;
    symbol.type = d->type;
    symbol.bytes = d->count * tg_emu_types[d->type].bytes;
    return tg_emu_names_add(&p->names, &symbol) ? TG_OK : tg_emu_no_memory(p);
}

/* Adds a shared variable.  Those of the module go into a list that every entry begins with. */
static tg_status add_shared(tg_emu_parser *p, const tg_emu_declared *d, bool is_extern)
{
    tg_emu_entry *e = p->entry;
    uint32_t bytes = is_extern ? 0 : (uint32_t)(d->count * tg_emu_types[d->type].bytes);
    if (is_extern != d->is_open)
        return tg_emu_fail_at(p, TG_ERR_INVALID, &d->name,
                              "an array of shared memory is open ([]) where it is .extern");
    tg_emu_shared_variable *list = tg_emu_grow(&p->module->arena, e->shared, e->shared_count,
                                               &e->shared_capacity, sizeof *list);
    char *name = tg_emu_kept_text(p, d->name.text, d->name.length);
    if (!list || !name) return tg_emu_no_memory(p);
    e->shared = list;
    if (is_extern) {
        if (d->alignment > e->dynamic_align) e->dynamic_align = (uint32_t)d->alignment;
        list[e->shared_count++] = (tg_emu_shared_variable){name, UINT32_MAX, 0};
        return add_symbol(p, d, (tg_emu_symbol){.space = TG_EMU_SHARED, .is_dynamic = true});
    }
    const uint32_t offset = (uint32_t)tg_align_up(e->shared_bytes, d->alignment);
    e->declared_bytes = (uint32_t)tg_align_up(e->declared_bytes, d->alignment) + bytes;
    if (bytes > MOST_SHARED || e->declared_bytes > MOST_SHARED)
        return tg_emu_fail_at(p, TG_ERR_INVALID, &d->name,
                              "more than %d bytes of static shared memory", MOST_SHARED);
    list[e->shared_count++] = (tg_emu_shared_variable){name, offset, bytes};
    e->shared_bytes = offset + bytes + SHARED_GUARD;
    return add_symbol(
        p, d,
        (tg_emu_symbol){.space = TG_EMU_SHARED, .address = (uint64_t)TG_EMU_SHARED_START + offset});
}

/* Adds a variable that each thread has: of .local, or of .param. */
static tg_status add_local(tg_emu_parser *p, const tg_emu_declared *d, bool is_param)
{
    tg_emu_entry *e = p->entry;
    const uint64_t offset = tg_align_up(e->local_bytes, d->alignment),
                   end = offset + d->count * tg_emu_types[d->type].bytes;
    if (d->is_open || end > MOST_LOCAL)
        return tg_emu_fail_at(p, TG_ERR_INVALID, &d->name,
                              d->is_open ? "an array needs a size"
                                         : "more than %d bytes of local memory",
                              MOST_LOCAL);
    e->local_bytes = (uint32_t)end;
    return add_symbol(p, d,
                      (tg_emu_symbol){.space = TG_EMU_LOCAL,
                                      .address = (uint64_t)TG_EMU_LOCAL_START + offset,
                                      .is_param = is_param});
}

/* Parses one element of an initialiser to little-endian bytes. */
static tg_status parse_element(tg_emu_parser *p, tg_emu_type type, unsigned char *to)
{
    const tg_emu_type_info *info = &tg_emu_types[type];
    bool is_negative = tg_emu_is_mark(&p->reader.token, '-');
    if (is_negative) TG_TRY(tg_emu_next(&p->reader));
    tg_emu_token token = p->reader.token;
    bool is_float = token.kind == TG_EMU_TOKEN_F32 || token.kind == TG_EMU_TOKEN_F64;
    unsigned bytes = token.kind == TG_EMU_TOKEN_F32 ? 4 : 8;
    if (is_float ? info->kind != 'f' || info->bytes != bytes || is_negative
                 : token.kind != TG_EMU_TOKEN_INT || info->kind == 'f')
        return tg_emu_fail_at(p, TG_ERR_TYPE, &token, "an element of .%s cannot be written so",
                              info->name);
    if (!is_float && info->bytes < 8 && token.bits >> 8 * info->bytes)
        return tg_emu_fail_at(p, TG_ERR_TYPE, &token, "a number that does not fit .%s", info->name);
    uint64_t bits = is_negative ? UINT64_C(0) - token.bits : token.bits;
    for (unsigned i = 0; i < info->bytes; i++) to[i] = (unsigned char)(bits >> 8 * i);
    return tg_emu_next(&p->reader);
}

static tg_status parse_initialiser(tg_emu_parser *p, const tg_emu_declared *d, unsigned char *to)
{
    unsigned bytes = tg_emu_types[d->type].bytes;
    TG_TRY(tg_emu_next(&p->reader));
    if (!d->is_array) return parse_element(p, d->type, to);
    TG_TRY(tg_emu_expect(&p->reader, '{'));
    for (size_t i = 0;; i++) {
        if (i == d->count)
            return tg_emu_fail_at(p, TG_ERR_INVALID, &p->reader.token,
                                  "more elements than the array has");
        TG_TRY(parse_element(p, d->type, to + i * bytes));
        if (!tg_emu_is_mark(&p->reader.token, ',')) break;
        TG_TRY(tg_emu_next(&p->reader));
    }
    return tg_emu_expect(&p->reader, '}');
}

/* Adds a variable of the module in global or constant memory. */
static tg_status add_block(tg_emu_parser *p, const tg_emu_declared *d, tg_emu_space space)
{
    tg_emu_module *m = p->module;
    size_t bytes = d->count * tg_emu_types[d->type].bytes;
    if (d->is_open) return tg_emu_fail_at(p, TG_ERR_INVALID, &d->name, "an array needs a size");
    tg_emu_block *list =
        tg_emu_grow(&m->arena, m->blocks, m->block_count, &m->block_capacity, sizeof *list);
    unsigned char *data = tg_arena_take(&m->arena, bytes, 1);
    char *name = tg_emu_kept_text(p, d->name.text, d->name.length);
    if (!list || !data || !name) return tg_emu_no_memory(p);
    m->blocks = list;
    uint64_t base = ((TG_EMU_MODULE_BLOCKS + m->block_count) << TG_EMU_BLOCK_BITS) + TG_EMU_MIDDLE +
                    d->alignment;
    list[m->block_count++] = (tg_emu_block){.base = base,
                                            .bytes = bytes,
                                            .data = data,
                                            .name = name,
                                            .space = space,
                                            .shadow = {.bytes = bytes}};
    TG_TRY(add_symbol(p, d, (tg_emu_symbol){.space = space, .address = base}));
    return tg_emu_is_mark(&p->reader.token, '=') ? parse_initialiser(p, d, data) : TG_OK;
}

tg_status tg_emu_parse_variable(tg_emu_parser *p, tg_emu_space space, bool is_extern)
{
    tg_emu_declared declared;
    TG_TRY(tg_emu_parse_declared(p, &declared));
    if (declared.has_pointee)
        return tg_emu_fail_at(p, TG_ERR_INVALID, &declared.name, ".ptr is for parameters");
    if (space == TG_EMU_SHARED)
        TG_TRY(add_shared(p, &declared, is_extern));
    else if (space == TG_EMU_LOCAL || space == TG_EMU_PARAM)
        TG_TRY(add_local(p, &declared, space == TG_EMU_PARAM));
    else
        TG_TRY(add_block(p, &declared, space));
    return tg_emu_expect(&p->reader, ';');
}
