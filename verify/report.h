/* Messages of the verifier. */
#ifndef TG_VERIFY_REPORT_H
#define TG_VERIFY_REPORT_H

#include "verify/impl.h"

/* Report a problem at v->at as TG_ERR_TYPE or TG_ERR_INVALID, with the name of the op before the
 * message.  Always return false. */
TG_PRINTF(2, 3) bool tg_mistyped(const tg_verifier *v, const char *format, ...);
TG_PRINTF(2, 3) bool tg_illegal(const tg_verifier *v, const char *format, ...);

/* The text of a type, for use within one expression: tg_show(type).text. */
typedef struct tg_type_text {
    char text[TG_TYPE_TEXT];
} tg_type_text;
tg_type_text tg_show(const tg_type *type);

#endif
