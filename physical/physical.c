#include "physical/physical.h"

#include <stdlib.h>

#include "ir/build.h"
#include "ir/first_use.h"
#include "layout/address.h"
#include "layout/canonical.h"
#include "physical/alias_order.h"
#include "physical/held.h"
#include "physical/products.h"
#include "physical/registers.h"

/* Values keep their numbers: what a kernel calls v is the result of an op that is added, whose operand
 * is a new value for what v was. */
typedef struct rewriter {
    const tg_module *module;
    const tg_kernel *from;
    tg_build to;
    tg_held held;    /* of `from` */
    uint32_t *owner; /* per reference: the param whose block is copied; NO_OWNER: none */
    tg_status status;
    tg_diags *diags;
} rewriter;

enum { NO_OWNER = UINT32_MAX };

/* ---- what has a layout ---- */

static bool is_copied(const tg_param *param)
{
    return param->layout && (param->role == TG_ROLE_INPUT || param->role == TG_ROLE_OUTPUT);
}

/* Memory as long as the layout reaches.  The verifier has made sure that it can be. */
static tg_type flat_type(tg_dtype dtype, const tg_axe *address, bool is_ref)
{
    return (tg_type){.dtype = dtype, .is_ref = is_ref, .rank = 1, .shape = {tg_axe_reach(address)}};
}

static void address_of(const tg_type *type, const tg_axe *layout, tg_axe *out)
{
    tg_axe_address(layout, tg_dtypes[type->dtype].bits, out, NULL);
}

/* ---- ops that are added ---- */

/* Makes `view` a reference to the memory through the layout, which is one of addresses. */
static void add_view(rewriter *w, tg_value_id memory, tg_value_id view, const tg_axe *address)
{
    tg_build_in(&w->to, memory);
    tg_build_out(&w->to, view);
    tg_build_op(&w->to, TG_OP_view_layout);
    tg_build_place(&w->to, view, NULL, address);
}

static tg_value_id add_new_view(rewriter *w, tg_value_id memory, const tg_type *type,
                                const tg_axe *address)
{
    const tg_value_id view = tg_build_value(&w->to, type);
    add_view(w, memory, view, address);
    return view;
}

static tg_value_id add_load(rewriter *w, tg_value_id ref)
{
    tg_type type = tg_build_type(&w->to, ref);
    type.is_ref = false;
    tg_build_in(&w->to, ref);
    tg_build_whole(&w->to, ref);
    return tg_build_result(&w->to, TG_OP_load, &type);
}

static void add_store(rewriter *w, tg_value_id ref, tg_value_id value)
{
    tg_build_in(&w->to, ref);
    tg_build_in(&w->to, value);
    tg_build_whole(&w->to, ref);
    tg_build_op(&w->to, TG_OP_store);
}

static tg_value_id add_memory(rewriter *w, tg_dtype dtype, const tg_axe *address)
{
    const tg_type type = flat_type(dtype, address, true);
    return tg_build_result(&w->to, TG_OP_alloc, &type);
}

/* ---- values in registers ---- */

static tg_value_id add_reshape(rewriter *w, tg_value_id value, const tg_type *type)
{
    tg_build_in(&w->to, value);
    return tg_build_result(&w->to, TG_OP_reshape, type);
}

/* Repeats a block of one dimension for each copy, in front. */
static tg_value_id add_repeat(rewriter *w, tg_value_id value, int64_t copies)
{
    static const int64_t last = 1;
    tg_type type = tg_build_type(&w->to, value);
    type.rank = 2;
    type.shape[1] = type.shape[0];
    type.shape[0] = copies;
    tg_build_in(&w->to, value);
    tg_build_ints(&w->to, TG_ATTR_dims, &last, 1);
    return tg_build_result(&w->to, TG_OP_broadcast_in_dim, &type);
}

