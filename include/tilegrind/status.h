/* Outcomes of calls.  The bottom of everything: includes nothing but its own list. */
#ifndef TILEGRIND_STATUS_H
#define TILEGRIND_STATUS_H

/* Marks what the library exports; all else is hidden. */
#if defined __GNUC__
#define TG_API __attribute__((visibility("default")))
#else
#define TG_API
#endif

typedef enum tg_status {
#define TG_STATUS(id, exit_code, means) TG_##id,
#include "tilegrind/status.def"
    TG_STATUS_COUNT
} tg_status;

#endif
