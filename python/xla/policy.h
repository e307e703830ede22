/* The checks of a call, and the treatment of its findings. */
#ifndef TG_PYTHON_XLA_POLICY_H
#define TG_PYTHON_XLA_POLICY_H

#include <stdbool.h>

#include "ffi_abi.h"
#include "tilegrind/tilegrind.h"

typedef struct tg_policy {
    enum { TG_RAISE, TG_WARN, TG_TELL } findings;
    /* "KIND,KIND": `findings` applies to these only, the rest gets the other of raise and warn;
     * .ptr NULL: all */
    tg_ffi_span kinds;
    int least_level; /* of findings that raise: 0 advice, 1 note, 2 warning, 3 error */
    bool is_check;   /* runs are passed to the listener: the call has `fail_on` */
    bool searches;   /* runs in other orders too: those of `search` */
    tg_check_options search;
} tg_policy;

/* Reads the attributes of those names; .ptr is NULL if there is none.  The policy refers to
 * `findings`.  Returns NULL, or an error message. */
const char *tg_policy_read(tg_ffi_span findings, tg_ffi_span search, tg_ffi_span fail_on,
                           tg_policy *out);

/* Whether a finding ends the call. */
bool tg_policy_ends(const tg_policy *policy, const tg_finding *finding);

#endif