/* A reference to all copies of a block of `count` elements: (copies, count). */
static tg_value_id add_copies_view(rewriter *w, tg_value_id file, tg_dtype dtype, int64_t count,
                                   const tg_axe *address)
{
    tg_axe copies;
    const tg_type type = {
        .dtype = dtype, .is_ref = true, .rank = 2, .shape = {tg_iters_size(&address->r), count}};
    tg_axe_with_copies(address, &copies);
    return add_new_view(w, file, &type, &copies);
}

static tg_value_id add_bits(rewriter *w, tg_value_id value)
{
    static const tg_dtype of_bits[] = {
        [4] = TG_DT_u4, [8] = TG_DT_u8, [16] = TG_DT_u16, [32] = TG_DT_u32, [64] = TG_DT_u64};
    tg_type type = tg_build_type(&w->to, value);
    if (!tg_is_float(type.dtype)) return value;
    type.dtype = of_bits[tg_dtypes[type.dtype].bits];
    tg_build_in(&w->to, value);
    return tg_build_result(&w->to, TG_OP_bitcast, &type);
}

/* Reads a block from all its copies: where they differ, it is undefined. */
static tg_value_id add_load_of_copies(rewriter *w, tg_value_id file, const tg_type *row,
                                      const tg_axe *address)
{
    static const int64_t copies_axis = 0;
    const int64_t copies = tg_iters_size(&address->r);
    tg_type ref = *row, flags = *row;
    tg_axe first;
    ref.is_ref = true;
    flags.dtype = TG_DT_bool;
    tg_axe_copy(address, &first);
    first.r.count = 0;
    const tg_value_id one = add_load(w, add_new_view(w, file, &ref, &first));
    if (copies == 1) return one;
    const tg_value_id all =
        add_load(w, add_copies_view(w, file, row->dtype, row->shape[0], address));
    const tg_value_id differs =
        tg_build_2(&w->to, TG_OP_ne, add_bits(w, all), add_bits(w, add_repeat(w, one, copies)));
    tg_build_in(&w->to, differs);
    tg_build_ints(&w->to, TG_ATTR_axes, &copies_axis, 1);
    const tg_value_id any = tg_build_result(&w->to, TG_OP_reduce_or, &flags);
    const tg_value_id undefined = tg_build_result(&w->to, TG_OP_undefined, row);
    return tg_build_select(&w->to, any, one, undefined);
}

/* Sends a value through registers: it goes where `to` says, to all copies, and is read from where `from`
 * says.  The result, in the shape of the value, gets the number `out`. */
static void add_through_registers(rewriter *w, tg_value_id value, tg_value_id out, const tg_axe *to,
                                  const tg_axe *from)
{
    const tg_type type = tg_build_type(&w->to, value);
    const tg_type row = {.dtype = type.dtype, .rank = 1, .shape = {tg_type_count(&type)}};
    tg_axe canonical[2], address[2], longest;
    tg_register_file registers;
    tg_register_file_begin(&registers);
    for (int i = 0; i < 2; i++) {
        tg_axe_copy(i ? from : to, &canonical[i]);
        tg_axe_canonize(&canonical[i]);
        tg_register_file_add(&registers, &canonical[i]);
    }
    for (int i = 0; i < 2; i++) tg_axe_in_registers(&canonical[i], &registers, &address[i]);
    tg_axe_copy(&address[tg_axe_reach(&address[0]) < tg_axe_reach(&address[1])], &longest);
    const tg_value_id file = add_memory(w, type.dtype, &longest);
    add_store(w, add_copies_view(w, file, type.dtype, row.shape[0], &address[0]),
              add_repeat(w, add_reshape(w, value, &row), tg_iters_size(&address[0].r)));
    tg_build_in(&w->to, add_load_of_copies(w, file, &row, &address[1]));
    tg_build_out(&w->to, out);
    tg_build_op(&w->to, TG_OP_reshape);
}

/* ---- what a physical run cannot stand for ---- */

