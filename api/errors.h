/* Errors as objects of the public interface. */
#ifndef TG_API_ERRORS_H
#define TG_API_ERRORS_H

#include "tilegrind/tilegrind.h"
#include "base/diag.h"

/* Where a call puts its diagnoses; `unwanted`, which the call frees, where the caller wants none.
 */
tg_diags *tg_api_diags(tg_errors *errors, tg_diags *unwanted);

#endif
