/* Prints a module for human readers in the style of a jaxpr, one line per operation:
 *
 *   kernel add (i: 4 parallel)  # add.py:3
 *     input x_ref: f32[32] in blocks (8)
 *       index_map (%0:i32[])
 *         yield %0
 *     body (x_ref:ref<f32[8]>)
 *       %2:f32[8] = load x_ref[0:8]  # add.py:4
 *
 * The names of params stand for the arguments of the body.  This code also works on modules that
 * have not been verified. */
#include <inttypes.h>

#include "ir/literal.h"
#include "ir/print.h"
#include "base/text.h"
#include "layout/print.h"

/* The state of the printer. */
typedef struct printer {
    tg_text out;
    const tg_module *module;
    const tg_kernel *k;
} printer;

enum { INDENT = 2, MOST_ELEMENTS = 16 /* of a literal; of more, only the count is printed */ };

static void put_region(printer *p, const tg_region *region, int columns);

/* -- values -- */

/* Puts a value as operand: "%7", or the name of a param if it is an argument of the body. */
static void put_use(printer *p, tg_value_id value)
{
    const tg_region *body = &p->k->body;
    for (uint32_t a = 0; a < body->arg_count && a < p->k->param_count; a++)
        if (body->args[a] == value) {
            tg_text_put(&p->out, p->k->params[a].name);
            return;
        }
    tg_text_add(&p->out, "%%%" PRId64, p->k->values[value].id);
}

static void put_uses(printer *p, const tg_value_id *values, uint32_t count, const char *before)
{
    for (uint32_t i = 0; i < count; i++) {
        tg_text_put(&p->out, i ? ", " : before);
        put_use(p, values[i]);
    }
}

/* " at (8,8):(1,8)", or nothing. */
static void put_layout(printer *p, const tg_axe *layout)
{
    if (!layout) return;
    tg_text_put(&p->out, " at ");
    tg_axe_print(layout, &p->out);
}

/* "%7:f32[8], %8:f32[8] at 8:1@lane" */
static void put_definitions(printer *p, const tg_value_id *values, uint32_t count)
{
    char type[TG_TYPE_TEXT];
    for (uint32_t i = 0; i < count; i++) {
        const tg_value *value = &p->k->values[values[i]];
        tg_type_print(&value->type, type, sizeof type);
        if (i) tg_text_put(&p->out, ", ");
        put_use(p, values[i]);
        tg_text_add(&p->out, ":%s", type);
        if (value->space) tg_text_add(&p->out, " in %s", value->space);
        put_layout(p, value->layout);
    }
}

static void put_loc(printer *p, uint32_t number)
{
    if (number == 0 || number >= p->module->loc_count) return;
    const tg_loc *loc = &p->module->locs[number];
    tg_text_add(&p->out, "  # %s", loc->file[0] ? loc->file : "?");
    if (loc->line) tg_text_add(&p->out, ":%" PRId64, loc->line);
    if (loc->function[0]) tg_text_add(&p->out, " in %s", loc->function);
}

/* -- attributes -- */

static void put_ints(printer *p, const int64_t *ints, int64_t count)
{
    tg_text_put(&p->out, "(");
    for (int64_t i = 0; i < count; i++) tg_text_add(&p->out, "%s%" PRId64, i ? "," : "", ints[i]);
    tg_text_put(&p->out, ")");
}

static void put_data(printer *p, tg_dtype dtype, const tg_data *data)
{
    char text[TG_LITERAL_TEXT];
    size_t size = tg_carrier_bytes[tg_carrier_of(dtype)];
    if (data->count != 1) tg_text_put(&p->out, "(");
    for (int64_t i = 0; i < data->count && i < MOST_ELEMENTS; i++) {
        tg_literal_print(dtype, (const char *)data->bytes + (size_t)i * size, text);
        tg_text_add(&p->out, "%s%s", i ? "," : "", text);
    }
    if (data->count > MOST_ELEMENTS)
        tg_text_add(&p->out, ",... %" PRId64 " more", data->count - MOST_ELEMENTS);
    if (data->count != 1) tg_text_put(&p->out, ")");
}

