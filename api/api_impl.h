/* Private to the implementation of the public interface. */
#ifndef TG_API_API_IMPL_H
#define TG_API_API_IMPL_H

#include "interp/run.h"
#include "ir/ir.h"
#include "tilegrind/tilegrind.h"

#define TG_TEXT_OF(x) #x
#define TG_VERSION_OF(major, minor, patch)                                                         \
    TG_TEXT_OF(major) "." TG_TEXT_OF(minor) "." TG_TEXT_OF(patch)
#define TG_VERSION_TEXT TG_VERSION_OF(TG_VERSION_MAJOR, TG_VERSION_MINOR, TG_VERSION_PATCH)

struct tg_errors {
    tg_diags diags;
};

struct tg_report {
    tg_findings findings;
    tg_run_result result;
    char order[TG_ORDER_TEXT];
    const char *isa, *profile, *backend;
    bool is_tpu; /* the target: see tg_finding_level */
    const tg_module *module;
    const tg_kernel *kernel;
    char *hint; /* tg_api_set_hint */
};

/* Where a call puts its diagnoses; `unwanted`, which the call frees, where the caller wants none. */
tg_diags *tg_api_diags(tg_errors *errors, tg_diags *unwanted);

/* The kernel of that name (NULL: the first), or NULL. */
const tg_kernel *tg_api_kernel(const tg_module *module, const char *name);

/* TG_ERR_USAGE, as there is no kernel of that name. */
tg_status tg_api_no_kernel(const char *name, tg_diags *diags);

/* ---- options.c ---- */

/* The caller's options (NULL: none), whose struct may be that of an older header. */
tg_run_options tg_api_options(const tg_run_options *options);

/* Whether they name a backend other than the interpreter. */
bool tg_is_remote(const tg_run_options *options);

/* Whether a profile's name (NULL: "reference") is "fast"; TG_ERR_USAGE where it is no profile's. */
tg_status tg_api_profile(const char *name, bool *is_fast, tg_diags *diags);

/* What runs on the interpreter take from them: all but plan and observer.  TG_ERR_USAGE, or TG_ERR_UNSUPPORTED where profile
 * fast cannot run. */
tg_status tg_api_set_settings(const tg_run_options *options, tg_run_settings *settings,
                              tg_diags *diags);

/* ---- executable.c ---- */

/* As the functions of the public interface, with what has been looked up; tg_api_settings: what its runs on the interpreter
 * take. */
tg_status tg_api_executable_new(const tg_module *module, const tg_kernel *kernel,
                                const tg_run_options *options, tg_executable **out,
                                tg_diags *diags);
tg_status tg_api_executable_run(tg_executable *exe, const tg_executor *executor, void *const *data,
                                const int64_t *grid, size_t grid_count, tg_report **out,
                                tg_diags *diags);
const tg_run_settings *tg_api_settings(const tg_executable *exe);

/* Whether another backend than the interpreter runs it. */
bool tg_api_is_remote(const tg_executable *exe);

/* ---- hint.c ---- */

/* When all findings are known: what the user may declare, of which some of them speak; NULL where none does.
 * TG_ERR_NO_MEMORY. */
tg_status tg_api_set_hint(tg_report *report, tg_diags *diags);

/* ---- arrays.c ---- */

/* The memory of each parameter, from the arrays of a call.  `data` and `given` have an entry per parameter, all
 * zero before.  TG_ERR_USAGE with all that is wrong. */
tg_status tg_api_set_data(const tg_kernel *kernel, const tg_array *arrays, size_t count,
                          void **data, bool *given, tg_diags *diags);

#endif
