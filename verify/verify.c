/* The verifier from the module down to the regions: kernels, axes, params, block mappings. */
#include "verify/verify.h"

#include <inttypes.h>
#include <string.h>

#include "verify/common.h"
#include "verify/ops.h"
#include "verify/params.h"

/* Program ids reach index maps as i32. */
#define MOST_PROGRAMS_PER_AXIS INT32_MAX
#define MOST_PROGRAMS ((int64_t)1 << 62)

static bool same_text(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

/* -- grid -- */

static void check_axis_name(const tg_verifier *v, int axis)
{
    const tg_grid_axis *axes = v->kernel->axes;
    for (int earlier = 0; earlier < axis; earlier++)
        if (same_text(axes[earlier].name, axes[axis].name))
            tg_illegal(v, "the name \"%s\" is that of axis %d already", axes[axis].name, earlier);
}

/* The number of threads must be part of the kernel, because they share its scratch. */
static void check_threads(const tg_verifier *v, int64_t size, int64_t *threads)
{
    if (size < 1 || size > TG_MOST_PROGRAM_THREADS)
        tg_illegal(v, "the size of an axis of threads must be between 1 and %d",
                   TG_MOST_PROGRAM_THREADS);
    else if (*threads * size > TG_MOST_PROGRAM_THREADS)
        tg_illegal(v, "there are %" PRId64 " threads; at most %d can be", *threads * size,
                   TG_MOST_PROGRAM_THREADS);
    else
        *threads *= size;
}

static void check_grid(const tg_verifier *v)
{
    const tg_kernel *k = v->kernel;
    tg_path grid = {v->at, "grid", 0};
    int64_t programs = 1, threads = 1;
    for (int a = 0; a < k->axis_count; a++) {
        const int64_t size = k->axes[a].size;
        tg_path here = {&grid, NULL, (size_t)a};
        tg_verifier at_axis = tg_verifier_at(v, &here);
        check_axis_name(&at_axis, a);
        if (size < -1 || size > MOST_PROGRAMS_PER_AXIS) {
            tg_illegal(&at_axis, "size is %" PRId64 ", but must be \"dynamic\" or between 0 and %d",
                       size, MOST_PROGRAMS_PER_AXIS);
            continue;
        }
        if (size > 0 && programs > MOST_PROGRAMS / size) {
            tg_verifier at_grid = tg_verifier_at(v, &grid);
            tg_illegal(&at_grid, "has more than 2^62 programs");
            return;
        }
        programs *= size > 0 ? size : 1;
        if (k->axes[a].semantics == TG_SEMANTICS_THREAD) check_threads(&at_axis, size, &threads);
    }
}

/* -- kernels -- */

/* Checks that all types are sound; no other check is safe before this one. */
static bool check_types(const tg_verifier *v)
{
    const tg_kernel *k = v->kernel;
    bool ok = true;
    for (uint32_t i = 0; i < k->value_count; i++)
        if (!tg_type_is_sound(&k->values[i].type))
            ok = tg_mistyped(v, "value %" PRId64 " has an impossible type", k->values[i].id);
        else if (!k->values[i].type.is_ref && tg_is_semaphore(k->values[i].type.dtype))
            ok = tg_mistyped(v, "value %" PRId64 " is %s, but semaphores are only in memory",
                             k->values[i].id, tg_show(&k->values[i].type).text);
    tg_path params = {v->at, "params", 0};
    for (uint32_t p = 0; p < k->param_count; p++) {
        tg_path here = {&params, NULL, p};
        tg_verifier at_param = tg_verifier_at(v, &here);
        if ((unsigned)k->params[p].role >= TG_ROLE_COUNT)
            ok = tg_illegal(&at_param, "has no known role");
        if (!tg_type_is_sound(&k->params[p].array) || !tg_type_is_sound(&k->params[p].ref))
            ok = tg_mistyped(&at_param, "has an impossible type");
        else if (k->params[p].array.is_ref)
            ok = tg_mistyped(&at_param, "the array is %s, but must not be a ref",
                             tg_show(&k->params[p].array).text);
    }
    return ok;
}

static void check_body(const tg_verifier *v)
{
    const tg_kernel *k = v->kernel;
    tg_path body = {v->at, "body", 0};
    tg_verifier inside = tg_verifier_at(v, &body);
    if (k->body.arg_count != k->param_count)
        tg_mistyped(&inside,
                    "the body takes %" PRIu32 " arguments, but there are %" PRIu32 " params",
                    k->body.arg_count, k->param_count);
    if (k->body.yield_count != 0)
        tg_mistyped(&inside,
                    "the body yields %" PRIu32 " values, but must yield none; results are stored",
                    k->body.yield_count);
    tg_verify_region(&inside, &k->body);
}

static const char *name_of_kernel(const tg_verifier *v, uint32_t index)
{
    return v->module->kernels[index].name;
}

static void check_kernel(const tg_verifier *v, uint32_t index)
{
    const tg_kernel *k = v->kernel;
    tg_verify_name(v, "kernel", name_of_kernel, index);
    if (k->loc >= v->module->loc_count)
        tg_illegal(v, "loc is %" PRIu32 ", but there are %" PRIu32 " locations", k->loc,
                   v->module->loc_count - 1);
    if (k->param_count > TG_MAX_OPERANDS) {
        tg_illegal(v, "has %" PRIu32 " params, more than %d", k->param_count, TG_MAX_OPERANDS);
        return;
    }
    if (k->axis_count < 0 || k->axis_count > TG_MAX_AXES) {
        tg_illegal(v, "has %d axes, more than %d", k->axis_count, TG_MAX_AXES);
        return;
    }
    if (!check_types(v)) return;
    check_grid(v);
    tg_verify_params(v);
    check_body(v);
}

static void check_module(const tg_module *module, tg_diags *diags)
{
    tg_path kernels = {NULL, "kernels", 0};
    if (module->kernel_count == 0)
        tg_fail(diags, TG_ERR_INVALID, &kernels, "there must be at least one kernel");
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        tg_path here = {&kernels, NULL, i};
        tg_verifier v = {
            .module = module, .kernel = &module->kernels[i], .at = &here, .diags = diags};
        check_kernel(&v, i);
    }
}

tg_status tg_module_verify(const tg_module *module, tg_diags *diags)
{
    /* `worst` keeps the first status since it was TG_OK, so this pass resets it and restores it
     * afterwards. */
    const tg_status before = diags->worst;
    diags->worst = TG_OK;
    check_module(module, diags);
    const tg_status found = diags->worst;
    if (before != TG_OK) diags->worst = before;
    return found;
}
