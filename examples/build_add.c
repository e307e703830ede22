/* Builds a kernel that adds arrays, without JSON, runs it, and prints what it gives.
 *
 *   build_add
 */
#include <stdio.h>
#include <stdlib.h>
#include <tilegrind/build.h>

enum { COUNT = 32, BLOCK = 8 };

/* Block number `i` of an array, where `i` is the place on the only axis of the grid. */
static tg_builder_value add_param(tg_builder *b, const char *name, const char *role)
{
    tg_builder_open(b);
    tg_builder_yield(b, tg_builder_arg(b, "i32[]"));
    tg_param_spec param = {.size = sizeof param, .name = name, .role = role, .type = "f32[32]"};
    tg_block_spec block = {.kind = "blocked", .size = BLOCK};
    param.block = &block;
    param.index_map = tg_builder_close(b);
    return tg_builder_param(b, &param);
}

static tg_builder_value load(tg_builder *b, tg_builder_value ref)
{
    tg_builder_whole(b, ref);
    return tg_builder_op1(b, "load", &ref, 1, "f32[8]");
}

/* o = x + y, block by block. */
static void build_kernel(tg_builder *b)
{
    tg_builder_kernel(b, "add", NULL);
    tg_builder_axis(b, COUNT / BLOCK, "parallel", NULL);
    tg_builder_value x = add_param(b, "x", "input");
    tg_builder_value y = add_param(b, "y", "input");
    tg_builder_value o = add_param(b, "o", "output");
    tg_builder_body(b);
    tg_builder_value blocks[] = {load(b, x), load(b, y)};
    tg_builder_value stored[] = {o, tg_builder_op1(b, "add", blocks, 2, NULL)};
    tg_builder_whole(b, o);
    tg_builder_op(b, "store", stored, 2, NULL, 0, NULL);
    tg_builder_kernel_end(b);
}

static tg_status build(tg_module **module, tg_errors *errors)
{
    tg_builder *b = tg_builder_new();
    build_kernel(b);
    tg_status status = tg_builder_finish(b, module, errors);
    tg_builder_free(b);
    return status;
}

static tg_array array_of(const char *name, float *data, int64_t *shape)
{
    tg_array array = {.name = name};
    array.tensor.data = data;
    array.tensor.device.device_type = 1; /* the CPU */
    array.tensor.ndim = 1;
    array.tensor.dtype = tg_dtype_to_dlpack("f32");
    array.tensor.shape = shape;
    return array;
}

static tg_status run(const tg_module *module, tg_errors *errors)
{
    static float x[COUNT], y[COUNT], o[COUNT];
    int64_t shape[] = {COUNT};
    tg_array arrays[] = {array_of("x", x, shape), array_of("y", y, shape), array_of("o", o, shape)};
    tg_report *report;
    for (int i = 0; i < COUNT; i++) x[i] = (float)i, y[i] = 0.5f;
    tg_status status = tg_run(module, NULL, arrays, 3, NULL, &report, errors);
    if (status != TG_OK) return status;
    for (int i = 0; i < COUNT; i++) printf("%g\n", (double)o[i]);
    tg_report_free(report);
    return TG_OK;
}

int main(void)
{
    tg_errors *errors = tg_errors_new();
    tg_module *module = NULL;
    tg_status status = build(&module, errors);
    if (status == TG_OK) status = run(module, errors);
    for (size_t i = 0; i < tg_errors_count(errors); i++)
        fprintf(stderr, "%s: %s\n", tg_errors_get(errors, i).where,
                tg_errors_get(errors, i).message);
    tg_module_free(module);
    tg_errors_free(errors);
    return tg_status_exit(status);
}