static void put_attr(printer *p, const tg_op *op, const tg_attr *attr)
{
    char name[32];
    tg_text_add(&p->out, "%s=", tg_attrs[attr->id].name);
    switch (tg_attrs[attr->id].kind) {
    case TG_ATTR_KIND_INT: tg_text_add(&p->out, "%" PRId64, attr->as.integer); break;
    case TG_ATTR_KIND_BOOL: tg_text_put(&p->out, attr->as.integer ? "true" : "false"); break;
    case TG_ATTR_KIND_INTS: put_ints(p, attr->as.ints, attr->count); break;
    case TG_ATTR_KIND_TEXT: tg_text_quote(&p->out, attr->as.text); break;
    case TG_ATTR_KIND_NAME:
        tg_text_put(&p->out, tg_attr_name_text(attr->id, (int)attr->as.integer, name, sizeof name));
        break;
    case TG_ATTR_KIND_DATA: put_data(p, tg_type_of(p->k, op->out[0])->dtype, &attr->as.data); break;
    case TG_ATTR_KIND_INDEX: break; /* printed after the ref */
    }
}

/* Whether the attribute is printed elsewhere in the line. */
static bool is_shown_elsewhere(tg_attr_id id)
{
    return id == TG_ATTR_index || id == TG_ATTR_mask || id == TG_ATTR_other;
}

/* "[axes=(0) rounding=even]", or nothing. */
static void put_attrs(printer *p, const tg_op *op)
{
    bool any = false;
    for (uint32_t a = 0; a < op->attr_count; a++) {
        if (is_shown_elsewhere(op->attrs[a].id)) continue;
        tg_text_put(&p->out, any ? " " : "[");
        put_attr(p, op, &op->attrs[a]);
        any = true;
    }
    if (any) tg_text_put(&p->out, "]");
}

/* -- memory operations -- */

/* start + extent, which wraps only in modules that the verifier rejects. */
static int64_t add_wrapping(int64_t start, int64_t size, int64_t stride)
{
    return (int64_t)((uint64_t)start + (uint64_t)size * (uint64_t)stride);
}

/* Puts the operand at `position`, or "?" if the op has too few. */
static void put_operand(printer *p, const tg_op *op, int64_t position)
{
    if (position < op->in_count)
        put_use(p, op->in[position]);
    else
        tg_text_put(&p->out, "?");
}

/* "0:8", "%3:%3+8", "0:16:2", "%4" */
static void put_index_dim(printer *p, const tg_op *op, const tg_index_dim *dim, uint32_t *next)
{
    int64_t operand = *next;
    *next += dim->kind == TG_INDEX_AT || !dim->has_start;
    if (dim->kind == TG_INDEX_AT) {
        put_operand(p, op, operand);
        return;
    }
    if (dim->has_start) {
        int64_t stop = add_wrapping(dim->start, dim->size, dim->stride);
        tg_text_add(&p->out, "%" PRId64 ":%" PRId64, dim->start, stop);
    } else {
        put_operand(p, op, operand);
        tg_text_put(&p->out, ":");
        put_operand(p, op, operand);
        tg_text_add(&p->out, "+%" PRId64, add_wrapping(0, dim->size, dim->stride));
    }
    if (dim->stride != 1) tg_text_add(&p->out, ":%" PRId64, dim->stride);
}

/* " x_ref[0:8, %3], %5 mask=%6 other=%7", and any surplus operands. */
static void put_access(printer *p, const tg_op *op)
{
    tg_access access = tg_op_access(op);
    uint32_t next = access.first_index;
    tg_text_put(&p->out, " ");
    put_operand(p, op, 0);
    tg_text_put(&p->out, "[");
    for (int d = 0; d < access.rank; d++) {
        if (d) tg_text_put(&p->out, ", ");
        put_index_dim(p, op, &access.index[d], &next);
    }
    tg_text_put(&p->out, "]");
    for (uint32_t v = 0; v < access.value_count; v++) {
        tg_text_put(&p->out, ", ");
        put_operand(p, op, 1 + (int64_t)v);
    }
    if (access.mask >= 0) {
        tg_text_put(&p->out, " mask=");
        put_operand(p, op, access.mask);
    }
    if (access.other >= 0) {
        tg_text_put(&p->out, " other=");
        put_operand(p, op, access.other);
    }
    next += (uint32_t)((access.mask >= 0) + (access.other >= 0));
    if (next < op->in_count) put_uses(p, op->in + next, op->in_count - next, " and also ");
}

/* -- operations and regions -- */

static void put_op(printer *p, const tg_op *op, int columns)
{
    tg_text_line(&p->out, columns);
    put_definitions(p, op->out, op->out_count);
    tg_text_add(&p->out, "%s%s", op->out_count ? " = " : "", tg_ops[op->code].name);
    put_attrs(p, op);
    if (tg_op_attr(op, TG_ATTR_index))
        put_access(p, op);
    else
        put_uses(p, op->in, op->in_count, " ");
    put_loc(p, op->loc);
    for (uint32_t r = 0; r < op->region_count; r++) {
        tg_text_line(&p->out, columns + INDENT);
        tg_text_put(&p->out, "region");
        if (op->region_count > 1) tg_text_add(&p->out, " %" PRIu32, r);
        put_region(p, &op->regions[r], columns + INDENT);
    }
}

