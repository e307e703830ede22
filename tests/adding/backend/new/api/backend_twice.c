/* The interpreter twice, from the same memory: the bits must be the same. */
#include <stdlib.h>
#include <string.h>

#include "api/backend.h"
#include "ir/type.h"

typedef struct twice_kernel {
    const tg_kernel *kernel;
    void *of_cpu;
} twice_kernel;

static bool is_named(const char *text) { return strcmp(text, tg_backend_twice.name) == 0; }

static void release(void *of)
{
    twice_kernel *k = of;
    if (k->of_cpu) tg_backend_cpu.release(k->of_cpu);
    free(k);
}

static tg_status prepare(const tg_run_job *job, void **out, tg_diags *diags)
{
    twice_kernel *k = calloc(1, sizeof *k);
    if (!k) return tg_no_memory(diags);
    k->kernel = job->plan->kernel;
    const tg_status status = tg_backend_cpu.prepare(job, &k->of_cpu, diags);
    if (status == TG_OK)
        *out = k;
    else
        release(k);
    return status;
}

static size_t bytes_of(const tg_param *param)
{
    if (param->role == TG_ROLE_SCRATCH) return 0;
    return (size_t)tg_type_count(&param->array) * tg_dtypes[param->array.dtype].bytes;
}

static void copy_all(const tg_kernel *k, void *const *to, void *const *from)
{
    for (uint32_t p = 0; p < k->param_count; p++)
        if (bytes_of(&k->params[p])) memcpy(to[p], from[p], bytes_of(&k->params[p]));
}

static tg_status compare(const tg_kernel *k, void *const *first, void *const *second,
                         tg_diags *diags)
{
    for (uint32_t p = 0; p < k->param_count; p++)
        if (bytes_of(&k->params[p]) && memcmp(first[p], second[p], bytes_of(&k->params[p])) != 0)
            return tg_fail(diags, TG_ERR_INTERNAL, NULL, "two runs give another %s",
                           k->params[p].name);
    return TG_OK;
}

static tg_status run_twice(const twice_kernel *k, void **copies, const tg_backend_run *run,
                           tg_run_result *result, tg_diags *diags)
{
    tg_backend_run first = *run;
    tg_findings ignored;
    if (!tg_findings_init(&ignored, 1)) return tg_no_memory(diags);
    first.data = copies;
    first.findings = &ignored;
    copy_all(k->kernel, copies, run->data);
    tg_status status = tg_backend_cpu.run(k->of_cpu, &first, result, diags);
    tg_findings_free(&ignored);
    if (status == TG_OK) status = tg_backend_cpu.run(k->of_cpu, run, result, diags);
    return status == TG_OK ? compare(k->kernel, copies, run->data, diags) : status;
}

static tg_status run(void *of, const tg_backend_run *run, tg_run_result *result, tg_diags *diags)
{
    const twice_kernel *k = of;
    const uint32_t params = k->kernel->param_count;
    void **copies = calloc(params + 1, sizeof *copies);
    bool has_all = copies;
    for (uint32_t p = 0; has_all && p < params; p++)
        has_all = (copies[p] = malloc(bytes_of(&k->kernel->params[p]) + 1));
    const tg_status status =
        has_all ? run_twice(k, copies, run, result, diags) : tg_no_memory(diags);
    for (uint32_t p = 0; copies && p < params; p++) free(copies[p]);
    free(copies);
    return status;
}

const tg_backend tg_backend_twice = {.name = "twice",
                                     .can = TG_BACKEND_COMPAT | TG_BACKEND_TARGET |
                                            TG_BACKEND_MAX_STEPS | TG_BACKEND_ORDERS,
                                     .is_named = is_named,
                                     .prepare = prepare,
                                     .release = release,
                                     .run = run};
