/* A front end for a language of one line: an expression in reverse Polish notation over the arrays x
 * and y of 8 floats, "x y + x *".  It builds the kernel, runs it with all checks, and prints the
 * elements of the result.
 *
 *   rpn "x y + x *"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilegrind/build.h>

enum { COUNT = 8, MOST_VALUES = 16 };

static const struct {
    const char *word, *op;
} words[] = {{"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"max", "max"}};

static tg_builder_value add_param(tg_builder *b, const char *name, const char *role)
{
    const tg_param_spec param = {
        .size = sizeof param, .name = name, .role = role, .type = "f32[8]"};
    return tg_builder_param(b, &param);
}

static tg_builder_value load(tg_builder *b, tg_builder_value ref)
{
    tg_builder_whole(b, ref);
    return tg_builder_op1(b, "load", &ref, 1, "f32[8]");
}

/* The op of a word on the two uppermost values; whether there are such. */
static int apply(tg_builder *b, const char *word, tg_builder_value *values, int *count)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].word) != 0 || *count < 2) continue;
        --*count;
        values[*count - 1] = tg_builder_op1(b, words[i].op, &values[*count - 1], 2, NULL);
        return 1;
    }
    return 0;
}

/* Each word is a line of the source, so that findings name it. */
static int translate(tg_builder *b, char *text, const tg_builder_value *refs, tg_builder_value *out)
{
    tg_builder_value values[MOST_VALUES];
    int count = 0, line = 1;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "), line++) {
        tg_builder_at(b, tg_builder_location(b, "expression", line, NULL, 0, NULL));
        const int is_array = strcmp(word, "x") == 0 || strcmp(word, "y") == 0;
        if (is_array && count < MOST_VALUES)
            values[count++] = load(b, refs[*word - 'x']);
        else if (is_array || !apply(b, word, values, &count))
            return 0;
    }
    *out = values[0];
    return count == 1;
}

static tg_status build(char *text, tg_module **module, tg_errors *errors)
{
    tg_builder *b = tg_builder_new();
    tg_builder_kernel(b, "rpn", NULL);
    const tg_builder_value refs[] = {add_param(b, "x", "input"), add_param(b, "y", "input")};
    tg_builder_value stored[] = {add_param(b, "o", "output"), 0};
    tg_builder_body(b);
    if (!translate(b, text, refs, &stored[1])) {
        fprintf(stderr, "this is no expression\n");
        tg_builder_free(b);
        return TG_ERR_INVALID;
    }
    tg_builder_whole(b, stored[0]);
    tg_builder_op(b, "store", stored, 2, NULL, 0, NULL);
    tg_builder_kernel_end(b);
    const tg_status status = tg_builder_finish(b, module, errors);
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
    float x[COUNT], y[COUNT], o[COUNT];
    int64_t shape[] = {COUNT};
    tg_array arrays[] = {array_of("x", x, shape), array_of("y", y, shape), array_of("o", o, shape)};
    const tg_run_options options = {.size = sizeof options, .checks = "all"};
    tg_report *report;
    for (int i = 0; i < COUNT; i++) x[i] = (float)i, y[i] = 0.5f;
    const tg_status status = tg_run(module, NULL, arrays, 3, &options, &report, errors);
    if (status != TG_OK) return status;
    for (size_t i = 0; i < tg_report_finding_count(report); i++)
        printf("%s\n", tg_report_finding(report, i).message);
    for (int i = 0; i < COUNT; i++) printf("%g\n", (double)o[i]);
    tg_report_free(report);
    return TG_OK;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    tg_errors *errors = tg_errors_new();
    tg_module *module = NULL;
    tg_status status = build(argv[1], &module, errors);
    if (status == TG_OK) status = run(module, errors);
    for (size_t i = 0; i < tg_errors_count(errors); i++)
        fprintf(stderr, "%s\n", tg_errors_get(errors, i).message);
    tg_module_free(module);
    tg_errors_free(errors);
    return tg_status_exit(status);
}
