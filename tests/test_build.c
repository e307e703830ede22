/* The builder: what it makes is what was asked for, and survives that lists grow. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "ir/build.h"
#include "ir/print.h"
#include "loaders/json_ir.h"
#include "verify/verify.h"

static const tg_type scalar = {.dtype = TG_DT_i32},
                     block = {.dtype = TG_DT_f32, .rank = 1, .shape = {8}};

/* ---- one kernel, written out ---- */

/* Block number `i` of an array of 32. */
static tg_param param_of(char *name, tg_role role, tg_region *map)
{
    return (tg_param){
        .name = name,
        .role = role,
        .array = {.dtype = TG_DT_f32, .rank = 1, .shape = {32}},
        .has_block = true,
        .block = {{.kind = TG_BLOCK_BLOCKED, .size = 8}},
        .index_map = map,
        .alias = -1,
    };
}

static tg_region first_axis(tg_build *b)
{
    tg_build_open(b);
    tg_build_yield(b, tg_build_new_arg(b, &scalar));
    return tg_build_close(b);
}

static tg_value_id load(tg_build *b, tg_value_id ref)
{
    tg_build_in(b, ref);
    tg_build_whole(b, ref);
    return tg_build_result(b, TG_OP_load, &block);
}

static void store(tg_build *b, tg_value_id ref, tg_value_id value)
{
    tg_build_in(b, ref);
    tg_build_in(b, value);
    tg_build_whole(b, ref);
    tg_build_op(b, TG_OP_store);
}

/* o = x + 0.5, where the output is added before the input. */
static tg_module *make(void)
{
    tg_build b;
    char x_name[] = "x", o_name[] = "o";
    tg_build_begin(&b);
    b.loc = tg_build_loc(&b, &(tg_loc){.file = "k.py", .line = 3});
    tg_build_kernel(&b, "shift");
    tg_build_axis(&b, &(tg_grid_axis){.size = 4, .is_assumed = true});
    tg_region o_map = first_axis(&b);
    const tg_param out = param_of(o_name, TG_ROLE_OUTPUT, &o_map);
    const tg_value_id o = tg_build_param(&b, &out);
    tg_region x_map = first_axis(&b);
    const tg_param in = param_of(x_name, TG_ROLE_INPUT, &x_map);
    const tg_value_id x = tg_build_param(&b, &in);
    memset(x_name, '?', 1); /* copied, so that nobody sees it */
    const tg_value_id half = tg_build_constant(&b, &block, 0.5);
    store(&b, o, tg_build_2(&b, TG_OP_add, load(&b, x), half));
    tg_build_kernel_end(&b);
    return tg_build_finish(&b);
}

static void expect_json(tg_module *module, const char *wanted)
{
    cr_assert_not_null(module);
    char *json = tg_print_json(module);
    cr_expect_str_eq(json, wanted);
    free(json);
}

Test(build, a_kernel)
{
    tg_diags diags = {0};
    tg_module *module = make();
    expect_json(
        module,
        "{\"tilegrind\": \"0.1\",\n"
        " \"locations\": [\n"
        "  {\"file\": \"k.py\", \"line\": 3}\n"
        " ],\n"
        " \"kernels\": [\n"
        "  {\"name\": \"shift\",\n"
        "   \"grid\": [{\"size\": 4}],\n"
        "   \"params\": [\n"
        "     {\"name\": \"x\", \"role\": \"input\", \"type\": \"f32[32]\", "
        "\"block\": [{\"blocked\": 8}], \"index_map\":\n"
        "       {\"args\": [{\"id\": 2, \"type\": \"i32[]\"}], \"yield\": [2]}},\n"
        "     {\"name\": \"o\", \"role\": \"output\", \"type\": \"f32[32]\", "
        "\"block\": [{\"blocked\": 8}], \"index_map\":\n"
        "       {\"args\": [{\"id\": 0, \"type\": \"i32[]\"}], \"yield\": [0]}}\n"
        "   ],\n"
        "   \"body\": {\"args\": [{\"id\": 3, \"type\": \"ref<f32[8]>\"}, "
        "{\"id\": 1, \"type\": \"ref<f32[8]>\"}], \"ops\": [\n"
        "     {\"op\": \"constant\", \"out\": [{\"id\": 4, \"type\": \"f32[8]\"}], "
        "\"value\": \"0x1p-1\", \"loc\": 1},\n"
        "     {\"op\": \"load\", \"in\": [3], \"out\": [{\"id\": 5, \"type\": \"f32[8]\"}], "
        "\"index\": [[\"slice\", 0, 8, 1]], \"loc\": 1},\n"
        "     {\"op\": \"add\", \"in\": [5, 4], \"out\": [{\"id\": 6, \"type\": \"f32[8]\"}], "
        "\"loc\": 1},\n"
        "     {\"op\": \"store\", \"in\": [1, 6], \"index\": [[\"slice\", 0, 8, 1]], \"loc\": 1}\n"
        "   ]}}\n"
        " ]\n"
        "}\n");
    cr_expect_eq(tg_module_verify(module, &diags), TG_OK);
    tg_diags_free(&diags);
    tg_module_destroy(module);
}

