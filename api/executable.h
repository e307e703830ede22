/* Kernels that are lowered once and run often. */
#ifndef TG_API_EXECUTABLE_H
#define TG_API_EXECUTABLE_H

#include "api/backend.h"
#include "ir/ir.h"
#include "tilegrind/tilegrind.h"

struct tg_executable {
    const tg_module *module;
    const tg_kernel *kernel;
    tg_plan *plan;
    const tg_backend *backend;
    void *prepared;            /* by it; NULL: not yet */
    bool *partly_written;      /* per param; NULL: none */
    tg_definedness *undefined; /* likewise */
    size_t dynamic_axes, most_findings;
    tg_order order;
    char order_text[TG_ORDER_TEXT];
    tg_setting setting;
    const char *isa, *profile;
};

/* As the functions of the public interface, with what has been looked up. */
tg_status tg_api_executable_new(const tg_module *module, const tg_kernel *kernel,
                                const tg_run_options *options, tg_executable **out,
                                tg_diags *diags);
tg_status tg_api_executable_run(tg_executable *exe, const tg_executor *executor, void *const *data,
                                const int64_t *grid, size_t grid_count, tg_report **out,
                                tg_diags *diags);

#endif
