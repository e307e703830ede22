#include "physical/transfers.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "layout/address.h"
#include "layout/equal.h"
#include "layout/legal/ldmatrix.h"
#include "layout/legal/tcgen05.h"
#include "layout/map.h"
#include "layout/places.h"
#include "layout/print.h"
#include "layout/thread.h"
#include "physical/fragments.h"
#include "physical/memory_layout.h"

/* The value that moves: the result of a load, what a store stores. */
static tg_value_id moved(const tg_op *op) { return op->out_count ? op->out[0] : op->in[1]; }

static const char *value_name(const tg_op *op)
{
    return op->out_count ? "the result" : "operand 1";
}

static int64_t address_of(const tg_axe *address, int64_t element)
{
    tg_coordinate at;
    tg_axe_map(address, element, 0, &at);
    return at.at[TG_AXIS_m];
}

/* ---- matrices of 8 rows of 16 bytes ---- */

enum { ROWS = 8, ROW_BYTES = 16 };

/* Which elements are the rows of a matrix: those along the last dimension, or along the first. */
typedef struct matrix_view {
    int64_t rows, columns;         /* of the value, as seen */
    int64_t row_step, column_step; /* in its row-major numbers */
} matrix_view;

/* The first row that is not 16 bytes at a multiple of 16; -1: all are. */
static int64_t find_bad_row(const tg_axe *address, const matrix_view *v, int bytes)
{
    const int64_t length = ROW_BYTES / bytes;
    for (int64_t r = 0; r < v->rows; r++)
        for (int64_t c = 0; c < v->columns; c += length) {
            const int64_t first = r * v->row_step + c * v->column_step;
            const int64_t at = address_of(address, first);
            if (at * bytes % ROW_BYTES) return first;
            for (int64_t i = 1; i < length; i++)
                if (address_of(address, first + i * v->column_step) != at + i) return first;
        }
    return -1;
}

static bool check_rows(tg_demands *d, const tg_op *op, const tg_type *type,
                       const matrix_view views[2], int *is_transposed)
{
    const int bytes = tg_dtypes[type->dtype].bytes;
    tg_diags diags = {0};
    tg_memory memory;
    if (tg_memory_accessed(&d->held, op, &memory, &diags) != TG_OK) {
        tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, "operand 0", &diags);
        tg_diags_free(&diags);
        return false;
    }
    const int64_t bad = find_bad_row(&memory.address, &views[0], bytes);
    *is_transposed = bad >= 0 && find_bad_row(&memory.address, &views[1], bytes) < 0;
    if (bad < 0 || *is_transposed) return true;
    tg_problem_tell(
        d->problems, TG_PROBLEM_ILLEGAL, op,
        "operand 0 of %s: the row of a matrix from element %" PRId64
        " on is not %d bytes at a multiple of %d, but at byte %" PRId64 "; %s (%s)",
        tg_ops[op->code].name, bad, ROW_BYTES, ROW_BYTES, address_of(&memory.address, bad) * bytes,
        tg_ldmatrix_rules[TG_LDMATRIX_row].demands, tg_ldmatrix_rules[TG_LDMATRIX_row].source);
    return false;
}

/* Thread 4 r + c / 2 has elements c and c + 1 of row r; transposed, those of column r. */
static const tg_fragment_tile straight = {ROWS, ROWS, "(8,4,2):(4@lane,1@lane,1@reg)"},
                              transposed = {ROWS, ROWS, "(4,2,8):(1@lane,1@reg,4@lane)"};

/* Writes why the value is not held as the instruction has it in one of its two forms. */
static tg_status check_tiles(const tg_demands *d, tg_value_id v, const tg_fragment_tile *tile,
                             char why[TG_WANT_TEXT], tg_diags *diags)
{
    const tg_type *type = tg_type_of(d->held.kernel, v);
    tg_axe wanted;
    tg_shape shape;
    tg_held_shape(type, &shape);
    TG_TRY(
        tg_fragment_tiled(tile, type->shape[0], type->shape[1], d->held.layout[v], &wanted, diags));
    const tg_want want = {.is = d->held.layout[v],
                          .wanted = &wanted,
                          .shape = &shape,
                          .freedom = TG_WANT_IN_THREADS,
                          .bits = tg_dtypes[type->dtype].bits};
    return tg_want_check(&want, why, diags);
}

