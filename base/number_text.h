/* Numbers as people read them. */
#ifndef TG_BASE_NUMBER_TEXT_H
#define TG_BASE_NUMBER_TEXT_H

#include <stdint.h>

/* "1,048,576".  Returns `out`. */
enum { TG_NUMBER_TEXT = 32 };
char *tg_number_text(int64_t number, char out[TG_NUMBER_TEXT]);

#endif
