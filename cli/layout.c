/* tilegrind layout: where logical elements are, in lanes, registers, memory and devices. */
#include <stdbool.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/layout_derive.h"
#include "cli/layout_ops.h"
#include "cli/layout_text.h"

enum {
    OPT_SHAPE = 1,
    OPT_PLACES,
    OPT_BY,
    OPT_JOIN,
    OPT_TITLE,
    OPT_BYTES,
    OPT_LANES,
    OPT_WIDTH,
    OPT_FROM,
    OPT_TO,
    OPT_MESH,
    OPT_SUM,
    OPT_SVG,
    OPT_JSON
};
static const tg_cli_option options[] = {
    {OPT_SHAPE, "shape", "N,N..", "the logical array; one dimension if not given"},
    {OPT_PLACES, "places", NULL, "show: the hardware, and which element is where"},
    {OPT_BY, "by", "AXIS",
     "show: the axis that colours elements, the outermost if not given; with --places, the "
     "dimension, such as d1 (d0 if not given)"},
    {OPT_JOIN, "join", "N,N",
     "show: rows and columns that one cell stands for, where their elements are in order"},
    {OPT_TITLE, "title", "TEXT", "show --svg: above the picture"},
    {OPT_BYTES, "bytes", "N",
     "of an element: show --places then has lines of 128 bytes as rows; plan, "
     "conflicts (4 if not given)"},
    {OPT_LANES, "lanes", "LAYOUT",
     "conflicts: threads and registers that move the array; several times: several accesses"},
    {OPT_WIDTH, "width", "N",
     "conflicts: bytes of a lane in an access; the most that will do if not given"},
    {OPT_FROM, "from", "NOTATION", "convert: the notation of the operand (axe if not given)"},
    {OPT_TO, "to", "NOTATION", "convert: the notation to print it in (axe if not given)"},
    {OPT_MESH, "mesh", "NAME=N,..",
     "plan: the axes of devices; convert: of a sharding that says none, or where --to needs them"},
    {OPT_SUM, "sum", NULL,
     "tile, outer-of, inner-of: the places of both are added, whatever their spans"},
    {OPT_SVG, "svg", NULL, "show: as an SVG picture instead of a table"},
    {OPT_JSON, "json", NULL, "as JSON"},
    {0, NULL, NULL, NULL},
};

static const char *take_join(tg_cli_layout *r, const char *value)
{
    tg_cli_shape join;
    if (!tg_cli_shape_read(value, &join) || join.rank != 2 || join.extent[0] < 1 ||
        join.extent[1] < 1 || join.extent[0] > 128 || join.extent[1] > 128)
        return "--join takes rows and columns, 1 to 128, such as 1,8";
    r->join_rows = (int)join.extent[0];
    r->join_columns = (int)join.extent[1];
    return NULL;
}

static bool take_bytes(const char *value, int *out)
{
    tg_cli_shape one;
    if (!tg_cli_shape_read(value, &one) || one.rank != 1 || one.extent[0] < 1 || one.extent[0] > 16)
        return false;
    *out = (int)one.extent[0];
    return true;
}

/* Notes one option; returns what is wrong with it, or NULL. */
static const char *take(tg_cli_layout *r, int id, const char *value)
{
    switch (id) {
    case OPT_SHAPE:
        return tg_cli_shape_read(value, &r->shape) ? NULL : "--shape takes numbers, such as 8,16";
    case OPT_BYTES: return take_bytes(value, &r->element_bytes) ? NULL : "--bytes takes 1 to 16";
    case OPT_WIDTH: return take_bytes(value, &r->access_bytes) ? NULL : "--width takes 1 to 16";
    case OPT_LANES:
        if (r->lanes_count == TG_CLI_MOST_LANES) return "--lanes are given at most 16 times";
        r->lanes[r->lanes_count++] = value;
        break;
    case OPT_PLACES: r->places = true; break;
    case OPT_JOIN: return take_join(r, value);
    case OPT_TITLE: r->title = value; break;
    case OPT_BY: r->by = value; break;
    case OPT_FROM: r->from = value; break;
    case OPT_TO: r->to = value; break;
    case OPT_MESH: r->mesh = value; break;
    case OPT_SUM: r->sum = true; break;
    case OPT_SVG: r->svg = true; break;
    default: r->json = true; break;
    }
    return NULL;
}

static const tg_cli_layout_op *find_op(const char *name)
{
    for (const tg_cli_layout_op *op = tg_cli_layout_ops; name && op->name; op++)
        if (strcmp(op->name, name) == 0) return op;
    return NULL;
}

static const tg_cli_derivation *find_derivation(const char *name)
{
    for (const tg_cli_derivation *op = tg_cli_derivations; op->name; op++)
        if (strcmp(op->name, name) == 0) return op;
    return NULL;
}

