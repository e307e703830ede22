#include "api/mesh_arrays.h"

#include <stdlib.h>
#include <string.h>

void tg_mesh_arrays_free(tg_mesh_arrays *arrays)
{
    for (uint32_t p = 0; arrays->list && p < arrays->kernel->param_count; p++) {
        tg_mesh_array *array = &arrays->list[p];
        for (int i = 0; array->parts && i < arrays->mesh.device_count; i++)
            tg_tensor_free(&array->parts[i]);
        free(array->parts);
        tg_shares_free(&array->shares);
    }
    free(arrays->list);
    *arrays = (tg_mesh_arrays){0};
}

void tg_mesh_arrays_delete(tg_mesh_arrays *arrays)
{
    if (!arrays) return;
    tg_mesh_arrays_free(arrays);
    free(arrays);
}

/* ---- parts ---- */

int tg_mesh_array_device(const tg_mesh_array *array, int position)
{
    return array->spread.id_count ? array->spread.ids[position] : position;
}

/* Elements that are in a row both in the whole and in the part, from a place on. */
static int64_t run_length(const tg_shares *shares, int64_t place)
{
    int64_t end = place + 1;
    while (end < shares->place_count && shares->offset[end] == shares->offset[end - 1] + 1) end++;
    return end - place;
}

void tg_mesh_array_take(const tg_mesh_array *array, int position, const void *whole, void *part)
{
    const size_t bytes = tg_dtypes[array->param->array.dtype].bytes;
    const tg_shares *s = &array->shares;
    const char *from = (const char *)whole + (size_t)s->base[position] * bytes;
    for (int64_t m = 0, run; m < s->place_count; m += run) {
        run = run_length(s, m);
        memcpy((char *)part + (size_t)m * bytes, from + (size_t)s->offset[m] * bytes,
               (size_t)run * bytes);
    }
}

void tg_mesh_array_give(const tg_mesh_array *array, int position, const void *part, void *whole)
{
    const size_t bytes = tg_dtypes[array->param->array.dtype].bytes;
    const tg_shares *s = &array->shares;
    char *to = (char *)whole + (size_t)s->base[position] * bytes;
    for (int64_t m = 0, run; m < s->place_count; m += run) {
        run = run_length(s, m);
        memcpy(to + (size_t)s->offset[m] * bytes, (const char *)part + (size_t)m * bytes,
               (size_t)run * bytes);
    }
}

/* Terms of a sum are the array and zeros; of a maximum or minimum all are the array. */
static void fill_part(const tg_mesh_array *array, int position, tg_tensor *part)
{
    if (!array->whole) return;
    if (array->spread.reduction == TG_REDUCTION_SUM && array->shares.root[position] != position)
        memset(part->data, 0, tg_tensor_bytes(&part->type));
    else
        tg_mesh_array_take(array, position, array->whole->data, part->data);
}

static tg_status split(tg_mesh_array *array, int devices, int only, tg_diags *diags)
{
    array->parts = calloc((size_t)devices, sizeof *array->parts);
    if (!array->parts) return tg_no_memory(diags);
    for (int p = 0; p < devices; p++) {
        const int device = tg_mesh_array_device(array, p);
        tg_tensor *part = &array->parts[device];
        if (only != TG_MESH_ALL_DEVICES && only != device) continue;
        if (tg_tensor_new(&array->param->array, part) != TG_OK) return tg_no_memory(diags);
        fill_part(array, p, part);
    }
    return TG_OK;
}

tg_status tg_mesh_arrays_split(tg_mesh_arrays *arrays, int device, tg_diags *diags)
{
    for (uint32_t p = 0; p < arrays->kernel->param_count; p++)
        if (arrays->list[p].param)
            TG_TRY(split(&arrays->list[p], arrays->mesh.device_count, device, diags));
    return TG_OK;
}
