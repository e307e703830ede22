/* What cells, rows and columns of a picture are called.  A label has TG_PICTURE_LABEL bytes; what
 * is longer is cut. */
#ifndef TG_LAYOUT_PICTURE_LABEL_H
#define TG_LAYOUT_PICTURE_LABEL_H

#include <stdint.h>

enum { TG_PICTURE_LABEL = 64 };

void tg_label_put(char *label, const char *text);

/* Appends "7", or "4..7". */
void tg_label_put_range(char *label, int64_t first, int64_t last);

#endif
