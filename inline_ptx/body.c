#include "inline_ptx/body.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

void tg_inline_ptx_declare(const tg_inline_ptx *ptx, tg_text *to)
{
    for (uint32_t i = 0; i < ptx->register_count; i++)
        tg_text_add(to, "    .reg .b%u $%" PRIu32 ";\n", ptx->registers[i].bits, i);
}

/* Copies the text; operands that are in a register of a result have that one's name, and `$$` is a
 * `$`. */
static void copy_text(const tg_inline_ptx *ptx, tg_text *to)
{
    for (const char *at = ptx->text; *at;) {
        if (*at != '$') {
            tg_text_put_bytes(to, at++, 1);
        } else if (isdigit((unsigned char)at[1])) {
            char *end;
            const unsigned long number = strtoul(at + 1, &end, 10);
            tg_text_add(to, "$%u", ptx->registers[number].same);
            at = end;
        } else {
            tg_text_put_bytes(to, at, 1);
            at += at[1] == '$' ? 2 : 1;
        }
    }
}

static uint32_t line_of_end(const tg_text *text)
{
    uint32_t line = 1;
    for (size_t i = 0; i < text->length; i++) line += text->data[i] == '\n';
    return line;
}

uint32_t tg_inline_ptx_put(const tg_inline_ptx *ptx, tg_text *to)
{
    for (uint32_t i = ptx->out_register_count; i < ptx->register_count; i++)
        if (ptx->registers[i].same != i)
            tg_text_add(to, "    mov.b%u $%u, $%" PRIu32 ";\n", ptx->registers[i].bits,
                        ptx->registers[i].same, i);
    tg_text_put(to, "    {\n");
    const uint32_t line = line_of_end(to);
    copy_text(ptx, to);
    tg_text_put(to, "\n    }\n");
    return line;
}
