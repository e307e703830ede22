/* The builder of the public interface: all that a file may hold, copied call by call. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "ir/bits.h"
#include "ir/ir.h"
#include "ir/print.h"
#include "loaders/json_ir.h"
#include "tilegrind/build.h"

typedef struct copier {
    const tg_kernel *from;
    tg_builder *to;
    tg_builder_value *place; /* of each value of `from` */
} copier;

static char *type_text(const copier *c, tg_builder_value v, char out[TG_TYPE_TEXT])
{
    return tg_type_print(&c->from->values[v].type, out, TG_TYPE_TEXT);
}

static void copy_data(const copier *c, const tg_op *op, const tg_attr *attr)
{
    char text[TG_TYPE_TEXT];
    const tg_dtype dtype = c->from->values[op->out[0]].type.dtype;
    const size_t carrier = tg_carrier_bytes[tg_carrier_of(dtype)], bytes = tg_dtypes[dtype].bytes;
    char *memory = calloc((size_t)attr->as.data.count + 1, bytes);
    for (int64_t i = 0; i < attr->as.data.count; i++) {
        const char *element = (char *)attr->as.data.bytes + (size_t)i * carrier;
        tg_bits_store(dtype, tg_bits_from_carrier(dtype, element), memory + (size_t)i * bytes);
    }
    strcpy(text, tg_dtypes[dtype].name);
    tg_builder_attr_data(c->to, tg_attrs[attr->id].name, text, memory, (size_t)attr->as.data.count);
    free(memory);
}

static void copy_index(const copier *c, const tg_attr *attr)
{
    for (int64_t d = 0; d < attr->count; d++) {
        const tg_index_dim *dim = &attr->as.index[d];
        if (dim->kind == TG_INDEX_AT)
            tg_builder_position(c->to);
        else if (dim->has_start)
            tg_builder_slice(c->to, dim->start, dim->size, dim->stride);
        else
            tg_builder_slice_from_operand(c->to, dim->size, dim->stride);
    }
}

static void copy_attr(const copier *c, const tg_op *op, const tg_attr *attr)
{
    char text[64];
    const char *name = tg_attrs[attr->id].name;
    switch (tg_attrs[attr->id].kind) {
    case TG_ATTR_KIND_INT: tg_builder_attr_int(c->to, name, attr->as.integer); break;
    case TG_ATTR_KIND_BOOL: tg_builder_attr_bool(c->to, name, attr->as.integer != 0); break;
    case TG_ATTR_KIND_INTS:
        tg_builder_attr_ints(c->to, name, attr->as.ints, (size_t)attr->count);
        break;
    case TG_ATTR_KIND_TEXT: tg_builder_attr_text(c->to, name, attr->as.text); break;
    case TG_ATTR_KIND_NAME:
        tg_attr_name_text(attr->id, (int)attr->as.integer, text, sizeof text);
        tg_builder_attr_text(c->to, name, text);
        break;
    case TG_ATTR_KIND_INDEX: /* an empty one is that of a ref of rank 0 */
        if (attr->count == 0) tg_builder_whole(c->to, c->place[op->in[0]]);
        copy_index(c, attr);
        break;
    case TG_ATTR_KIND_DATA: copy_data(c, op, attr); break;
    }
}

static tg_region_id copy_region(copier *c, const tg_region *from);

static void copy_ops(copier *c, const tg_region *from)
{
    for (uint32_t i = 0; i < from->op_count; i++) {
        const tg_op *op = &from->ops[i];
        tg_builder_value in[64], out[16];
        char text[16][TG_TYPE_TEXT];
        const char *types[16];
        for (uint32_t a = 0; a < op->attr_count; a++) copy_attr(c, op, &op->attrs[a]);
        for (uint32_t r = 0; r < op->region_count; r++)
            tg_builder_add_region(c->to, copy_region(c, &op->regions[r]));
        for (uint32_t k = 0; k < op->in_count; k++) in[k] = c->place[op->in[k]];
        for (uint32_t k = 0; k < op->out_count; k++) types[k] = type_text(c, op->out[k], text[k]);
        tg_builder_at(c->to, op->loc);
        tg_builder_op(c->to, tg_ops[op->code].name, in, op->in_count, types, op->out_count, out);
        for (uint32_t k = 0; k < op->out_count; k++) c->place[op->out[k]] = out[k];
    }
}