/* `kind` is what is named: "param" or "op". */
static void refuse(rewriter *w, const tg_op *at, const char *kind, const char *name,
                   const char *why)
{
    const tg_loc *loc = &w->module->locs[at ? at->loc : w->from->loc];
    if (w->status != TG_OK) return;
    w->status = tg_fail(w->diags, TG_ERR_UNSUPPORTED, NULL, "%s:%lld: kernel %s, %s %s: %s",
                        loc->file[0] ? loc->file : "(unknown place)", (long long)loc->line,
                        w->from->name, kind, name, why);
}

static void refuse_param(rewriter *w, const tg_op *at, const tg_param *param, const char *why)
{
    refuse(w, at, "param", param->name, why);
}

static void check_access(rewriter *w, const tg_op *op, uint32_t operand)
{
    const uint32_t owner = w->owner[op->in[operand]];
    /* A wait asks only how many bytes its first operand has. */
    if (owner == NO_OWNER || (op->code == TG_OP_dma_wait && operand == 0)) return;
    const tg_param *param = &w->from->params[owner];
    const unsigned effects = tg_op_effects_on(op, operand);
    if (effects & TG_TRAIT_ATOMIC)
        refuse_param(w, op, param, "an atomic op on a block that each program has a copy of");
    else if ((effects & TG_TRAIT_WRITES) && param->role == TG_ROLE_INPUT)
        refuse_param(w, op, param, "a write to an input that each program has a copy of");
}

/* Where one name has a copy of the block, writes by the other name do not reach it. */
static void check_alias(rewriter *w, uint32_t output)
{
    const tg_param *param = &w->from->params[output];
    const tg_op *stale;
    if (param->alias < 0 || !(is_copied(param) || is_copied(&w->from->params[param->alias])))
        return;
    if (tg_alias_find_stale(w->from, output, &stale) != TG_OK)
        w->status = tg_no_memory(w->diags);
    else if (stale)
        refuse_param(w, stale, param,
                     "memory that is written by one of its two names, and then used by the other, "
                     "which has a copy of the block from before");
}

/* ---- ops and regions ---- */

static void copy_region(rewriter *w, const tg_region *region);

static void copy_regions(rewriter *w, const tg_op *op)
{
    for (uint32_t r = 0; r < op->region_count; r++) {
        tg_build_open(&w->to);
        copy_region(w, &op->regions[r]);
        for (uint32_t i = 0; i < op->regions[r].yield_count; i++)
            tg_build_yield(&w->to, op->regions[r].yields[i]);
        tg_build_region(&w->to, tg_build_close(&w->to));
        w->to.loc = op->loc;
    }
}

static const tg_axe *layout_of(const rewriter *w, tg_value_id v)
{
    return w->from->values[v].layout;
}

/* Memory with a layout, of an op or of a region: a new value stands for the memory. */
static tg_value_id new_memory_of(rewriter *w, tg_value_id v, tg_axe *address)
{
    const tg_type *type = &w->from->values[v].type;
    address_of(type, layout_of(w, v), address);
    const tg_type flat = flat_type(type->dtype, address, true);
    const tg_value_id memory = tg_build_value(&w->to, &flat);
    tg_build_place(&w->to, memory, w->from->values[v].space, NULL);
    return memory;
}

static void copy_alloc(rewriter *w, const tg_op *op)
{
    tg_axe address;
    const tg_value_id memory = new_memory_of(w, op->out[0], &address);
    tg_build_out(&w->to, memory);
    tg_build_attrs_of(&w->to, op);
    tg_build_op(&w->to, op->code);
    add_view(w, memory, op->out[0], &address);
}

static void copy_cast(rewriter *w, const tg_op *op)
{
    const tg_axe *layout = layout_of(w, op->out[0]);
    add_through_registers(w, op->in[0], op->out[0], layout, layout);
}

/* The operand that the instruction takes from registers: from those that it wants, whatever the value is
 * in; `operand` where it takes it from memory, or where nothing says in which registers it is. */
