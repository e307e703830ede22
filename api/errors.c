/* Errors as objects, statuses and texts. */
#include "api/errors.h"

#include <stdlib.h>

#include "api/api_impl.h"
#include "base/executor_openmp.h"

const char *tg_version(void) { return TG_VERSION_TEXT; }

int tg_processor_count(void) { return tg_processors(); }

void tg_text_free(char *text) { free(text); }

tg_errors *tg_errors_new(void) { return calloc(1, sizeof(tg_errors)); }

void tg_errors_free(tg_errors *errors)
{
    if (errors) tg_diags_free(&errors->diags);
    free(errors);
}

size_t tg_errors_count(const tg_errors *errors) { return errors->diags.count; }

size_t tg_errors_dropped(const tg_errors *errors) { return errors->diags.dropped; }

tg_error tg_errors_get(const tg_errors *errors, size_t index)
{
    const tg_diag *diag = &errors->diags.list[index];
    return (tg_error){.status = diag->status,
                      .file = diag->file,
                      .where = diag->where,
                      .offset = diag->offset,
                      .message = diag->message};
}

tg_diags *tg_api_diags(tg_errors *errors, tg_diags *unwanted)
{
    return errors ? &errors->diags : unwanted;
}
