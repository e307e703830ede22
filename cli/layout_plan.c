#include "cli/layout_plan.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/json_out.h"
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

static void emit_plan(const tg_layout_plan *p)
{
    tg_json_out json = {.out = stdout};
    tg_emit_open(&json, NULL, '{');
    tg_emit_int(&json, "kept", p->kept);
    tg_emit_int(&json, "registers", p->registers);
    tg_emit_int(&json, "shuffled", p->shuffled);
    tg_emit_int(&json, "shared", p->shared);
    tg_emit_int(&json, "global", p->global);
    tg_emit_int(&json, "sent", p->sent);
    tg_emit_int(&json, "shuffles", p->shuffles);
    tg_emit_int(&json, "least", p->least);
    tg_emit_int(&json, "shared_bytes", p->shared_bytes);
    tg_emit_int(&json, "global_bytes", p->global_bytes);
    tg_emit_int(&json, "sent_bytes", p->sent_bytes);
    tg_emit_close(&json, '}');
}

static void tell(const tg_cli_layout *request, const tg_layout *from, const tg_layout *to,
                 const tg_layout_plan *p)
{
    if (request->json) {
        emit_plan(p);
        return;
    }
    print_plan(p);
    if (p->element < 0) return;
    printf("one that moves the furthest: ");
    tg_cli_print_element(request, p->element);
    printf("\n");
    tg_cli_print_places_of(request, from, "  from", p->element);
    tg_cli_print_places_of(request, to, "  to  ", p->element);
}

int tg_cli_layout_plan(const tg_cli_layout *request, int count, char **operands)
{
    int code = TG_EXIT_CLEAN;
    tg_layout_plan plan;
    (void)count;
    tg_layout *from = tg_cli_layout_read(request, operands[0], &code);
    tg_layout *to = from ? tg_cli_layout_read(request, operands[1], &code) : NULL;
    const int bytes = request->element_bytes ? request->element_bytes : 4;
    if (to && tg_layout_plan_between(from, to, bytes, &plan, request->errors) != TG_OK)
        code = tg_cli_layout_failed(request);
    else if (to)
        tell(request, from, to, &plan);
    tg_layout_free(from);
    tg_layout_free(to);
    return code;
}
