/* A kernel checked: run with checks, and in other orders. */
#include <stdlib.h>
#include <string.h>

#include "api/api_impl.h"
#include "api/arrays.h"
#include "api/errors.h"
#include "api/executable.h"
#include "api/hint.h"
#include "api/module.h"
#include "api/options.h"
#include "ir/tensor.h"

enum { SHUFFLES = 8, INTERLEAVINGS = 4 };

/* All that a check of an executable needs and frees. */
typedef struct call {
    tg_executable *exe;
    const tg_kernel *kernel;
    void **data;   /* per param */
    void **copies; /* of inputs whose memory an output takes */
    tg_order *orders;
} call;

static int number_or(int given, int usual) { return given < 0 ? 0 : given ? given : usual; }

static tg_status list_orders(call *c, const tg_check_options *given, size_t *count, tg_diags *diags)
{
    tg_check_options o = {.size = sizeof o};
    if (given) memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    const int shuffles = number_or(o.shuffles, SHUFFLES),
              interleavings = number_or(o.interleavings, INTERLEAVINGS);
    const uint64_t seed = o.seed ? o.seed : 1;
    c->orders = calloc((size_t)shuffles + (size_t)interleavings + 1, sizeof *c->orders);
    if (!c->orders) return tg_no_memory(diags);
    c->orders[(*count)++] = (tg_order){.kind = TG_ORDER_REVERSED};
    for (int i = 0; i < shuffles; i++)
        c->orders[(*count)++] = (tg_order){.kind = TG_ORDER_SHUFFLED, .seed = seed + (uint64_t)i};
    for (int i = 0; i < interleavings; i++)
        c->orders[(*count)++] =
            (tg_order){.kind = TG_ORDER_INTERLEAVED, .seed = seed + (uint64_t)i};
    return TG_OK;
}

/* Every run needs the inputs as they are: those that an output overwrites are copied. */
static tg_status keep_inputs(call *c, tg_diags *diags)
{
    for (uint32_t p = 0; p < c->kernel->param_count; p++) {
        const int input = c->kernel->params[p].alias;
        if (c->kernel->params[p].role != TG_ROLE_OUTPUT || input < 0 ||
            c->data[p] != c->data[input])
            continue;
        const size_t bytes = tg_tensor_bytes(&c->kernel->params[p].array);
        c->copies[input] = malloc(bytes ? bytes : 1);
        if (!c->copies[input]) return tg_no_memory(diags);
        if (bytes) memcpy(c->copies[input], c->data[input], bytes);
        c->data[input] = c->copies[input];
    }
    return TG_OK;
}

static tg_status run_options(const tg_run_options *given, tg_run_options *out, tg_diags *diags)
{
    *out = tg_api_options(given);
    if (out->order && strcmp(out->order, "sequential") != 0)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "a check begins with order sequential, not %s",
                       out->order);
    TG_TRY(tg_backend_need_search(tg_backend_find(out->backend), out->backend, diags));
    if (!out->checks) out->checks = "all";
    return TG_OK;
}

static tg_status search_orders(call *c, const int64_t *dynamic_grid, const tg_check_options *orders,
                               tg_report *report, tg_diags *diags)
{
    const tg_backend_run run = {
        .data = c->data, .dynamic_grid = dynamic_grid, .findings = &report->findings};
    size_t count = 0;
    TG_TRY(list_orders(c, orders, &count, diags));
    TG_TRY(c->exe->backend->search(c->exe->prepared, &run, c->orders, count, diags));
    return tg_api_set_hint(report, diags);
}