static tg_value_id add_operand(rewriter *w, const tg_op *op, uint32_t operand)
{
    const tg_axe *is = w->held.layout[op->in[operand]];
    tg_axe wanted;
    tg_diags diags = {0};
    bool takes = false;
    if (is && tg_product_takes(w->from, op, operand, is, &takes, &wanted, &diags) != TG_OK) {
        if (!diags.count || diags.worst == TG_ERR_NO_MEMORY)
            w->status = tg_no_memory(w->diags);
        else
            refuse(w, op, "op", tg_ops[op->code].name, diags.list[0].message);
    }
    tg_diags_free(&diags);
    if (!takes || w->status != TG_OK) return op->in[operand];
    const tg_type type = tg_build_type(&w->to, op->in[operand]);
    const tg_value_id taken = tg_build_value(&w->to, &type);
    add_through_registers(w, op->in[operand], taken, is, &wanted);
    return taken;
}

static void copy_product(rewriter *w, const tg_op *op)
{
    const tg_value_id in[] = {add_operand(w, op, 0), add_operand(w, op, 1)};
    for (int i = 0; i < 2; i++) tg_build_in(&w->to, in[i]);
    tg_build_out(&w->to, op->out[0]);
    tg_build_attrs_of(&w->to, op);
    tg_build_op(&w->to, op->code);
}

static void copy_op(rewriter *w, const tg_op *op)
{
    w->to.loc = op->loc;
    for (uint32_t i = 0; i < tg_op_refs_of(op); i++) check_access(w, op, i);
    if (tg_is_view_op(op->code)) w->owner[op->out[0]] = w->owner[op->in[0]];
    if (op->code == TG_OP_alloc && layout_of(w, op->out[0])) {
        copy_alloc(w, op);
        return;
    }
    if (op->code == TG_OP_layout_cast) {
        copy_cast(w, op);
        return;
    }
    if (op->code == TG_OP_dot_general && tg_op_attr(op, TG_ATTR_instruction)) {
        copy_product(w, op);
        return;
    }
    copy_regions(w, op);
    for (uint32_t i = 0; i < op->in_count; i++) tg_build_in(&w->to, op->in[i]);
    for (uint32_t i = 0; i < op->out_count; i++) tg_build_out(&w->to, op->out[i]);
    tg_build_attrs_of(&w->to, op);
    tg_build_op(&w->to, op->code);
}

/* Arguments that are references with a layout are those of `scoped`. */
static void copy_arguments(rewriter *w, const tg_region *region)
{
    tg_axe address;
    for (uint32_t a = 0; a < region->arg_count; a++) {
        const tg_value_id v = region->args[a];
        const bool is_memory = w->from->values[v].type.is_ref && layout_of(w, v);
        const tg_value_id memory = is_memory ? new_memory_of(w, v, &address) : v;
        tg_build_arg(&w->to, memory);
        if (is_memory) add_view(w, memory, v, &address);
    }
}

static void copy_ops(rewriter *w, const tg_region *region)
{
    for (uint32_t i = 0; i < region->op_count && w->status == TG_OK; i++)
        copy_op(w, &region->ops[i]);
}

static void copy_region(rewriter *w, const tg_region *region)
{
    copy_arguments(w, region);
    copy_ops(w, region);
}

/* ---- params ---- */

/* The value that the body has for a param: of one with a layout, a new value, and the old one is a
 * view of the memory. */
static tg_value_id add_param(rewriter *w, const tg_param *from, tg_value_id ref)
{
    tg_param param = *from;
    tg_axe address;
    if (!param.layout) {
        tg_build_param_as(&w->to, &param, ref);
        return ref;
    }
    if (param.role == TG_ROLE_SCRATCH) {
        address_of(&param.ref, param.layout, &address);
        param.array = flat_type(param.array.dtype, &address, false);
    }
    param.layout = NULL;
    return tg_build_param(&w->to, &param);
}

static bool is_overwritten(const tg_kernel *kernel, tg_value_id ref)
{
    const tg_op *first = tg_region_first_use(&kernel->body, 0, &ref, 1);
    return first && tg_op_overwrites(kernel, first, ref);
}

