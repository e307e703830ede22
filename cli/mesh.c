#include "cli/mesh.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/style.h"

bool tg_cli_is_on_mesh(const tg_run_request *r)
{
    return r->mesh || r->device_order || r->sharding_count;
}

/* ---- options ---- */

static const char how[] =
    "--sharding takes NAME=LAYOUT, as in \"x=P('x', None)\", or NAME[8,16]=LAYOUT";

/* Extents up to ']'. */
static const char *take_shape(tg_cli_sharding *s, const char *at)
{
    for (;; at++) {
        char *end;
        errno = 0;
        if (s->rank == sizeof s->shape / sizeof *s->shape) return NULL;
        s->shape[s->rank] = strtoll(at, &end, 10);
        if (end == at || errno || s->shape[s->rank++] < 1) return NULL;
        at = end;
        if (*at == ']') return at + 1;
        if (*at != ',') return NULL;
    }
}

const char *tg_cli_take_sharding(tg_run_request *r, const char *argument)
{
    if (r->sharding_count == TG_CLI_MAX_SHARDINGS) return "too many --sharding";
    tg_cli_sharding *s = &r->shardings[r->sharding_count];
    const size_t length = strcspn(argument, "=[");
    const char *at = argument + length;
    if (!length || length >= sizeof s->param || !*at) return how;
    memcpy(s->param, argument, length);
    s->param[length] = '\0';
    s->argument = argument;
    if (*at == '[') at = take_shape(s, at + 1);
    if (!at || *at != '=') return how;
    s->text = at + 1;
    r->sharding_count++;
    return NULL;
}

/* ---- reports ---- */

char *tg_cli_device_text(const tg_finding *f, char out[TG_CLI_DEVICE_TEXT])
{
    const size_t others = f->device_count ? f->device_count - 1 : 0;
    int used = snprintf(out, TG_CLI_DEVICE_TEXT, "%s", f->device);
    if (others && used >= 0 && used < TG_CLI_DEVICE_TEXT)
        snprintf(out + used, TG_CLI_DEVICE_TEXT - (size_t)used, " and %zu other%s", others,
                 others == 1 ? "" : "s");
    return out;
}

void tg_cli_json_devices(tg_json_out *json, const tg_report *report, size_t finding)
{
    const tg_finding f = tg_report_finding(report, finding);
    if (!f.device_count) return;
    tg_emit_text(json, "device", f.device);
    tg_emit_open(json, "devices", '[');
    for (size_t i = 0; i < f.device_count; i++)
        tg_emit_int(json, NULL, tg_report_device(report, finding, i));
    tg_emit_close(json, ']');
}

static void json_output(tg_json_out *json, const tg_mesh_output *output)
{
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "name", output->name);
    tg_emit_text(json, "layout", output->layout);
    tg_emit_int(json, "blocks", output->blocks);
    tg_emit_int(json, "copies", output->copies);
    tg_emit_int(json, "terms", output->terms);
    if (output->reduction[0]) tg_emit_text(json, "reduction", output->reduction);
    tg_emit_close(json, '}');
}

void tg_cli_json_mesh(tg_json_out *json, const tg_report *report)
{
    if (!tg_report_device_count(report)) return;
    tg_emit_open(json, "mesh", '{');
    tg_emit_int(json, "devices", (int64_t)tg_report_device_count(report));
    tg_emit_text(json, "device_order", tg_report_device_order(report));
    tg_emit_open(json, "outputs", '[');
    for (size_t i = 0; i < tg_report_mesh_output_count(report); i++) {
        const tg_mesh_output output = tg_report_mesh_output(report, i);
        json_output(json, &output);
    }
    tg_emit_close(json, ']');
    tg_emit_close(json, '}');
}

void tg_cli_print_mesh(const tg_report *report)
{
    for (size_t i = 0; i < tg_report_mesh_output_count(report); i++) {
        const tg_mesh_output o = tg_report_mesh_output(report, i);
        fputs("  ", stdout);
        tg_put_clean(stdout, o.name);
        printf(": %" PRId64 " block%s", o.blocks, o.blocks == 1 ? "" : "s");
        if (o.terms > 1)
            printf(", each the %s of %" PRId64 " devices' terms", o.reduction, o.terms);
        if (o.copies > 1) printf(", each in %" PRId64 " copies, compared", o.copies);
        putchar('\n');
    }
}
