/* What the builder of the public interface says of calls that are wrong. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tilegrind/build.h"

static tg_builder_value param(tg_builder *b, const char *role, tg_region_id map)
{
    const tg_param_spec spec = {
        .size = sizeof spec, .name = role, .role = role, .type = "f32[8]", .index_map = map};
    return tg_builder_param(b, &spec);
}

/* A kernel with an input, value 0, and its body. */
static void begin(tg_builder *b)
{
    tg_builder_kernel(b, "k", NULL);
    param(b, "input", 0);
    tg_builder_body(b);
}

static void no_kernel(tg_builder *b) { (void)b; }
static void body_without_kernel(tg_builder *b) { tg_builder_body(b); }
static void no_end(tg_builder *b) { begin(b); }
static void two_kernels(tg_builder *b) { begin(b), begin(b); }
static void no_name(tg_builder *b) { tg_builder_kernel(b, NULL, NULL); }
static void bad_name(tg_builder *b) { tg_builder_kernel(b, "k\xff", NULL); }
static void bad_dialect(tg_builder *b) { tg_builder_kernel(b, "k", "cuda"); }
static void bad_semantics(tg_builder *b)
{
    tg_builder_kernel(b, "k", NULL);
    tg_builder_axis(b, 3, "random", NULL);
}
static void bad_role(tg_builder *b)
{
    tg_builder_kernel(b, "k", NULL);
    param(b, "in", 0);
}
static void late_param(tg_builder *b)
{
    begin(b);
    param(b, "output", 0);
}
static void map_of_scratch(tg_builder *b)
{
    tg_builder_kernel(b, "k", NULL);
    tg_builder_open(b);
    param(b, "scratch", tg_builder_close(b));
}
static void map_used_twice(tg_builder *b)
{
    tg_builder_kernel(b, "k", NULL);
    tg_builder_open(b);
    const tg_region_id map = tg_builder_close(b);
    param(b, "input", map);
    param(b, "output", map);
}
static void ref_in_a_map(tg_builder *b)
{
    tg_builder_kernel(b, "k", NULL);
    const tg_builder_value ref = param(b, "input", 0);
    tg_builder_open(b);
    tg_builder_yield(b, ref);
}
static void op_before_the_body(tg_builder *b)
{
    tg_builder_kernel(b, "k", NULL);
    tg_builder_op(b, "alloc", NULL, 0, NULL, 0, NULL);
}
static void unknown_op(tg_builder *b)
{
    begin(b);
    tg_builder_op(b, "plus", NULL, 0, NULL, 0, NULL);
}
static void unknown_attr(tg_builder *b)
{
    begin(b);
    tg_builder_attr_int(b, "axle", 1);
}
static void other_kind(tg_builder *b)
{
    begin(b);
    tg_builder_attr_int(b, "axes", 1);
}
static void attr_given_twice(tg_builder *b)
{
    begin(b);
    tg_builder_attr_int(b, "axis", 0);
    tg_builder_attr_int(b, "axis", 0);
}
static void attr_of_another_op(tg_builder *b)
{
    begin(b);
    tg_builder_attr_int(b, "axis", 0);
    tg_builder_attr_number(b, "value", "f32", 1);
    tg_builder_op1(b, "constant", NULL, 0, "f32[]");
}
static void attr_missing(tg_builder *b)
{
    begin(b);
    tg_builder_op1(b, "iota", NULL, 0, "f32[8]");
}
static void attr_of_no_op(tg_builder *b)
{
    begin(b);
    tg_builder_attr_int(b, "axis", 0);
    tg_builder_kernel_end(b);
}
static void region_of_no_op(tg_builder *b)
{
    begin(b);
    tg_builder_open(b);
    tg_builder_open(b);
    tg_builder_add_region(b, tg_builder_close(b));
    tg_builder_close(b);
}
static void bad_spelling(tg_builder *b)
{
    begin(b);
    tg_builder_attr_text(b, "rounding", "down");
}
static void inexact_number(tg_builder *b)
{
    begin(b);
    tg_builder_attr_number(b, "value", "i8", 300);
}
static void other_dtype(tg_builder *b)
{
    begin(b);
    tg_builder_attr_number(b, "value", "f32", 1);
    tg_builder_op1(b, "constant", NULL, 0, "f64[]");
}
static void too_few_elements(tg_builder *b)
{
    begin(b);
    tg_builder_attr_data(b, "value", "i32", (int32_t[]){1, 2}, 2);
    tg_builder_op1(b, "constant", NULL, 0, "i32[3]");
}
static void bad_type(tg_builder *b)
{
    begin(b);
    tg_builder_op1(b, "undefined", NULL, 0, "f33[]");
}
static void no_such_value(tg_builder *b)
{
    begin(b);
    tg_builder_op1(b, "neg", &(tg_builder_value){7}, 1, "f32[]");
}
static void value_of_a_region(tg_builder *b)
{
    begin(b);
    tg_builder_open(b);
    const tg_builder_value arg = tg_builder_arg(b, "f32[]");
    tg_builder_close(b);
    tg_builder_op1(b, "neg", &arg, 1, NULL);
}
static void region_of_elsewhere(tg_builder *b)
{
    begin(b);
    tg_builder_open(b);
    tg_builder_open(b);
    const tg_region_id inner = tg_builder_close(b);
    tg_builder_close(b);
    tg_builder_add_region(b, inner);
}
static void close_of_the_body(tg_builder *b)
{
    begin(b);
    tg_builder_close(b);
}
static void open_region(tg_builder *b)
{
    begin(b);
    tg_builder_open(b);
    tg_builder_kernel_end(b);
}
static void too_deep(tg_builder *b)
{
    begin(b);
    for (int i = 0; i < 100; i++) tg_builder_open(b);
}
static void no_location(tg_builder *b) { tg_builder_at(b, 3); }
/* The verifier's business. */
static void two_dtypes(tg_builder *b)
{
    begin(b);
    tg_builder_attr_number(b, "value", "f32", 1);
    const tg_builder_value one = tg_builder_op1(b, "constant", NULL, 0, "f32[8]");
    tg_builder_op1(b, "neg", &one, 1, "f64[8]");
    tg_builder_kernel_end(b);
}

