#include "cli/layout_conflicts.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/errors.h"
#include "base/json_out.h"
#include "cli/layout_text.h"

/* The accesses to a memory: those of --lanes, or one. */
typedef struct accesses {
    const tg_layout *memory;
    size_t count;
    tg_layout *holders[TG_CLI_MOST_LANES]; /* NULL: thread i holds element i */
    tg_layout_cost costs[TG_CLI_MOST_LANES];
    tg_layout *better; /* the memory with a swizzle that makes wavefronts fewer, or NULL */
    tg_layout_swizzled swizzled;
} accesses;

/* ---- read, and ask ---- */

static int element_bytes(const tg_cli_layout *r) { return r->element_bytes ? r->element_bytes : 4; }

static bool has_conflicts(const accesses *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->costs[i].wavefronts > a->costs[i].least_wavefronts) return true;
    return false;
}

/* A shape is for the coordinates of elements. */
static int check_shape(const tg_cli_layout *request, const tg_layout *memory)
{
    const int64_t size = tg_layout_size(memory);
    int64_t count = 1;
    for (size_t d = 0; d < request->shape.rank; d++)
        if (__builtin_mul_overflow(count, request->shape.extent[d], &count)) count = -1;
    if (!request->shape.rank || count == size) return TG_EXIT_CLEAN;
    fprintf(stderr, "tilegrind layout: --shape has not the %" PRId64 " elements of the layout\n",
            size);
    return TG_EXIT_USAGE;
}

/* Each returns the exit code. */
static int read_holders(const tg_cli_layout *request, accesses *a)
{
    int code = TG_EXIT_CLEAN;
    a->count = request->lanes_count ? request->lanes_count : 1;
    for (size_t i = 0; i < request->lanes_count && code == TG_EXIT_CLEAN; i++)
        a->holders[i] = tg_cli_layout_read(request, request->lanes[i], &code);
    return code;
}

static int ask_costs(const tg_cli_layout *request, accesses *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (tg_layout_conflicts(a->memory, a->holders[i], element_bytes(request),
                                request->access_bytes, &a->costs[i], request->errors) != TG_OK)
            return tg_cli_layout_failed(request);
    return TG_EXIT_CLEAN;
}

/* That no swizzle helps is an answer. */
static int ask_swizzle(const tg_cli_layout *request, accesses *a)
{
    if (!has_conflicts(a)) return TG_EXIT_CLEAN;
    const tg_status status = tg_layout_swizzle_for(
        a->memory, (const tg_layout *const *)a->holders, a->count, element_bytes(request),
        request->access_bytes, &a->better, &a->swizzled, request->errors);
    if (status == TG_OK || status == TG_ERR_UNSUPPORTED) return TG_EXIT_CLEAN;
    return tg_cli_layout_failed(request);
}

/* ---- tell ---- */

static void print_times(int64_t number, int64_t least)
{
    if (number > least) printf(", %.3g times as many", (double)number / (double)least);
    putchar('\n');
}

static void print_collision(const tg_cli_layout *request, const tg_layout_cost *c)
{
    if (c->elements[0] < 0) return;
    printf("    warp %" PRId64 ": ", c->warp);
    for (int i = 0; i < 2; i++) {
        printf(i ? " and " : "");
        tg_cli_print_element(request, c->elements[i]);
        printf(" of lane %d", c->lanes[i]);
    }
    printf(" are in bank %d\n", c->bank);
}

static void print_cost(const tg_cli_layout *request, const char *lanes, const tg_layout_cost *c)
{
    const double used = 100.0 * (double)c->distinct_bytes / (32.0 * (double)c->sectors);
    printf("%s\n", lanes ? lanes : "element i in thread i");
    printf("  %" PRId64 " access%s of %d bytes a lane", c->accesses, c->accesses == 1 ? "" : "es",
           c->access_bytes);
    if (c->widest_bytes > c->access_bytes) printf("; %d would do", c->widest_bytes);
    printf("\n  shared memory: %" PRId64 " wavefronts, at least %" PRId64, c->wavefronts,
           c->least_wavefronts);
    print_times(c->wavefronts, c->least_wavefronts);
    print_collision(request, c);
    printf("  global memory: %" PRId64 " sectors, at least %" PRId64, c->sectors, c->least_sectors);
    print_times(c->sectors, c->least_sectors);
    printf("    %.1f %% of their bytes are wanted; they are in %" PRId64 " lines\n", used,
           c->lines);
}

