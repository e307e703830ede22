#include "api/physical.h"

#include <string.h>

#include "api/errors.h"
#include "physical/physical.h"

/* Makes the rewritten form of a module once.  The module is the caller's, who may not change it; this
 * member is ours. */
static tg_status physical_of(const tg_module *module, const tg_module **out, tg_diags *diags)
{
    tg_module **kept = &((tg_module *)module)->physical, *known = NULL, *made;
    *out = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
    if (*out) return TG_OK;
    TG_TRY(tg_physical_new(module, &made, diags));
    if (!__atomic_compare_exchange_n(kept, &known, made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        tg_module_destroy(made); /* another thread was faster */
        made = known;
    }
    *out = made;
    return TG_OK;
}

tg_status tg_api_held(const char *layouts, const tg_module **module, const tg_kernel **kernel,
                      tg_diags *diags)
{
    const size_t number = (size_t)(*kernel - (*module)->kernels);
    if (!layouts || strcmp(layouts, "logical") == 0) return TG_OK;
    if (strcmp(layouts, "physical") != 0)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "layouts \"%s\" is neither logical nor physical",
                       layouts);
    TG_TRY(physical_of(*module, module, diags));
    *kernel = &(*module)->kernels[number];
    return TG_OK;
}

tg_status tg_module_physical(const tg_module *module, const tg_module **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_status status = physical_of(module, out, diags);
    if (status != TG_OK) *out = NULL;
    tg_diags_free(&unwanted);
    return status;
}
