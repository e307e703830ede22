/* The builder of the public interface: modules, kernels, parameters, regions. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_impl.h"
#include "api/errors.h"
#include "api/build.h"
#include "base/float_env.h"
#include "base/list.h"
#include "base/utf8.h"
#include "verify/verify.h"

/* ---- what is wrong ---- */

bool tg_api_builds(tg_builder *b) { return b && b->status == TG_OK && !b->build.failed; }

bool tg_api_wrong(tg_builder *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(b->wrong, sizeof b->wrong, format, args);
    va_end(args);
    b->status = TG_ERR_INVALID;
    b->wrong_kernel = b->build.kernel ? (int64_t)b->build.module->kernel_count - 1 : -1;
    return false;
}

static tg_status tell_wrong(const tg_builder *b, tg_diags *diags)
{
    const tg_path kernels = {.key = "kernels"},
                  kernel = {.up = &kernels, .index = (size_t)b->wrong_kernel};
    return tg_fail(diags, b->status, b->wrong_kernel < 0 ? NULL : &kernel, "%s", b->wrong);
}

static bool no_memory(tg_builder *b)
{
    b->build.failed = true;
    return false;
}

bool tg_api_is_text(tg_builder *b, const char *text, const char *what)
{
    if (!text) return tg_api_wrong(b, "%s is missing", what);
    for (const char *p = text, *end = text + strlen(text); p < end;) {
        const int length = tg_utf8_length(p, end);
        if (length == 0) return tg_api_wrong(b, "%s is not UTF-8", what);
        p += length;
    }
    return true;
}

static bool is_text_or_null(tg_builder *b, const char *text, const char *what)
{
    return !text || tg_api_is_text(b, text, what);
}

bool tg_api_type(tg_builder *b, const char *text, tg_type *out)
{
    if (!text) return tg_api_wrong(b, "a type is missing");
    const char *wrong = tg_type_parse(text, out);
    return !wrong || tg_api_wrong(b, "type \"%s\" %s", text, wrong);
}

/* ---- modules ---- */

tg_builder *tg_builder_new(void)
{
    tg_builder *b = calloc(1, sizeof *b);
    if (b) tg_build_begin(&b->build);
    return b;
}

/* All that has been built and noted is gone. */
static void clear(tg_builder *b)
{
    tg_build_drop(&b->build);
    free(b->visible);
    free(b->regions);
    *b = (tg_builder){.status = TG_OK};
}

void tg_builder_free(tg_builder *b)
{
    if (b) clear(b);
    free(b);
}

/* The module, or what was wrong with the calls. */
static tg_status end(tg_builder *b, tg_module **out, tg_diags *diags)
{
    if (tg_api_builds(b) && b->build.kernel) tg_api_wrong(b, "the kernel is not ended");
    if (tg_api_builds(b) && b->build.module->kernel_count == 0)
        tg_api_wrong(b, "a module has at least one kernel");
    if (b && b->status != TG_OK) return tell_wrong(b, diags);
    *out = b ? tg_build_finish(&b->build) : NULL;
    if (!*out) return tg_no_memory(diags);
    return tg_module_verify(*out, diags);
}

tg_status tg_builder_finish(tg_builder *b, tg_module **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    *out = NULL;
    const tg_environment saved = tg_environment_enter();
    const tg_status status = end(b, out, diags);
    tg_environment_leave(saved);
    if (status != TG_OK) {
        tg_module_free(*out);
        *out = NULL;
    }
    tg_diags_free(&unwanted);
    if (b) {
        clear(b);
        tg_build_begin(&b->build);
    }
    return status;
}

/* ---- source locations ---- */

uint32_t tg_builder_location(tg_builder *b, const char *file, int64_t line, const char *function,
                             uint32_t caller, const char *skipped)
{
    if (!tg_api_builds(b) || !is_text_or_null(b, file, "the file of a location") ||
        !is_text_or_null(b, function, "the function of a location") ||
        !is_text_or_null(b, skipped, "what is left out before a location"))
        return 0;
    if (line < 0 || caller >= b->build.module->loc_count || (skipped && !caller)) {
        tg_api_wrong(b, "there is no such line or caller of a location");
        return 0;
    }
    const tg_loc loc = {.file = (char *)file,
                        .function = (char *)function,
                        .line = line,
                        .caller = caller,
                        .skipped = (char *)skipped};
    return tg_build_loc(&b->build, &loc);
}

