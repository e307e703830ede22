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

bool tg_api_is_text_or_null(tg_builder *b, const char *text, const char *what)
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
    if (!tg_api_builds(b) || !tg_api_is_text_or_null(b, file, "the file of a location") ||
        !tg_api_is_text_or_null(b, function, "the function of a location") ||
        !tg_api_is_text_or_null(b, skipped, "what is left out before a location"))
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

bool tg_api_is_in_place(tg_builder *b, bool in_body, const char *call)
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
    if (!tg_api_builds(b) || !tg_api_is_in_place(b, true, "tg_builder_kernel_end")) return;
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
    if (!tg_api_builds(b) || !tg_api_is_in_place(b, false, "tg_builder_axis") ||
        !tg_api_is_text_or_null(b, name, "the name of an axis"))
        return;
    const tg_semantics known = semantics ? tg_semantics_named(semantics) : TG_SEMANTICS_PARALLEL;
    if (size < -1)
        tg_api_wrong(b, "an axis of size %lld", (long long)size);
    else if (b->build.kernel->axis_count == TG_MAX_AXES)
        tg_api_wrong(b, "more than %d axes", (int)TG_MAX_AXES);
    else if (known == TG_SEMANTICS_COUNT)
        tg_api_wrong(b, "semantics \"%s\" is none of: parallel arbitrary thread", semantics);
    else
        tg_build_axis(&b->build, &(tg_grid_axis){.name = (char *)name,
                                                 .size = size,
                                                 .semantics = known,
                                                 .is_assumed = !semantics});
}

void tg_builder_body(tg_builder *b)
{
    if (!tg_api_builds(b) || !tg_api_is_in_place(b, false, "tg_builder_body")) return;
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
