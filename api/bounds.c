#include "tilegrind/bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/errors.h"
#include "api/module.h"
#include "base/float_env.h"
#include "bounds/kernel.h"

/* The module as its text has it: the companion kernel borrows from the kernel. */
static tg_status copied(const tg_module *made, tg_module **out, tg_errors *errors)
{
    char *text = tg_module_print(made, TG_TEXT_JSON, errors);
    if (!text) return TG_ERR_NO_MEMORY;
    const tg_status status = tg_module_load_text(text, strlen(text), out, errors);
    free(text);
    return status;
}

static tg_status no_contract(const char *name, tg_diags *diags)
{
    char known[256];
    size_t used = 0;
    for (size_t i = 0; tg_contract_at(i) && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, " %s", tg_contract_at(i)->name);
    return tg_fail(diags, TG_ERR_USAGE, NULL, "there is no contract \"%s\"; there are:%s", name,
                   known);
}

tg_status tg_module_companion(const tg_module *module, const char *kernel, const char *contract,
                              tg_bounds bounds, tg_module **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_kernel *k = tg_api_kernel(module, kernel);
    const tg_contract *kept = tg_contract_find(contract);
    const tg_environment saved = tg_environment_enter(); /* constants are numbers too */
    tg_module *made = NULL;
    tg_status status;
    *out = NULL;
    if (!k)
        status = tg_api_no_kernel(kernel, diags);
    else if (!kept)
        status = no_contract(contract, diags);
    else
        status = tg_bound_kernel_new(module, k, kept, bounds == TG_BOUNDS_PROBABLE, &made, diags);
    if (status == TG_OK) status = copied(made, out, errors);
    tg_environment_leave(saved);
    tg_module_free(made);
    tg_diags_free(&unwanted);
    return status;
}

const char *tg_contract_name(size_t i)
{
    return tg_contract_at(i) ? tg_contract_at(i)->name : NULL;
}

const char *tg_contract_about(size_t i)
{
    return tg_contract_at(i) ? tg_contract_at(i)->about : NULL;
}
