#include "cli/layout_ops.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/errors.h"
#include "base/json_out.h"
#include "cli/layout_conflicts.h"
#include "cli/layout_convert.h"
#include "cli/layout_group.h"
#include "cli/layout_plan.h"
#include "cli/layout_text.h"
#include "cli/layout_where.h"

/* ---- show ---- */

static int put(char *text, const tg_cli_layout *request)
{
    if (!text) return tg_cli_layout_failed(request);
    fputs(text, stdout);
    tg_text_free(text);
    return TG_EXIT_CLEAN;
}

static int put_forms(const tg_cli_layout *request, const tg_layout *layout)
{
    char *rows = tg_layout_print_rows(layout);
    tg_layout *canonical = NULL;
    int code = put(rows, request);
    if (code == TG_EXIT_CLEAN &&
        tg_layout_canonical(layout, &canonical, request->errors) == TG_OK) {
        char *text = tg_layout_print(canonical);
        if (text) printf("canonical: %s\n\n", text);
        tg_text_free(text);
    }
    tg_layout_free(canonical);
    return code;
}

static int put_json(const tg_cli_layout *request, const tg_layout *layout)
{
    const int code = put(tg_layout_print_json(layout), request);
    if (code == TG_EXIT_CLEAN) putchar('\n');
    return code;
}

static int draw(const tg_cli_layout *request, const tg_layout *layout, const tg_layout *against)
{
    const tg_layout_picture how = {.view = request->places ? TG_VIEW_PLACES : TG_VIEW_ELEMENTS,
                                   .form = request->svg ? TG_DRAWING_SVG : TG_DRAWING_TEXT,
                                   .title = request->title,
                                   .by = request->by,
                                   .element_bytes = request->element_bytes,
                                   .join_rows = request->join_rows,
                                   .join_columns = request->join_columns,
                                   .against = against};
    return put(
        tg_layout_draw(layout, request->shape.extent, request->shape.rank, &how, request->errors),
        request);
}

static int show(const tg_cli_layout *request, int count, char **operands)
{
    int code = TG_EXIT_CLEAN;
    tg_layout *layout = tg_cli_layout_read(request, operands[0], &code), *against = NULL;
    if (layout && count > 1) against = tg_cli_layout_read(request, operands[1], &code);
    if (code == TG_EXIT_CLEAN && request->json)
        code = put_json(request, layout);
    else if (code == TG_EXIT_CLEAN && !request->svg)
        code = put_forms(request, layout);
    if (code == TG_EXIT_CLEAN && !request->json) code = draw(request, layout, against);
    tg_layout_free(layout);
    tg_layout_free(against);
    return code;
}

/* ---- map ---- */

static void emit_place_list(tg_json_out *json, const int64_t *places, size_t count)
{
    tg_emit_open(json, "places", '[');
    for (size_t i = 0; i < count; i++)
        tg_cli_emit_place(json, NULL, places + i * tg_layout_axis_count());
    tg_emit_close(json, ']');
}

static void emit_places(tg_json_out *json, int64_t element, const int64_t *places, size_t count)
{
    tg_emit_open(json, NULL, '{');
    tg_emit_int(json, "element", element);
    emit_place_list(json, places, count);
    tg_emit_close(json, '}');
}

/* Returns the exit code. */
static int map_element(const tg_cli_layout *request, const tg_layout *layout, const char *text,
                       tg_json_out *json)
{
    int64_t element, *places;
    size_t count;
    if (!tg_cli_layout_element(request, text, &element)) return TG_EXIT_USAGE;
    if (tg_layout_places(layout, element, &places, &count, request->errors) != TG_OK)
        return tg_cli_layout_failed(request);
    if (request->json)
        emit_places(json, element, places, count);
    else
        tg_cli_print_places(layout, text, places, count);
    tg_layout_places_free(places);
    return TG_EXIT_CLEAN;
}

static int map(const tg_cli_layout *request, int count, char **operands)
{
    int code = TG_EXIT_CLEAN;
    tg_json_out json = {.out = stdout};
    tg_layout *layout = tg_cli_layout_read(request, operands[0], &code);
    if (!layout) return code;
    if (request->json) {
        tg_emit_open(&json, NULL, '{');
        tg_emit_open(&json, "elements", '[');
    }
    for (int i = 1; i < count && code == TG_EXIT_CLEAN; i++)
        code = map_element(request, layout, operands[i], &json);
    if (request->json) {
        tg_emit_close(&json, ']');
        tg_emit_close(&json, '}');
    }
    tg_layout_free(layout);
    return code;
}

