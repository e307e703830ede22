/* Kernels in the notation of kernel_text.h, run through the public interface in every order and on every
 * instruction set, their outputs compared bit for bit. */
#ifndef TESTS_RUN_TEXT_H
#define TESTS_RUN_TEXT_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_text.h"
#include "tilegrind/tilegrind.h"

/* ---- running ---- */

static inline void show_errors(const tg_errors *errors)
{
    for (size_t i = 0; i < tg_errors_count(errors); i++) {
        tg_error e = tg_errors_get(errors, i);
        fprintf(stderr, "  %s at %s: %s\n", tg_status_name(e.status), e.where ? e.where : "",
                e.message);
    }
}

static inline tg_module *load_json(const char *json)
{
    tg_errors *errors = tg_errors_new();
    tg_module *module = NULL;
    tg_status status = tg_module_load_text(json, strlen(json), &module, errors);
    if (status != TG_OK) {
        show_errors(errors);
        fprintf(stderr, "%s\n", json);
    }
    cr_assert_eq(status, TG_OK);
    tg_errors_free(errors);
    return module;
}

static inline tg_module *load_kernel(const char *text)
{
    char *json = json_of(text);
    tg_module *module = load_json(json);
    free(json);
    return module;
}

enum { MOST_ARRAYS = 16 };

/* The array of a run, by name.  Ends a list with a NULL name. */
typedef struct named {
    const char *name;
    const void *data; /* of an input the data, of an output what it must be */
} named;

static inline size_t param_bytes(const tg_param_info *param)
{
    size_t bytes = tg_dtypes[tg_dtype_by_name(param->dtype)].bytes;
    for (int d = 0; d < param->rank; d++) bytes *= (size_t)param->shape[d];
    return bytes;
}

static inline tg_array array_of(const tg_param_info *param, void *data)
{
    tg_array array = {.name = param->name};
    array.tensor.data = data;
    array.tensor.device.device_type = 1;
    array.tensor.ndim = param->rank;
    array.tensor.dtype = tg_dtype_to_dlpack(param->dtype);
    array.tensor.shape = (int64_t *)param->shape;
    return array;
}

/* Owned copies of the arrays that `module` wants: inputs from `list`, outputs filled with bytes that no kernel writes. */
typedef struct arrays {
    tg_array list[MOST_ARRAYS];
    size_t bytes[MOST_ARRAYS];
    const void *given[MOST_ARRAYS];
    bool is_output[MOST_ARRAYS];
    size_t count;
} arrays;

static inline arrays make_arrays(const tg_module *module, const named *list)
{
    arrays all = {.count = 0};
    for (size_t p = 0; p < tg_module_param_count(module, NULL); p++) {
        tg_param_info param = tg_module_param(module, NULL, p);
        if (strcmp(param.role, "scratch") == 0) continue;
        size_t bytes = param_bytes(&param), i = all.count++;
        void *data = aligned_alloc(64, (bytes + 64) / 64 * 64);
        cr_assert_not_null(data);
        memset(data, 0xA5, bytes);
        const named *it = list;
        while (it->name && strcmp(it->name, param.name) != 0) it++;
        all.is_output[i] = strcmp(param.role, "output") == 0;
        all.given[i] = it->data;
        cr_assert(it->name || all.is_output[i], "no data for %s", param.name);
        if (!all.is_output[i]) memcpy(data, it->data, bytes);
        all.list[i] = array_of(&param, data);
        all.bytes[i] = bytes;
    }
    return all;
}

static inline void free_arrays(arrays *all)
{
    for (size_t i = 0; i < all->count; i++) free(all->list[i].tensor.data);
}

static inline void *array_data(const arrays *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->list[i].name, name) == 0) return all->list[i].tensor.data;
    cr_assert_fail("no array %s", name);
    return NULL;
}

static inline void compare_arrays(const arrays *all, const char *what)
{
    for (size_t i = 0; i < all->count; i++) {
        const unsigned char *found = all->list[i].tensor.data, *wanted = all->given[i];
        for (size_t b = 0; wanted && b < all->bytes[i]; b++) {
            size_t wide = (size_t)(all->list[i].tensor.dtype.bits + 7) / 8, e = b / wide;
            if (found[b] == wanted[b]) continue;
            uint64_t f = 0, w = 0;
            memcpy(&f, found + e * wide, wide);
            memcpy(&w, wanted + e * wide, wide);
            cr_assert_fail("%s: %s element %zu is %llx, wanted %llx", what, all->list[i].name, e,
                           (unsigned long long)f, (unsigned long long)w);
        }
    }
}

