#include "api/backend.h"

#include "gpu_backend/emit/refusal.h"

static const tg_backend *const backends[] = {
#define TG_BACKEND(id, texts, what) &tg_backend_##id,
#include "api/backends.def"
};

const tg_backend *tg_backend_find(const char *text)
{
    for (size_t i = 0; text && i < sizeof backends / sizeof *backends; i++)
        if (backends[i]->is_named(text)) return backends[i];
    return text ? NULL : &tg_backend_cpu;
}

static tg_status tell_unknown(const char *text, tg_diags *diags)
{
    static const char legal[] = ""
#define TG_BACKEND(id, texts, what) ", " texts
#include "api/backends.def"
        ;
    return tg_fail(diags, TG_ERR_USAGE, NULL, "backend \"%s\" is none of %s", text, legal + 2);
}

/* ---- what a backend lacks ---- */

static bool is_any_order(const tg_order *order)
{
    return order->kind != TG_ORDER_SEQUENTIAL && order->kind != TG_ORDER_PARALLEL;
}

static bool is_any_compat(const tg_setting *setting)
{
    return setting->compat != tg_setting_default.compat || setting->fill != tg_setting_default.fill;
}

/* Refuses what the job asks for and the backend cannot do; each message names the option. */
static tg_status refuse(const tg_backend *backend, const tg_run_job *job, tg_diags *diags)
{
    const tg_run_options *o = job->options;
    const unsigned lacks = ~backend->can;
    if ((lacks & TG_BACKEND_COMPAT) && is_any_compat(&job->setting))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "backend %s does not support %s",
                       o->backend, tg_ptx_refusal_text(TG_PTX_REFUSES_COMPAT));
    if ((lacks & TG_BACKEND_CHECKS) && job->checks)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "backend %s makes no checks: those of \"%s\" are the interpreter's",
                       o->backend, o->checks);
    if ((lacks & TG_BACKEND_TARGET) && job->setting.target != tg_setting_default.target)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "backend %s knows no target \"%s\": it is the interpreter's", o->backend,
                       o->target);
    if ((lacks & TG_BACKEND_TRAPS) && job->traps)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "backend %s traps nothing: \"%s\" is the interpreter's", o->backend,
                       o->trap);
    if ((lacks & TG_BACKEND_MAX_STEPS) && o->max_steps)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "backend %s counts no turns of loops: max_steps is the interpreter's",
                       o->backend);
    if ((lacks & TG_BACKEND_ORDERS) && is_any_order(&job->order))
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "backend %s knows the orders sequential and parallel[:CTAS], not %s",
                       o->backend, o->order);
    return TG_OK;
}

tg_status tg_backend_need_search(const tg_backend *backend, const char *text, tg_diags *diags)
{
    if (backend && backend->search) return TG_OK;
    if (text)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "a check is made by the interpreter, not by backend %s", text);
    return tg_fail(diags, TG_ERR_USAGE, NULL,
                   "a check is made by the interpreter, by no other backend");
}

tg_status tg_backend_need_observe(const tg_backend *backend, tg_diags *diags)
{
    if (backend->observe) return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL,
                   "backend %s does not report accesses to observers: only the interpreter does",
                   backend->name);
}

/* ---- kernels ---- */

tg_status tg_backend_prepare(const tg_run_job *job, const tg_backend **out, void **kernel,
                             tg_diags *diags)
{
    const tg_backend *backend = tg_backend_find(job->options->backend);
    if (!backend) return tell_unknown(job->options->backend, diags);
    TG_TRY(refuse(backend, job, diags));
    *out = backend;
    return backend->prepare(job, kernel, diags);
}