/* ---- equal ---- */

static void emit_places_of(tg_json_out *json, const tg_cli_layout *request, const tg_layout *layout,
                           int64_t element)
{
    int64_t *places;
    size_t count;
    if (tg_layout_places(layout, element, &places, &count, request->errors) != TG_OK) return;
    emit_place_list(json, places, count);
    tg_layout_places_free(places);
}

static void emit_difference(const tg_cli_layout *request, const tg_layout *a, const tg_layout *b,
                            int equal, int64_t element)
{
    tg_json_out json = {.out = stdout};
    tg_emit_open(&json, NULL, '{');
    tg_emit_bool(&json, "equal", equal);
    if (!equal && element < 0) {
        tg_emit_open(&json, "sizes", '[');
        tg_emit_int(&json, NULL, tg_layout_size(a));
        tg_emit_int(&json, NULL, tg_layout_size(b));
        tg_emit_close(&json, ']');
    } else if (!equal) {
        tg_emit_int(&json, "element", element);
        tg_emit_open(&json, "first", '{');
        emit_places_of(&json, request, a, element);
        tg_emit_close(&json, '}');
        tg_emit_open(&json, "second", '{');
        emit_places_of(&json, request, b, element);
        tg_emit_close(&json, '}');
    }
    tg_emit_close(&json, '}');
}

static int tell_difference(const tg_cli_layout *request, const tg_layout *a, const tg_layout *b,
                           int equal, int64_t element)
{
    if (request->json) {
        emit_difference(request, a, b, equal, element);
        return equal ? TG_EXIT_CLEAN : TG_EXIT_FINDINGS;
    }
    if (equal) {
        printf("equal\n");
        return TG_EXIT_CLEAN;
    }
    if (element < 0) {
        printf("not equal: %" PRId64 " elements, and %" PRId64 "\n", tg_layout_size(a),
               tg_layout_size(b));
        return TG_EXIT_FINDINGS;
    }
    printf("not equal: ");
    tg_cli_print_element(request, element);
    printf("\n");
    tg_cli_print_places_of(request, a, "  the first", element);
    tg_cli_print_places_of(request, b, "  the second", element);
    return TG_EXIT_FINDINGS;
}

static int equal(const tg_cli_layout *request, int count, char **operands)
{
    int code = TG_EXIT_CLEAN, same;
    int64_t element;
    (void)count;
    tg_layout *a = tg_cli_layout_read(request, operands[0], &code);
    tg_layout *b = a ? tg_cli_layout_read(request, operands[1], &code) : NULL;
    if (b && tg_layout_equal(a, b, &same, &element, request->errors) != TG_OK)
        code = tg_cli_layout_failed(request);
    else if (b)
        code = tell_difference(request, a, b, same, element);
    tg_layout_free(a);
    tg_layout_free(b);
    return code;
}

const tg_cli_layout_op tg_cli_layout_ops[] = {
    {"show", "LAYOUT [LAYOUT]",
     "draw a small layout: the logical array, or with --places the hardware; or where two differ",
     1, 2, show},
    {"map", "LAYOUT ELEMENT...", "where elements are: an index, or a coordinate in --shape", 2,
     1000, map},
    {"where", "LAYOUT PLACE...", "the elements at places, such as lane=8,warp=6", 2, 1000,
     tg_cli_layout_where},
    {"injective", "LAYOUT", "whether no two elements have the same place; if not, two that have", 1,
     1, tg_cli_layout_injective},
    {"group", "LAYOUT SHAPE...", "which iters are the dimensions of each shape", 2, 9,
     tg_cli_layout_group},
    {"equal", "LAYOUT LAYOUT",
     "whether two layouts are the same map; if not, the first element that differs", 2, 2, equal},
    {"plan", "LAYOUT LAYOUT",
     "what it takes to go from the first layout to the second: registers, shuffles, shared memory",
     2, 2, tg_cli_layout_plan},
    {"conflicts", "LAYOUT",
     "what it costs to move an array between memory, where LAYOUT has it, and --lanes", 1, 1,
     tg_cli_layout_conflicts},
    {"convert", "[LAYOUT]",
     "a layout in another notation; without one, the notations that there are", 0, 1,
     tg_cli_layout_convert},
    {NULL, NULL, NULL, 0, 0, NULL},
};