static tg_status check(call *c, void *const *data, const int64_t *dynamic_grid,
                       size_t dynamic_grid_count, const tg_check_options *orders,
                       tg_report **report, tg_diags *diags)
{
    const size_t params = c->kernel->param_count;
    c->data = calloc(params + 1, sizeof *c->data);
    c->copies = calloc(params + 1, sizeof *c->copies);
    if (!c->data || !c->copies) return tg_no_memory(diags);
    if (params) memcpy(c->data, data, params * sizeof *c->data);
    TG_TRY(keep_inputs(c, diags));
    TG_TRY(tg_api_executable_run(c->exe, NULL, c->data, dynamic_grid, dynamic_grid_count, report,
                                 diags));
    const tg_status status = search_orders(c, dynamic_grid, orders, *report, diags);
    if (status == TG_OK || status == TG_ERR_STOPPED) return status;
    tg_report_free(*report);
    *report = NULL;
    return status;
}

static void free_call(call *c)
{
    for (uint32_t p = 0; c->copies && p < c->kernel->param_count; p++) free(c->copies[p]);
    free(c->orders);
    free(c->copies);
    free(c->data);
}

static tg_status check_executable(tg_executable *exe, void *const *data,
                                  const int64_t *dynamic_grid, size_t dynamic_grid_count,
                                  const tg_check_options *orders, tg_report **report,
                                  tg_diags *diags)
{
    call c = {.exe = exe, .kernel = exe->kernel};
    const tg_status status =
        check(&c, data, dynamic_grid, dynamic_grid_count, orders, report, diags);
    free_call(&c);
    return status;
}

tg_status tg_executable_check(tg_executable *executable, void *const *data,
                              const int64_t *dynamic_grid, size_t dynamic_grid_count,
                              const tg_check_options *orders, tg_report **report, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_order *order = &executable->order;
    char text[TG_ORDER_TEXT];
    tg_status status = tg_backend_need_search(executable->backend, NULL, diags);
    *report = NULL;
    if (status == TG_OK && order->kind != TG_ORDER_SEQUENTIAL)
        status = tg_fail(diags, TG_ERR_USAGE, NULL, "a check begins with order sequential, not %s",
                         tg_order_print(order, text, sizeof text));
    if (status == TG_OK)
        status = check_executable(executable, data, dynamic_grid, dynamic_grid_count, orders,
                                  report, diags);
    tg_diags_free(&unwanted);
    return status;
}

/* ---- a single check ---- */

static tg_status check_arrays(const tg_module *module, const tg_kernel *k, void **data, bool *given,
                              const tg_array *arrays, size_t count, const tg_run_options *options,
                              const tg_check_options *orders, tg_report **report, tg_diags *diags)
{
    tg_executable *exe;
    if (!data || !given) return tg_no_memory(diags);
    TG_TRY(tg_api_set_data(k, arrays, count, data, given, diags));
    TG_TRY(tg_api_executable_new(module, k, options, &exe, diags));
    const tg_status status = check_executable(exe, data, options->dynamic_grid,
                                              options->dynamic_grid_count, orders, report, diags);
    tg_executable_free(exe);
    return status;
}

static tg_status check_once(const tg_module *module, const tg_kernel *k, const tg_array *arrays,
                            size_t count, const tg_run_options *given_options,
                            const tg_check_options *orders, tg_report **report, tg_diags *diags)
{
    tg_run_options options;
    TG_TRY(run_options(given_options, &options, diags));
    void **data = calloc(k->param_count + 1, sizeof *data);
    bool *given = calloc(k->param_count + 1, sizeof *given);
    const tg_status status =
        check_arrays(module, k, data, given, arrays, count, &options, orders, report, diags);
    free(data);
    free(given);
    return status;
}

tg_status tg_check(const tg_module *module, const char *kernel, const tg_array *arrays,
                   size_t array_count, const tg_run_options *options,
                   const tg_check_options *orders, tg_report **report, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_kernel *k = tg_api_kernel(module, kernel);
    *report = NULL;
    const tg_status status =
        k ? check_once(module, k, arrays, array_count, options, orders, report, diags)
          : tg_api_no_kernel(kernel, diags);
    tg_diags_free(&unwanted);
    return status;
}
