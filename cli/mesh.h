/* Runs on the devices of a mesh: options, and what is said of devices and outputs. */
#ifndef TG_CLI_MESH_H
#define TG_CLI_MESH_H

#include "base/json_out.h"
#include "cli/run_request.h"
#include "tilegrind/mesh.h"

/* Whether the request asks for a run on a mesh. */
bool tg_cli_is_on_mesh(const tg_run_request *request);

/* Notes an argument of --sharding, "NAME=LAYOUT" or "NAME[8,16]=LAYOUT".  Returns what is wrong
 * with it, or NULL. */
const char *tg_cli_take_sharding(tg_run_request *request, const char *argument);

/* "device 0 (x=0, y=0)", "device 0 (x=0, y=0) and 7 others"; "" for a finding of a run that was on
 * no mesh. Returns `out`. */
enum { TG_CLI_DEVICE_TEXT = 800 };
char *tg_cli_device_text(const tg_finding *finding, char out[TG_CLI_DEVICE_TEXT]);

/* Members of the open object: "device" and "devices" of a finding, and "mesh", where there are
 * such. */
void tg_cli_json_devices(tg_json_out *json, const tg_report *report, size_t finding);
void tg_cli_json_mesh(tg_json_out *json, const tg_report *report);

/* A line for each output: how many copies were compared, and what was reduced. */
void tg_cli_print_mesh(const tg_report *report);

#endif
