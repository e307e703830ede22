#include "cli/mesh_run.h"

#include "cli/recording.h"

tg_mesh_options tg_cli_mesh_options(const tg_run_request *r,
                                    tg_mesh_sharding list[TG_CLI_MAX_SHARDINGS])
{
    for (size_t i = 0; i < r->sharding_count; i++) {
        const tg_cli_sharding *s = &r->shardings[i];
        list[i] = (tg_mesh_sharding){s->param, s->text, s->rank ? s->shape : NULL, s->rank};
    }
    return (tg_mesh_options){.size = sizeof(tg_mesh_options),
                             .mesh = r->mesh,
                             .shardings = list,
                             .sharding_count = r->sharding_count,
                             .device_order = r->device_order,
                             .check = r->is_check ? &r->orders : NULL};
}

static tg_status run(void *context, const tg_module *module, const char *kernel,
                     const tg_arrays *inputs, const tg_mesh_options *mesh,
                     const tg_run_options *options, tg_arrays *outputs, tg_report **report,
                     tg_errors *errors)
{
    (void)context;
    return tg_mesh_run(module, kernel, inputs, mesh, options, outputs, report, errors);
}

tg_mesh_hook tg_cli_mesh_hook(const tg_run_request *request)
{
    const tg_mesh_hook hook = {sizeof hook, run, NULL};
    return request->html || request->trace ? tg_cli_recording_mesh_hook(request, hook) : hook;
}
