#include "cli/layout_where.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/errors.h"
#include "base/json_out.h"
#include "cli/layout_text.h"

/* ---- places ---- */

static bool wrong_place(const char *text, const char *why)
{
    fprintf(stderr, "tilegrind layout: \"%s\" %s\n", text, why);
    return false;
}

static bool find_axis(const char *name, size_t length, size_t *out)
{
    for (*out = 0; *out < tg_layout_axis_count(); (*out)++) {
        const char *known = tg_layout_axis_get(*out).name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) return true;
    }
    return false;
}

static bool no_axis(const char *name, size_t length)
{
    fprintf(stderr, "tilegrind layout: there is no axis \"%.*s\"; there are:", (int)length, name);
    for (size_t a = 0; a < tg_layout_axis_count(); a++)
        fprintf(stderr, " %s", tg_layout_axis_get(a).name);
    fputc('\n', stderr);
    return false;
}

/* Reads "warp=6,lane=8" or the same with spaces.  False, after it has been said, if it is none. */
static bool read_place(const char *text, int64_t *place)
{
    memset(place, 0, tg_layout_axis_count() * sizeof *place);
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "= ,");
        size_t axis;
        char *end;
        if (at[length] != '=') return wrong_place(text, "is no place, such as lane=8,warp=6");
        if (!find_axis(at, length, &axis)) return no_axis(at, length);
        errno = 0;
        const char *number = at + length + 1;
        place[axis] = strtoll(number, &end, 10);
        if (end == number || errno || (*end && !strchr(" ,", *end)))
            return wrong_place(text, "is no place: after '=' comes an integer");
        at = end + strspn(end, " ,");
    }
    return true;
}

/* ---- where ---- */

static void print_elements(const tg_cli_layout *request, const char *text, const int64_t *list,
                           size_t count)
{
    printf("%s -> ", text);
    for (size_t i = 0; i < count; i++) {
        int64_t at[16];
        if (i) printf(" | ");
        if (!tg_cli_layout_coordinate(request, list[i], at)) printf("%" PRId64, list[i]);
        for (size_t k = 0; k < request->shape.rank; k++) printf("%s%" PRId64, k ? "," : "", at[k]);
    }
    printf(count ? "\n" : "nothing\n");
}

static void emit_elements(const tg_cli_layout *request, tg_json_out *json, const int64_t *place,
                          const int64_t *list, size_t count)
{
    tg_emit_open(json, NULL, '{');
    tg_cli_emit_place(json, "place", place);
    tg_emit_open(json, "elements", '[');
    for (size_t i = 0; i < count; i++) tg_emit_int(json, NULL, list[i]);
    tg_emit_close(json, ']');
    if (request->shape.rank) tg_emit_open(json, "coordinates", '[');
    for (size_t i = 0; request->shape.rank && i < count; i++) {
        int64_t at[16];
        tg_cli_layout_coordinate(request, list[i], at);
        tg_emit_open(json, NULL, '[');
        for (size_t k = 0; k < request->shape.rank; k++) tg_emit_int(json, NULL, at[k]);
        tg_emit_close(json, ']');
    }
    if (request->shape.rank) tg_emit_close(json, ']');
    tg_emit_close(json, '}');
}

static int find_elements(const tg_cli_layout *request, const tg_layout *layout, const char *text,
                         int64_t *place, tg_json_out *json)
{
    int64_t *list;
    size_t count;
    if (!read_place(text, place)) return TG_EXIT_USAGE;
    if (tg_layout_where(layout, place, &list, &count, request->errors) != TG_OK)
        return tg_cli_layout_failed(request);
    if (request->json)
        emit_elements(request, json, place, list, count);
    else
        print_elements(request, text, list, count);
    tg_layout_elements_free(list);
    return TG_EXIT_CLEAN;
}

static int find_all(const tg_cli_layout *request, const tg_layout *layout, int count,
                    char **operands)
{
    int code = TG_EXIT_CLEAN;
    tg_json_out json = {.out = stdout};
    int64_t *place = malloc(tg_layout_axis_count() * sizeof *place);
    if (!place) return tg_cli_no_memory();
    if (!tg_cli_layout_admits(request, layout, &code)) {
        free(place);
        return code;
    }
    if (request->json) {
        tg_emit_open(&json, NULL, '{');
        tg_emit_open(&json, "places", '[');
    }
    for (int i = 0; i < count && code == TG_EXIT_CLEAN; i++)
        code = find_elements(request, layout, operands[i], place, &json);
    if (request->json) {
        tg_emit_close(&json, ']');
        tg_emit_close(&json, '}');
    }
    free(place);
    return code;
}

int tg_cli_layout_where(const tg_cli_layout *request, int count, char **operands)
{
    int code = TG_EXIT_CLEAN;
    tg_layout *layout = tg_cli_layout_read(request, operands[0], &code);
    if (layout) code = find_all(request, layout, count - 1, operands + 1);
    tg_layout_free(layout);
    return code;
}

/* ---- injective ---- */

/* `place` NULL: no two elements share one. */
static void emit_shared(const int64_t *elements, const int64_t *place)
{
    tg_json_out json = {.out = stdout};
    tg_emit_open(&json, NULL, '{');
    tg_emit_bool(&json, "injective", !place);
    if (place) {
        tg_emit_open(&json, "elements", '[');
        for (int i = 0; i < 2; i++) tg_emit_int(&json, NULL, elements[i]);
        tg_emit_close(&json, ']');
        tg_cli_emit_place(&json, "place", place);
    }
    tg_emit_close(&json, '}');
}

static void tell(const tg_cli_layout *request, const tg_layout *layout, const int64_t *elements,
                 const int64_t *place)
{
    if (request->json) {
        emit_shared(elements, place);
        return;
    }
    if (!place) {
        printf("yes: no two elements have the same place\n");
        return;
    }
    printf("no: ");
    tg_cli_print_element(request, elements[0]);
    printf(" and ");
    tg_cli_print_element(request, elements[1]);
    printf(" are both at ");
    tg_cli_print_place(layout, place);
    printf("\n");
}

int tg_cli_layout_injective(const tg_cli_layout *request, int count, char **operands)
{
    int code = TG_EXIT_CLEAN, injective = 0;
    int64_t elements[2];
    (void)count;
    int64_t *place = malloc(tg_layout_axis_count() * sizeof *place);
    if (!place) return tg_cli_no_memory();
    tg_layout *layout = tg_cli_layout_read(request, operands[0], &code);
    if (layout && !tg_cli_layout_admits(request, layout, &code)) {
        tg_layout_free(layout);
        layout = NULL;
    }
    if (layout &&
        tg_layout_injective(layout, &injective, elements, place, request->errors) != TG_OK)
        code = tg_cli_layout_failed(request);
    else if (layout) {
        tell(request, layout, elements, injective ? NULL : place);
        code = injective ? TG_EXIT_CLEAN : TG_EXIT_FINDINGS;
    }
    tg_layout_free(layout);
    free(place);
    return code;
}
