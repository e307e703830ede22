#include "cli/layout_plan.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/errors.h"
#include "base/json_out.h"
#include "cli/layout_mesh.h"
#include "cli/layout_text.h"

static void print_row(const char *where, int64_t places)
{
    if (places) printf("  %-26s %8" PRId64, where, places);
}

static void print_plan(const tg_layout_plan *p)
{
    printf("  %-26s %8s\n", "the value is", "places");
    print_row("there", p->kept);
    if (p->kept) putchar('\n');
    print_row("in the same thread", p->registers);
    if (p->registers) putchar('\n');
    print_row("in another lane", p->shuffled);
    if (p->shuffled)
        printf("  %" PRId64 " shuffles a warp, at least %" PRId64 "\n", p->shuffles, p->least);
    print_row("in another warp", p->shared);
    if (p->shared) printf("  %" PRId64 " bytes through shared memory\n", p->shared_bytes);
    print_row("in another block", p->global);
    if (p->global) printf("  %" PRId64 " bytes through global memory\n", p->global_bytes);
    print_row("on another device", p->sent);
    if (p->sent) printf("  %" PRId64 " bytes between devices\n", p->sent_bytes);
}

static void emit_plan(tg_json_out *json, const tg_layout_plan *p)
{
    tg_emit_int(json, "kept", p->kept);
    tg_emit_int(json, "registers", p->registers);
    tg_emit_int(json, "shuffled", p->shuffled);
    tg_emit_int(json, "shared", p->shared);
    tg_emit_int(json, "global", p->global);
    tg_emit_int(json, "sent", p->sent);
    tg_emit_int(json, "shuffles", p->shuffles);
    tg_emit_int(json, "least", p->least);
    tg_emit_int(json, "shared_bytes", p->shared_bytes);
    tg_emit_int(json, "global_bytes", p->global_bytes);
    tg_emit_int(json, "sent_bytes", p->sent_bytes);
}

/* The two layouts of a plan, and what is found of them. */
typedef struct planned {
    tg_layout *from, *to; /* NULL: a layout does not say it, or there are too many places */
    tg_layout_plan moves; /* if not NULL */
    tg_mesh_layout *mesh_from, *mesh_to;
    tg_mesh_plan *collectives;  /* NULL: none */
    const char *no_collectives; /* why; NULL: they are not asked for */
} planned;

static void print_moves(const tg_cli_layout *request, const planned *p)
{
    print_plan(&p->moves);
    if (p->moves.element < 0) return;
    printf("one that moves the furthest: ");
    tg_cli_print_element(request, p->moves.element);
    printf("\n");
    tg_cli_print_places_of(request, p->from, "  from", p->moves.element);
    tg_cli_print_places_of(request, p->to, "  to  ", p->moves.element);
}

static void tell(const tg_cli_layout *request, const planned *p)
{
    tg_json_out json = {.out = stdout};
    if (!request->json) {
        if (p->from) print_moves(request, p);
        if (p->collectives) tg_cli_print_collectives(p->collectives);
        if (p->no_collectives) printf("  no plan of collectives: %s\n", p->no_collectives);
        return;
    }
    tg_emit_open(&json, NULL, '{');
    if (p->from) emit_plan(&json, &p->moves);
    if (p->collectives) tg_cli_json_collectives(&json, p->collectives);
    if (p->no_collectives) tg_emit_text(&json, "no_collectives", p->no_collectives);
    tg_emit_close(&json, '}');
}

static void drop(planned *p)
{
    tg_layout_free(p->from);
    tg_layout_free(p->to);
    tg_mesh_layout_free(p->mesh_from);
    tg_mesh_layout_free(p->mesh_to);
    tg_mesh_plan_free(p->collectives);
}

static int bytes_of(const tg_cli_layout *request)
{
    return request->element_bytes ? request->element_bytes : 4;
}

/* ---- layouts, which may have devices ---- */

/* The collectives of Axe layouts; if there are none, why.  `errors` keeps the text. */
static void find_collectives(const tg_cli_layout *request, char **operands, planned *p,
                             tg_errors *errors)
{
    tg_cli_shape shape = request->shape;
    tg_mesh_layout **ends[] = {&p->mesh_from, &p->mesh_to};
    bool is_good = true;
    if (!shape.rank) shape = (tg_cli_shape){1, {tg_layout_size(p->from)}};
    for (int i = 0; i < 2 && is_good; i++)
        is_good = tg_mesh_layout_read("axe", operands[i], NULL, shape.extent, shape.rank, ends[i],
                                      errors) == TG_OK;
    if (is_good)
        is_good = tg_mesh_plan_new(p->mesh_from, p->mesh_to, bytes_of(request), &p->collectives,
                                   errors) == TG_OK;
    if (!is_good && tg_errors_count(errors)) p->no_collectives = tg_errors_get(errors, 0).message;
}

static int plan_layouts(const tg_cli_layout *request, char **operands, planned *p)
{
    int code = TG_EXIT_CLEAN;
    p->from = tg_cli_layout_read(request, operands[0], &code);
    p->to = p->from ? tg_cli_layout_read(request, operands[1], &code) : NULL;
    if (!p->to) return code;
    if (tg_layout_plan_between(p->from, p->to, bytes_of(request), &p->moves, request->errors) !=
        TG_OK)
        return tg_cli_layout_failed(request);
    tg_errors *errors = tg_errors_new();
    if (errors && p->moves.sent) find_collectives(request, operands, p, errors);
    tell(request, p);
    tg_errors_free(errors);
    return code;
}

/* ---- arrays on devices ---- */

/* The layout alone, if that says it all. */
static tg_layout *layout_of(const tg_mesh_layout *on_mesh)
{
    tg_layout *layout = NULL;
    char *text = tg_mesh_layout_print(on_mesh, "axe", NULL);
    if (text) tg_layout_read(text, &layout, NULL);
    tg_text_free(text);
    return layout;
}

static void find_moves(const tg_cli_layout *request, planned *p)
{
    p->from = layout_of(p->mesh_from);
    p->to = layout_of(p->mesh_to);
    if (p->from && p->to &&
        tg_layout_plan_between(p->from, p->to, bytes_of(request), &p->moves, NULL) == TG_OK)
        return;
    tg_layout_free(p->from);
    p->from = NULL;
}

static int plan_on_devices(const tg_cli_layout *request, char **operands, planned *p)
{
    int code = TG_EXIT_CLEAN;
    p->mesh_from = tg_cli_mesh_layout_read(request, NULL, operands[0], &code);
    if (p->mesh_from) p->mesh_to = tg_cli_mesh_layout_read(request, NULL, operands[1], &code);
    if (!p->mesh_to) return code;
    if (tg_mesh_plan_new(p->mesh_from, p->mesh_to, bytes_of(request), &p->collectives,
                         request->errors) != TG_OK)
        return tg_cli_layout_failed(request);
    find_moves(request, p);
    tell(request, p);
    return code;
}

int tg_cli_layout_plan(const tg_cli_layout *request, int count, char **operands)
{
    planned p = {0};
    (void)count;
    const bool on_devices =
        request->mesh || tg_cli_is_on_devices(operands[0]) || tg_cli_is_on_devices(operands[1]);
    const int code =
        on_devices ? plan_on_devices(request, operands, &p) : plan_layouts(request, operands, &p);
    drop(&p);
    return code;
}
