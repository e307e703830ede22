/* The verifier from the module down to the regions: kernels, axes, params, block mappings. */
#include "verify/impl.h"

#include <inttypes.h>
#include <string.h>

/* Program ids reach index maps as i32. */
#define MOST_PROGRAMS_PER_AXIS INT32_MAX
#define MOST_PROGRAMS ((int64_t)1 << 62)

static bool same_text(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

/* -- grid -- */

static void check_axis_name(const tg_check *check, int axis)
{
    const tg_axis *axes = check->kernel->axes;
    for (int earlier = 0; earlier < axis; earlier++)
        if (same_text(axes[earlier].name, axes[axis].name))
            tg_illegal(check, "the name \"%s\" is that of axis %d already", axes[axis].name,
                       earlier);
}

static void check_grid(const tg_check *check)
{
    const tg_kernel *k = check->kernel;
    tg_path grid = {check->at, "grid", 0};
    int64_t programs = 1;
    for (int a = 0; a < k->axis_count; a++) {
        const int64_t size = k->axes[a].size;
        tg_path here = {&grid, NULL, (size_t)a};
        tg_check at_axis = tg_check_at(check, &here);
        check_axis_name(&at_axis, a);
        if (size < -1 || size > MOST_PROGRAMS_PER_AXIS) {
            tg_illegal(&at_axis, "size is %" PRId64 ", but must be \"dynamic\" or between 0 and %d",
                       size, MOST_PROGRAMS_PER_AXIS);
            continue;
        }
        if (size > 0 && programs > MOST_PROGRAMS / size) {
            tg_check at_grid = tg_check_at(check, &grid);
            tg_illegal(&at_grid, "has more than 2^62 programs");
            return;
        }
        programs *= size > 0 ? size : 1;
    }
}

/* -- params -- */

static bool has_block_mapping(tg_role role)
{
    return role == TG_ROLE_INPUT || role == TG_ROLE_OUTPUT;
}

static void check_role(const tg_check *check, uint32_t index)
{
    const tg_param *params = check->kernel->params, *p = &params[index];
    if (index > 0 && p->role < params[index - 1].role)
        tg_illegal(check,
                   "role %s follows role %s, but the order is prefetch, input, output, scratch",
                   tg_role_names[p->role], tg_role_names[params[index - 1].role]);
    if (tg_is_semaphore(p->array.dtype) && p->role != TG_ROLE_SCRATCH)
        tg_mistyped(check, "role %s takes no semaphores; only scratch does",
                    tg_role_names[p->role]);
    if (has_block_mapping(p->role)) return;
    if (p->has_block) tg_illegal(check, "role %s takes no block", tg_role_names[p->role]);
    if (p->index_map) tg_illegal(check, "role %s takes no index_map", tg_role_names[p->role]);
}

static void check_name(const tg_check *check, uint32_t index)
{
    const tg_param *params = check->kernel->params;
    for (uint32_t earlier = 0; earlier < index; earlier++)
        if (same_text(params[earlier].name, params[index].name)) {
            tg_illegal(check, "the name \"%s\" is that of param %" PRIu32 " already",
                       params[index].name, earlier);
            return;
        }
}

static void check_alias(const tg_check *check, uint32_t index)
{
    const tg_param *params = check->kernel->params, *p = &params[index];
    if (p->alias < 0) return;
    if (p->role != TG_ROLE_OUTPUT) {
        tg_illegal(check, "role %s takes no alias; only outputs do", tg_role_names[p->role]);
        return;
    }
    if ((uint32_t)p->alias >= check->kernel->param_count || params[p->alias].role > TG_ROLE_INPUT) {
        tg_illegal(check, "alias must be an input or prefetch param");
        return;
    }
    const tg_param *shared = &params[p->alias];
    if (!tg_same_type(&p->array, &shared->array))
        tg_mistyped(check, "the array is %s, but its alias \"%s\" is %s", tg_show(&p->array).text,
                    shared->name ? shared->name : "", tg_show(&shared->array).text);
    for (uint32_t earlier = 0; earlier < index; earlier++)
        if (params[earlier].role == TG_ROLE_OUTPUT && params[earlier].alias == p->alias)
            tg_illegal(check, "param %" PRIu32 " is aliased to the same param already", earlier);
}

static bool check_block_dim(const tg_check *check, const tg_block_dim *dim)
{
    const bool padded = dim->pad_low != 0 || dim->pad_high != 0;
    bool ok = true;
    if (dim->size < 1 || dim->size > TG_MOST_ELEMENTS)
        ok = tg_illegal(check, "the block size is %" PRId64 ", but must be between 1 and 2^47",
                        dim->size);
    else if (dim->kind == TG_BLOCK_SQUEEZED && dim->size != 1)
        ok = tg_illegal(check, "the size of a squeezed dimension is %" PRId64 ", but must be 1",
                        dim->size);
    if (padded && dim->kind != TG_BLOCK_ELEMENT)
        ok = tg_illegal(check, "only an element dimension takes padding");
    if (dim->pad_low < 0 || dim->pad_high < 0 || dim->pad_low > TG_MOST_ELEMENTS ||
        dim->pad_high > TG_MOST_ELEMENTS)
        ok = tg_illegal(check,
                        "the padding is [%" PRId64 ", %" PRId64 "], but must be between 0 and 2^47",
                        dim->pad_low, dim->pad_high);
    return ok;
}

static bool check_block(const tg_check *check, const tg_param *p)
{
    tg_path block = {check->at, "block", 0};
    bool ok = true;
    for (int d = 0; p->has_block && d < p->array.rank; d++) {
        tg_path here = {&block, NULL, (size_t)d};
        tg_check at_dim = tg_check_at(check, &here);
        ok &= check_block_dim(&at_dim, &p->block[d]);
    }
    return ok;
}

/* The reference to one block of the param's array. */
static tg_type block_ref(const tg_param *p)
{
    tg_type ref = {.dtype = p->array.dtype, .is_ref = true};
    for (int d = 0; d < p->array.rank; d++) {
        if (!p->has_block)
            ref.shape[ref.rank++] = p->array.shape[d];
        else if (p->block[d].kind != TG_BLOCK_SQUEEZED)
            ref.shape[ref.rank++] = p->block[d].size;
    }
    return ref;
}

/* Whether the body's argument is the reference that the block mapping gives. */
static void check_ref(const tg_check *check, uint32_t index, const tg_check *kernel_check)
{
    const tg_kernel *k = check->kernel;
    const tg_type expected = block_ref(&k->params[index]);
    if (!tg_type_is_sound(&expected)) {
        tg_illegal(check, "the block has more than 2^47 elements");
        return;
    }
    const tg_type *found =
        index < k->body.arg_count ? tg_type_of(k, k->body.args[index]) : &expected;
    if (!tg_same_type(found, &expected)) {
        tg_path body = {kernel_check->at, "body", 0}, args = {&body, "args", 0},
                here = {&args, NULL, index};
        tg_check at_arg = tg_check_at(check, &here);
        tg_mistyped(&at_arg,
                    "argument %" PRIu32 " is %s, but must be %s, the block of param \"%s\"", index,
                    tg_show(found).text, tg_show(&expected).text,
                    k->params[index].name ? k->params[index].name : "");
    } else if (!tg_same_type(&k->params[index].ref, &expected))
        tg_mistyped(check, "the ref is %s, but the block gives %s",
                    tg_show(&k->params[index].ref).text, tg_show(&expected).text);
}

/* -- index maps -- */

/* The arguments of every index map: the program ids, then the prefetch params. */
static void check_index_map_args(const tg_check *check, const tg_region *map)
{
    const tg_kernel *k = check->kernel;
    const uint32_t axes = (uint32_t)k->axis_count, refs = tg_param_count(k, TG_ROLE_PREFETCH);
    tg_path args = {check->at, "args", 0};
    if (map->arg_count != axes + refs) {
        tg_check at_args = tg_check_at(check, &args);
        tg_mistyped(&at_args,
                    "an index map here takes %" PRIu32 " arguments, one i32[] per axis and one ref "
                    "per prefetch param, but this one has %" PRIu32,
                    axes + refs, map->arg_count);
        return;
    }
    for (uint32_t i = 0; i < map->arg_count; i++) {
        const tg_type *found = tg_type_of(k, map->args[i]);
        /* Where the order of roles is right, the prefetch params come first. */
        const tg_type expected =
            i < axes ? (tg_type){.dtype = TG_DT_i32} : block_ref(&k->params[i - axes]);
        tg_path here = {&args, NULL, i};
        tg_check at_arg = tg_check_at(check, &here);
        if (!tg_same_type(found, &expected))
            tg_mistyped(&at_arg, "argument %" PRIu32 " is %s, but must be %s", i,
                        tg_show(found).text, tg_show(&expected).text);
    }
}

static void check_index_map_yields(const tg_check *check, const tg_param *p)
{
    const tg_region *map = p->index_map;
    tg_path yields = {check->at, "yield", 0};
    if (map->yield_count != (uint32_t)p->array.rank) {
        tg_check at_yields = tg_check_at(check, &yields);
        tg_mistyped(&at_yields, "yields %" PRIu32 " indices, but %s has %d dimensions",
                    map->yield_count, tg_show(&p->array).text, p->array.rank);
    }
    for (uint32_t i = 0; i < map->yield_count; i++) {
        const tg_type *found = tg_type_of(check->kernel, map->yields[i]);
        const bool fits = !found->is_ref && found->rank == 0 &&
                          (found->dtype == TG_DT_i32 || found->dtype == TG_DT_i64);
        tg_path here = {&yields, NULL, i};
        tg_check at_yield = tg_check_at(check, &here);
        if (!fits)
            tg_mistyped(&at_yield, "yield %" PRIu32 " is %s, but must be i32[] or i64[]", i,
                        tg_show(found).text);
    }
}

static void check_index_map(const tg_check *check, const tg_param *p)
{
    if (!p->index_map) return;
    tg_path here = {check->at, "index_map", 0};
    tg_check inside = tg_check_at(check, &here);
    inside.in_index_map = true;
    check_index_map_args(&inside, p->index_map);
    check_index_map_yields(&inside, p);
    tg_check_region(&inside, p->index_map);
}

/* -- kernels -- */

/* Whether all types can be used at all; no other check is safe before. */
static bool check_types(const tg_check *check)
{
    const tg_kernel *k = check->kernel;
    bool ok = true;
    for (uint32_t v = 0; v < k->value_count; v++)
        if (!tg_type_is_sound(&k->values[v].type))
            ok = tg_mistyped(check, "value %" PRId64 " has an impossible type", k->values[v].id);
        else if (!k->values[v].type.is_ref && tg_is_semaphore(k->values[v].type.dtype))
            ok = tg_mistyped(check, "value %" PRId64 " is %s, but semaphores are only in memory",
                             k->values[v].id, tg_show(&k->values[v].type).text);
    tg_path params = {check->at, "params", 0};
    for (uint32_t p = 0; p < k->param_count; p++) {
        tg_path here = {&params, NULL, p};
        tg_check at_param = tg_check_at(check, &here);
        if ((unsigned)k->params[p].role >= TG_ROLE_COUNT)
            ok = tg_illegal(&at_param, "has no known role");
        if (!tg_type_is_sound(&k->params[p].array) || !tg_type_is_sound(&k->params[p].ref))
            ok = tg_mistyped(&at_param, "has an impossible type");
        else if (k->params[p].array.is_ref)
            ok = tg_mistyped(&at_param, "the array is %s, but must not be a ref",
                             tg_show(&k->params[p].array).text);
    }
    return ok;
}

static void check_params(const tg_check *check)
{
    tg_path params = {check->at, "params", 0};
    for (uint32_t index = 0; index < check->kernel->param_count; index++) {
        const tg_param *p = &check->kernel->params[index];
        tg_path here = {&params, NULL, index};
        tg_check at_param = tg_check_at(check, &here);
        check_role(&at_param, index);
        check_name(&at_param, index);
        check_alias(&at_param, index);
        if (check_block(&at_param, p)) check_ref(&at_param, index, check);
        check_index_map(&at_param, p);
    }
}

static void check_body(const tg_check *check)
{
    const tg_kernel *k = check->kernel;
    tg_path body = {check->at, "body", 0};
    tg_check inside = tg_check_at(check, &body);
    if (k->body.arg_count != k->param_count)
        tg_mistyped(&inside,
                    "the body takes %" PRIu32 " arguments, but there are %" PRIu32 " params",
                    k->body.arg_count, k->param_count);
    if (k->body.yield_count != 0)
        tg_mistyped(&inside,
                    "the body yields %" PRIu32 " values, but must yield none; results are stored",
                    k->body.yield_count);
    tg_check_region(&inside, &k->body);
}

static void check_kernel_name(const tg_check *check, uint32_t index)
{
    const tg_kernel *kernels = check->module->kernels;
    for (uint32_t earlier = 0; earlier < index; earlier++)
        if (same_text(kernels[earlier].name, kernels[index].name)) {
            tg_illegal(check, "the name \"%s\" is that of kernel %" PRIu32 " already",
                       kernels[index].name, earlier);
            return;
        }
}

static void check_kernel(const tg_check *check, uint32_t index)
{
    const tg_kernel *k = check->kernel;
    check_kernel_name(check, index);
    if (k->loc >= check->module->loc_count)
        tg_illegal(check, "loc is %" PRIu32 ", but there are %" PRIu32 " locations", k->loc,
                   check->module->loc_count - 1);
    if (k->param_count > TG_MAX_OPERANDS) {
        tg_illegal(check, "has %" PRIu32 " params, more than %d", k->param_count, TG_MAX_OPERANDS);
        return;
    }
    if (k->axis_count < 0 || k->axis_count > TG_MAX_AXES) {
        tg_illegal(check, "has %d axes, more than %d", k->axis_count, TG_MAX_AXES);
        return;
    }
    if (!check_types(check)) return;
    check_grid(check);
    check_params(check);
    check_body(check);
}

static void check_module(const tg_module *module, tg_diags *diags)
{
    tg_path kernels = {NULL, "kernels", 0};
    if (module->kernel_count == 0)
        tg_fail(diags, TG_ERR_INVALID, &kernels, "there must be at least one kernel");
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        tg_path here = {&kernels, NULL, i};
        tg_check check = {
            .module = module, .kernel = &module->kernels[i], .at = &here, .diags = diags};
        check_kernel(&check, i);
    }
}

tg_status tg_module_verify(const tg_module *module, tg_diags *diags)
{
    /* `worst` keeps the first status since it was last empty: lend it to this pass. */
    const tg_status before = diags->worst;
    diags->worst = TG_OK;
    check_module(module, diags);
    const tg_status found = diags->worst;
    if (before != TG_OK) diags->worst = before;
    return found;
}
