#define _POSIX_C_SOURCE 200809L /* stat */
#include "cli/excerpt.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/style.h"

enum { MAX_LINE = 240 };

/* Skips to the line; leaves its start, without the end of line, in `text`.  Returns 0 where there is none. */
static int read_line(FILE *in, int64_t line, char text[MAX_LINE])
{
    for (int c = 0; line > 1 && c != EOF;) {
        c = getc(in);
        if (c == '\n') line--;
    }
    if (line > 1 || !fgets(text, MAX_LINE, in)) return 0;
    text[strcspn(text, "\r\n")] = '\0';
    return 1;
}

static int find_line(const char *file, int64_t line, char text[MAX_LINE])
{
    struct stat info;
    if (line < 1 || stat(file, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
    FILE *in = fopen(file, "r");
    if (!in) return 0;
    int found = read_line(in, line, text);
    fclose(in);
    return found;
}

/* Columns of a UTF-8 text, taking each character for one. */
static int columns(const char *text)
{
    int count = 0;
    for (; *text; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

void tg_put_excerpt(FILE *stream, const char *file, int64_t line)
{
    char text[MAX_LINE], number[TG_NUMBER_TEXT];
    if (!find_line(file, line, text)) return;
    tg_style style = tg_style_for(stream);
    for (char *c = text; *c; c++)
        if (*c == '\t') *c = ' ';
    size_t indent = strspn(text, " ");
    char *end = text + strlen(text);
    while (end > text + indent && isspace((unsigned char)end[-1])) *--end = '\0';
    int width = snprintf(number, sizeof number, "%" PRId64, line);
    fprintf(stream, "%s %*s |\n %s |%s ", style.place, width, "", number, style.off);
    tg_put_clean(stream, text);
    fprintf(stream, "\n%s %*s |%s %*s%s", style.place, width, "", style.off, (int)indent, "",
            style.bad);
    for (int i = columns(text + indent); i > 0; i--) putc('^', stream);
    fprintf(stream, "%s\n", style.off);
}