/* The parts of an op wait while the ops of a region inside are made. */
Test(build, parts_of_an_op_wait_for_its_regions)
{
    tg_build b;
    tg_build_begin(&b);
    tg_build_kernel(&b, "k");
    const tg_value_id zero = tg_build_constant(&b, &scalar, 0),
                      two = tg_build_constant(&b, &scalar, 2),
                      one = tg_build_constant(&b, &scalar, 1);
    tg_build_in(&b, zero);
    tg_build_in(&b, two);
    tg_build_in(&b, one);
    tg_build_in(&b, zero);
    tg_build_open(&b);
    const tg_value_id i = tg_build_new_arg(&b, &scalar), sum = tg_build_new_arg(&b, &scalar);
    tg_build_yield(&b, tg_build_2(&b, TG_OP_add, i, sum));
    tg_build_region(&b, tg_build_close(&b));
    const tg_value_id all = tg_build_result(&b, TG_OP_for, &scalar);
    tg_build_1(&b, TG_OP_neg, all);
    tg_build_kernel_end(&b);
    tg_module *module = tg_build_finish(&b);
    const tg_region *body = &module->kernels[0].body;
    cr_assert_eq(body->op_count, 5);
    cr_expect_eq(body->ops[3].in_count, 4);
    cr_expect_eq(body->ops[3].regions[0].op_count, 1);
    cr_expect_eq(body->ops[4].in[0], all);
    tg_diags diags = {0};
    cr_expect_eq(tg_module_verify(module, &diags), TG_OK);
    tg_diags_free(&diags);
    tg_module_destroy(module);
}

Test(build, many_kernels_and_values)
{
    enum { KERNELS = 9, VALUES = 1000 };
    tg_build b;
    tg_build_begin(&b);
    for (int k = 0; k < KERNELS; k++) {
        tg_build_kernel(&b, "k");
        tg_value_id last = tg_build_constant(&b, &block, k);
        for (int v = 1; v < VALUES; v++) last = tg_build_1(&b, TG_OP_neg, last);
        tg_build_kernel_end(&b);
    }
    tg_module *module = tg_build_finish(&b);
    cr_assert_eq(module->kernel_count, KERNELS);
    for (int k = 0; k < KERNELS; k++) {
        const tg_region *body = &module->kernels[k].body;
        cr_assert_eq(body->op_count, VALUES);
        cr_expect_eq(*(float *)body->ops[0].attrs[0].as.data.bytes, (float)k);
        for (uint32_t v = 1; v < VALUES; v++) cr_assert_eq(body->ops[v].in[0], v - 1);
    }
    tg_module_destroy(module);
}

/* ---- all that a file may hold ---- */

static void copy_region(tg_build *b, const tg_region *from);

static void copy_attr(tg_build *b, const tg_kernel *k, const tg_op *op, const tg_attr *attr)
{
    switch (tg_attrs[attr->id].kind) {
    case TG_ATTR_KIND_INT:
    case TG_ATTR_KIND_BOOL:
    case TG_ATTR_KIND_NAME: tg_build_int(b, attr->id, attr->as.integer); break;
    case TG_ATTR_KIND_INTS: tg_build_ints(b, attr->id, attr->as.ints, attr->count); break;
    case TG_ATTR_KIND_TEXT: tg_build_text(b, attr->id, attr->as.text); break;
    case TG_ATTR_KIND_INDEX: tg_build_index(b, attr->as.index, (int)attr->count); break;
    case TG_ATTR_KIND_DATA:
        tg_build_data(b, attr->id, k->values[op->out[0]].type.dtype, attr->as.data.bytes,
                      attr->as.data.count);
        break;
    }
}