/* Makes the old value of a param a view: of the memory, or of a copy of the block, unless nobody sees
 * what it is at first. */
static void begin_param(rewriter *w, const tg_param *param, tg_value_id memory, tg_value_id ref)
{
    tg_axe address;
    if (!param->layout) return;
    address_of(&param->ref, param->layout, &address);
    if (!is_copied(param)) {
        add_view(w, memory, ref, &address);
        return;
    }
    const bool is_seen = !is_overwritten(w->from, ref);
    add_view(w, add_memory(w, param->ref.dtype, &address), ref, &address);
    if (is_seen) add_store(w, ref, add_load(w, memory));
}

static void end_param(rewriter *w, const tg_param *param, tg_value_id memory, tg_value_id ref)
{
    if (is_copied(param) && param->role == TG_ROLE_OUTPUT) add_store(w, memory, add_load(w, ref));
}

/* ---- kernels ---- */

static void begin_kernel(rewriter *w)
{
    const tg_kernel *k = w->from;
    tg_build_kernel(&w->to, k->name);
    for (int a = 0; a < k->axis_count; a++) tg_build_axis(&w->to, &k->axes[a]);
    if (w->to.kernel) {
        w->to.kernel->loc = k->loc;
        w->to.kernel->dialect = k->dialect;
        w->to.kernel->logical = k;
    }
    w->to.loc = k->loc;
    for (uint32_t v = 0; v < k->value_count; v++) {
        tg_build_value(&w->to, &k->values[v].type);
        tg_build_place(&w->to, v, k->values[v].space, k->values[v].layout);
        w->owner[v] = NO_OWNER;
    }
}

/* `memory`: room for a value per param. */
static void rewrite_kernel(rewriter *w, tg_value_id *memory)
{
    const tg_kernel *k = w->from;
    const tg_value_id *refs = k->body.args;
    begin_kernel(w);
    for (uint32_t p = 0; p < k->param_count; p++) {
        memory[p] = add_param(w, &k->params[p], refs[p]);
        check_alias(w, p);
        if (!is_copied(&k->params[p])) continue;
        w->owner[refs[p]] = p;
        if (tg_kernel_threads(k) > 1)
            refuse_param(w, NULL, &k->params[p],
                         "threads that share a block, of which each has a copy");
    }
    for (uint32_t p = 0; p < k->param_count; p++) begin_param(w, &k->params[p], memory[p], refs[p]);
    copy_ops(w, &k->body);
    w->to.loc = k->loc;
    for (uint32_t p = 0; p < k->param_count; p++) end_param(w, &k->params[p], memory[p], refs[p]);
    if (w->status == TG_OK) tg_build_kernel_end(&w->to);
}

static void rewrite(rewriter *w, const tg_kernel *kernel)
{
    tg_value_id *memory = calloc((size_t)kernel->param_count + 1, sizeof *memory);
    w->owner = calloc((size_t)kernel->value_count + 1, sizeof *w->owner);
    w->from = kernel;
    if (tg_held_find(kernel, &w->held) == TG_OK && memory && w->owner)
        rewrite_kernel(w, memory);
    else
        w->status = tg_no_memory(w->diags);
    tg_held_free(&w->held);
    free(memory);
    free(w->owner);
}

tg_status tg_physical_new(const tg_module *module, tg_module **out, tg_diags *diags)
{
    rewriter w = {.module = module, .diags = diags};
    *out = NULL;
    tg_build_begin(&w.to);
    for (uint32_t l = 1; l < module->loc_count; l++) tg_build_loc(&w.to, &module->locs[l]);
    for (uint32_t k = 0; k < module->kernel_count && w.status == TG_OK; k++)
        rewrite(&w, &module->kernels[k]);
    if (w.status == TG_OK)
        *out = tg_build_finish(&w.to);
    else
        tg_build_drop(&w.to);
    if (w.status == TG_OK && !*out) w.status = tg_no_memory(diags);
    return w.status;
}