static const struct {
    void (*make)(tg_builder *b);
    const char *where, *message;
} wrong[] = {
    {no_kernel, "", "a module has at least one kernel"},
    {body_without_kernel, "", "tg_builder_body: no kernel is open"},
    {no_end, "/kernels/0", "the kernel is not ended"},
    {two_kernels, "/kernels/0", "a kernel is open already"},
    {no_name, "", "the name of a kernel is missing"},
    {bad_name, "", "the name of a kernel is not UTF-8"},
    {bad_dialect, "", "dialect \"cuda\" is none of: xla triton"},
    {bad_semantics, "/kernels/0", "semantics \"random\" is none of: parallel arbitrary thread"},
    {bad_role, "/kernels/0", "role \"in\" is none of: prefetch input output scratch"},
    {late_param, "/kernels/0", "tg_builder_param: the body has begun"},
    {map_of_scratch, "/kernels/0", "parameter scratch: only inputs and outputs have blocks"},
    {map_used_twice, "/kernels/0", "region 1 is none that was closed here and not used yet"},
    {ref_in_a_map, "/kernels/0", "value 0 belongs to a region that has ended, or to the body"},
    {op_before_the_body, "/kernels/0", "tg_builder_op: no region is open that takes ops"},
    {unknown_op, "/kernels/0", "there is no operation \"plus\""},
    {unknown_attr, "/kernels/0", "there is no attribute \"axle\""},
    {other_kind, "/kernels/0", "attribute \"axes\" is a list"},
    {attr_given_twice, "/kernels/0", "attribute \"axis\" is given twice"},
    {attr_of_another_op, "/kernels/0", "constant has no attribute \"axis\""},
    {attr_missing, "/kernels/0", "iota: attribute \"axis\" is missing"},
    {attr_of_no_op, "/kernels/0", "an attribute or region belongs to no operation"},
    {region_of_no_op, "/kernels/0", "an attribute or region belongs to no operation"},
    {bad_spelling, "/kernels/0", "attribute \"rounding\": \"down\" is none of: even away zero"},
    {inexact_number, "/kernels/0",
     "attribute \"value\": the element is out of range for its dtype (i8)"},
    {other_dtype, "/kernels/0", "constant: elements of f32 for a result of f64"},
    {too_few_elements, "/kernels/0", "constant: 2 elements for a result of 3"},
    {bad_type, "/kernels/0", "type \"f33[]\" has an unknown dtype"},
    {no_such_value, "/kernels/0", "there is no value 7"},
    {value_of_a_region, "/kernels/0", "value 1 belongs to a region that has ended, or to the body"},
    {region_of_elsewhere, "/kernels/0", "region 1 is none that was closed here and not used yet"},
    {close_of_the_body, "/kernels/0", "tg_builder_close: no region is open but the body"},
    {open_region, "/kernels/0", "tg_builder_kernel_end: a region is open"},
    {too_deep, "/kernels/0", "regions are nested more than 64 deep"},
    {no_location, "", "there is no location 3"},
    {two_dtypes, "/kernels/0/body/ops/1", NULL},
};

Test(api_build, says_what_is_wrong_with_a_call)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tg_module *module;
        tg_errors *errors = tg_errors_new();
        tg_builder *b = tg_builder_new();
        wrong[i].make(b);
        cr_expect_neq(tg_builder_finish(b, &module, errors), TG_OK);
        cr_expect_null(module);
        cr_assert_eq(tg_errors_count(errors), 1, "row %d", (int)i);
        const tg_error error = tg_errors_get(errors, 0);
        cr_expect_str_eq(error.where, wrong[i].where, "row %d: %s", (int)i, error.message);
        if (wrong[i].message) cr_expect_str_eq(error.message, wrong[i].message, "row %d", (int)i);
        /* The builder is as new. */
        begin(b);
        tg_builder_kernel_end(b);
        cr_expect_eq(tg_builder_finish(b, &module, NULL), TG_OK, "row %d", (int)i);
        tg_module_free(module);
        tg_builder_free(b);
        tg_errors_free(errors);
    }
}

Test(api_build, without_memory_for_a_builder)
{
    tg_module *module;
    begin(NULL);
    cr_expect_eq(tg_builder_finish(NULL, &module, NULL), TG_ERR_NO_MEMORY);
    tg_builder_free(NULL);
}