static void print_swizzle(const tg_cli_layout *request, const accesses *a)
{
    if (!has_conflicts(a)) return;
    char *text = a->better ? tg_layout_print(a->better) : NULL;
    if (text)
        printf("better: %s\n  shared memory: %" PRId64 " wavefronts, at least %" PRId64 "\n", text,
               a->swizzled.after, a->swizzled.least);
    else if (tg_errors_count(request->errors))
        printf("no swizzle: %s\n", tg_errors_get(request->errors, 0).message);
    tg_text_free(text);
}

static void emit_cost(tg_json_out *json, const char *lanes, const tg_layout_cost *c)
{
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "lanes", lanes);
    tg_emit_int(json, "access_bytes", c->access_bytes);
    tg_emit_int(json, "widest_bytes", c->widest_bytes);
    tg_emit_int(json, "accesses", c->accesses);
    tg_emit_int(json, "wavefronts", c->wavefronts);
    tg_emit_int(json, "least_wavefronts", c->least_wavefronts);
    tg_emit_int(json, "sectors", c->sectors);
    tg_emit_int(json, "least_sectors", c->least_sectors);
    tg_emit_int(json, "lines", c->lines);
    tg_emit_int(json, "distinct_bytes", c->distinct_bytes);
    if (c->elements[0] >= 0) {
        tg_emit_open(json, "collision", '{');
        tg_emit_int(json, "warp", c->warp);
        tg_emit_int(json, "bank", c->bank);
        tg_emit_open(json, "elements", '[');
        for (int i = 0; i < 2; i++) tg_emit_int(json, NULL, c->elements[i]);
        tg_emit_close(json, ']');
        tg_emit_open(json, "lanes", '[');
        for (int i = 0; i < 2; i++) tg_emit_int(json, NULL, c->lanes[i]);
        tg_emit_close(json, ']');
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, '}');
}

static void emit(const tg_cli_layout *request, const accesses *a)
{
    tg_json_out json = {.out = stdout};
    tg_emit_open(&json, NULL, '{');
    tg_emit_open(&json, "accesses", '[');
    for (size_t i = 0; i < a->count; i++) emit_cost(&json, request->lanes[i], &a->costs[i]);
    tg_emit_close(&json, ']');
    if (!a->better && has_conflicts(a)) tg_emit_text(&json, "better", NULL);
    if (a->better) {
        char *text = tg_layout_print(a->better);
        tg_emit_open(&json, "better", '{');
        tg_emit_text(&json, "layout", text);
        tg_emit_int(&json, "wavefronts", a->swizzled.after);
        tg_emit_int(&json, "least_wavefronts", a->swizzled.least);
        tg_emit_close(&json, '}');
        tg_text_free(text);
    }
    tg_emit_close(&json, '}');
}

static void tell(const tg_cli_layout *request, const accesses *a)
{
    if (request->json) {
        emit(request, a);
        return;
    }
    for (size_t i = 0; i < a->count; i++) print_cost(request, request->lanes[i], &a->costs[i]);
    print_swizzle(request, a);
}

int tg_cli_layout_conflicts(const tg_cli_layout *request, int count, char **operands)
{
    accesses a = {0};
    int code = TG_EXIT_CLEAN;
    (void)count;
    tg_layout *memory = tg_cli_layout_read(request, operands[0], &code);
    a.memory = memory;
    if (memory) code = check_shape(request, memory);
    if (memory && code == TG_EXIT_CLEAN) code = read_holders(request, &a);
    if (code == TG_EXIT_CLEAN) code = ask_costs(request, &a);
    if (code == TG_EXIT_CLEAN) code = ask_swizzle(request, &a);
    if (code == TG_EXIT_CLEAN) tell(request, &a);
    for (size_t i = 0; i < a.count; i++) tg_layout_free(a.holders[i]);
    tg_layout_free(a.better);
    tg_layout_free(memory);
    return code;
}