/* Operands without which there is no result: those with a capital letter. */
static int least_operands(const tg_cli_derivation *op)
{
    int least = 0;
    for (const char *at = op->takes; *at; at++) least += *at >= 'A' && *at <= 'Z';
    return least;
}

static int run_op(tg_cli_layout *r, int count, char **operands)
{
    const char *name = count ? operands[0] : NULL;
    const tg_cli_layout_op *op = find_op(name);
    const tg_cli_derivation *derivation = name && !op ? find_derivation(name) : NULL;
    if (!count) return tg_cli_usage(&tg_command_layout, "no operation given");
    if (!op && !derivation)
        return tg_cli_usage(&tg_command_layout, "there is no operation \"%s\"", name);
    const int least = op ? op->least : least_operands(derivation);
    const int most = op ? op->most : (int)strlen(derivation->takes);
    if (count - 1 < least || count - 1 > most)
        return tg_cli_usage(&tg_command_layout, "%s takes %s", name,
                            op ? op->operands : derivation->operands);
    r->errors = tg_errors_new();
    if (!r->errors) return tg_cli_no_memory();
    const int code = op ? op->run(r, count - 1, operands + 1)
                        : tg_cli_layout_derive(r, derivation, count - 1, operands + 1);
    tg_errors_free(r->errors);
    return code;
}

static int run(int argc, char **argv)
{
    tg_cli_layout r = {0};
    const char *value, *problem = NULL;
    int first, id;
    while ((id = tg_cli_next(&tg_command_layout, argc, argv, &value, &first)) > 0 && !problem)
        problem = take(&r, id, value);
    if (id == TG_CLI_HELPED) return TG_EXIT_CLEAN;
    if (id == TG_CLI_BAD) return TG_EXIT_USAGE;
    if (problem) return tg_cli_usage(&tg_command_layout, "%s", problem);
    return run_op(&r, argc - first, argv + first);
}

const tg_cli_command tg_command_layout = {
    "layout",
    "OPERATION LAYOUT...",
    "say where each element of an array is, in lanes, registers, memory, devices",
    "Works on Axe layouts, as text or JSON:\n"
    "  (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp\n"
    "\n"
    "  show LAYOUT [LAYOUT]     a picture of a small layout, or of where two differ\n"
    "  map LAYOUT ELEMENT...    where elements are; an index, or a coordinate in --shape\n"
    "  where LAYOUT PLACE...    which elements are at places, such as lane=8,warp=6\n"
    "  injective LAYOUT         whether no two elements have the same place; if not, exit\n"
    "                           code 1 and two that have\n"
    "  equal LAYOUT LAYOUT      whether both are the same map; if not, exit code 1 and\n"
    "                           the first element that differs\n"
    "  plan LAYOUT LAYOUT       what it takes to go from the first to the second: which\n"
    "                           values move in registers, by shuffles, through shared\n"
    "                           memory, between devices, and by which collectives; also\n"
    "                           of shardings, such as P('x', None), [{\"x\"}, {}], (S(0), B)\n"
    "  conflicts LAYOUT         what it costs that --lanes move an array between memory,\n"
    "                           where LAYOUT has it, and registers: conflicts of banks,\n"
    "                           sectors; and a swizzle against conflicts\n"
    "  convert LAYOUT           the same in the notation --to, or why it cannot say that;\n"
    "                           without LAYOUT, the notations that there are\n"
    "  group LAYOUT SHAPE...    which iters are the dimensions of each shape\n"
    "\n"
    "These print a layout, or why there is none:\n"
    "  slice LAYOUT FIRST EXTENT       of a part of an array of --shape\n"
    "  permute LAYOUT PERMUTATION      of the transposed array, as numpy does it\n"
    "  reduce LAYOUT DIMENSIONS        of the array with dimensions reduced\n"
    "  broadcast LAYOUT DIMENSIONS     of the array --shape, in which these are new\n"
    "  tile OUTER SHAPE INNER SHAPE    of a grid of blocks\n"
    "  tile-to LAYOUT SHAPE SHAPE      of a block repeated up to the second shape\n"
    "  outer-of WHOLE SHAPE INNER SHAPE, inner-of WHOLE SHAPE OUTER SHAPE\n"
    "                                  the grid, or the block, of a layout that is tiled\n"
    "  compose LAYOUT LAYOUT           the first after the second\n"
    "  divide LAYOUT TILE, product LAYOUT LAYOUT, complement LAYOUT SIZE [AXIS],\n"
    "  right-inverse LAYOUT, left-inverse LAYOUT\n"
    "                                  as CuTe's, with elements counted row-major\n"
    "  threads LAYOUT AXES             with its threads on other axes: tx, or warp,lane\n"
    "  unpack LAYOUT PARTS [AXIS], pack LAYOUT PARTS [AXIS]\n"
    "                                  of elements of another width\n"
    "  storage LAYOUT                  what one thread holds",
    options,
    run,
};
