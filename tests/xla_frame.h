/* Calls to the custom-call target as XLA makes them, without XLA. */
#ifndef TESTS_XLA_FRAME_H
#define TESTS_XLA_FRAME_H

#include "python/xla/listen.h"
#include "python/xla/target.h"
#include "run_text.h"

/* What the target told its framework in the last call. */
static char xla_error[4096];
static int xla_code;
static void *xla_state;
static bool xla_has_no_state;

static inline tg_ffi_error *xla_error_create(tg_ffi_error_create_args *args)
{
    snprintf(xla_error, sizeof xla_error, "%s", args->message);
    xla_code = args->code;
    return (tg_ffi_error *)xla_error;
}

static inline tg_ffi_error *xla_state_call(tg_ffi_state_args *args, void *state)
{
    tg_ffi_error_create_args refused = {.message = "no state", .code = 13};
    cr_assert_eq(args->struct_size, sizeof *args);
    cr_assert_eq(args->stage, TG_FFI_STAGE_INSTANTIATE);
    cr_assert_eq(args->type_id, &tg_xla_state_id);
    if (xla_has_no_state) return xla_error_create(&refused);
    args->state = xla_state = state;
    return NULL;
}

static inline tg_ffi_error *xla_state_set(tg_ffi_state_args *args)
{
    return xla_state_call(args, args->state);
}

static inline tg_ffi_error *xla_state_get(tg_ffi_state_args *args)
{
    return xla_state_call(args, xla_state);
}

/* The pool of threads that the framework lends; without, it refuses. */
static int64_t xla_threads;
static tg_ffi_error *(*xla_schedule)(tg_ffi_schedule_args *args);
static char xla_no_pool; /* the address is the error */
static int xla_errors;   /* that are not destroyed yet */

static inline tg_ffi_error *xla_refuse_pool(void)
{
    xla_errors++;
    return (tg_ffi_error *)&xla_no_pool;
}

static inline void xla_error_destroy(tg_ffi_error_destroy_args *args)
{
    cr_assert_eq(args->error, (tg_ffi_error *)&xla_no_pool);
    xla_errors--;
}

static inline tg_ffi_error *xla_pool_schedule(tg_ffi_schedule_args *args)
{
    cr_assert_eq(args->struct_size, sizeof *args);
    return xla_schedule ? xla_schedule(args) : xla_refuse_pool();
}

static inline tg_ffi_error *xla_num_threads(tg_ffi_num_threads_args *args)
{
    cr_assert_eq(args->struct_size, sizeof *args);
    *args->num_threads = xla_threads;
    return xla_threads ? NULL : xla_refuse_pool();
}

/* The device that runs the call; below 0: the framework does not say. */
static int xla_device = -1;

static inline tg_ffi_error *xla_device_ordinal(tg_ffi_device_args *args)
{
    cr_assert_eq(args->struct_size, sizeof *args);
    args->device_ordinal = xla_device;
    return xla_device >= 0 ? NULL : xla_refuse_pool();
}

static const tg_ffi_api xla_api = {.struct_size = sizeof xla_api,
                                   .error_create = xla_error_create,
                                   .error_destroy = xla_error_destroy,
                                   .state_set = xla_state_set,
                                   .state_get = xla_state_get,
                                   .schedule = xla_pool_schedule,
                                   .num_threads = xla_num_threads,
                                   .device_ordinal = xla_device_ordinal};

enum { XLA_MOST = 40, XLA_ATTRS = 6, XLA_ATTRS_MOST = 10 };

/* A call under construction. */
typedef struct xla_call {
    tg_ffi_frame frame;
    tg_ffi_buffer buffers[2][XLA_MOST]; /* arguments, results */
    void *list[2][XLA_MOST];
    tg_ffi_span texts[XLA_ATTRS_MOST], names[XLA_ATTRS_MOST], *name_list[XLA_ATTRS_MOST];
    void *text_list[XLA_ATTRS_MOST];
    int text_types[XLA_ATTRS_MOST];
} xla_call;

static inline void xla_attr(xla_call *c, const char *name, const char *text)
{
    int64_t at = c->frame.attrs.size++;
    c->names[at] = (tg_ffi_span){name, strlen(name)};
    c->texts[at] = (tg_ffi_span){text, strlen(text)};
    c->name_list[at] = &c->names[at];
    c->text_list[at] = &c->texts[at];
    c->text_types[at] = TG_FFI_ATTR_STRING;
}

static inline void xla_begin(xla_call *c)
{
    *c = (xla_call){.frame = {.struct_size = sizeof c->frame, .api = &xla_api}};
    c->frame.args.list = c->list[0];
    c->frame.rets.list = c->list[1];
    c->frame.attrs.names = c->name_list;
    c->frame.attrs.list = c->text_list;
    c->frame.attrs.types = c->text_types;
}

static inline void xla_attrs(xla_call *c, const char *json, const char *order, const char *findings)
{
    xla_attr(c, "compat", "strict");
    xla_attr(c, "findings", findings);
    xla_attr(c, "module", json);
    xla_attr(c, "order", order);
    xla_attr(c, "profile", "reference");
    xla_attr(c, "backend", "cpu");
}

/* Adds an argument, or a result. */
static inline void xla_buffer(xla_call *c, bool is_result, int dtype, void *data, int64_t rank,
                              const int64_t *dims)
{
    tg_ffi_buffers *all = is_result ? &c->frame.rets : &c->frame.args;
    tg_ffi_buffer *buffer = &c->buffers[is_result][all->size];
    *buffer = (tg_ffi_buffer){.struct_size = sizeof *buffer,
                              .dtype = dtype,
                              .data = data,
                              .rank = rank,
                              .dims = (int64_t *)dims};
    c->list[is_result][all->size++] = buffer;
}

/* Calls a call site once, and lets go of it: what went wrong, or NULL. */
static inline tg_ffi_error *xla_run(const xla_call *c)
{
    tg_ffi_frame frame = c->frame;
    tg_ffi_error *failure = tg_xla_instantiate(&frame);
    if (failure) return failure;
    failure = tg_xla_execute(&frame);
    tg_xla_state_info.deleter(xla_state);
    return failure;
}

#endif
