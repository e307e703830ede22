/* Cases on the devices of a mesh. */
#include <stdlib.h>
#include <string.h>

#include "api/case.h"
#include "api/errors.h"
#include "api/options.h"

/* The shardings of a call, of which outputs have the shapes that the case expects. */
typedef struct shaped {
    tg_mesh_options options;
    tg_mesh_sharding *list;
} shaped;

static tg_status set_shape(const tg_case *c, tg_mesh_sharding *s, tg_diags *diags)
{
    char given[TG_TYPE_TEXT], expected[TG_TYPE_TEXT];
    const tg_tensor *want = s->param ? tg_case_expected(c, s->param) : NULL;
    if (!want) return TG_OK;
    const tg_type *type = &want->type;
    const size_t bytes = (size_t)type->rank * sizeof *type->shape;
    if (!s->shape) {
        s->shape = type->shape;
        s->rank = (size_t)type->rank;
        return TG_OK;
    }
    if (s->rank == (size_t)type->rank && memcmp(s->shape, type->shape, bytes) == 0) return TG_OK;
    tg_type other = {.dtype = type->dtype};
    if (s->rank > TG_MAX_RANK)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "an array has at most %d dimensions",
                       TG_MAX_RANK);
    other.rank = (int)s->rank;
    memcpy(other.shape, s->shape, s->rank * sizeof *s->shape);
    return tg_fail(
        diags, TG_ERR_USAGE, NULL, "the sharding of %s is of %s, but the case expects %s", s->param,
        tg_type_print(&other, given, sizeof given), tg_type_print(type, expected, sizeof expected));
}

static tg_status shape_all(const tg_case *c, const tg_mesh_options *options, shaped *out,
                           tg_diags *diags)
{
    *out = (shaped){.options = tg_api_mesh_options(options)};
    const size_t count = out->options.sharding_count;
    out->list = calloc(count + 1, sizeof *out->list);
    if (!out->list) return tg_no_memory(diags);
    for (size_t i = 0; i < count; i++) {
        out->list[i] = out->options.shardings[i];
        TG_TRY(set_shape(c, &out->list[i], diags));
    }
    out->options.shardings = out->list;
    return TG_OK;
}

static tg_status run_on_mesh(const tg_case_runner *how, const tg_case *c, const tg_tensors *inputs,
                             const tg_run_options *options, tg_case_run *out, tg_errors *errors)
{
    const tg_mesh_hook *hook = how->on_mesh;
    if (!hook)
        return tg_mesh_run(c->module, c->kernel->name, inputs, how->mesh, options, &out->outputs,
                           &out->report, errors);
    return hook->run(hook->context, c->module, c->kernel->name, inputs, how->mesh, options,
                     &out->outputs, &out->report, errors);
}

tg_status tg_case_run_on_mesh(const tg_case *c, const tg_mesh_options *mesh,
                              const tg_run_options *options, const tg_mesh_hook *hook,
                              tg_case_run **out, tg_errors *errors)
{
    tg_diags unwanted = {0};
    shaped own;
    tg_run_options given = tg_api_options(options);
    *out = NULL;
    tg_status status = shape_all(c, mesh, &own, tg_api_diags(errors, &unwanted));
    tg_diags_free(&unwanted);
    const tg_case_runner how = {.run = run_on_mesh, .mesh = &own.options, .on_mesh = hook};
    /* Which findings are absent depends on the checks. */
    if (own.options.check && !given.checks) given.checks = "all";
    if (status == TG_OK) status = tg_case_run_how(c, &given, &how, out, errors);
    free(own.list);
    return status;
}