/* Either form of the instruction may be meant. */
static void check_fragment(tg_demands *d, const tg_op *op)
{
    const tg_value_id v = moved(op);
    char why[TG_WANT_TEXT], other[TG_WANT_TEXT];
    tg_diags diags = {0};
    const tg_status status = check_tiles(d, v, &straight, why, &diags);
    if (status != TG_OK)
        tg_demand_failed(d, op, TG_PROBLEM_MISMATCH, value_name(op), &diags);
    else if (why[0] && (check_tiles(d, v, &transposed, other, &diags) != TG_OK || other[0]))
        tg_problem_tell(d->problems, TG_PROBLEM_MISMATCH, op, "%s of %s %s", value_name(op),
                        tg_ops[op->code].name, why);
    tg_diags_free(&diags);
}

static void check_matrices(tg_demands *d, const tg_op *op)
{
    const tg_type *type = tg_type_of(d->held.kernel, moved(op));
    int is_transposed;
    if (type->rank != 2 || tg_dtypes[type->dtype].bits != 16 || type->shape[0] % ROWS ||
        type->shape[1] % ROWS) {
        char text[TG_TYPE_TEXT];
        tg_problem_tell(d->problems, TG_PROBLEM_ILLEGAL, op,
                        "%s of %s is %s; matrices have 8 rows of 8 elements of 16 bits",
                        value_name(op), tg_ops[op->code].name,
                        tg_type_print(type, text, sizeof text));
        return;
    }
    const int64_t rows = type->shape[0], columns = type->shape[1];
    const matrix_view views[2] = {{rows, columns, columns, 1}, {columns, rows, 1, columns}};
    if (check_rows(d, op, type, views, &is_transposed) && d->held.layout[moved(op)])
        check_fragment(d, op);
}

/* ---- tensor memory ---- */

enum { TENSOR_LANE_BYTES = 2048, COLUMN_BYTES = 4, QUARTER = 32, QUARTERS = 4 };

/* The lane of a warp that has what is in row `row` of 32 (or 16) and column `column`, for each shape of
 * tcgen05.ld and st: 32x32b, 16x64b, 16x128b, 16x256b. */
enum { SHAPES = 4 };
static int64_t lane_of(int shape, int64_t row, int64_t column)
{
    const int64_t half = row % 16;
    switch (shape) {
    case 0: return row;
    case 1: return half / 8 + 4 * (half % 8) + 2 * (column % 2);
    case 2: return 4 * (half % 8) + column % 4;
    default: return 4 * (half % 8) + column / 2 % 4;
    }
}

typedef struct tensor_walk {
    tg_demands *d;
    const tg_op *op;
    tg_axe address;
    const tg_axe *value;
    int bytes;
    int64_t first_column;
    bool fits[SHAPES];
    bool has_told;
} tensor_walk;

static void visit_place(tensor_walk *w, int64_t element, const tg_coordinate *at)
{
    const int64_t byte = address_of(&w->address, element) * w->bytes;
    const int64_t lane = byte / TENSOR_LANE_BYTES,
                  column = byte % TENSOR_LANE_BYTES / COLUMN_BYTES - w->first_column;
    const int64_t thread = tg_thread_in_block(at), warp = tg_warp_of(thread);
    for (int s = 0; s < SHAPES; s++)
        w->fits[s] &= lane_of(s, lane % QUARTER, column) == tg_lane_of(thread);
    if (lane / QUARTER == warp % QUARTERS || w->has_told) return;
    w->has_told = true;
    tg_problem_tell(w->d->problems, TG_PROBLEM_ILLEGAL, w->op,
                    "%s of %s: element %" PRId64 " is in lane %" PRId64
                    " of tensor memory, wanted by warp %" PRId64 "; %s (%s)",
                    value_name(w->op), tg_ops[w->op->code].name, element, lane, warp,
                    tg_tcgen05_rules[TG_TCGEN05_quarter].demands,
                    tg_tcgen05_rules[TG_TCGEN05_quarter].source);
}

