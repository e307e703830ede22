/* How text looks on a terminal: colours where they are wanted, and never an escape out of a file.
 */
#ifndef TG_CLI_STYLE_H
#define TG_CLI_STYLE_H

#include <stdint.h>
#include <stdio.h>

typedef struct tg_style {
    const char *bad, *good, *place, *strong, *off; /* escape sequences, or all "" */
} tg_style;

/* Colours for a terminal unless NO_COLOR is in the environment (no-color.org). */
tg_style tg_style_for(FILE *stream);

/* Writes `text`, which came from a file, with control characters replaced by '?'. */
void tg_put_clean(FILE *stream, const char *text);

/* "1,048,576".  Returns `out`. */
enum { TG_NUMBER_TEXT = 32 };
char *tg_number_text(int64_t number, char out[TG_NUMBER_TEXT]);

/* "12.3 ms".  Returns `out`. */
char *tg_seconds_text(double seconds, char out[TG_NUMBER_TEXT]);

#endif