static void copy_op(tg_build *b, const tg_kernel *k, const tg_op *op)
{
    b->loc = op->loc;
    for (uint32_t a = 0; a < op->attr_count; a++) copy_attr(b, k, op, &op->attrs[a]);
    for (uint32_t r = 0; r < op->region_count; r++) {
        tg_build_open(b);
        copy_region(b, &op->regions[r]);
        tg_build_region(b, tg_build_close(b));
        b->loc = op->loc;
    }
    for (uint32_t i = 0; i < op->in_count; i++) tg_build_in(b, op->in[i]);
    for (uint32_t i = 0; i < op->out_count; i++) tg_build_out(b, op->out[i]);
    tg_build_op(b, op->code);
}

static const tg_kernel *copied; /* of the ops that are copied */

static void copy_region(tg_build *b, const tg_region *from)
{
    for (uint32_t i = 0; i < from->arg_count; i++) tg_build_arg(b, from->args[i]);
    for (uint32_t i = 0; i < from->op_count; i++) copy_op(b, copied, &from->ops[i]);
    for (uint32_t i = 0; i < from->yield_count; i++) tg_build_yield(b, from->yields[i]);
}

static void copy_param(tg_build *b, const tg_param *from, tg_value_id ref)
{
    tg_param param = *from;
    tg_region map;
    if (from->index_map) {
        tg_build_open(b);
        copy_region(b, from->index_map);
        map = tg_build_close(b);
        param.index_map = &map;
    }
    tg_build_param_as(b, &param, ref);
}

static void copy_kernel(tg_build *b, const tg_kernel *k)
{
    copied = k;
    tg_build_kernel(b, k->name);
    b->kernel->loc = k->loc;
    b->kernel->dialect = k->dialect;
    for (int a = 0; a < k->axis_count; a++) tg_build_axis(b, &k->axes[a]);
    for (uint32_t v = 0; v < k->value_count; v++) {
        cr_assert_eq(tg_build_value(b, &k->values[v].type), v);
        b->kernel->values[v].id = k->values[v].id;
    }
    for (uint32_t p = 0; p < k->param_count; p++) copy_param(b, &k->params[p], k->body.args[p]);
    const tg_region body = {.op_count = k->body.op_count, .ops = k->body.ops};
    copy_region(b, &body);
    tg_build_kernel_end(b);
}

/* These files have all kinds of attributes, dtypes and control ops (test_print.c). */
Test(build, gives_what_the_loader_reads)
{
    static const char *const files[] = {
        "tests/data/json/add.json",     "tests/data/json/matmul.json",
        "tests/data/json/control.json", "tests/data/json/literals.json",
        "examples/shifted.json",        "examples/summed.json",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        tg_diags diags = {0};
        tg_module *module;
        tg_build b;
        cr_assert_eq(tg_json_load_file(files[i], &module, &diags), TG_OK, "%s", files[i]);
        char *wanted = tg_print_json(module);
        tg_build_begin(&b);
        for (uint32_t l = 1; l < module->loc_count; l++)
            cr_assert_eq(tg_build_loc(&b, &module->locs[l]), l);
        for (uint32_t k = 0; k < module->kernel_count; k++) copy_kernel(&b, &module->kernels[k]);
        tg_module_destroy(module); /* nothing of it is borrowed */
        module = tg_build_finish(&b);
        expect_json(module, wanted);
        free(wanted);
        tg_module_destroy(module);
        tg_diags_free(&diags);
    }
}

Test(build, what_is_dropped_is_gone)
{
    tg_build b;
    tg_build_begin(&b);
    tg_build_kernel(&b, "k");
    tg_build_open(&b);
    tg_build_constant(&b, &scalar, 1);
    tg_build_drop(&b);
    cr_expect_null(tg_build_finish(&b));
}
