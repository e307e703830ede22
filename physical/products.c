#include "physical/products.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "layout/canonical.h"
#include "layout/equal.h"
#include "layout/group.h"
#include "layout/legal/datapath.h"
#include "layout/legal/descriptor.h"
#include "layout/legal/tcgen05.h"
#include "layout/legal/wgmma.h"
#include "layout/print.h"
#include "layout/slice.h"
#include "physical/memory_layout.h"

static const char *const operand_names[] = {"operand 0", "operand 1", "operand 2"};

static int64_t instruction_of(const tg_op *op) { return tg_op_int(op, TG_ATTR_instruction, -1); }

static bool is_instruction(const tg_op *op, const char *name)
{
    return instruction_of(op) == tg_attr_name_index(TG_ATTR_instruction, name);
}

/* The number of the operand that is matrix A or B: behind the sum, of dot_start. */
static uint32_t operand_of(const tg_op *op, tg_matrix matrix)
{
    const bool is_second = matrix == TG_MATRIX_B, is_behind_sum = op->code == TG_OP_dot_start;
    return (uint32_t)is_second + (uint32_t)is_behind_sum;
}

tg_matrix_product tg_matrix_product_of(const tg_kernel *kernel, const tg_op *op)
{
    const tg_type *a = tg_type_of(kernel, op->in[operand_of(op, TG_MATRIX_A)]),
                  *b = tg_type_of(kernel, op->in[operand_of(op, TG_MATRIX_B)]);
    const tg_attr *of_a = tg_op_attr(op, TG_ATTR_lhs_contract),
                  *of_b = tg_op_attr(op, TG_ATTR_rhs_contract);
    tg_matrix_product p = {.k_of_a = of_a ? (int)of_a->as.ints[0] : 1,
                           .k_of_b = of_b ? (int)of_b->as.ints[0] : 0,
                           .bits = tg_dtypes[a->dtype].bits,
                           .is_integer = tg_is_int(a->dtype)};
    p.m = a->shape[1 - p.k_of_a];
    p.k = a->shape[p.k_of_a];
    p.n = b->shape[1 - p.k_of_b];
    return p;
}

/* ---- operands in registers ---- */

static tg_product_size size_of(const tg_matrix_product *p, const tg_op *op)
{
    return (tg_product_size){is_instruction(op, "mma") ? TG_MULTIPLIER_mma : TG_MULTIPLIER_wgmma,
                             p->bits, p->m, p->n, p->k};
}

/* The layout of a matrix whose dimensions are exchanged. */
static tg_status exchange(const tg_axe *from, int64_t rows, int64_t columns, tg_axe *out,
                          tg_diags *diags)
{
    const tg_shape shape = {.rank = 2, .extent = {rows, columns}};
    tg_groups groups;
    TG_TRY(tg_axe_group(from, &shape, &groups, diags));
    tg_axe_copy(from, out);
    out->d.count = 0;
    tg_groups_put(&groups, 1, &out->d);
    tg_groups_put(&groups, 0, &out->d);
    return TG_OK;
}

/* Of matrix A, B or D, as the kernel has its dimensions. */
static tg_status wanted_of(const tg_matrix_product *p, const tg_op *op, tg_matrix matrix,
                           const tg_axe *d, tg_axe *out, tg_diags *diags)
{
    const tg_product_size size = size_of(p, op);
    tg_axe wanted;
    TG_TRY(tg_fragment_want(&size, matrix, d, &wanted, diags));
    if (matrix == TG_MATRIX_A && p->k_of_a == 0) return exchange(&wanted, p->m, p->k, out, diags);
    if (matrix == TG_MATRIX_B && p->k_of_b == 1) return exchange(&wanted, p->k, p->n, out, diags);
    tg_axe_copy(&wanted, out);
    return TG_OK;
}

/* What is wanted of matrix A, B or D in registers, a value of `type`; its shape goes to *shape. */
static tg_want want_of(const tg_type *type, const tg_axe *is, const tg_axe *wanted, tg_shape *shape)
{
    tg_held_shape(type, shape);
    return (tg_want){.is = is,
                     .wanted = wanted,
                     .shape = shape,
                     .freedom = TG_WANT_IN_THREADS,
                     .bits = tg_dtypes[type->dtype].bits};
}

