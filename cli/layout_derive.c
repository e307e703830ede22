#include "cli/layout_derive.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/layout_text.h"

/* ---- what each operation calls ---- */

static tg_layout_join joined(const tg_cli_layout_args *a)
{
    return a->request->sum ? TG_JOIN_SUM : TG_JOIN_TILE;
}

static tg_status slice(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_slice(a->layout[0], a->whole.extent, a->shape[0].extent, a->shape[1].extent,
                           a->whole.rank, out, a->request->errors);
}

static tg_status permute(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_permute(a->layout[0], a->whole.extent, a->shape[0].extent, a->whole.rank, out,
                             a->request->errors);
}

static tg_status reduce(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_reduce(a->layout[0], a->whole.extent, a->whole.rank, a->shape[0].extent,
                            a->shape[0].rank, out, a->request->errors);
}

static tg_status broadcast(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_broadcast(a->layout[0], a->whole.extent, a->whole.rank, a->shape[0].extent,
                               a->shape[0].rank, out, a->request->errors);
}

static tg_status tile(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_tile(a->layout[0], a->shape[0].extent, a->layout[1], a->shape[1].extent,
                          a->shape[0].rank, joined(a), out, a->request->errors);
}

static tg_status tile_to(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_tile_to(a->layout[0], a->shape[0].extent, a->shape[1].extent, a->shape[0].rank,
                             out, a->request->errors);
}

static tg_status outer_of(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_outer_of(a->layout[0], a->shape[0].extent, a->layout[1], a->shape[1].extent,
                              a->shape[0].rank, joined(a), out, a->request->errors);
}

static tg_status inner_of(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_inner_of(a->layout[0], a->shape[0].extent, a->layout[1], a->shape[1].extent,
                              a->shape[0].rank, joined(a), out, a->request->errors);
}

static tg_status compose(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_compose(a->layout[0], a->layout[1], out, a->request->errors);
}

static tg_status divide(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_divide(a->layout[0], a->layout[1], out, a->request->errors);
}

static tg_status product(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_product(a->layout[0], a->layout[1], out, a->request->errors);
}

/* tg_layout_axis_count() for a name that there is not. */
static size_t axis_of(const char *name)
{
    size_t axis = 0;
    while (axis < tg_layout_axis_count() && strcmp(tg_layout_axis_get(axis).name, name) != 0)
        axis++;
    return axis;
}

static tg_status complement(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_complement(a->layout[0], axis_of(a->text ? a->text : "m"), a->number, out,
                                a->request->errors);
}

static tg_status right_inverse(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_right_inverse(a->layout[0], out, a->request->errors);
}

static tg_status left_inverse(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_left_inverse(a->layout[0], out, a->request->errors);
}

static tg_status threads(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_move_threads(a->layout[0], a->text, out, a->request->errors);
}

static tg_status unpack(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_unpack(a->layout[0], a->text, a->number, out, a->request->errors);
}

static tg_status pack(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_pack(a->layout[0], a->text, a->number, out, a->request->errors);
}

static tg_status storage(const tg_cli_layout_args *a, tg_layout **out)
{
    return tg_layout_storage(a->layout[0], out, a->request->errors);
}

const tg_cli_derivation tg_cli_derivations[] = {
    {"slice", "LAYOUT FIRST EXTENT", "LSS", slice},
    {"permute", "LAYOUT PERMUTATION", "LS", permute},
    {"reduce", "LAYOUT DIMENSIONS", "LS", reduce},
    {"broadcast", "LAYOUT DIMENSIONS", "LS", broadcast},
    {"tile", "OUTER SHAPE INNER SHAPE", "LSLS", tile},
    {"tile-to", "LAYOUT SHAPE SHAPE", "LSS", tile_to},
    {"outer-of", "WHOLE SHAPE INNER SHAPE", "LSLS", outer_of},
    {"inner-of", "WHOLE SHAPE OUTER SHAPE", "LSLS", inner_of},
    {"compose", "LAYOUT LAYOUT", "LL", compose},
    {"divide", "LAYOUT TILE", "LL", divide},
    {"product", "LAYOUT LAYOUT", "LL", product},
    {"complement", "LAYOUT SIZE [AXIS]", "LNa", complement},
    {"right-inverse", "LAYOUT", "L", right_inverse},
    {"left-inverse", "LAYOUT", "L", left_inverse},
    {"threads", "LAYOUT AXES", "LA", threads},
    {"unpack", "LAYOUT PARTS [AXIS]", "LNa", unpack},
    {"pack", "LAYOUT PARTS [AXIS]", "LNa", pack},
    {"storage", "LAYOUT", "L", storage},
    {NULL, NULL, NULL, NULL},
};

