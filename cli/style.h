/* How text looks on a terminal: colours where they are wanted, and never an escape out of a file.
 */
#ifndef TG_CLI_STYLE_H
#define TG_CLI_STYLE_H

#include <stdio.h>

#include "base/number_text.h"

typedef struct tg_style {
    const char *bad, *good, *place, *strong, *off; /* escape sequences, or all "" */
} tg_style;

/* Colours for a terminal unless NO_COLOR is in the environment (no-color.org). */
tg_style tg_style_for(FILE *stream);

/* Writes `text`, which came from a file, with control characters replaced by '?'. */
void tg_put_clean(FILE *stream, const char *text);

/* "12.3 ms".  Returns `out`. */
char *tg_seconds_text(double seconds, char out[TG_NUMBER_TEXT]);

#endif
