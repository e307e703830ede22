/* A cache of prepared kernels, keyed by content: call sites with the same module and options share
 * one. */
#ifndef TG_PYTHON_XLA_PREPARED_H
#define TG_PYTHON_XLA_PREPARED_H

#include <stdbool.h>

#include "ffi_abi.h"
#include "policy.h"
#include "tilegrind/tilegrind.h"

/* Everything that defines a call site; the texts are borrowed. */
typedef struct tg_recipe {
    tg_ffi_span module; /* JSON */
    tg_ffi_span order, compat, profile, backend;
    tg_ffi_span findings; /* "raise", "warn" or "tell"; the first two with ":KIND,KIND" */
    tg_ffi_span checks, target, max_steps, tensor_core, search, fail_on,
        suppressions; /* .ptr is NULL if absent */
    tg_policy policy; /* read from findings, search and fail_on */
} tg_recipe;

/* A parameter in the format of XLA's buffers. */
typedef struct tg_slot_type {
    tg_param_info info;
    bool is_result;
    int dtype;     /* XLA's number */
    unsigned bits; /* of an element in XLA's buffer; 0 for scratch, which has no buffer */
    size_t count;  /* elements */
} tg_slot_type;

typedef struct tg_prepared {
    tg_executable *executable;
    tg_module *module;
    tg_policy policy;
    bool is_tpu;            /* the target */
    tg_suppressions *known; /* suppressions; NULL: none */
    char *kinds;            /* those of the policy; NULL: none */
    size_t param_count, dynamic_count;
    size_t arg_count,
        ret_count;        /* as passed by XLA: including the dynamic sizes; without scratch */
    tg_slot_type *params; /* in the kernel's order */
    /* owned by the cache */
    char *key;
    size_t key_length, users;
    struct tg_prepared *next;
} tg_prepared;

/* The kernel of `recipe`; adds a user.  `print` gets the text of its debug_prints. */
tg_status tg_prepared_get(const tg_recipe *recipe, void (*print)(void *context, const char *text),
                          tg_prepared **out, tg_errors *errors);

/* Removes a user; the last one frees the kernel. */
void tg_prepared_drop(void *prepared);

#endif