/* Runs the module once; the caller frees the report. */
static inline tg_report *run_once(const tg_module *module, arrays *all,
                                  const tg_run_options *options)
{
    tg_errors *errors = tg_errors_new();
    tg_report *report = NULL;
    tg_status status = tg_run(module, NULL, all->list, all->count, options, &report, errors);
    if (status != TG_OK) show_errors(errors);
    cr_assert_eq(status, TG_OK, "order %s", options->order ? options->order : "");
    tg_errors_free(errors);
    return report;
}

static inline void show_findings(const tg_report *report)
{
    for (size_t i = 0; i < tg_report_finding_count(report); i++)
        fprintf(stderr, "  %s: %s\n", tg_report_finding(report, i).kind,
                tg_report_finding(report, i).message);
}

static const char *const every_order[] = {"sequential",  "reversed",    "shuffled:1",
                                          "shuffled:77", "parallel:1",  "parallel:2",
                                          "parallel:4",  "interleaved", "interleaved:9"};
enum { ORDERS = sizeof every_order / sizeof *every_order };

/* How many findings there are of that kind. */
static inline size_t count_findings(const tg_report *report, const char *kind)
{
    size_t count = 0;
    for (size_t i = 0; i < tg_report_finding_count(report); i++)
        count += strcmp(tg_report_finding(report, i).kind, kind) == 0;
    return count;
}

/* Returns how many of the findings say that an output has not been written. */
static inline size_t run_in(const tg_module *module, const named *list, tg_run_options options,
                            size_t findings, const char *text)
{
    char what[512];
    arrays all = make_arrays(module, list);
    options.size = sizeof options;
    snprintf(what, sizeof what, "%s on %s, %s: %.400s", options.order,
             options.backend ? options.backend : "cpu", options.isa ? options.isa : "best", text);
    tg_report *report = run_once(module, &all, &options);
    const size_t unwritten = count_findings(report, "output-unwritten");
    if (tg_report_finding_count(report) != findings) show_findings(report);
    cr_assert_eq(tg_report_finding_count(report), findings, "%zu findings, %s",
                 tg_report_finding_count(report), what);
    compare_arrays(&all, what);
    tg_report_free(report);
    free_arrays(&all);
    return unwritten;
}

/* Whether this machine has the instruction set, or the backend all that the kernel needs. */
static inline bool is_possible(const tg_module *module, const named *list, tg_run_options options)
{
    arrays all = make_arrays(module, list);
    tg_report *report = NULL;
    options.size = sizeof options;
    const tg_status status = tg_run(module, NULL, all.list, all.count, &options, &report, NULL);
    tg_report_free(report);
    free_arrays(&all);
    return status != TG_ERR_UNSUPPORTED && (status == TG_OK || !options.isa);
}

/* Runs the kernel in every order, in one on every instruction set, and as PTX in the emulator, its warps in several
 * orders; outputs must be as listed, inputs must stay as they are, and there must be `findings` findings. */
static inline void expect_with(const char *text, const named *list, tg_run_options options,
                               size_t findings)
{
    static const char *const isas[] = {"baseline", "avx2", "avx512"};
    static const char *const backends[] = {"emulator", "emulator:1", "emulator:5"};
    tg_module *module = load_kernel(text);
    size_t unwritten = 0;
    for (int o = 0; o < ORDERS; o++) {
        options.order = every_order[o];
        unwritten = run_in(module, list, options, findings, text);
    }
    options.order = "sequential";
    for (int i = 0; i < 3; i++) {
        options.isa = isas[i];
        if (is_possible(module, list, options)) run_in(module, list, options, findings, text);
    }
    options.isa = NULL;
    for (int i = 0; i < 3; i++) {
        options.backend = backends[i]; /* which does not watch what is written */
        if (is_possible(module, list, options))
            run_in(module, list, options, findings - unwritten, text);
    }
    tg_module_free(module);
}

static inline void expect(const char *text, const named *list)
{
    expect_with(text, list, (tg_run_options){0}, 0);
}

#define NAMED(...) ((const named[]){__VA_ARGS__, {NULL, NULL}})

#endif