/* ---- operands ---- */

static int wrong(const char *text, const char *why)
{
    fprintf(stderr, "tilegrind layout: \"%s\" %s\n", text, why);
    return TG_EXIT_USAGE;
}

static int read_number(const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return end == text || *end || errno ? wrong(text, "is no integer") : TG_EXIT_CLEAN;
}

/* Returns the exit code. */
static int read_operand(char kind, const char *text, tg_cli_layout_args *args)
{
    int code = TG_EXIT_CLEAN;
    switch (toupper((unsigned char)kind)) {
    case 'L':
        args->layout[args->layouts] = tg_cli_layout_read(args->request, text, &code);
        args->layouts += args->layout[args->layouts] != NULL;
        return code;
    case 'S':
        if (!tg_cli_shape_read(text, &args->shape[args->shapes++]))
            return wrong(text, "is no list of integers, such as 8,16");
        return code;
    case 'N': return read_number(text, &args->number);
    default: args->text = text; return code;
    }
}

/* The interface takes lists of one length, so it cannot tell that they are not. */
static int check_ranks(const tg_cli_derivation *op, const tg_cli_layout_args *args)
{
    const bool uses_whole = op->make == slice || op->make == permute;
    const size_t rank = uses_whole ? args->whole.rank : args->shape[0].rank;
    for (int i = 0; i < args->shapes; i++) {
        if (args->shape[i].rank == rank || op->make == reduce || op->make == broadcast) continue;
        fprintf(stderr, "tilegrind layout: %s takes lists of one length%s: %zu and %zu\n", op->name,
                uses_whole ? ", that of --shape" : "", rank, args->shape[i].rank);
        return TG_EXIT_USAGE;
    }
    return TG_EXIT_CLEAN;
}

static int print_result(const tg_cli_layout *request, const tg_layout *layout)
{
    tg_layout *canonical;
    if (tg_layout_canonical(layout, &canonical, request->errors) != TG_OK)
        return tg_cli_layout_failed(request);
    char *text = request->json ? tg_layout_print_json(canonical) : tg_layout_print(canonical);
    tg_layout_free(canonical);
    if (!text) return tg_cli_no_memory();
    puts(text);
    tg_text_free(text);
    return TG_EXIT_CLEAN;
}

static int make(const tg_cli_derivation *op, tg_cli_layout_args *args)
{
    tg_layout *made;
    const tg_cli_shape *shape = &args->request->shape;
    args->whole = *shape;
    if (!shape->rank) args->whole = (tg_cli_shape){1, {tg_layout_size(args->layout[0])}};
    if (op->make == complement && args->text && axis_of(args->text) == tg_layout_axis_count())
        return wrong(args->text, "is no axis");
    int code = check_ranks(op, args);
    if (code != TG_EXIT_CLEAN) return code;
    if (op->make(args, &made) != TG_OK) return tg_cli_layout_failed(args->request);
    code = print_result(args->request, made);
    tg_layout_free(made);
    return code;
}

int tg_cli_layout_derive(const tg_cli_layout *request, const tg_cli_derivation *op, int count,
                         char **operands)
{
    tg_cli_layout_args args = {.request = request};
    int code = TG_EXIT_CLEAN;
    for (int i = 0; i < count && code == TG_EXIT_CLEAN; i++)
        code = read_operand(op->takes[i], operands[i], &args);
    if (code == TG_EXIT_CLEAN) code = make(op, &args);
    for (int i = 0; i < args.layouts; i++) tg_layout_free(args.layout[i]);
    return code;
}
