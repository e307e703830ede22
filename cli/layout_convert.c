#include "cli/layout_convert.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "base/json_out.h"
#include "cli/layout_mesh.h"
#include "cli/layout_text.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

static void list_notations(void)
{
    for (size_t i = 0; i < tg_layout_notation_count(); i++) {
        const tg_layout_notation n = tg_layout_notation_get(i);
        printf("%-10s %s\n%-10s   %s\n", n.name, n.means, "", n.example);
    }
}

/* Whether the text of a sharding says its mesh: before it, "x=2 P('x')" or Shardy's form, or in it. */
static bool has_mesh(const char *text)
{
    const char *at = text + strspn(text, " \t\r\n");
    const char *end = at + strspn(at, letters);
    return *at == '<' || strstr(at, "mesh<") || (end > at && end[strspn(end, " ")] == '=');
}

/* Whether both notations are of arrays on devices, so that terms and ids can be said in both.  With --mesh
 * the text is of an array on other devices than it is printed for, unless it has no mesh. */
static bool is_on_devices(const tg_cli_layout *request, const char *text)
{
    const char *from = request->from ? request->from : "axe",
               *to = request->to ? request->to : "axe";
    const bool to_devices = tg_cli_is_sharding_notation(to) || strcmp(to, "axe") == 0;
    if (!to_devices) return false;
    if (!request->shape.rank) return tg_cli_is_sharding_notation(from);
    if (strcmp(from, "axe") == 0) return strchr(text, '|') != NULL;
    return tg_cli_is_sharding_notation(from) && (!request->mesh || !has_mesh(text));
}

static int put(const tg_cli_layout *request, char *text)
{
    tg_json_out json = {.out = stdout};
    if (!text) return tg_cli_layout_failed(request);
    if (request->json) {
        tg_emit_open(&json, NULL, '{');
        tg_emit_text(&json, "notation", request->to ? request->to : "axe");
        tg_emit_text(&json, "text", text);
        tg_emit_close(&json, '}');
    } else {
        printf("%s\n", text);
    }
    tg_text_free(text);
    return TG_EXIT_CLEAN;
}

static int convert_on_devices(const tg_cli_layout *request, const char *text)
{
    int code = TG_EXIT_CLEAN;
    tg_mesh_layout *layout =
        tg_cli_mesh_layout_read(request, request->from ? request->from : "axe", text, &code);
    if (layout)
        code = put(request, tg_mesh_layout_print(layout, request->to ? request->to : "axe",
                                                 request->errors));
    tg_mesh_layout_free(layout);
    return code;
}

int tg_cli_layout_convert(const tg_cli_layout *request, int count, char **operands)
{
    int code = TG_EXIT_CLEAN;
    tg_cli_shape shape = request->shape;
    if (!count) {
        list_notations();
        return code;
    }
    if (is_on_devices(request, operands[0])) return convert_on_devices(request, operands[0]);
    tg_layout *layout = tg_cli_layout_read_as(request, operands[0], &shape, &code);
    if (!layout) return code;
    code = put(request, tg_layout_print_as(layout, request->to ? request->to : "axe", shape.extent,
                                           shape.rank, request->mesh, request->errors));
    tg_layout_free(layout);
    return code;
}
