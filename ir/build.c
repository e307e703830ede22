#include "ir/build.h"

#include <assert.h>
#include <string.h>

#include "ir/bits.h"
#include "ir/literal.h"

/* An open region, and the op that is appended to it next. */
typedef struct tg_build_level {
    struct tg_build_level *outer;
    tg_region region;
    tg_op next;
    uint32_t arg_room, yield_room, op_room;           /* of the region's lists */
    uint32_t in_room, out_room, attr_room, owns_room; /* of the op's lists; `owns`: its regions */
} tg_build_level;

void *tg_build_take(tg_build *b, size_t count, size_t size)
{
    void *taken = b->failed ? NULL : tg_arena_take(&b->module->arena, count, size);
    b->failed = !taken;
    return taken;
}

static char *copied_text(tg_build *b, const char *text)
{
    char *copy = b->failed ? NULL : tg_arena_text(&b->module->arena, text);
    b->failed = !copy;
    return copy;
}

static void *copied(tg_build *b, const void *list, size_t count, size_t size)
{
    void *copy = tg_build_take(b, count, size);
    if (copy && count) memcpy(copy, list, count * size);
    return copy;
}

/* Returns the list of `count` elements, moved if needed, with room for one more; NULL if memory
 * runs out. */
static void *with_room(tg_build *b, void *list, uint32_t count, uint32_t *room, size_t size)
{
    if (b->failed) return NULL;
    if (count < *room) return list;
    const uint32_t wider_room = 2 * *room + 4;
    void *wider = tg_build_take(b, wider_room, size);
    if (!wider) return NULL;
    if (count) memcpy(wider, list, count * size);
    *room = wider_room;
    return wider;
}

static void append_value(tg_build *b, tg_value_id **list, uint32_t *count, uint32_t *room,
                         tg_value_id value)
{
    tg_value_id *wide = with_room(b, *list, *count, room, sizeof *wide);
    if (!wide) return;
    *list = wide;
    wide[(*count)++] = value;
}

/* ---- modules ---- */

void tg_build_begin(tg_build *b)
{
    static const tg_loc unknown = {0};
    tg_arena arena = {0};
    *b = (tg_build){.module = tg_arena_take(&arena, 1, sizeof *b->module)};
    b->failed = !b->module;
    if (b->module) b->module->arena = arena;
    tg_build_loc(b, &unknown);
}

tg_module *tg_build_finish(tg_build *b)
{
    tg_module *module = b->module;
    assert(b->failed || (!b->kernel && !b->level));
    if (b->failed) {
        tg_module_destroy(module);
        module = NULL;
    }
    *b = (tg_build){.failed = true};
    return module;
}

void tg_build_drop(tg_build *b)
{
    b->failed = true;
    tg_build_finish(b);
}

static char *text_or_nothing(tg_build *b, const char *text)
{
    return copied_text(b, text ? text : "");
}

uint32_t tg_build_loc(tg_build *b, const tg_loc *loc)
{
    tg_module *m = b->module;
    tg_loc *wide = m ? with_room(b, m->locs, m->loc_count, &b->loc_room, sizeof *wide) : NULL;
    if (!wide) return 0;
    m->locs = wide;
    wide[m->loc_count] = *loc;
    wide[m->loc_count].file = text_or_nothing(b, loc->file);
    wide[m->loc_count].function = text_or_nothing(b, loc->function);
    wide[m->loc_count].skipped = text_or_nothing(b, loc->skipped);
    wide[m->loc_count].variable = text_or_nothing(b, loc->variable);
    return b->failed ? 0 : m->loc_count++;
}

/* ---- kernels ---- */

void tg_build_kernel(tg_build *b, const char *name)
{
    assert(b->failed || !b->kernel);
    tg_module *m = b->module;
    tg_kernel *wide =
        m ? with_room(b, m->kernels, m->kernel_count, &b->kernel_room, sizeof *wide) : NULL;
    if (!wide) return;
    m->kernels = wide;
    b->kernel = &wide[m->kernel_count++];
    *b->kernel = (tg_kernel){.name = copied_text(b, name)};
    b->refs = NULL;
    b->ref_room = b->param_room = b->value_room = 0;
    tg_build_open(b);
}

void tg_build_axis(tg_build *b, const tg_grid_axis *axis)
{
    if (b->failed) return;
    assert(b->kernel->axis_count < TG_MAX_AXES);
    tg_grid_axis *made = &b->kernel->axes[b->kernel->axis_count++];
    *made = *axis;
    if (axis->name) made->name = copied_text(b, axis->name);
}

