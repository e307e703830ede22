/* Prints the canonical JSON of a module: keys in the order of docs/ir.md, without defaults, one
 * operation per line, regions indented below their operation. */
#include <inttypes.h>

#include "ir/literal.h"
#include "ir/print.h"
#include "base/text.h"
#include "layout/print.h"

static void put_region(tg_text *out, const tg_kernel *k, const tg_region *region, int columns);

/* Puts ", " before all elements of a list but the first. */
static void put_comma(tg_text *out, bool *first)
{
    if (!*first) tg_text_put(out, ", ");
    *first = false;
}

/* Puts an integer in a form that JSON keeps exactly. */
static void put_int(tg_text *out, int64_t value)
{
    const int64_t limit = (int64_t)1 << 53;
    bool exact = value > -limit && value < limit;
    if (!exact) tg_text_put(out, "\"");
    if (value < 0) tg_text_put(out, "-");
    tg_text_put_uint(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    if (!exact) tg_text_put(out, "\"");
}

static void put_type(tg_text *out, const tg_type *type)
{
    char text[TG_TYPE_TEXT];
    tg_text_add(out, "\"%s\"", tg_type_print(type, text, sizeof text));
}

static void put_space_and_layout(tg_text *out, const char *space, const tg_axe *layout)
{
    if (space) {
        tg_text_put(out, ", \"space\": ");
        tg_text_quote(out, space);
    }
    if (layout) {
        tg_text_put(out, ", \"layout\": \"");
        tg_axe_print(layout, out);
        tg_text_put(out, "\"");
    }
}

static void put_values(tg_text *out, const tg_kernel *k, const tg_value_id *ids, uint32_t count)
{
    tg_text_put(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        const tg_value *value = &k->values[ids[i]];
        tg_text_put(out, i ? ", {\"id\": " : "{\"id\": ");
        put_int(out, value->id);
        tg_text_put(out, ", \"type\": ");
        put_type(out, &value->type);
        put_space_and_layout(out, value->space, value->layout);
        tg_text_put(out, "}");
    }
    tg_text_put(out, "]");
}

static void put_ids(tg_text *out, const tg_kernel *k, const tg_value_id *ids, uint32_t count)
{
    tg_text_put(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        if (i) tg_text_put(out, ", ");
        put_int(out, k->values[ids[i]].id);
    }
    tg_text_put(out, "]");
}

/* -- attributes -- */

static void put_ints(tg_text *out, const int64_t *ints, int64_t count)
{
    tg_text_put(out, "[");
    for (int64_t i = 0; i < count; i++) {
        if (i) tg_text_put(out, ", ");
        put_int(out, ints[i]);
    }
    tg_text_put(out, "]");
}

static void put_index_dim(tg_text *out, const tg_index_dim *dim)
{
    if (dim->kind == TG_INDEX_AT) {
        tg_text_put(out, "[\"at\"]");
        return;
    }
    tg_text_put(out, "[\"slice\", ");
    if (dim->has_start)
        put_int(out, dim->start);
    else
        tg_text_put(out, "null");
    tg_text_put(out, ", ");
    put_int(out, dim->size);
    tg_text_put(out, ", ");
    put_int(out, dim->stride);
    tg_text_put(out, "]");
}

static void put_index(tg_text *out, const tg_attr *attr)
{
    tg_text_put(out, "[");
    for (int64_t d = 0; d < attr->count; d++) {
        if (d) tg_text_put(out, ", ");
        put_index_dim(out, &attr->as.index[d]);
    }
    tg_text_put(out, "]");
}

static void put_element(tg_text *out, tg_dtype dtype, const void *element)
{
    char text[TG_LITERAL_TEXT];
    bool bare = tg_literal_print(dtype, element, text);
    tg_text_add(out, bare ? "%s" : "\"%s\"", text);
}

static void put_data(tg_text *out, tg_dtype dtype, const tg_data *data)
{
    size_t size = tg_carrier_bytes[tg_carrier_of(dtype)];
    if (data->count != 1) tg_text_put(out, "[");
    for (int64_t i = 0; i < data->count; i++) {
        if (i) tg_text_put(out, ", ");
        put_element(out, dtype, (const char *)data->bytes + (size_t)i * size);
    }
    if (data->count != 1) tg_text_put(out, "]");
}

static void put_attr(tg_text *out, const tg_kernel *k, const tg_op *op, const tg_attr *attr)
{
    char name[32];
    tg_text_add(out, ", \"%s\": ", tg_attrs[attr->id].name);
    switch (tg_attrs[attr->id].kind) {
    case TG_ATTR_KIND_INT: put_int(out, attr->as.integer); break;
    case TG_ATTR_KIND_BOOL: tg_text_put(out, attr->as.integer ? "true" : "false"); break;
    case TG_ATTR_KIND_INTS: put_ints(out, attr->as.ints, attr->count); break;
    case TG_ATTR_KIND_TEXT: tg_text_quote(out, attr->as.text); break;
    case TG_ATTR_KIND_NAME:
        tg_text_quote(out, tg_attr_name_text(attr->id, (int)attr->as.integer, name, sizeof name));
        break;
    case TG_ATTR_KIND_INDEX: put_index(out, attr); break;
    case TG_ATTR_KIND_DATA: put_data(out, tg_type_of(k, op->out[0])->dtype, &attr->as.data); break;
    }
}

/* Puts the attributes in the order of ops.def, which may differ from their order in the op. */
static void put_attrs(tg_text *out, const tg_kernel *k, const tg_op *op)
{
    tg_attr_id ids[TG_MAX_OP_ATTRS];
    int needed, count = tg_op_attrs(op->code, ids, &needed);
    for (int a = 0; a < count; a++) {
        const tg_attr *attr = tg_op_attr(op, ids[a]);
        bool is_default =
            !attr || (tg_attrs[ids[a]].kind == TG_ATTR_KIND_BOOL && !attr->as.integer);
        if (!is_default) put_attr(out, k, op, attr);
    }
}

/* -- operations and regions -- */

static void put_op(tg_text *out, const tg_kernel *k, const tg_op *op, int columns)
{
    tg_text_add(out, "{\"op\": \"%s\"", tg_ops[op->code].name);
    if (op->in_count) {
        tg_text_put(out, ", \"in\": ");
        put_ids(out, k, op->in, op->in_count);
    }
    if (op->out_count) {
        tg_text_put(out, ", \"out\": ");
        put_values(out, k, op->out, op->out_count);
    }
    put_attrs(out, k, op);
    if (op->loc) tg_text_add(out, ", \"loc\": %" PRIu32, op->loc);
    for (uint32_t r = 0; r < op->region_count; r++) {
        tg_text_put(out, r ? "," : ", \"regions\": [");
        tg_text_line(out, columns + 2);
        put_region(out, k, &op->regions[r], columns + 2);
    }
    tg_text_put(out, op->region_count ? "]}" : "}");
}

static void put_region(tg_text *out, const tg_kernel *k, const tg_region *region, int columns)
{
    bool first = true;
    tg_text_put(out, "{");
    if (region->arg_count) {
        put_comma(out, &first);
        tg_text_put(out, "\"args\": ");
        put_values(out, k, region->args, region->arg_count);
    }
    if (region->op_count) {
        put_comma(out, &first);
        tg_text_put(out, "\"ops\": [");
        for (uint32_t i = 0; i < region->op_count; i++) {
            if (i) tg_text_put(out, ",");
            tg_text_line(out, columns + 2);
            put_op(out, k, &region->ops[i], columns + 2);
        }
        tg_text_line(out, columns);
        tg_text_put(out, "]");
    }
    if (region->yield_count) {
        put_comma(out, &first);
        tg_text_put(out, "\"yield\": ");
        put_ids(out, k, region->yields, region->yield_count);
    }
    tg_text_put(out, "}");
}

/* -- the launch -- */

static void put_axis(tg_text *out, const tg_grid_axis *axis)
{
    tg_text_put(out, "{\"size\": ");
    if (axis->size < 0)
        tg_text_put(out, "\"dynamic\"");
    else
        put_int(out, axis->size);
    if (!axis->is_assumed)
        tg_text_add(out, ", \"semantics\": \"%s\"", tg_semantics_names[axis->semantics]);
    if (axis->name) {
        tg_text_put(out, ", \"name\": ");
        tg_text_quote(out, axis->name);
    }
    tg_text_put(out, "}");
}

static void put_block_dim(tg_text *out, const tg_block_dim *dim)
{
    if (dim->kind == TG_BLOCK_SQUEEZED) {
        tg_text_put(out, "\"squeezed\"");
        return;
    }
    tg_text_put(out, dim->kind == TG_BLOCK_BLOCKED ? "{\"blocked\": " : "{\"element\": ");
    put_int(out, dim->size);
    if (dim->kind == TG_BLOCK_ELEMENT && (dim->pad_low || dim->pad_high)) {
        tg_text_put(out, ", \"pad\": ");
        put_ints(out, (int64_t[]){dim->pad_low, dim->pad_high}, 2);
    }
    tg_text_put(out, "}");
}

static void put_param(tg_text *out, const tg_kernel *k, const tg_param *param, int columns)
{
    tg_text_put(out, "{\"name\": ");
    tg_text_quote(out, param->name);
    tg_text_add(out, ", \"role\": \"%s\", \"type\": ", tg_role_names[param->role]);
    put_type(out, &param->array);
    if (param->has_block) {
        tg_text_put(out, ", \"block\": [");
        for (int d = 0; d < param->array.rank; d++) {
            if (d) tg_text_put(out, ", ");
            put_block_dim(out, &param->block[d]);
        }
        tg_text_put(out, "]");
    }
    if (param->alias >= 0) {
        tg_text_put(out, ", \"alias\": ");
        tg_text_quote(out, k->params[param->alias].name);
    }
    put_space_and_layout(out, param->space, param->layout);
    if (param->arrivals) {
        tg_text_put(out, ", \"arrivals\": ");
        put_int(out, param->arrivals);
    }
    if (param->is_shared) tg_text_put(out, ", \"shared\": true");
    if (param->cluster) {
        tg_text_put(out, ", \"cluster\": ");
        put_int(out, param->cluster);
    }
    if (param->is_partly_written) tg_text_put(out, ", \"partly_written\": true");
    if (param->index_map) {
        tg_text_put(out, ", \"index_map\":");
        tg_text_line(out, columns + 2);
        put_region(out, k, param->index_map, columns + 2);
    }
    tg_text_put(out, "}");
}

static void put_launch(tg_text *out, const tg_kernel *k, int columns)
{
    tg_text_put(out, "\"grid\": [");
    for (int a = 0; a < k->axis_count; a++) {
        if (a) tg_text_put(out, ", ");
        put_axis(out, &k->axes[a]);
    }
    tg_text_put(out, "],");
    tg_text_line(out, columns);
    tg_text_put(out, "\"params\": [");
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (p) tg_text_put(out, ",");
        tg_text_line(out, columns + 2);
        put_param(out, k, &k->params[p], columns + 2);
    }
    if (k->param_count) tg_text_line(out, columns);
    tg_text_put(out, "],");
    tg_text_line(out, columns);
}

