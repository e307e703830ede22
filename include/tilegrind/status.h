/* Outcomes of calls, and how they are called.  The bottom of everything: includes nothing but its
 * own list. */
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

#ifdef __cplusplus
extern "C" {
#endif

/* Fixed text of a status: "types or shapes do not agree". */
TG_API const char *tg_status_text(tg_status status);

/* Spelling of a status: "ERR_TYPE". */
TG_API const char *tg_status_name(tg_status status);

/* Exit code of a command that ends with `status`. */
TG_API int tg_status_exit(tg_status status);

#ifdef __cplusplus
}
#endif

#endif
