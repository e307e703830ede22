/* What a call is checked for, and what becomes of findings. */
#ifndef TG_PYTHON_XLA_POLICY_H
#define TG_PYTHON_XLA_POLICY_H

#include <stdbool.h>

#include "ffi_abi.h"
#include "tilegrind/tilegrind.h"

typedef struct tg_policy {
    enum { TG_RAISE, TG_WARN, TG_TELL } findings;
    tg_ffi_span
        kinds; /* "KIND,KIND": only these are as `findings` says, the rest is the other of raise and warn; .ptr NULL: all */
    int least_level; /* that raises: 0 note, 1 warning, 2 error */
    bool is_check;   /* runs are told: `fail_on` is there */
    bool searches;   /* other orders are tried, those of `search` */
    tg_check_options search;
} tg_policy;

/* From the attributes of those names; .ptr is NULL where there is none.  The policy refers to `findings`.  NULL, or what is wrong. */
const char *tg_policy_read(tg_ffi_span findings, tg_ffi_span search, tg_ffi_span fail_on,
                           tg_policy *out);

/* Whether a finding ends the call. */
bool tg_policy_ends(const tg_policy *policy, const tg_finding *finding);

#endif
