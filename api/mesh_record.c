/* Recordings of the devices of a mesh. */
#include <stdlib.h>

#include "api/arrays.h"
#include "api/errors.h"
#include "api/mesh_report.h"
#include "api/module.h"
#include "api/options.h"
#include "api/record.h"

/* ---- which devices ---- */

/* Puts a device in its place among the others, unless it is there or there is no room. */
static size_t add(int64_t *list, size_t count, size_t most, int64_t device)
{
    size_t at = count;
    for (size_t i = 0; i < count; i++)
        if (list[i] == device) return count;
    if (count == most) return count;
    for (; at && list[at - 1] > device; at--) list[at] = list[at - 1];
    list[at] = device;
    return count + 1;
}

size_t tg_mesh_devices_to_record(const tg_report *report, int64_t *out, size_t most)
{
    size_t count = 0;
    if (!report->mesh || report->mesh->is_single) return 0;
    for (size_t i = 0; i < tg_report_finding_count(report); i++)
        for (size_t d = 0; d < tg_report_finding(report, i).device_count; d++)
            count = add(out, count, most, tg_report_device(report, i, d));
    for (size_t d = 0; d < tg_report_device_count(report); d++)
        count = add(out, count, most, (int64_t)d);
    return count;
}

/* ---- one device ---- */

/* The parts of one device, which are the caller's, also after a failure. */
static tg_status make_parts(const tg_kernel *k, const tg_tensors *inputs,
                            const tg_mesh_options *mesh, int64_t device, tg_mesh_arrays **out,
                            tg_diags *diags)
{
    const tg_mesh_options own = tg_api_mesh_options(mesh);
    tg_mesh_arrays *parts = *out = calloc(1, sizeof *parts);
    if (!parts) return tg_no_memory(diags);
    TG_TRY(tg_mesh_arrays_read(k, &own, inputs, parts, diags));
    if (device < 0 || device >= parts->mesh.device_count)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "there is no device %lld: the mesh has %d",
                       (long long)device, parts->mesh.device_count);
    return tg_mesh_arrays_split(parts, (int)device, diags);
}

/* The parts as arrays; the caller frees the list.  NULL without memory. */
static tg_array *list_parts(const tg_mesh_arrays *parts, int device, size_t *count)
{
    const tg_kernel *k = parts->kernel;
    tg_array *list = calloc((size_t)k->param_count + 1, sizeof *list);
    *count = 0;
    for (uint32_t p = 0; list && p < k->param_count; p++)
        if (parts->list[p].param)
            list[(*count)++] = tg_api_array_of(k->params[p].name, &parts->list[p].parts[device]);
    return list;
}

/* Takes the parts. */
static tg_status record(const tg_record_call *call, tg_mesh_arrays *parts, tg_recording **out,
                        tg_diags *diags)
{
    tg_record_call own = *call;
    tg_array *list = list_parts(parts, call->device, &own.array_count);
    if (!list) {
        tg_mesh_arrays_delete(parts);
        return tg_no_memory(diags);
    }
    own.arrays = list;
    const tg_status status = tg_api_record(&own, parts, out, diags);
    free(list);
    return status;
}

static tg_status record_device(const tg_record_call *call, const tg_arrays *inputs,
                               const tg_mesh_options *mesh, int64_t device, tg_recording **out,
                               tg_diags *diags)
{
    tg_mesh_arrays *parts;
    const tg_report_mesh *of_report = call->report->mesh;
    if (!of_report || of_report->is_single)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "the report is of no run on a mesh");
    const tg_status status = make_parts(call->kernel, inputs, mesh, device, &parts, diags);
    if (status == TG_OK) return record(call, parts, out, diags);
    tg_mesh_arrays_delete(parts);
    return status;
}

tg_status tg_mesh_record(const tg_module *module, const char *kernel, const tg_arrays *inputs,
                         const tg_mesh_options *mesh, int64_t device, const tg_run_options *options,
                         const tg_report *report, const tg_record_limits *limits,
                         tg_recording **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_run_options all = tg_api_options(options);
    const tg_record_call call = {.module = module,
                                 .kernel = tg_api_kernel(module, kernel),
                                 .options = &all,
                                 .report = report,
                                 .limits = limits,
                                 .device = (int)device};
    *out = NULL;
    const tg_status status = call.kernel ? record_device(&call, inputs, mesh, device, out, diags)
                                         : tg_api_no_kernel(kernel, diags);
    tg_diags_free(&unwanted);
    return status;
}
