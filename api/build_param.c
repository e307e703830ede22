/* Parameters of the kernel that the public builder has open. */
#include <string.h>

#include "api/build.h"

static bool read_role(tg_builder *b, const char *text, tg_role *out)
{
    for (int role = 0; text && role < TG_ROLE_COUNT; role++)
        if (strcmp(tg_role_names[role], text) == 0) {
            *out = (tg_role)role;
            return true;
        }
    return tg_api_wrong(b, "role \"%s\" is none of: prefetch input output scratch",
                        text ? text : "");
}

static bool read_block_dim(tg_builder *b, const tg_block_spec *spec, tg_block_dim *out)
{
    static const char *const kinds[] = {[TG_BLOCK_BLOCKED] = "blocked",
                                        [TG_BLOCK_ELEMENT] = "element",
                                        [TG_BLOCK_SQUEEZED] = "squeezed"};
    const int64_t most = (int64_t)1 << 47;
    for (int kind = 0; spec->kind && kind <= TG_BLOCK_SQUEEZED; kind++) {
        if (strcmp(kinds[kind], spec->kind) != 0) continue;
        const bool is_padded = spec->pad_low || spec->pad_high;
        *out = (tg_block_dim){(tg_block_kind)kind, spec->size, spec->pad_low, spec->pad_high};
        if (spec->size < 0 || spec->size > most || spec->pad_low < 0 || spec->pad_low > most ||
            spec->pad_high < 0 || spec->pad_high > most ||
            (kind == TG_BLOCK_SQUEEZED && spec->size != 1) ||
            (kind != TG_BLOCK_ELEMENT && is_padded))
            return tg_api_wrong(b, "sizes of a block that a \"%s\" dimension has not", spec->kind);
        return true;
    }
    return tg_api_wrong(b, "block \"%s\" is none of: blocked element squeezed",
                        spec->kind ? spec->kind : "");
}

static bool read_block(tg_builder *b, const tg_block_spec *spec, tg_param *out)
{
    int64_t count = 1;
    for (int d = 0; d < out->array.rank; d++) {
        if (!read_block_dim(b, &spec[d], &out->block[d])) return false;
        const int64_t size = out->block[d].size;
        if (size > 0 && count > ((int64_t)1 << 47) / size)
            return tg_api_wrong(b, "parameter %s: the block is too large", out->name);
        count *= size > 0 ? size : 1;
    }
    return out->has_block = true;
}

static bool read_alias(tg_builder *b, const char *name, tg_param *out)
{
    const tg_kernel *k = b->build.kernel;
    for (uint32_t p = 0; p < k->param_count; p++)
        if (strcmp(k->params[p].name, name) == 0) {
            out->alias = (int)p;
            return true;
        }
    return tg_api_wrong(b, "parameter %s: there is no parameter \"%s\" yet", out->name, name);
}

/* What JSON has for some roles only. */
static bool suits_role(tg_builder *b, const tg_param_spec *spec, tg_role role)
{
    if ((spec->block || spec->index_map) && role != TG_ROLE_INPUT && role != TG_ROLE_OUTPUT)
        return tg_api_wrong(b, "parameter %s: only inputs and outputs have blocks", spec->name);
    if ((spec->alias || spec->partly_written) && role != TG_ROLE_OUTPUT)
        return tg_api_wrong(b, "parameter %s: only outputs have \"alias\" and \"partly_written\"",
                            spec->name);
    return true;
}

static bool read_param(tg_builder *b, const tg_param_spec *spec, tg_param *out, tg_region *map)
{
    *out = (tg_param){.name = (char *)spec->name, .space = (char *)spec->space, .alias = -1};
    out->is_partly_written = spec->partly_written != 0;
    out->arrivals = spec->arrivals;
    out->is_shared = spec->shared != 0;
    if (spec->layout && !tg_api_layout(b, spec->layout, &out->layout)) return false;
    if (!tg_api_is_text(b, spec->name, "the name of a parameter") ||
        !tg_api_is_text_or_null(b, spec->space, "the space of a parameter") ||
        !read_role(b, spec->role, &out->role) || !suits_role(b, spec, out->role) ||
        !tg_api_type(b, spec->type, &out->array))
        return false;
    if (out->array.is_ref)
        return tg_api_wrong(b, "parameter %s: \"%s\" is no array", spec->name, spec->type);
    if (b->build.kernel->param_count == TG_MAX_OPERANDS)
        return tg_api_wrong(b, "more than %d parameters", (int)TG_MAX_OPERANDS);
    if (spec->block && !read_block(b, spec->block, out)) return false;
    if (spec->alias && !read_alias(b, spec->alias, out)) return false;
    if (!spec->index_map) return true;
    out->index_map = map;
    return tg_api_take_region(b, spec->index_map, map);
}

tg_value_id tg_builder_param(tg_builder *b, const tg_param_spec *given)
{
    tg_param_spec known = {0}; /* the caller's may be that of an older header */
    const tg_param_spec *spec = &known;
    memcpy(&known, given, given->size < sizeof known ? given->size : sizeof known);
    tg_param param;
    tg_region map;
    if (!tg_api_builds(b) || !tg_api_is_in_place(b, false, "tg_builder_param")) return 0;
    if (b->depth != 1) {
        tg_api_wrong(b, "tg_builder_param: an index map is open");
        return 0;
    }
    if (!read_param(b, spec, &param, &map)) return 0;
    const tg_type type = tg_param_ref(&param);
    const tg_value_id ref = tg_api_new_value(b, &type);
    if (!tg_api_builds(b)) return 0;
    b->visible[ref] = false; /* until the body begins */
    tg_build_param_as(&b->build, &param, ref);
    return ref;
}