static tg_region *copied_map(tg_build *b, const tg_region *map)
{
    tg_region *copy = map ? tg_build_take(b, 1, sizeof *copy) : NULL;
    if (copy) *copy = *map;
    return copy;
}

static const tg_axe *copied_layout(tg_build *b, const tg_axe *layout)
{
    tg_axe *copy = layout ? tg_build_take(b, 1, sizeof *copy) : NULL;
    if (copy) tg_axe_copy(layout, copy);
    return copy;
}

void tg_build_param_as(tg_build *b, const tg_param *param, tg_value_id ref)
{
    tg_kernel *k = b->kernel;
    uint32_t count = k ? k->param_count : 0;
    append_value(b, &b->refs, &count, &b->ref_room, ref);
    tg_param *wide =
        b->failed ? NULL : with_room(b, k->params, k->param_count, &b->param_room, sizeof *wide);
    if (!wide) return;
    k->params = wide;
    tg_param *made = &wide[k->param_count++];
    *made = *param;
    made->name = copied_text(b, param->name);
    if (param->space) made->space = copied_text(b, param->space);
    made->layout = copied_layout(b, param->layout);
    made->index_map = copied_map(b, param->index_map);
    made->ref = tg_param_ref(param);
}

tg_value_id tg_build_param(tg_build *b, const tg_param *param)
{
    const tg_type type = tg_param_ref(param);
    const tg_value_id ref = tg_build_value(b, &type);
    tg_build_param_as(b, param, ref);
    return ref;
}

/* Sorts the params by role, else in the order in which they were added, and adjusts the indices of
 * aliases. */
static void sort_params(tg_build *b, tg_region *body)
{
    tg_kernel *k = b->kernel;
    const size_t count = k->param_count;
    tg_param *params = tg_build_take(b, count, sizeof *params);
    int *places = tg_build_take(b, count, sizeof *places);
    body->args = tg_build_take(b, count, sizeof *body->args);
    if (b->failed) return;
    for (int role = 0; role < TG_ROLE_COUNT; role++) {
        for (uint32_t p = 0; p < count; p++) {
            if ((int)k->params[p].role != role) continue;
            places[p] = (int)body->arg_count;
            params[body->arg_count] = k->params[p];
            body->args[body->arg_count++] = b->refs[p];
        }
    }
    for (uint32_t p = 0; p < count; p++)
        if (params[p].alias >= 0) params[p].alias = places[params[p].alias];
    k->params = params;
}

void tg_build_kernel_end(tg_build *b)
{
    if (!b->failed) {
        assert(b->level && !b->level->outer);
        b->kernel->body = tg_build_close(b);
        sort_params(b, &b->kernel->body);
    }
    b->kernel = NULL;
}

/* ---- values and regions ---- */

tg_value_id tg_build_value(tg_build *b, const tg_type *type)
{
    tg_kernel *k = b->kernel;
    tg_value *wide =
        k ? with_room(b, k->values, k->value_count, &b->value_room, sizeof *wide) : NULL;
    if (!wide) return 0;
    k->values = wide;
    wide[k->value_count] = (tg_value){.type = *type, .id = (int64_t)k->value_count};
    return k->value_count++;
}

void tg_build_place(tg_build *b, tg_value_id value, const char *space, const tg_axe *layout)
{
    char *const copied_space = space ? copied_text(b, space) : NULL;
    const tg_axe *copy = copied_layout(b, layout);
    if (b->failed) return;
    b->kernel->values[value].space = copied_space;
    b->kernel->values[value].layout = copy;
}

tg_type tg_build_type(const tg_build *b, tg_value_id value)
{
    return b->failed ? (tg_type){0} : b->kernel->values[value].type;
}

void tg_build_open(tg_build *b)
{
    tg_build_level *level = tg_build_take(b, 1, sizeof *level);
    if (!level) return;
    level->outer = b->level;
    b->level = level;
}

void tg_build_arg(tg_build *b, tg_value_id value)
{
    if (b->failed) return;
    tg_region *region = &b->level->region;
    append_value(b, &region->args, &region->arg_count, &b->level->arg_room, value);
}

tg_value_id tg_build_new_arg(tg_build *b, const tg_type *type)
{
    const tg_value_id value = tg_build_value(b, type);
    tg_build_arg(b, value);
    return value;
}

void tg_build_yield(tg_build *b, tg_value_id value)
{
    if (b->failed) return;
    tg_region *region = &b->level->region;
    append_value(b, &region->yields, &region->yield_count, &b->level->yield_room, value);
}

tg_region tg_build_close(tg_build *b)
{
    if (b->failed) return (tg_region){0};
    const tg_region region = b->level->region;
    b->level = b->level->outer;
    return region;
}

/* ---- the next op ---- */

