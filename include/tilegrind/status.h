/* Outcomes of calls.  The bottom of everything: includes nothing but its own list. */
#ifndef TILEGRIND_STATUS_H
#define TILEGRIND_STATUS_H

typedef enum tg_status {
#define TG_STATUS(id, exit_code, means) TG_##id,
#include "tilegrind/status.def"
    TG_STATUS_COUNT
} tg_status;

#endif