void tg_builder_at(tg_builder *b, uint32_t location)
{
    if (!tg_api_builds(b)) return;
    if (location < b->build.module->loc_count)
        b->build.loc = location;
    else
        tg_api_wrong(b, "there is no location %u", (unsigned)location);
}

/* ---- kernels ---- */

/* A kernel is open, and its body has begun or not, as the call needs it. */
static bool is_in_place(tg_builder *b, bool in_body, const char *call)
{
    if (!b->build.kernel) return tg_api_wrong(b, "%s: no kernel is open", call);
    if (b->in_body == in_body) return true;
    return tg_api_wrong(b, "%s: the body has %s", call, in_body ? "not begun" : "begun");
}

void tg_builder_kernel(tg_builder *b, const char *name, const char *dialect)
{
    if (!tg_api_builds(b) || !tg_api_is_text(b, name, "the name of a kernel")) return;
    const bool is_triton = dialect && strcmp(dialect, "triton") == 0;
    if (b->build.kernel)
        tg_api_wrong(b, "a kernel is open already");
    else if (dialect && !is_triton && strcmp(dialect, "xla") != 0)
        tg_api_wrong(b, "dialect \"%s\" is none of: xla triton", dialect);
    if (b->status != TG_OK) return;
    tg_build_kernel(&b->build, name);
    if (!b->build.kernel) return;
    b->build.kernel->loc = b->build.loc;
    b->build.kernel->dialect = is_triton ? TG_DIALECT_TRITON : TG_DIALECT_XLA;
    b->in_body = false;
    b->region_count = 0;
    b->depth = 0;
    tg_api_enter(b);
}

/* Nothing waits for an op that does not come. */
static bool is_spent(tg_builder *b)
{
    const tg_api_level *level = &b->levels[b->depth - 1];
    bool is_left = level->region_count > 0;
    for (int id = 0; id < TG_ATTR_COUNT; id++) is_left |= level->has_attr[id];
    return !is_left || tg_api_wrong(b, "an attribute or region belongs to no operation");
}

void tg_builder_kernel_end(tg_builder *b)
{
    if (!tg_api_builds(b) || !is_in_place(b, true, "tg_builder_kernel_end")) return;
    if (b->depth != 1) {
        tg_api_wrong(b, "tg_builder_kernel_end: a region is open");
        return;
    }
    if (!is_spent(b)) return;
    tg_build_kernel_end(&b->build);
    b->depth = 0;
}

void tg_builder_axis(tg_builder *b, int64_t size, const char *semantics, const char *name)
{
    if (!tg_api_builds(b) || !is_in_place(b, false, "tg_builder_axis") ||
        !is_text_or_null(b, name, "the name of an axis"))
        return;
    const tg_semantics known = semantics ? tg_semantics_named(semantics) : TG_AXIS_PARALLEL;
    if (size < -1)
        tg_api_wrong(b, "an axis of size %lld", (long long)size);
    else if (b->build.kernel->axis_count == TG_MAX_AXES)
        tg_api_wrong(b, "more than %d axes", (int)TG_MAX_AXES);
    else if (known == TG_SEMANTICS_COUNT)
        tg_api_wrong(b, "semantics \"%s\" is none of: parallel arbitrary thread", semantics);
    else
        tg_build_axis(&b->build, &(tg_axis){.name = (char *)name,
                                            .size = size,
                                            .semantics = known,
                                            .is_assumed = !semantics});
}

