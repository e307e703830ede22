/* What a call is checked for, and what becomes of findings. */
#ifndef TG_XLA_POLICY_H
#define TG_XLA_POLICY_H

#include <stdbool.h>

#include "ffi_abi.h"
#include "tilegrind/tilegrind.h"

typedef struct tg_policy {
    enum { TG_RAISE, TG_WARN, TG_TELL } findings;
    int least_level; /* that raises: 0 note, 1 warning, 2 error */
    bool is_check;   /* runs are told */
    bool searches;   /* other orders are tried, those of `search` */
    tg_check_options search;
} tg_policy;

/* From the attributes of those names; .ptr is NULL where there is none.  NULL, or what is wrong. */
const char *tg_policy_read(tg_ffi_span findings, tg_ffi_span checks, tg_ffi_span search,
                           tg_ffi_span fail_on, tg_policy *out);

/* Whether a finding of the report ends the program. */
bool tg_policy_raises(const tg_policy *policy, const tg_report *report);

#endif
