#include "cli/layout_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/errors.h"

int tg_cli_layout_failed(const tg_cli_layout *request)
{
    if (!tg_errors_count(request->errors)) return tg_cli_no_memory();
    tg_cli_print_errors(request->errors);
    return tg_status_exit(tg_errors_get(request->errors, 0).status);
}

/* The text, and below it where the first problem is. */
static void point_at(const char *text, int64_t offset)
{
    if (offset < 0 || strchr(text, '\n') || strlen(text) > 200) return;
    fprintf(stderr, "    %s\n    %*s^\n", text, (int)offset, "");
}

int tg_cli_layout_say_why(const tg_cli_layout *request, const char *text)
{
    const int code = tg_cli_layout_failed(request);
    if (tg_errors_count(request->errors)) point_at(text, tg_errors_get(request->errors, 0).offset);
    return code;
}

tg_layout *tg_cli_layout_read(const tg_cli_layout *request, const char *text, int *code)
{
    tg_layout *layout;
    if (tg_layout_read(text, &layout, request->errors) != TG_OK)
        *code = tg_cli_layout_say_why(request, text);
    return layout;
}

tg_layout *tg_cli_layout_read_as(const tg_cli_layout *request, const char *text,
                                 tg_cli_shape *shape, int *code)
{
    tg_layout *layout;
    if (!request->from) return tg_cli_layout_read(request, text, code);
    if (tg_layout_read_as(request->from, text, shape->extent, shape->rank, &layout, shape->extent,
                          &shape->rank, request->errors) != TG_OK)
        *code = tg_cli_layout_say_why(request, text);
    return layout;
}

bool tg_cli_shape_read(const char *text, tg_cli_shape *out)
{
    const size_t length = strlen(text);
    const char *at = text, *end = text + length;
    if (length > 1 && text[0] == '(' && text[length - 1] == ')') {
        at++;
        end--;
    }
    for (out->rank = 0; out->rank < 16; at++) {
        char *next;
        errno = 0;
        out->extent[out->rank++] = strtoll(at, &next, 10);
        if (next == at || errno) return false;
        at = next;
        if (at == end) return true;
        if (*at != ',') return false;
    }
    return false;
}

static int wrong_element(const char *text, const char *why)
{
    fprintf(stderr, "tilegrind layout: \"%s\" %s\n", text, why);
    return false;
}

bool tg_cli_layout_element(const tg_cli_layout *request, const char *text, int64_t *out)
{
    tg_cli_shape at;
    const tg_cli_shape *shape = &request->shape;
    if (!tg_cli_shape_read(text, &at))
        return wrong_element(text, "is no element: an index or a coordinate such as 2,9");
    *out = at.extent[0];
    if (at.rank == 1) return true;
    if (at.rank != shape->rank)
        return wrong_element(text, shape->rank ? "has not the rank of --shape"
                                               : "is a coordinate: give the --shape it is in");
    *out = 0;
    for (size_t i = 0; i < at.rank; i++) {
        if (at.extent[i] < 0 || at.extent[i] >= shape->extent[i])
            return wrong_element(text, "is not in the shape");
        if (__builtin_mul_overflow(*out, shape->extent[i], out) ||
            __builtin_add_overflow(*out, at.extent[i], out))
            return wrong_element(text, "is too large");
    }
    return true;
}

void tg_cli_print_place(const tg_layout *layout, const int64_t *place)
{
    bool begun = false;
    for (size_t a = 0; a < tg_layout_axis_count(); a++) {
        int64_t least, most;
        tg_layout_range(layout, a, &least, &most);
        if (least == 0 && most == 0 && !place[a]) continue;
        printf("%s%s=%" PRId64, begun ? " " : "", tg_layout_axis_get(a).name, place[a]);
        begun = true;
    }
    if (!begun) printf("m=0");
}

void tg_cli_print_places(const tg_layout *layout, const char *element, const int64_t *places,
                         size_t count)
{
    printf("%s -> ", element);
    for (size_t i = 0; i < count; i++) {
        if (i) printf(" | ");
        tg_cli_print_place(layout, places + i * tg_layout_axis_count());
    }
    putchar('\n');
}

void tg_cli_print_places_of(const tg_cli_layout *request, const tg_layout *layout, const char *name,
                            int64_t element)
{
    int64_t *places;
    size_t count;
    if (tg_layout_places(layout, element, &places, &count, request->errors) != TG_OK) return;
    tg_cli_print_places(layout, name, places, count);
    tg_layout_places_free(places);
}

void tg_cli_emit_place(tg_json_out *json, const char *key, const int64_t *place)
{
    tg_emit_open(json, key, '{');
    for (size_t a = 0; a < tg_layout_axis_count(); a++)
        if (place[a]) tg_emit_int(json, tg_layout_axis_get(a).name, place[a]);
    tg_emit_close(json, '}');
}

bool tg_cli_layout_admits(const tg_cli_layout *request, const tg_layout *layout, int *code)
{
    const tg_cli_shape *shape = &request->shape;
    int64_t size = 1;
    bool fits = true;
    for (size_t i = 0; i < shape->rank; i++)
        fits =
            fits && shape->extent[i] > 0 && !__builtin_mul_overflow(size, shape->extent[i], &size);
    if (!shape->rank || (fits && size == tg_layout_size(layout))) return true;
    fprintf(stderr, "tilegrind layout: --shape has not the %" PRId64 " elements of the layout\n",
            tg_layout_size(layout));
    *code = TG_EXIT_USAGE;
    return false;
}

bool tg_cli_layout_coordinate(const tg_cli_layout *request, int64_t element, int64_t *out)
{
    const tg_cli_shape *shape = &request->shape;
    for (size_t i = shape->rank; i-- > 0;) {
        if (shape->extent[i] < 1) return false;
        out[i] = element % shape->extent[i];
        element /= shape->extent[i];
    }
    return shape->rank != 0;
}

void tg_cli_print_element(const tg_cli_layout *request, int64_t element)
{
    int64_t at[16];
    printf("element %" PRId64, element);
    if (!tg_cli_layout_coordinate(request, element, at)) return;
    for (size_t i = 0; i < request->shape.rank; i++)
        printf("%s%" PRId64 "%s", i ? "," : ", (", at[i], i + 1 == request->shape.rank ? ")" : "");
}
