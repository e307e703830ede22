/* The part of XLA's foreign-function interface that this library uses: the structs of
 * xla/ffi/api/c_api.h, field by field, under names of our own.
 *
 * They are declared here so that the build needs nothing of JAX; python/tests/test_xla_abi.py
 * compares them with the header of the installed JAX. */
#ifndef TG_PYTHON_XLA_FFI_ABI_H
#define TG_PYTHON_XLA_FFI_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Minor versions from 1 to the framework's own are accepted. */
enum { TG_FFI_MAJOR = 0, TG_FFI_MINOR = 1 };

enum { TG_FFI_EXTENSION_METADATA = 1 };
enum { TG_FFI_STAGE_INSTANTIATE = 0, TG_FFI_STAGE_EXECUTE = 3 };
enum { TG_FFI_ATTR_STRING = 4 };
enum { TG_FFI_BUFFER = 1 };

typedef enum tg_ffi_code {
    TG_FFI_CANCELLED = 1,
    TG_FFI_INVALID_ARGUMENT = 3,
    TG_FFI_RESOURCE_EXHAUSTED = 8,
    TG_FFI_FAILED_PRECONDITION = 9,
    TG_FFI_UNIMPLEMENTED = 12,
    TG_FFI_INTERNAL = 13
} tg_ffi_code;

/* XLA's numbers of element types. */
enum {
#define TG_DTYPE(id, kind, bits, bytes, carrier, exp, man, bias, special, numpy, st, lanes,        \
                 dlpack, xla)                                                                      \
    TG_FFI_##id = xla,
#include "ir/dtypes.def"
};

typedef struct tg_ffi_extension {
    size_t struct_size;
    int type;
    struct tg_ffi_extension *next;
} tg_ffi_extension;

typedef struct tg_ffi_api_version {
    size_t struct_size;
    tg_ffi_extension *extension_start;
    int major_version, minor_version;
} tg_ffi_api_version;

typedef struct tg_ffi_span {
    const char *ptr;
    size_t len;
} tg_ffi_span;

typedef struct tg_ffi_buffer {
    size_t struct_size;
    tg_ffi_extension *extension_start;
    int dtype;
    void *data;
    int64_t rank;
    int64_t *dims;
} tg_ffi_buffer;

/* Arguments, or results. */
typedef struct tg_ffi_buffers {
    size_t struct_size;
    tg_ffi_extension *extension_start;
    int64_t size;
    int *types;
    void **list; /* tg_ffi_buffer * where the type is TG_FFI_BUFFER */
} tg_ffi_buffers;

typedef struct tg_ffi_attrs {
    size_t struct_size;
    tg_ffi_extension *extension_start;
    int64_t size;
    int *types;
    tg_ffi_span **names;
    void **list; /* tg_ffi_span * where the type is TG_FFI_ATTR_STRING */
} tg_ffi_attrs;

typedef struct tg_ffi_type_id {
    int64_t type_id;
} tg_ffi_type_id;

typedef struct tg_ffi_type_info {
    size_t struct_size;
    tg_ffi_extension *extension_start;
    void (*deleter)(void *object);
} tg_ffi_type_info;

typedef struct tg_ffi_metadata {
    size_t struct_size;
    tg_ffi_api_version api_version;
    uint32_t traits;
    tg_ffi_type_id state_type_id;
} tg_ffi_metadata;

typedef struct tg_ffi_metadata_extension {
    tg_ffi_extension base;
    tg_ffi_metadata *metadata;
} tg_ffi_metadata_extension;

typedef struct tg_ffi_error tg_ffi_error;     /* opaque */
typedef struct tg_ffi_context tg_ffi_context; /* opaque */

typedef struct tg_ffi_error_create_args {
    size_t struct_size;
    tg_ffi_extension *extension_start;
    const char *message;
    int code;
} tg_ffi_error_create_args;

typedef struct tg_ffi_error_destroy_args {
    size_t struct_size;
    tg_ffi_extension *extension_start;
    tg_ffi_error *error;
} tg_ffi_error_destroy_args;

/* Arguments of State_Set, and of State_Get, where `state` is the result. */
typedef struct tg_ffi_state_args {
    size_t struct_size;
    tg_ffi_extension *extension_start;
    tg_ffi_context *context;
    int stage;
    tg_ffi_type_id *type_id;
    void *state;
} tg_ffi_state_args;

/* A task for the pool: XLA calls it once, on any thread (perhaps the caller's), at any time. */
typedef struct tg_ffi_schedule_args {
    size_t struct_size;
    tg_ffi_extension *extension_start;
    tg_ffi_context *context;
    void (*task)(void *data);
    void *data;
} tg_ffi_schedule_args;

typedef struct tg_ffi_num_threads_args {
    size_t struct_size;
    tg_ffi_extension *extension_start;
    tg_ffi_context *context;
    int64_t *num_threads; /* the result */
} tg_ffi_num_threads_args;

typedef struct tg_ffi_device_args {
    size_t struct_size;
    tg_ffi_extension *extension_start;
    tg_ffi_context *context;
    int32_t device_ordinal; /* the result */
} tg_ffi_device_args;

/* The table of the framework's functions, up to the last one used here; that of older frameworks ends
 * behind num_threads, as struct_size says. */
typedef struct tg_ffi_api {
    size_t struct_size;
    tg_ffi_extension *extension_start;
    tg_ffi_api_version version;
    const void *internal;
    tg_ffi_error *(*error_create)(tg_ffi_error_create_args *args);
    void (*unused_message)(void);
    void (*error_destroy)(tg_ffi_error_destroy_args *args);
    void (*unused_calls[4])(void);
    tg_ffi_error *(*state_set)(tg_ffi_state_args *args);
    tg_ffi_error *(*state_get)(tg_ffi_state_args *args);
    void (*unused_memory[2])(void);
    tg_ffi_error *(*schedule)(tg_ffi_schedule_args *args);
    tg_ffi_error *(*num_threads)(tg_ffi_num_threads_args *args);
    void (*unused_futures[4])(void);
    tg_ffi_error *(*device_ordinal)(tg_ffi_device_args *args);
} tg_ffi_api;

typedef struct tg_ffi_frame {
    size_t struct_size;
    tg_ffi_extension *extension_start;
    const tg_ffi_api *api;
    tg_ffi_context *context;
    int stage;
    tg_ffi_buffers args, rets;
    tg_ffi_attrs attrs;
    void *future;
} tg_ffi_frame;

#endif
