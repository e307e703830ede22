#include "api/mesh_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_impl.h"
#include "api/errors.h"
#include "base/list.h"
#include "base/text.h"

/* ---- devices ---- */

/* "device 3 (x=1, y=1)"; `mesh` NULL: without coordinates. */
static char *name_of(int64_t id, const tg_mesh *mesh, int position)
{
    tg_text text = {0};
    tg_text_add(&text, "device %" PRId64, id);
    for (int a = 0; mesh && a < mesh->axis_count; a++)
        tg_text_add(&text, "%s%s=%d", a ? ", " : " (", mesh->axes[a].name,
                    position / tg_mesh_stride(mesh, a) % mesh->axes[a].size);
    if (mesh && mesh->axis_count) tg_text_put(&text, ")");
    return tg_text_finish(&text);
}

static bool set_device(tg_report_mesh *m, int index, int64_t id, const tg_mesh *mesh, int position)
{
    m->ids[index] = id;
    m->names[index] = name_of(id, mesh, position);
    return m->names[index] != NULL;
}

static tg_report_mesh *new_devices(int count)
{
    tg_report_mesh *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->device_count = count;
    m->ids = calloc((size_t)count, sizeof *m->ids);
    m->names = calloc((size_t)count, sizeof *m->names);
    if (m->ids && m->names) return m;
    tg_report_mesh_free(m);
    return NULL;
}

tg_report_mesh *tg_report_mesh_new(const tg_mesh *mesh, bool has_names)
{
    tg_report_mesh *m = new_devices(mesh->device_count);
    bool is_good = m != NULL;
    for (int p = 0; is_good && p < mesh->device_count; p++) {
        const int id = tg_mesh_device(mesh, p);
        is_good = set_device(m, id, id, has_names ? mesh : NULL, p);
    }
    if (is_good) return m;
    tg_report_mesh_free(m);
    return NULL;
}

void tg_report_mesh_free(tg_report_mesh *m)
{
    if (!m) return;
    for (int i = 0; m->names && i < m->device_count; i++) free(m->names[i]);
    for (size_t i = 0; i < m->found_count; i++) free(m->found_on[i].list);
    for (size_t i = 0; i < m->output_count; i++) free((char *)m->outputs[i].layout);
    free(m->ids);
    free(m->names);
    free(m->found_on);
    free(m->outputs);
    free(m);
}

/* ---- findings ---- */

static tg_status note_device(tg_device_list *on, int device, tg_diags *diags)
{
    if (on->count && on->list[on->count - 1] == device) return TG_OK;
    int *list = tg_list_grow(on->list, on->count, &on->room, sizeof *list);
    if (!list) return tg_no_memory(diags);
    on->list = list;
    on->list[on->count++] = device;
    return TG_OK;
}

tg_status tg_report_mesh_add(tg_report_mesh *m, tg_findings *findings, const tg_found *found,
                             int device, tg_diags *diags)
{
    const size_t at = tg_findings_find(findings, found);
    if (at < findings->count) {
        findings->list[at].count += found->count;
        return note_device(&m->found_on[at], device, diags);
    }
    tg_device_list *found_on =
        tg_list_grow(m->found_on, m->found_count, &m->found_room, sizeof *found_on);
    if (!found_on) return tg_no_memory(diags);
    m->found_on = found_on;
    m->found_on[m->found_count++] = (tg_device_list){0};
    tg_findings_add(findings, found);
    if (findings->count != m->found_count) return tg_no_memory(diags);
    return note_device(&m->found_on[at], device, diags);
}

bool tg_report_mesh_is_on(const tg_report_mesh *m, size_t finding, int device)
{
    const tg_device_list *on = &m->found_on[finding];
    for (size_t i = 0; i < on->count; i++)
        if (on->list[i] == device) return true;
    return false;
}

/* ---- the public interface ---- */

size_t tg_report_device_count(const tg_report *report)
{
    return report->mesh ? (size_t)report->mesh->device_count : 0;
}

const char *tg_report_device_name(const tg_report *report, size_t device)
{
    return report->mesh->names[device];
}

const char *tg_report_device_order(const tg_report *report)
{
    return report->mesh ? report->mesh->order : "";
}

int64_t tg_report_device(const tg_report *report, size_t finding, size_t index)
{
    const tg_report_mesh *m = report->mesh;
    return m->ids[m->is_single ? 0 : m->found_on[finding].list[index]];
}

size_t tg_report_mesh_output_count(const tg_report *report)
{
    return report->mesh ? report->mesh->output_count : 0;
}

tg_mesh_output tg_report_mesh_output(const tg_report *report, size_t i)
{
    return report->mesh->outputs[i];
}

static tg_status set_single(tg_report *report, int64_t device, const char *text, int64_t position,
                            tg_diags *diags)
{
    tg_mesh mesh;
    if (report->mesh && !report->mesh->is_single)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "the run was on a mesh, and its findings say where");
    if (device < 0)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "the id of a device is %lld; it is at least 0",
                       (long long)device);
    if (text) TG_TRY(tg_mesh_read(text, strlen(text), &mesh, diags));
    if (text && (position < 0 || position >= mesh.device_count))
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "there is no position %lld in a mesh of %d devices", (long long)position,
                       mesh.device_count);
    tg_report_mesh *m = new_devices(1);
    if (!m) return tg_no_memory(diags);
    m->is_single = true;
    if (!set_device(m, 0, device, text ? &mesh : NULL, (int)position)) {
        tg_report_mesh_free(m);
        return tg_no_memory(diags);
    }
    tg_report_mesh_free(report->mesh);
    report->mesh = m;
    return TG_OK;
}

tg_status tg_report_set_device(tg_report *report, int64_t device, const char *mesh,
                               int64_t position, tg_errors *errors)
{
    tg_diags unwanted = {0};
    const tg_status status =
        set_single(report, device, mesh, position, tg_api_diags(errors, &unwanted));
    tg_diags_free(&unwanted);
    return status;
}
