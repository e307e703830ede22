#include "layout/mesh/mesh.h"

#include <ctype.h>
#include <string.h>

void tg_mesh_begin(tg_mesh *mesh)
{
    mesh->axis_count = 0;
    mesh->device_count = 1;
    mesh->has_ids = false;
}

static bool is_name(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < ' ' || strchr("\"'\\", name[i])) return false;
    return length > 0;
}

tg_status tg_mesh_add(tg_mesh *mesh, const char *name, size_t length, int size, int64_t offset,
                      tg_diags *diags)
{
    const int shown = (int)(length < 100 ? length : 100);
    if (!is_name(name, length))
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, offset, "\"%.*s\" is no name of an axis",
                          shown, name);
    if (length >= TG_MESH_NAME_SIZE)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, offset,
                          "the name \"%.*s\" of an axis has more than %d bytes", shown, name,
                          TG_MESH_NAME_SIZE - 1);
    if (tg_mesh_find(mesh, name, length) >= 0)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, offset, "two axes have the name \"%.*s\"",
                          shown, name);
    if (size < 1)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, offset,
                          "axis \"%.*s\" has size %d; it is at least 1", shown, name, size);
    if (mesh->axis_count == TG_MESH_MAX_AXES)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, offset, "a mesh has at most %d axes",
                          TG_MESH_MAX_AXES);
    if (size > TG_MESH_MAX_DEVICES / mesh->device_count)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, offset, "a mesh has at most %d devices",
                          TG_MESH_MAX_DEVICES);
    tg_mesh_axis *axis = &mesh->axes[mesh->axis_count++];
    memset(axis->name, 0, sizeof axis->name);
    memcpy(axis->name, name, length);
    axis->size = size;
    mesh->device_count *= size;
    return TG_OK;
}

int tg_mesh_find(const tg_mesh *mesh, const char *name, size_t length)
{
    for (int a = 0; a < mesh->axis_count; a++)
        if (strlen(mesh->axes[a].name) == length && memcmp(mesh->axes[a].name, name, length) == 0)
            return a;
    return -1;
}

int tg_mesh_stride(const tg_mesh *mesh, int axis)
{
    int stride = 1;
    for (int a = axis + 1; a < mesh->axis_count; a++) stride *= mesh->axes[a].size;
    return stride;
}

int tg_mesh_device(const tg_mesh *mesh, int position)
{
    return mesh->has_ids ? mesh->ids[position] : position;
}

bool tg_mesh_is_one_device(const tg_mesh *mesh) { return mesh->axis_count == 0 && mesh->has_ids; }

bool tg_mesh_same_axes(const tg_mesh *a, const tg_mesh *b)
{
    if (a->axis_count != b->axis_count) return false;
    for (int i = 0; i < a->axis_count; i++)
        if (a->axes[i].size != b->axes[i].size || strcmp(a->axes[i].name, b->axes[i].name) != 0)
            return false;
    return true;
}

bool tg_mesh_same_devices(const tg_mesh *a, const tg_mesh *b)
{
    if (a->device_count != b->device_count) return false;
    if (!a->has_ids && !b->has_ids) return true;
    for (int p = 0; p < a->device_count; p++)
        if (tg_mesh_device(a, p) != tg_mesh_device(b, p)) return false;
    return true;
}

static bool is_plain(const char *name)
{
    if (isdigit((unsigned char)*name)) return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_') return false;
    return true;
}

void tg_mesh_print_shardy(const tg_mesh *mesh, tg_text *out)
{
    tg_text_put(out, "<[");
    for (int a = 0; a < mesh->axis_count; a++)
        tg_text_add(out, "%s\"%s\"=%d", a ? ", " : "", mesh->axes[a].name, mesh->axes[a].size);
    tg_text_put(out, "]");
    for (int p = 0; mesh->has_ids && p < mesh->device_count; p++)
        tg_text_add(out, "%s%d", p ? ", " : ", device_ids=[", mesh->ids[p]);
    tg_text_put(out, mesh->has_ids ? "]>" : ">");
}

void tg_mesh_print(const tg_mesh *mesh, tg_text *out)
{
    bool plain = mesh->axis_count && !mesh->has_ids;
    for (int a = 0; a < mesh->axis_count; a++) plain &= is_plain(mesh->axes[a].name);
    if (!plain) {
        tg_mesh_print_shardy(mesh, out);
        return;
    }
    for (int a = 0; a < mesh->axis_count; a++)
        tg_text_add(out, "%s%s=%d", a ? "," : "", mesh->axes[a].name, mesh->axes[a].size);
}