/* ---- parameters ---- */

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
    if (!tg_api_is_text(b, spec->name, "the name of a parameter") ||
        !is_text_or_null(b, spec->space, "the space of a parameter") ||
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
    if (!tg_api_builds(b) || !is_in_place(b, false, "tg_builder_param")) return 0;
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

void tg_builder_body(tg_builder *b)
{
    if (!tg_api_builds(b) || !is_in_place(b, false, "tg_builder_body")) return;
    if (b->depth != 1) {
        tg_api_wrong(b, "tg_builder_body: an index map is open");
        return;
    }
    b->in_body = true;
    for (uint32_t p = 0; p < b->build.kernel->param_count; p++) b->visible[b->build.refs[p]] = true;
}

/* ---- values and regions ---- */

tg_value_id tg_api_new_value(tg_builder *b, const tg_type *type)
{
    const size_t count = b->build.kernel->value_count;
    bool *wider = tg_list_grow(b->visible, count, &b->visible_room, sizeof *wider);
    if (!wider) return (tg_value_id)no_memory(b);
    b->visible = wider;
    const tg_value_id value = tg_build_value(&b->build, type);
    if (!b->build.failed) b->visible[value] = true;
    return value;
}

bool tg_api_sees(tg_builder *b, tg_value_id value)
{
    if (value >= b->build.kernel->value_count)
        return tg_api_wrong(b, "there is no value %u", (unsigned)value);
    return b->visible[value] ||
           tg_api_wrong(b, "value %u belongs to a region that has ended, or to the body",
                        (unsigned)value);
}

bool tg_api_enter(tg_builder *b)
{
    if (b->depth > TG_MAX_NESTING)
        return tg_api_wrong(b, "regions are nested more than %d deep", (int)TG_MAX_NESTING);
    b->levels[b->depth++] = (tg_api_level){.serial = ++b->next_serial,
                                           .first = b->build.kernel->value_count,
                                           .data_dtype = TG_DT_COUNT};
    return true;
}

bool tg_api_take_region(tg_builder *b, tg_region_id id, tg_region *out)
{
    tg_api_region *taken = id && id <= b->region_count ? &b->regions[id - 1] : NULL;
    if (!taken || taken->is_used || taken->owner != b->levels[b->depth - 1].serial)
        return tg_api_wrong(b, "region %u is none that was closed here and not used yet",
                            (unsigned)id);
    taken->is_used = true;
    *out = taken->region;
    return true;
}

/* A region other than the body is open. */
static bool is_inside(tg_builder *b, const char *call)
{
    if (b->build.kernel && b->depth > 1) return true;
    return tg_api_wrong(b, "%s: no region is open but the body", call);
}

void tg_builder_open(tg_builder *b)
{
    if (!tg_api_builds(b)) return;
    if (!b->build.kernel)
        tg_api_wrong(b, "tg_builder_open: no kernel is open");
    else if (tg_api_enter(b))
        tg_build_open(&b->build);
}

tg_value_id tg_builder_arg(tg_builder *b, const char *text)
{
    tg_type type;
    if (!tg_api_builds(b) || !is_inside(b, "tg_builder_arg") || !tg_api_type(b, text, &type))
        return 0;
    const tg_value_id value = tg_api_new_value(b, &type);
    tg_build_arg(&b->build, value);
    return value;
}

void tg_builder_yield(tg_builder *b, tg_value_id value)
{
    if (tg_api_builds(b) && is_inside(b, "tg_builder_yield") && tg_api_sees(b, value))
        tg_build_yield(&b->build, value);
}

tg_region_id tg_builder_close(tg_builder *b)
{
    if (!tg_api_builds(b) || !is_inside(b, "tg_builder_close") || !is_spent(b)) return 0;
    tg_api_region *wider =
        tg_list_grow(b->regions, b->region_count, &b->region_room, sizeof *wider);
    if (!wider) return (tg_region_id)no_memory(b);
    b->regions = wider;
    const uint32_t first = b->levels[--b->depth].first;
    for (uint32_t v = first; v < b->build.kernel->value_count; v++) b->visible[v] = false;
    b->regions[b->region_count++] =
        (tg_api_region){tg_build_close(&b->build), b->levels[b->depth - 1].serial, false};
    return (tg_region_id)b->region_count;
}