static tg_status walk(tensor_walk *w, tg_diags *diags)
{
    const int64_t count = tg_iters_size(&w->value->d), copies = tg_iters_size(&w->value->r);
    if (copies > TG_AXE_MOST_POINTS || count > TG_AXE_MOST_POINTS / copies)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "there are too many elements");
    w->first_column = address_of(&w->address, 0) * w->bytes % TENSOR_LANE_BYTES / COLUMN_BYTES;
    for (int64_t x = 0; x < count; x++)
        for (int64_t r = 0; r < copies; r++) {
            tg_coordinate at;
            tg_axe_map(w->value, x, r, &at);
            visit_place(w, x, &at);
        }
    return TG_OK;
}

static void check_tensor_memory(tg_demands *d, const tg_op *op)
{
    const tg_value_id v = moved(op);
    tg_memory memory;
    tg_diags diags = {0};
    if (tg_memory_accessed(&d->held, op, &memory, &diags) != TG_OK) {
        tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, "operand 0", &diags);
    } else if (!memory.layout || tg_axe_span(memory.layout, TG_AXIS_TLane) < 2) {
        tg_problem_tell(d->problems, TG_PROBLEM_ILLEGAL, op,
                        "operand 0 of %s is not in tensor memory: no layout on axis TLane says so",
                        tg_ops[op->code].name);
    } else if (d->held.layout[v]) {
        tensor_walk w = {.d = d,
                         .op = op,
                         .address = memory.address,
                         .value = d->held.layout[v],
                         .bytes = tg_dtypes[tg_type_of(d->held.kernel, v)->dtype].bytes,
                         .fits = {true, true, true, true}};
        if (walk(&w, &diags) != TG_OK)
            tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, value_name(op), &diags);
        else if (!w.has_told && !w.fits[0] && !w.fits[1] && !w.fits[2] && !w.fits[3])
            tg_problem_tell(d->problems, TG_PROBLEM_MISMATCH, op,
                            "%s of %s is held in lanes of warps that no shape of the instruction "
                            "gives: 32x32b, 16x64b, 16x128b, 16x256b",
                            value_name(op), tg_ops[op->code].name);
    }
    tg_diags_free(&diags);
}

/* ---- what stays in tensor memory ---- */

static bool is_in_tensor_memory(const tg_axe *axe) { return tg_axe_span(axe, TG_AXIS_TLane) > 1; }

static void tell_elsewhere(tg_demands *d, const tg_op *op, const tg_axe *value,
                           const tg_axe *memory)
{
    tg_text text = {0};
    tg_axe_print(value, &text);
    tg_text_put(&text, ", and is stored in memory that is there as ");
    tg_axe_print(memory, &text);
    char *layouts = tg_text_finish(&text);
    if (layouts)
        tg_problem_tell(d->problems, TG_PROBLEM_MISMATCH, op,
                        "operand 1 of %s is in tensor memory as %s: it stays where it is",
                        tg_ops[op->code].name, layouts);
    else
        d->problems->failed = true;
    free(layouts);
}

void tg_transfer_check_stays(tg_demands *d, const tg_op *op)
{
    const tg_axe *value = d->held.layout[op->in[1]];
    tg_memory memory;
    tg_axe is;
    tg_diags diags = {0};
    bool same = true;
    if (!value || !is_in_tensor_memory(value)) return;
    tg_status status = tg_memory_accessed(&d->held, op, &memory, &diags);
    if (status == TG_OK && memory.is_fixed && memory.layout && is_in_tensor_memory(memory.layout)) {
        status = tg_axe_address(value, tg_dtypes[tg_type_of(d->held.kernel, op->in[1])->dtype].bits,
                                &is, &diags);
        if (status == TG_OK) status = tg_axe_equal(&is, &memory.address, &same, &diags);
    }
    if (status != TG_OK)
        tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, "operand 1", &diags);
    else if (!same)
        tell_elsewhere(d, op, value, memory.layout);
    tg_diags_free(&diags);
}

void tg_transfer_check(tg_demands *d, const tg_op *op)
{
    const int64_t instruction = tg_op_int(op, TG_ATTR_instruction, -1);
    if (instruction == tg_attr_name_index(TG_ATTR_instruction, "tcgen05"))
        check_tensor_memory(d, op);
    else if (instruction >= 0)
        check_matrices(d, op);
}
