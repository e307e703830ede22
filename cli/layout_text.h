/* Layouts, shapes and places as texts of the command line. */
#ifndef TG_CLI_LAYOUT_TEXT_H
#define TG_CLI_LAYOUT_TEXT_H

#include "base/json_out.h"
#include "cli/layout_request.h"

/* Reads a layout; where that fails, says why, with the place in the text, and sets the exit code. */
tg_layout *tg_cli_layout_read(const tg_cli_layout *request, const char *text, int *code);

/* The same for a text in the notation of --from; *shape becomes that of the array, if the text says it. */
tg_layout *tg_cli_layout_read_as(const tg_cli_layout *request, const char *text,
                                 tg_cli_shape *shape, int *code);

/* Says what a call has found, and returns the exit code of its status. */
int tg_cli_layout_failed(const tg_cli_layout *request);

/* The same, with the place in a text that could not be read. */
int tg_cli_layout_say_why(const tg_cli_layout *request, const char *text);

/* Reads "8,16", "(8,16)" or "8"; false if it is none. */
bool tg_cli_shape_read(const char *text, tg_cli_shape *out);

/* The element of an operand: an index, or a coordinate in the shape.  False, after it has been said, if
 * it is none. */
bool tg_cli_layout_element(const tg_cli_layout *request, const char *text, int64_t *out);

/* The coordinate of an element in --shape; false if there is none. */
bool tg_cli_layout_coordinate(const tg_cli_layout *request, int64_t element, int64_t *out);

/* Whether --shape, if it is given, has as many elements as the layout.  False, after it has been said, if
 * not; *code is the exit code then. */
bool tg_cli_layout_admits(const tg_cli_layout *request, const tg_layout *layout, int *code);

/* A place in JSON: the coordinates that are not 0. */
void tg_cli_emit_place(tg_json_out *json, const char *key, const int64_t *place);

/* Prints a place, "lane=8 warp=6 reg=1", with all axes that `layout` uses. */
void tg_cli_print_place(const tg_layout *layout, const int64_t *place);

/* Prints "NAME -> PLACE | PLACE" and a new line; the second of an element, nothing if that fails. */
void tg_cli_print_places(const tg_layout *layout, const char *name, const int64_t *places,
                         size_t count);
void tg_cli_print_places_of(const tg_cli_layout *request, const tg_layout *layout, const char *name,
                            int64_t element);

/* Prints "element 41", and its coordinate if there is a --shape. */
void tg_cli_print_element(const tg_cli_layout *request, int64_t element);

#endif