static tg_region_id copy_region(copier *c, const tg_region *from)
{
    char text[TG_TYPE_TEXT];
    tg_builder_open(c->to);
    for (uint32_t a = 0; a < from->arg_count; a++)
        c->place[from->args[a]] = tg_builder_arg(c->to, type_text(c, from->args[a], text));
    copy_ops(c, from);
    for (uint32_t y = 0; y < from->yield_count; y++)
        tg_builder_yield(c->to, c->place[from->yields[y]]);
    return tg_builder_close(c->to);
}

static tg_builder_value copy_param(copier *c, const tg_param *from)
{
    static const char *const kinds[] = {"blocked", "element", "squeezed"};
    char text[TG_TYPE_TEXT];
    tg_block_spec block[TG_MAX_RANK];
    for (int d = 0; d < from->array.rank; d++)
        block[d] = (tg_block_spec){kinds[from->block[d].kind], from->block[d].size,
                                   from->block[d].pad_low, from->block[d].pad_high};
    const tg_param_spec spec = {
        .size = sizeof spec,
        .name = from->name,
        .role = tg_role_names[from->role],
        .type = tg_type_print(&from->array, text, sizeof text),
        .block = from->has_block ? block : NULL,
        .index_map = from->index_map ? copy_region(c, from->index_map) : 0,
        .alias = from->alias >= 0 ? c->from->params[from->alias].name : NULL,
        .space = from->space,
        .partly_written = from->is_partly_written,
        .arrivals = from->arrivals,
        .shared = from->is_shared,
    };
    return tg_builder_param(c->to, &spec);
}

static void copy_kernel(tg_builder *to, const tg_kernel *k)
{
    copier c = {k, to, calloc(k->value_count + 1, sizeof(tg_builder_value))};
    tg_builder_at(to, k->loc);
    tg_builder_kernel(to, k->name, k->dialect == TG_DIALECT_TRITON ? "triton" : "xla");
    for (int a = 0; a < k->axis_count; a++)
        tg_builder_axis(to, k->axes[a].size,
                        k->axes[a].is_assumed ? NULL : tg_semantics_names[k->axes[a].semantics],
                        k->axes[a].name);
    for (uint32_t p = 0; p < k->param_count; p++)
        c.place[k->body.args[p]] = copy_param(&c, &k->params[p]);
    tg_builder_body(to);
    copy_ops(&c, &k->body);
    tg_builder_kernel_end(to);
    free(c.place);
}

/* Numbers values in the order in which JSON has them. */
static void number_region(tg_kernel *k, const tg_region *region, int64_t *next)
{
    for (uint32_t a = 0; a < region->arg_count; a++) k->values[region->args[a]].id = (*next)++;
    for (uint32_t i = 0; i < region->op_count; i++) {
        const tg_op *op = &region->ops[i];
        for (uint32_t r = 0; r < op->region_count; r++) number_region(k, &op->regions[r], next);
        for (uint32_t o = 0; o < op->out_count; o++) k->values[op->out[o]].id = (*next)++;
    }
}

static char *numbered_json(tg_module *module)
{
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        tg_kernel *k = &module->kernels[i];
        int64_t next = 0;
        for (uint32_t p = 0; p < k->param_count; p++)
            if (k->params[p].index_map) number_region(k, k->params[p].index_map, &next);
        number_region(k, &k->body, &next);
    }
    return tg_print_json(module);
}

Test(api_build, gives_what_the_loader_reads)
{
    static const char *const files[] = {
        "tests/data/json/add.json",     "tests/data/json/matmul.json",
        "tests/data/json/control.json", "tests/data/json/literals.json",
        "examples/shifted.json",        "examples/summed.json",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        tg_module *module, *built;
        tg_errors *errors = tg_errors_new();
        tg_builder *b = tg_builder_new();
        cr_assert_eq(tg_module_load_file(files[i], &module, errors), TG_OK, "%s", files[i]);
        for (uint32_t l = 1; l < module->loc_count; l++) {
            const tg_loc *loc = &module->locs[l];
            cr_assert_eq(tg_builder_location(b, loc->file, loc->line, loc->function, loc->caller,
                                             loc->skipped[0] ? loc->skipped : NULL),
                         l);
        }
        for (uint32_t k = 0; k < module->kernel_count; k++) copy_kernel(b, &module->kernels[k]);
        const tg_status status = tg_builder_finish(b, &built, errors);
        cr_assert_eq(status, TG_OK, "%s: %s", files[i],
                     status ? tg_errors_get(errors, 0).message : "");
        char *wanted = numbered_json(module), *found = numbered_json(built);
        cr_expect_str_eq(found, wanted, "%s", files[i]);
        free(wanted);
        free(found);
        tg_builder_free(b);
        tg_module_free(built);
        tg_module_free(module);
        tg_errors_free(errors);
    }
}
