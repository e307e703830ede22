/* Runs on a mesh, for tests: arrays of i32 or f32 and a list of shardings. */
#ifndef TG_TESTS_MESH_RUN_H
#define TG_TESTS_MESH_RUN_H

#include "run_text.h"
#include "tilegrind/mesh.h"
#include "two_arrays.h"

enum { MOST_SHARDINGS = 4 };

typedef struct mesh_test {
    const char *kernel; /* text */
    const char *mesh;   /* NULL: none */
    tg_mesh_sharding shardings[MOST_SHARDINGS];
    const char *device_order;
    const tg_check_options *check;
    tg_run_options options;
    /* of the run */
    tg_module *module;
    tg_arrays *inputs, *outputs;
    tg_report *report;
    tg_errors *errors;
    tg_status status;
} mesh_test;

static inline void mesh_begin(mesh_test *t)
{
    t->inputs = tg_arrays_new();
    t->outputs = tg_arrays_new();
    t->errors = tg_errors_new();
    t->options.size = sizeof t->options;
    t->module = load_kernel(t->kernel);
}

static inline void mesh_input(mesh_test *t, const char *name, const char *dtype, const void *data,
                              int rank, const int64_t *shape)
{
    tg_array array = array_over(name, dtype, (void *)data, rank, (int64_t *)shape);
    cr_assert_eq(tg_arrays_add(t->inputs, &array, NULL), TG_OK);
}

static inline void mesh_run(mesh_test *t)
{
    size_t count = 0;
    while (count < MOST_SHARDINGS && t->shardings[count].param) count++;
    const tg_mesh_options mesh = {sizeof mesh, t->mesh,         t->shardings,
                                  count,       t->device_order, t->check};
    t->status = tg_mesh_run(t->module, NULL, t->inputs, &mesh, &t->options, t->outputs, &t->report,
                            t->errors);
}

/* The data of the first output. */
static inline void *mesh_output(const mesh_test *t)
{
    return tg_arrays_get(t->outputs, 0).tensor.data;
}

static inline void mesh_end(mesh_test *t)
{
    tg_report_free(t->report);
    tg_arrays_free(t->inputs);
    tg_arrays_free(t->outputs);
    tg_errors_free(t->errors);
    tg_module_free(t->module);
}

#define IN_SHAPE(...)                                                                              \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]) { __VA_ARGS__ }

#endif