void tg_build_in(tg_build *b, tg_value_id value)
{
    if (b->failed) return;
    tg_op *next = &b->level->next;
    append_value(b, &next->in, &next->in_count, &b->level->in_room, value);
}

void tg_build_out(tg_build *b, tg_value_id value)
{
    if (b->failed) return;
    tg_op *next = &b->level->next;
    append_value(b, &next->out, &next->out_count, &b->level->out_room, value);
}

void tg_build_region(tg_build *b, tg_region region)
{
    if (b->failed) return;
    tg_op *next = &b->level->next;
    tg_region *wide =
        with_room(b, next->regions, next->region_count, &b->level->owns_room, sizeof *wide);
    if (!wide) return;
    next->regions = wide;
    wide[next->region_count++] = region;
}

static void append_attr(tg_build *b, const tg_attr *attr)
{
    if (b->failed) return;
    tg_op *next = &b->level->next;
    tg_attr *wide = with_room(b, next->attrs, next->attr_count, &b->level->attr_room, sizeof *wide);
    if (!wide) return;
    next->attrs = wide;
    wide[next->attr_count++] = *attr;
}

void tg_build_int(tg_build *b, tg_attr_id id, int64_t value)
{
    append_attr(b, &(tg_attr){.id = id, .as.integer = value});
}

void tg_build_name(tg_build *b, tg_attr_id id, const char *name)
{
    const int position = tg_attr_name_index(id, name);
    assert(position >= 0);
    tg_build_int(b, id, position);
}

void tg_build_ints(tg_build *b, tg_attr_id id, const int64_t *ints, int64_t count)
{
    int64_t *copy = copied(b, ints, (size_t)count, sizeof *copy);
    append_attr(b, &(tg_attr){.id = id, .count = count, .as.ints = copy});
}

void tg_build_text(tg_build *b, tg_attr_id id, const char *text)
{
    char *copy = copied_text(b, text);
    append_attr(b, &(tg_attr){.id = id, .count = (int64_t)strlen(text), .as.text = copy});
}

void tg_build_index(tg_build *b, const tg_index_dim *dims, int rank)
{
    tg_index_dim *copy = copied(b, dims, (size_t)rank, sizeof *copy);
    append_attr(b, &(tg_attr){.id = TG_ATTR_index, .count = rank, .as.index = copy});
}

void tg_build_whole(tg_build *b, tg_value_id ref)
{
    tg_index_dim dims[TG_MAX_RANK];
    const tg_type type = tg_build_type(b, ref);
    for (int d = 0; d < type.rank; d++)
        dims[d] = (tg_index_dim){TG_INDEX_SLICE, true, 0, type.shape[d], 1};
    tg_build_index(b, dims, type.rank);
}

void tg_build_data(tg_build *b, tg_attr_id id, tg_dtype dtype, const void *elements, int64_t count)
{
    void *copy = copied(b, elements, (size_t)count, tg_carrier_bytes[tg_carrier_of(dtype)]);
    append_attr(b, &(tg_attr){.id = id, .as.data = {count, copy}});
}

void tg_build_number(tg_build *b, tg_attr_id id, tg_dtype dtype, double number)
{
    uint64_t carrier = 0; /* as wide as the widest */
    const char *wrong = NULL;
    if (tg_is_float(dtype))
        tg_bits_to_carrier(dtype, tg_bits_round(dtype, number), &carrier);
    else if (dtype == TG_DT_bool)
        wrong = tg_literal_from_bool(dtype, number != 0, &carrier);
    else
        wrong = tg_literal_from_number(dtype, number, &carrier);
    assert(!wrong);
    (void)wrong;
    tg_build_data(b, id, dtype, &carrier, 1);
}

void tg_build_attrs_of(tg_build *b, const tg_op *op)
{
    for (uint32_t a = 0; a < op->attr_count; a++) append_attr(b, &op->attrs[a]);
}

void tg_build_op(tg_build *b, tg_opcode code)
{
    tg_build_level *level = b->level;
    if (b->failed) return;
    tg_op *wide =
        with_room(b, level->region.ops, level->region.op_count, &level->op_room, sizeof *wide);
    if (!wide) return;
    level->region.ops = wide;
    level->next.code = code;
    level->next.loc = b->loc;
    wide[level->region.op_count++] = level->next;
    level->next = (tg_op){0};
    level->in_room = level->out_room = level->attr_room = level->owns_room = 0;
}

tg_value_id tg_build_result(tg_build *b, tg_opcode code, const tg_type *type)
{
    const tg_value_id result = tg_build_value(b, type);
    tg_build_out(b, result);
    tg_build_op(b, code);
    return result;
}
