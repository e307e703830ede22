#include "frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tg_ffi_span tg_frame_text(const tg_ffi_frame *frame, const char *name)
{
    const tg_ffi_attrs *attrs = &frame->attrs;
    size_t length = strlen(name);
    for (int64_t i = 0; i < attrs->size; i++)
        if (attrs->types[i] == TG_FFI_ATTR_STRING && attrs->names[i]->len == length &&
            memcmp(attrs->names[i]->ptr, name, length) == 0)
            return *(const tg_ffi_span *)attrs->list[i];
    return (tg_ffi_span){0};
}

static tg_ffi_error *fail_text(const tg_ffi_frame *frame, tg_ffi_code code, const char *message)
{
    tg_ffi_error_create_args args = {
        .struct_size = sizeof args, .message = message, .code = (int)code};
    return frame->api->error_create(&args);
}

tg_ffi_error *tg_frame_fail(const tg_ffi_frame *frame, tg_ffi_code code, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return fail_text(frame, code, message);
}

static tg_ffi_code code_of(tg_status status)
{
    switch (status) {
    case TG_ERR_NO_MEMORY: return TG_FFI_RESOURCE_EXHAUSTED;
    case TG_ERR_UNSUPPORTED: return TG_FFI_UNIMPLEMENTED;
    case TG_ERR_INTERNAL: return TG_FFI_INTERNAL;
    case TG_ERR_STOPPED: return TG_FFI_CANCELLED;
    default: return TG_FFI_INVALID_ARGUMENT;
    }
}

tg_ffi_error *tg_frame_fail_with(const tg_ffi_frame *frame, tg_status status,
                                 const tg_errors *errors)
{
    char *text = NULL;
    size_t length = 0, count = errors ? tg_errors_count(errors) : 0;
    FILE *out = open_memstream(&text, &length);
    for (size_t i = 0; out && i < count; i++) {
        tg_error error = tg_errors_get(errors, i);
        fprintf(out, "%s%s%s%s", i ? "\n" : "", error.where, *error.where ? ": " : "",
                error.message);
    }
    if (out) fclose(out);
    tg_ffi_error *failure =
        fail_text(frame, code_of(status), length ? text : tg_status_text(status));
    free(text);
    return failure;
}

bool tg_frame_describe(const tg_ffi_frame *frame, tg_ffi_type_id state)
{
    tg_ffi_extension *extension = frame->extension_start;
    if (!extension || extension->type != TG_FFI_EXTENSION_METADATA) return false;
    tg_ffi_metadata *metadata = ((tg_ffi_metadata_extension *)extension)->metadata;
    metadata->api_version = (tg_ffi_api_version){.struct_size = sizeof metadata->api_version,
                                                 .major_version = TG_FFI_MAJOR,
                                                 .minor_version = TG_FFI_MINOR};
    metadata->traits = 0;
    metadata->state_type_id = state;
    return true;
}
