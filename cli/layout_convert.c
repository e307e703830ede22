#include "cli/layout_convert.h"

#include <stdio.h>

#include "cli/command.h"
#include "cli/layout_text.h"

static void list_notations(void)
{
    for (size_t i = 0; i < tg_layout_notation_count(); i++) {
        const tg_layout_notation n = tg_layout_notation_get(i);
        printf("%-10s %s\n%-10s   %s\n", n.name, n.means, "", n.example);
    }
}

int tg_cli_layout_convert(const tg_cli_layout *request, int count, char **operands)
{
    int code = TG_EXIT_CLEAN;
    tg_cli_shape shape = request->shape;
    if (!count) {
        list_notations();
        return code;
    }
    tg_layout *layout = tg_cli_layout_read_as(request, operands[0], &shape, &code);
    if (!layout) return code;
    char *text = tg_layout_print_as(layout, request->to ? request->to : "axe", shape.extent,
                                    shape.rank, request->mesh, request->errors);
    if (text)
        printf("%s\n", text);
    else
        code = tg_cli_layout_failed(request);
    tg_text_free(text);
    tg_layout_free(layout);
    return code;
}
