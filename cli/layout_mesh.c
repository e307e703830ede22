#include "cli/layout_mesh.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "cli/layout_text.h"

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

bool tg_cli_is_on_devices(const char *text)
{
    static const char *const begin[] = {"P(", "PartitionSpec(", "[", "#", "sdy.", "<", "(S", "(B",
                                        "(P"};
    const char *at = text + strspn(text, " \t\r\n"), *end = at;
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (begins(at, begin[i])) return true;
    while (isalnum((unsigned char)*end) || *end == '_') end++;
    return strchr(at, '|') || (end > at && *end == '=');
}

bool tg_cli_is_sharding_notation(const char *name)
{
    return name &&
           (strcmp(name, "jax") == 0 || strcmp(name, "shardy") == 0 || strcmp(name, "sbp") == 0);
}

tg_mesh_layout *tg_cli_mesh_layout_read(const tg_cli_layout *request, const char *notation,
                                        const char *text, int *code)
{
    tg_mesh_layout *layout = NULL;
    if (!request->shape.rank) {
        fprintf(stderr, "error: the shape of the array is needed: --shape\n");
        *code = TG_EXIT_USAGE;
    } else if (tg_mesh_layout_read(notation, text, request->mesh, request->shape.extent,
                                   request->shape.rank, &layout, request->errors) != TG_OK) {
        *code = tg_cli_layout_say_why(request, text);
    }
    return layout;
}

void tg_cli_print_collectives(const tg_mesh_plan *plan)
{
    const size_t count = tg_mesh_plan_step_count(plan);
    printf("  %s\n", count ? "collectives" : "no collectives are needed");
    for (size_t i = 0; i < count; i++) {
        const tg_mesh_step s = tg_mesh_plan_step(plan, i);
        printf("    %s\n", s.text);
        if (!s.devices)
            printf("      no device sends anything\n");
        else
            printf("      %" PRId64 " devices send %" PRId64
                   " bytes each; over a link of a ring %" PRId64 ", of each pair %" PRId64 "\n",
                   s.devices, s.sent, s.ring_link, s.pair_link);
    }
}

void tg_cli_json_collectives(tg_json_out *json, const tg_mesh_plan *plan)
{
    tg_emit_open(json, "collectives", '[');
    for (size_t i = 0; i < tg_mesh_plan_step_count(plan); i++) {
        const tg_mesh_step s = tg_mesh_plan_step(plan, i);
        tg_emit_open(json, NULL, '{');
        tg_emit_text(json, "kind", s.kind);
        tg_emit_text(json, "text", s.text);
        tg_emit_int(json, "devices", s.devices);
        tg_emit_int(json, "sent", s.sent);
        tg_emit_int(json, "ring_link", s.ring_link);
        tg_emit_int(json, "pair_link", s.pair_link);
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, ']');
}
