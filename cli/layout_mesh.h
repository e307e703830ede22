/* tilegrind layout: arrays on the devices of a mesh. */
#ifndef TG_CLI_LAYOUT_MESH_H
#define TG_CLI_LAYOUT_MESH_H

#include "base/json_out.h"
#include "cli/layout_request.h"
#include "tilegrind/mesh.h"

/* Whether a text is of an array on a mesh, and not an Axe layout alone: a sharding, or with terms or ids
 * of devices. */
bool tg_cli_is_on_devices(const char *text);

/* Whether a name is that of a notation of shardings. */
bool tg_cli_is_sharding_notation(const char *name);

/* Reads a text in a notation (NULL: whichever it is), with mesh and shape of the request, of which the shape
 * is needed.  NULL, and *code, if it is none, which has been said. */
tg_mesh_layout *tg_cli_mesh_layout_read(const tg_cli_layout *request, const char *notation,
                                        const char *text, int *code);

/* The collectives of a plan: for people, and as a member of the open object. */
void tg_cli_print_collectives(const tg_mesh_plan *plan);
void tg_cli_json_collectives(tg_json_out *json, const tg_mesh_plan *plan);

#endif
