#define _POSIX_C_SOURCE 200809L /* stat */
#include "cli/excerpt.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/style.h"
#include "base/utf8.h"

/* Skips to the line; leaves its start, without the end of line, in `text`. */
static bool read_line(FILE *in, int64_t line, tg_excerpt *out)
{
    for (int c = 0; line > 1 && c != EOF;) {
        c = getc(in);
        if (c == '\n') line--;
    }
    if (line > 1 || !fgets(out->text, sizeof out->text, in)) return false;
    const size_t length = strcspn(out->text, "\r\n");
    out->is_cut = out->text[length] == '\0' && length + 1 == sizeof out->text;
    out->text[length] = '\0';
    return true;
}

static bool find_line(const char *file, int64_t line, tg_excerpt *out)
{
    struct stat info;
    if (line < 1 || stat(file, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    FILE *in = fopen(file, "r");
    if (!in) return false;
    const bool found = read_line(in, line, out);
    fclose(in);
    return found;
}

/* Characters of a UTF-8 text; -1 where it is none.  A character that was cut off at its end is
 * taken away. */
static int columns(char *text, bool is_cut)
{
    int count = 0;
    char *end = text + strlen(text);
    for (int length; text < end; text += length, count++) {
        length = tg_utf8_length(text, end);
        if (length) continue;
        if (!is_cut || end - text > 3) return -1;
        *text = '\0';
        break;
    }
    return count;
}

bool tg_excerpt_read(const char *file, int64_t line, tg_excerpt *out)
{
    *out = (tg_excerpt){.first = 1};
    if (!find_line(file, line, out)) return false;
    for (char *c = out->text; *c; c++)
        if (*c == '\t') *c = ' ';
    char *end = out->text + strlen(out->text);
    while (end > out->text && end[-1] == ' ') *--end = '\0';
    out->last = columns(out->text, out->is_cut);
    out->first = 1 + (int)strspn(out->text, " ");
    return out->last >= 0;
}

void tg_put_excerpt(FILE *stream, const char *file, int64_t line)
{
    char number[TG_NUMBER_TEXT];
    tg_excerpt excerpt;
    if (!tg_excerpt_read(file, line, &excerpt)) return;
    tg_style style = tg_style_for(stream);
    int width = snprintf(number, sizeof number, "%" PRId64, line);
    fprintf(stream, "%s %*s |\n %s |%s ", style.place, width, "", number, style.off);
    tg_put_clean(stream, excerpt.text);
    fprintf(stream, "\n%s %*s |%s %*s%s", style.place, width, "", style.off, excerpt.first - 1, "",
            style.bad);
    for (int c = excerpt.first; c <= excerpt.last; c++) putc('^', stream);
    fprintf(stream, "%s\n", style.off);
}
