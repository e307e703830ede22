#define _POSIX_C_SOURCE 200809L /* fileno, isatty */
#include "cli/style.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

tg_style tg_style_for(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    if ((no_color && no_color[0]) || !isatty(fileno(stream))) return (tg_style){"", "", "", "", ""};
    return (tg_style){"\033[1;31m", "\033[1;32m", "\033[1;34m", "\033[1m", "\033[0m"};
}

void tg_put_clean(FILE *stream, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        putc(*c < 0x20 || *c == 0x7f ? '?' : *c, stream);
}

char *tg_seconds_text(double seconds, char out[TG_NUMBER_TEXT])
{
    if (seconds < 1e-3)
        snprintf(out, TG_NUMBER_TEXT, "%.1f us", seconds * 1e6);
    else if (seconds < 1)
        snprintf(out, TG_NUMBER_TEXT, "%.2f ms", seconds * 1e3);
    else
        snprintf(out, TG_NUMBER_TEXT, "%.2f s", seconds);
    return out;
}
