#include "cli/page.h"

#include <string.h>

/* The template with the data in their place. */
tg_status tg_page_write(FILE *out, const tg_cli_shown *shown)
{
    static const char mark[] = "@data@";
    const size_t length = sizeof mark - 1;
    tg_json_out json = {.out = out, .is_in_html = true};
    size_t at = 0;
    while (memcmp(tg_page_html + at, mark, length) != 0) at++;
    fwrite(tg_page_html, 1, at, out);
    tg_page_data(&json, shown);
    fwrite(tg_page_html + at + length, 1, tg_page_html_size - at - length, out);
    return TG_OK;
}
