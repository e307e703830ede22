#include "place.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "tilegrind/mesh.h"

/* The number of the device that runs the call, or -1. */
static int64_t device_of(const tg_ffi_frame *frame)
{
    const tg_ffi_api *api = frame->api;
    const size_t needed = offsetof(tg_ffi_api, device_ordinal) + sizeof api->device_ordinal;
    if (api->struct_size < needed || !api->device_ordinal) return -1;
    tg_ffi_device_args args = {.struct_size = sizeof args, .context = frame->context};
    tg_ffi_error *error = api->device_ordinal(&args);
    if (!error) return args.device_ordinal;
    tg_ffi_error_destroy_args destroy = {.struct_size = sizeof destroy, .error = error};
    api->error_destroy(&destroy);
    return -1;
}

/* Where a number is in a list of them; -1: it is not. */
static int64_t position_in(tg_ffi_span list, int64_t wanted)
{
    int64_t position = 0, number = 0;
    for (size_t i = 0; i <= list.len; i++) {
        if (i < list.len && list.ptr[i] >= '0' && list.ptr[i] <= '9') {
            if (number <= INT32_MAX) number = number * 10 + (list.ptr[i] - '0');
            continue;
        }
        if (number == wanted) return position;
        number = 0;
        position++;
    }
    return -1;
}

void tg_place_report(const tg_ffi_frame *frame, tg_report *report)
{
    const tg_ffi_span mesh = tg_frame_text(frame, "mesh"), ids = tg_frame_text(frame, "devices");
    if (!mesh.ptr || !ids.ptr) return;
    const int64_t device = device_of(frame), position = position_in(ids, device);
    char *text = device < 0 || position < 0 ? NULL : malloc(mesh.len + 1);
    if (!text) return;
    memcpy(text, mesh.ptr, mesh.len);
    text[mesh.len] = '\0';
    tg_report_set_device(report, device, text, position, NULL);
    free(text);
}