tg_status tg_product_takes(const tg_kernel *kernel, const tg_op *op, uint32_t operand,
                           const tg_axe *is, bool *takes, tg_axe *out, tg_diags *diags)
{
    const tg_matrix_product p = tg_matrix_product_of(kernel, op);
    const tg_axe *d = kernel->values[op->out[0]].layout;
    const tg_matrix matrix = operand == 0 ? TG_MATRIX_A : TG_MATRIX_B;
    char why[TG_WANT_TEXT];
    tg_shape shape;
    *takes = d && !is_instruction(op, "tcgen05") &&
             tg_fragment_find(size_of(&p, op).multiplier, p.bits, matrix);
    if (!*takes) return TG_OK;
    TG_TRY(wanted_of(&p, op, TG_MATRIX_D, d, out, diags));
    const tg_want of_d = want_of(tg_type_of(kernel, op->out[0]), d, out, &shape);
    TG_TRY(tg_want_check(&of_d, why, diags));
    if (why[0]) return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "the result %s", why);
    TG_TRY(wanted_of(&p, op, matrix, d, out, diags));
    const tg_want of_operand = want_of(tg_type_of(kernel, op->in[operand]), is, out, &shape);
    if (tg_want_check(&of_operand, why, NULL) == TG_OK && !why[0]) tg_axe_copy(is, out);
    return TG_OK;
}

static bool want_in_registers(tg_demands *d, const tg_op *op, const char *what, tg_value_id v,
                              const tg_axe *wanted)
{
    tg_shape shape;
    const tg_want want = want_of(tg_type_of(d->held.kernel, v), d->held.layout[v], wanted, &shape);
    return tg_demand_want(d, op, what, &want);
}

/* Checks matrix A, B or D, which is in registers.  Returns whether it is where it must be. */
static bool check_registers(tg_demands *d, const tg_op *op, tg_matrix matrix)
{
    const tg_matrix_product p = tg_matrix_product_of(d->held.kernel, op);
    const tg_value_id v = matrix == TG_MATRIX_D ? op->out[0] : op->in[matrix == TG_MATRIX_B];
    const char *what = matrix == TG_MATRIX_D ? "the result" : operand_names[matrix == TG_MATRIX_B];
    tg_diags diags = {0};
    tg_axe wanted;
    bool fits = false;
    const tg_status status = wanted_of(&p, op, matrix, d->held.layout[op->out[0]], &wanted, &diags);
    if (status == TG_OK)
        fits = want_in_registers(d, op, what, v, &wanted);
    else
        tg_demand_failed(d, op, status == TG_ERR_INVALID ? TG_PROBLEM_ILLEGAL : TG_PROBLEM_MISMATCH,
                         what, &diags);
    tg_diags_free(&diags);
    return fits;
}

/* ---- operands in shared memory ---- */

/* A matrix in shared memory, (mn, k), in parts that an instruction takes: `rows` by 32 bytes of k. */
typedef struct shared_matrix {
    tg_axe axe;
    int64_t mn, k, rows;
    int bytes; /* of an element */
    bool is_of_tcgen05;
    bool is_unknown; /* set where a part is contiguous along MN in a way that is not known here */
} shared_matrix;

static tg_status check_part(shared_matrix *s, int64_t row, int64_t column, tg_diags *diags)
{
    enum { STEP_BYTES = 32 };
    const int64_t step = STEP_BYTES / s->bytes;
    const tg_shape shape = {.rank = 2, .extent = {s->mn, s->k}},
                   first = {.rank = 2, .extent = {row, column}},
                   extent = {.rank = 2, .extent = {s->rows, step}};
    tg_axe part, canonical;
    tg_descriptor descriptor;
    TG_TRY(tg_axe_slice(&s->axe, &shape, &first, &extent, &part, diags));
    tg_axe_copy(&part, &canonical);
    tg_axe_canonize(&canonical);
    const tg_iter *last = canonical.d.count ? &canonical.d.list[canonical.d.count - 1] : NULL;
    const bool is_mn_major = last && last->stride != 1;
    s->is_unknown = is_mn_major && s->bytes != 2 && s->is_of_tcgen05;
    if (s->is_unknown)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "what is contiguous along MN is known of elements of 2 bytes only");
    return tg_descriptor_derive(&part, s->rows, step, s->bytes, is_mn_major, &descriptor, diags);
}