/* Puts a region after its heading: " (%1:i32[])", then ops and yield, indented one level more. */
static void put_region(printer *p, const tg_region *region, int columns)
{
    tg_text_put(&p->out, " (");
    put_definitions(p, region->args, region->arg_count);
    tg_text_put(&p->out, ")");
    for (uint32_t i = 0; i < region->op_count; i++) put_op(p, &region->ops[i], columns + INDENT);
    if (region->yield_count) {
        tg_text_line(&p->out, columns + INDENT);
        tg_text_put(&p->out, "yield");
        put_uses(p, region->yields, region->yield_count, " ");
    }
}

/* -- the launch -- */

static void put_axis(printer *p, const tg_grid_axis *axis)
{
    if (axis->name) tg_text_add(&p->out, "%s: ", axis->name);
    if (axis->size < 0)
        tg_text_put(&p->out, "dynamic");
    else
        tg_text_add(&p->out, "%" PRId64, axis->size);
    if (axis->is_assumed) tg_text_put(&p->out, " assumed");
    tg_text_add(&p->out, " %s", tg_semantics_names[axis->semantics]);
}

/* "8", "squeezed", "element 10 pad (1,1)" */
static void put_block_dim(printer *p, const tg_block_dim *dim)
{
    if (dim->kind == TG_BLOCK_SQUEEZED)
        tg_text_put(&p->out, "squeezed");
    else if (dim->kind == TG_BLOCK_BLOCKED)
        tg_text_add(&p->out, "%" PRId64, dim->size);
    else
        tg_text_add(&p->out, "element %" PRId64, dim->size);
    if (dim->kind == TG_BLOCK_ELEMENT && (dim->pad_low || dim->pad_high))
        tg_text_add(&p->out, " pad (%" PRId64 ",%" PRId64 ")", dim->pad_low, dim->pad_high);
}

static void put_param(printer *p, const tg_param *param)
{
    char type[TG_TYPE_TEXT];
    tg_text_line(&p->out, INDENT);
    tg_text_add(&p->out, "%s %s: %s", tg_role_names[param->role], param->name,
                tg_type_print(&param->array, type, sizeof type));
    for (int d = 0; param->has_block && d < param->array.rank; d++) {
        tg_text_put(&p->out, d ? ", " : " in blocks (");
        put_block_dim(p, &param->block[d]);
    }
    if (param->has_block && param->array.rank) tg_text_put(&p->out, ")");
    if (param->alias >= 0) tg_text_add(&p->out, " alias %s", p->k->params[param->alias].name);
    if (param->space) tg_text_add(&p->out, " space %s", param->space);
    put_layout(p, param->layout);
    if (param->arrivals) tg_text_add(&p->out, " arrivals %" PRId64, param->arrivals);
    if (param->is_shared) tg_text_put(&p->out, " shared");
    if (param->cluster) tg_text_add(&p->out, " cluster %" PRId64, param->cluster);
    if (param->is_partly_written) tg_text_put(&p->out, " partly written");
    if (!param->index_map) return;
    tg_text_line(&p->out, 2 * INDENT);
    tg_text_put(&p->out, "index_map");
    put_region(p, param->index_map, 2 * INDENT);
}

static void put_kernel(printer *p, const tg_kernel *k)
{
    p->k = k;
    tg_text_add(&p->out, "kernel %s (", k->name);
    for (int a = 0; a < k->axis_count; a++) {
        if (a) tg_text_put(&p->out, ", ");
        put_axis(p, &k->axes[a]);
    }
    tg_text_put(&p->out, k->dialect == TG_DIALECT_TRITON ? ") dialect triton" : ")");
    put_loc(p, k->loc);
    for (uint32_t i = 0; i < k->param_count; i++) put_param(p, &k->params[i]);
    tg_text_line(&p->out, INDENT);
    tg_text_put(&p->out, "body");
    put_region(p, &k->body, INDENT);
    tg_text_put(&p->out, "\n");
}

char *tg_print_text(const tg_module *module)
{
    printer p = {.module = module};
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        if (i) tg_text_put(&p.out, "\n");
        put_kernel(&p, &module->kernels[i]);
    }
    return tg_text_finish(&p.out);
}
