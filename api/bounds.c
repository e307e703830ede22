#include "tilegrind/bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/errors.h"
#include "api/module.h"
#include "base/file.h"
#include "base/float_env.h"
#include "bounds/kernel.h"
#include "loaders/contract_json.h"

enum { MOST_BYTES = 1 << 20 }; /* of a file with a contract */

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

/* Finds a contract by its name, or reads it from its text.  The caller frees `read`. */
static tg_status find_contract(const char *contract, tg_contract_text *read,
                               const tg_contract **out, tg_diags *diags)
{
    const bool is_text = *contract == '{';
    *read = (tg_contract_text){0};
    *out = is_text ? &read->contract : tg_contract_find(contract);
    if (is_text) return tg_contract_text_read(contract, strlen(contract), read, diags);
    return *out ? TG_OK : no_contract(contract, diags);
}

tg_status tg_module_companion(const tg_module *module, const char *kernel, const char *contract,
                              tg_bounds bounds, tg_module **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_kernel *k = tg_api_kernel(module, kernel);
    const tg_contract *kept = NULL;
    const tg_environment saved = tg_environment_enter(); /* constants are numbers too */
    tg_contract_text read = {0};
    tg_module *made = NULL;
    *out = NULL;
    tg_status status =
        k ? find_contract(contract, &read, &kept, diags) : tg_api_no_kernel(kernel, diags);
    if (status == TG_OK)
        status = tg_bound_kernel_new(module, k, kept, bounds == TG_BOUNDS_PROBABLE, &made, diags);
    if (status == TG_OK) status = copied(made, out, errors);
    tg_environment_leave(saved);
    tg_module_free(made);
    tg_contract_text_free(&read);
    tg_diags_free(&unwanted);
    return status;
}

char *tg_contract_read(const char *path, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_contract_text read = {0};
    char before[TG_FILE_NAME], *text;
    size_t size;
    tg_file_enter(diags, path, before);
    tg_status status = tg_file_read(path, MOST_BYTES, &text, &size, diags);
    if (status == TG_OK) status = tg_contract_text_read(text, size, &read, diags);
    if (status == TG_OK && *text != '{') /* white space before it */
        memmove(text, strchr(text, '{'), strlen(strchr(text, '{')) + 1);
    tg_diags_set_file(diags, before);
    tg_contract_text_free(&read);
    tg_diags_free(&unwanted);
    if (status == TG_OK) return text;
    free(text);
    return NULL;
}

const char *tg_contract_name(size_t i)
{
    return tg_contract_at(i) ? tg_contract_at(i)->name : NULL;
}

const char *tg_contract_about(size_t i)
{
    return tg_contract_at(i) ? tg_contract_at(i)->about : NULL;
}