static tg_status check_parts(shared_matrix *s, tg_diags *diags)
{
    for (int64_t row = 0; row < s->mn; row += s->rows)
        for (int64_t column = 0; column < s->k; column += 32 / s->bytes)
            TG_TRY(check_part(s, row, column, diags));
    return TG_OK;
}

static void tell_memory(tg_demands *d, const tg_op *op, const char *what, const tg_axe *axe,
                        tg_diags *diags)
{
    tg_text text = {0};
    tg_axe canonical;
    tg_axe_copy(axe, &canonical);
    tg_axe_canonize(&canonical);
    tg_axe_print(&canonical, &text);
    char *layout = tg_text_finish(&text);
    if (layout)
        tg_problem_tell(d->problems, TG_PROBLEM_MISMATCH, op,
                        "%s of %s is in memory as %s, which no descriptor of matrices gives: %s",
                        what, tg_ops[op->code].name, layout,
                        diags->count ? diags->list[0].message : "memory ran out");
    else
        d->problems->failed = true;
    free(layout);
}

/* Finds the memory of an operand that is a reference or was loaded; of others nothing is known.  Returns
 * whether it is known, and tells if no layout says where it is. */
static bool find_memory(tg_demands *d, const tg_op *op, uint32_t operand, tg_memory *out)
{
    const tg_value_id v = op->in[operand];
    const bool is_ref = tg_type_of(d->held.kernel, v)->is_ref;
    const tg_op *load = d->held.made_by[v];
    tg_diags diags = {0};
    if (!is_ref && (!load || load->code != TG_OP_load)) return false;
    const bool is_found = (is_ref ? tg_memory_find(&d->held, v, out, &diags)
                                  : tg_memory_accessed(&d->held, load, out, &diags)) == TG_OK;
    if (!is_found) tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, operand_names[operand], &diags);
    tg_diags_free(&diags);
    return is_found;
}

/* Checks matrix A or B, in shared memory. */
static void check_memory(tg_demands *d, const tg_op *op, tg_matrix matrix, int64_t rows)
{
    const tg_kernel *k = d->held.kernel;
    const tg_matrix_product p = tg_matrix_product_of(k, op);
    const uint32_t operand = operand_of(op, matrix);
    const tg_type *type = tg_type_of(k, op->in[operand]);
    const char *what = operand_names[operand];
    const int dim_of_k = matrix == TG_MATRIX_A ? p.k_of_a : p.k_of_b;
    const int64_t elements_along_k = type->shape[dim_of_k]; /* a sparse A has fewer than B */
    tg_diags diags = {0};
    tg_memory memory;
    if (!find_memory(d, op, operand, &memory)) return;
    if (p.bits < 8) {
        tg_fail(&diags, TG_ERR_UNSUPPORTED, NULL, "its elements are of less than a byte");
        tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, what, &diags);
    } else if (memory.space && strcmp(memory.space, "smem") != 0) {
        tg_problem_tell(d->problems, TG_PROBLEM_ILLEGAL, op,
                        "%s of %s is in memory space %s; the instruction takes it from smem", what,
                        tg_ops[op->code].name, memory.space);
    } else {
        shared_matrix s = {.mn = matrix == TG_MATRIX_A ? p.m : p.n,
                           .k = elements_along_k,
                           .rows = rows,
                           .bytes = tg_dtypes[type->dtype].bytes,
                           .is_of_tcgen05 = is_instruction(op, "tcgen05")};
        tg_status status = TG_OK;
        if (dim_of_k == 0)
            status = exchange(&memory.address, elements_along_k, s.mn, &s.axe, &diags);
        else
            tg_axe_copy(&memory.address, &s.axe);
        if (status == TG_OK) status = check_parts(&s, &diags);
        if (s.is_unknown)
            tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, what, &diags);
        else if (status != TG_OK)
            tell_memory(d, op, what, &memory.address, &diags);
    }
    tg_diags_free(&diags);
}

