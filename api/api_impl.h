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

/* Where a call puts its diagnoses; `unwanted`, which the call frees, where the caller wants none. */
tg_diags *tg_api_diags(tg_errors *errors, tg_diags *unwanted);

/* The kernel of that name (NULL: the first), or NULL. */
const tg_kernel *tg_api_kernel(const tg_module *module, const char *name);

#endif