/* -- kernels and modules -- */

static void put_kernel(tg_text *out, const tg_kernel *k, int columns)
{
    tg_text_put(out, "{\"name\": ");
    tg_text_quote(out, k->name);
    tg_text_put(out, ",");
    tg_text_line(out, columns);
    if (k->loc) {
        tg_text_add(out, "\"loc\": %" PRIu32 ",", k->loc);
        tg_text_line(out, columns);
    }
    if (k->dialect == TG_DIALECT_TRITON) {
        tg_text_put(out, "\"dialect\": \"triton\",");
        tg_text_line(out, columns);
    }
    put_launch(out, k, columns);
    tg_text_put(out, "\"body\": ");
    put_region(out, k, &k->body, columns);
    tg_text_put(out, "}");
}

static void put_location(tg_text *out, const tg_loc *loc)
{
    bool first = true;
    tg_text_put(out, "{");
    if (loc->file[0]) {
        put_comma(out, &first);
        tg_text_put(out, "\"file\": ");
        tg_text_quote(out, loc->file);
    }
    if (loc->line) {
        put_comma(out, &first);
        tg_text_put(out, "\"line\": ");
        put_int(out, loc->line);
    }
    if (loc->function[0]) {
        put_comma(out, &first);
        tg_text_put(out, "\"function\": ");
        tg_text_quote(out, loc->function);
    }
    if (loc->caller) {
        put_comma(out, &first);
        tg_text_put(out, "\"caller\": ");
        put_int(out, loc->caller);
    }
    if (loc->caller && loc->skipped[0]) {
        tg_text_put(out, ", \"skipped\": ");
        tg_text_quote(out, loc->skipped);
    }
    if (loc->variable[0]) {
        put_comma(out, &first);
        tg_text_put(out, "\"variable\": ");
        tg_text_quote(out, loc->variable);
    }
    tg_text_put(out, "}");
}

char *tg_print_json(const tg_module *module)
{
    tg_text out = {0};
    tg_text_put(&out, "{\"tilegrind\": \"" TG_IR_VERSION "\",\n");
    for (uint32_t i = 1; i < module->loc_count; i++) {
        tg_text_put(&out, i == 1 ? " \"locations\": [\n  " : ",\n  ");
        put_location(&out, &module->locs[i]);
    }
    if (module->loc_count > 1) tg_text_put(&out, "\n ],\n");
    tg_text_put(&out, " \"kernels\": [");
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        tg_text_put(&out, i ? ",\n  " : "\n  ");
        put_kernel(&out, &module->kernels[i], 3);
    }
    tg_text_put(&out, "\n ]\n}\n");
    return tg_text_finish(&out);
}