static bool is_in_registers(const tg_demands *d, tg_value_id v)
{
    return d->held.layout[v] != NULL;
}

/* A may be there. */
static bool is_in_tensor_memory(const tg_demands *d, tg_value_id v)
{
    const tg_axe *axe = d->held.layout[v];
    return axe && (tg_axe_span(axe, TG_AXIS_TLane) > 1 || tg_axe_span(axe, TG_AXIS_TCol) > 1);
}

static void refuse_registers(tg_demands *d, const tg_op *op, uint32_t operand)
{
    tg_problem_tell(d->problems, TG_PROBLEM_ILLEGAL, op,
                    "operand %" PRIu32 " of %s is in registers; the instruction takes it from smem",
                    operand, tg_ops[op->code].name);
}

/* ---- instructions ---- */

/* Tells each rule that is broken. */
static void tell_rules(tg_demands *d, const tg_op *op, tg_diags *diags)
{
    for (size_t i = 0; i < diags->count; i++)
        tg_problem_tell(d->problems, TG_PROBLEM_ILLEGAL, op, "%s: %s", tg_ops[op->code].name,
                        diags->list[i].message);
    tg_diags_free(diags);
}

static void check_mma(tg_demands *d, const tg_op *op)
{
    /* What operands must be follows from D. */
    if (!check_registers(d, op, TG_MATRIX_D)) return;
    for (int i = 0; i < 2; i++)
        if (is_in_registers(d, op->in[i])) check_registers(d, op, i ? TG_MATRIX_B : TG_MATRIX_A);
}

enum { WGMMA_ROWS = 64 };

/* Tells the sizes that no wgmma has.  Returns whether there is one. */
static bool check_wgmma_sizes(tg_demands *d, const tg_op *op, bool a_in_registers)
{
    const tg_matrix_product p = tg_matrix_product_of(d->held.kernel, op);
    const tg_wgmma_operand fine = {.swizzle = 128, .tile_rows = 8, .tile_columns = 1024 / p.bits};
    tg_wgmma wgmma = {.m = p.m, .n = p.n, .k = p.k, .bits = p.bits, .is_integer = p.is_integer};
    tg_diags diags = {0};
    wgmma.a = wgmma.b = fine; /* operands are checked by their layouts */
    wgmma.a.in_registers = a_in_registers;
    if (tg_wgmma_check(&wgmma, true, &diags) == TG_OK) return true;
    tell_rules(d, op, &diags);
    return false;
}

static void check_wgmma(tg_demands *d, const tg_op *op)
{
    const bool a_in_registers = is_in_registers(d, op->in[0]);
    if (!check_wgmma_sizes(d, op, a_in_registers)) return;
    const bool d_fits = check_registers(d, op, TG_MATRIX_D);
    if (a_in_registers && d_fits)
        check_registers(d, op, TG_MATRIX_A);
    else if (!a_in_registers)
        check_memory(d, op, TG_MATRIX_A, WGMMA_ROWS);
    if (is_in_registers(d, op->in[1]))
        refuse_registers(d, op, 1);
    else
        check_memory(d, op, TG_MATRIX_B, tg_matrix_product_of(d->held.kernel, op).n);
}

/* A wgmma beside the threads: nothing says which registers the sum is in, nor A if it is a value. */
static void check_started(tg_demands *d, const tg_op *op)
{
    const tg_kernel *k = d->held.kernel;
    const bool a_in_registers = !tg_type_of(k, op->in[operand_of(op, TG_MATRIX_A)])->is_ref;
    if (!check_wgmma_sizes(d, op, a_in_registers)) return;
    if (!a_in_registers) check_memory(d, op, TG_MATRIX_A, WGMMA_ROWS);
    check_memory(d, op, TG_MATRIX_B, tg_matrix_product_of(k, op).n);
}

/* ---- tensor memory ---- */

/* Whether the layout is that of an accumulator of m rows, in the lanes of one of its datapaths. */
static tg_status is_datapath(const tg_axe *axe, const char *letters, int64_t columns, bool *is,
                             tg_diags *diags)
{
    for (const char *letter = letters; *letter && !*is; letter++)
        for (int half = 0; half < 2 && !*is; half++) {
            tg_axe path;
            if (tg_datapath_to_axe(*letter, columns, half, &path, NULL) != TG_OK) continue;
            path.offset[TG_AXIS_TCol] = axe->offset[TG_AXIS_TCol];
            TG_TRY(tg_axe_equal(axe, &path, is, diags));
        }
    return TG_OK;
}

