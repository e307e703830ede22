#include "verify/mapping.h"

#include <inttypes.h>

#include "verify/layout.h"
#include "verify/ops.h"
#include "verify/report.h"

/* -- blocks -- */

static bool check_block_dim(const tg_verifier *v, const tg_block_dim *dim)
{
    const bool padded = dim->pad_low != 0 || dim->pad_high != 0;
    bool ok = true;
    if (dim->size < 1 || dim->size > TG_MOST_ELEMENTS)
        ok = tg_illegal(v, "the block size is %" PRId64 ", but must be between 1 and 2^47",
                        dim->size);
    else if (dim->kind == TG_BLOCK_SQUEEZED && dim->size != 1)
        ok = tg_illegal(v, "the size of a squeezed dimension is %" PRId64 ", but must be 1",
                        dim->size);
    if (padded && dim->kind != TG_BLOCK_ELEMENT)
        ok = tg_illegal(v, "only an element dimension takes padding");
    if (dim->pad_low < 0 || dim->pad_high < 0 || dim->pad_low > TG_MOST_ELEMENTS ||
        dim->pad_high > TG_MOST_ELEMENTS)
        ok = tg_illegal(v,
                        "the padding is [%" PRId64 ", %" PRId64 "], but must be between 0 and 2^47",
                        dim->pad_low, dim->pad_high);
    return ok;
}

bool tg_verify_block(const tg_verifier *v, const tg_param *p)
{
    tg_path block = {v->at, "block", 0};
    bool ok = true;
    for (int d = 0; p->has_block && d < p->array.rank; d++) {
        tg_path here = {&block, NULL, (size_t)d};
        tg_verifier at_dim = tg_verifier_at(v, &here);
        ok &= check_block_dim(&at_dim, &p->block[d]);
    }
    return ok;
}

tg_type tg_block_ref(const tg_param *p)
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

/* -- index maps -- */

/* Checks the arguments of an index map: the program ids, then the prefetch params. */
static void check_index_map_args(const tg_verifier *v, const tg_region *map)
{
    const tg_kernel *k = v->kernel;
    const uint32_t axes = (uint32_t)k->axis_count, refs = tg_param_count(k, TG_ROLE_PREFETCH);
    tg_path args = {v->at, "args", 0};
    if (map->arg_count != axes + refs) {
        tg_verifier at_args = tg_verifier_at(v, &args);
        tg_mistyped(&at_args,
                    "an index map here takes %" PRIu32 " arguments, one i32[] per axis and one ref "
                    "per prefetch param, but this one has %" PRIu32,
                    axes + refs, map->arg_count);
        return;
    }
    for (uint32_t i = 0; i < map->arg_count; i++) {
        const tg_type *found = tg_type_of(k, map->args[i]);
        /* If the order of roles is right, the prefetch params come first. */
        const tg_type expected =
            i < axes ? (tg_type){.dtype = TG_DT_i32} : tg_block_ref(&k->params[i - axes]);
        tg_path here = {&args, NULL, i};
        tg_verifier at_arg = tg_verifier_at(v, &here);
        if (!tg_same_type(found, &expected))
            tg_mistyped(&at_arg, "argument %" PRIu32 " is %s, but must be %s", i,
                        tg_show(found).text, tg_show(&expected).text);
        tg_verify_no_place(&at_arg, map->args[i]);
    }
}

static void check_index_map_yields(const tg_verifier *v, const tg_param *p)
{
    const tg_region *map = p->index_map;
    tg_path yields = {v->at, "yield", 0};
    if (map->yield_count != (uint32_t)p->array.rank) {
        tg_verifier at_yields = tg_verifier_at(v, &yields);
        tg_mistyped(&at_yields, "yields %" PRIu32 " indices, but %s has %d dimensions",
                    map->yield_count, tg_show(&p->array).text, p->array.rank);
    }
    for (uint32_t i = 0; i < map->yield_count; i++) {
        const tg_type *found = tg_type_of(v->kernel, map->yields[i]);
        const bool fits = !found->is_ref && found->rank == 0 &&
                          (found->dtype == TG_DT_i32 || found->dtype == TG_DT_i64);
        tg_path here = {&yields, NULL, i};
        tg_verifier at_yield = tg_verifier_at(v, &here);
        if (!fits)
            tg_mistyped(&at_yield, "yield %" PRIu32 " is %s, but must be i32[] or i64[]", i,
                        tg_show(found).text);
    }
}

void tg_verify_index_map(const tg_verifier *v, const tg_param *p)
{
    if (!p->index_map) return;
    tg_path here = {v->at, "index_map", 0};
    tg_verifier inside = tg_verifier_at(v, &here);
    inside.in_index_map = true;
    check_index_map_args(&inside, p->index_map);
    check_index_map_yields(&inside, p);
    tg_verify_region(&inside, p->index_map);
}