static void check_accumulator(tg_demands *d, const tg_op *op, const tg_matrix_product *p)
{
    const tg_axe *axe = d->held.layout[op->out[0]];
    const char *letters = p->m == 128 ? "D" : p->m == 64 ? "EF" : "G";
    bool is = false;
    tg_diags diags = {0};
    tg_text text = {0};
    if (is_datapath(axe, letters, p->n, &is, &diags) != TG_OK)
        tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, "the result", &diags);
    tg_axe_print(axe, &text);
    char *layout = tg_text_finish(&text);
    if (!layout)
        d->problems->failed = true;
    else if (!is && !diags.count)
        tg_problem_tell(d->problems, TG_PROBLEM_MISMATCH, op,
                        "the result of %s is in tensor memory as %s; an accumulator of %" PRId64
                        " rows is there as datapath %s has it",
                        tg_ops[op->code].name, layout, p->m, p->m == 64 ? "E or F" : letters);
    free(layout);
    tg_diags_free(&diags);
}

/* Tells the sizes that no tcgen05.mma has.  Returns whether there is one. */
static bool check_tcgen05_sizes(tg_demands *d, const tg_op *op)
{
    const tg_matrix_product p = tg_matrix_product_of(d->held.kernel, op);
    const tg_tcgen05 mma = {.of = TG_TCGEN05_OF_MMA,
                            .ctas = 1,
                            .m = p.m,
                            .n = p.n,
                            .k = p.k,
                            .bits = p.bits,
                            .is_integer = p.is_integer};
    tg_diags diags = {0};
    if (tg_tcgen05_check(&mma, true, &diags) == TG_OK) return true;
    tell_rules(d, op, &diags);
    return false;
}

static void check_tcgen05(tg_demands *d, const tg_op *op)
{
    const tg_matrix_product p = tg_matrix_product_of(d->held.kernel, op);
    if (!check_tcgen05_sizes(d, op)) return;
    check_accumulator(d, op, &p);
    for (uint32_t i = 0; i < 2; i++)
        if (i == 0 && is_in_tensor_memory(d, op->in[i]))
            continue;
        else if (is_in_registers(d, op->in[i]))
            refuse_registers(d, op, i);
        else
            check_memory(d, op, i ? TG_MATRIX_B : TG_MATRIX_A, i == 0 ? p.m : p.n);
}

static bool is_in_space(const tg_demands *d, tg_value_id ref, const char *space)
{
    tg_memory memory;
    const bool is_found = tg_memory_find(&d->held, ref, &memory, NULL) == TG_OK;
    return is_found && memory.space && strcmp(memory.space, space) == 0;
}

/* A product of tcgen05 beside the threads: the sum and perhaps A are in tensor memory, where nothing says
 * how. */
static void check_started_tcgen05(tg_demands *d, const tg_op *op)
{
    const tg_matrix_product p = tg_matrix_product_of(d->held.kernel, op);
    const tg_value_id a = op->in[operand_of(op, TG_MATRIX_A)];
    if (!check_tcgen05_sizes(d, op)) return;
    if (!tg_type_of(d->held.kernel, a)->is_ref)
        refuse_registers(d, op, operand_of(op, TG_MATRIX_A));
    else if (!is_in_space(d, a, "tmem"))
        check_memory(d, op, TG_MATRIX_A, p.m);
    check_memory(d, op, TG_MATRIX_B, p.n);
}

void tg_product_check(tg_demands *d, const tg_op *op)
{
    if (op->code == TG_OP_dot_start && is_instruction(op, "wgmma"))
        check_started(d, op);
    else if (op->code == TG_OP_dot_start)
        check_started_tcgen05(d, op);
    else if (is_instruction(op, "mma"))
        check_mma(d, op);
    else if (is_instruction(op, "wgmma"))
        check_wgmma(d, op);
    else if (is_instruction(op, "tcgen05"))
        check_tcgen05(d, op);
}
