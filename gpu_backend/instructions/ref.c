/* References: the block of each param that a program gets, views of them, and scoped memory. */
#include "gpu_backend/emit/emitter.h"

/* ---- blocks of params ---- */

static void set_whole(tg_ptx_ref *ref, int rank, const int64_t *shape)
{
    ref->is_inside = tg_ptx_known(1);
    ref->through = NULL;
    tg_dense_strides(rank, shape, ref->stride);
    for (int d = 0; d < rank; d++) {
        ref->low[d] = tg_ptx_known(0);
        ref->shape[d] = ref->high[d] = tg_ptx_known(shape[d]);
    }
}

static void start_whole(tg_ptx_emitter *em, uint32_t p)
{
    const tg_param *param = &em->plan->kernel->params[p];
    tg_ptx_ref *ref = &em->refs[p];
    ref->origin = tg_ptx_known(0);
    set_whole(ref, param->array.rank, param->array.shape);
}

/* index + base + sum of factor * program id, with the least and greatest that the grid allows. */
static tg_ptx_value affine_index(tg_ptx_emitter *em, const tg_mapping *map, int d, int64_t *least,
                                 int64_t *most)
{
    tg_ptx_value index = tg_ptx_known(map->base[d]);
    *least = *most = map->base[d];
    for (int a = 0; a < em->plan->kernel->axis_count; a++) {
        const int64_t factor = map->factor[d][a];
        if (factor == 0) continue;
        index = tg_ptx_add(em, index, tg_ptx_mul(em, em->program[a], factor));
        const int64_t last = em->grid[a].is_known ? em->grid[a].known - 1 : INT32_MAX;
        int64_t reach;
        if (__builtin_mul_overflow(factor, last, &reach))
            reach = factor < 0 ? INT64_MIN : INT64_MAX;
        int64_t *const end = reach < 0 ? least : most;
        if (__builtin_add_overflow(*end, reach, end)) *end = reach < 0 ? INT64_MIN : INT64_MAX;
    }
    return index;
}

/* As the interpreter bounds what an index map gives, so that nothing overflows. */
static tg_ptx_value bounded(tg_ptx_emitter *em, tg_ptx_value v, int64_t most)
{
    return tg_ptx_min(em, tg_ptx_max(em, v, tg_ptx_known(-most)), tg_ptx_known(most));
}

/* Start of a block in one dimension, and whether some of it is in the array, padding included. */
typedef struct start {
    tg_ptx_value at, is_near;
    bool is_whole; /* in every program all of it is inside the array */
} start;

static start find_start(tg_ptx_emitter *em, const tg_param *param, const tg_mapping *map, int d)
{
    const tg_block_dim *dim = &param->block[d];
    const int64_t extent = param->array.shape[d],
                  factor = dim->kind == TG_BLOCK_BLOCKED ? dim->size : 1,
                  shift = dim->kind == TG_BLOCK_ELEMENT ? -dim->pad_low : 0;
    int64_t least = INT64_MIN, most = INT64_MAX;
    tg_ptx_value index;
    start s = {.is_near = tg_ptx_known(1)};
    if (map->is_affine) {
        index = affine_index(em, map, d, &least, &most);
    } else {
        /* beyond these bounds a block is far outside, whatever its size */
        index = bounded(em, tg_ptx_scalar(em, &map->index[d]), INT64_MAX / 8);
        if (factor > 1) index = bounded(em, index, INT64_MAX / 8 / factor);
    }
    s.at = tg_ptx_add(em, tg_ptx_mul(em, index, factor), tg_ptx_known(shift));
    int64_t first, last;
    const bool is_bounded = !__builtin_mul_overflow(least, factor, &first) &&
                            !__builtin_add_overflow(first, shift, &first) &&
                            !__builtin_mul_overflow(most, factor, &last) &&
                            !__builtin_add_overflow(last, shift, &last);
    const int64_t low = -dim->pad_low, high = extent + dim->pad_high;
    s.is_whole = is_bounded && first >= 0 && last <= extent - dim->size;
    if (is_bounded && first >= low && last < high) return s;
    s.is_near = tg_ptx_both(em, tg_ptx_is_less(em, tg_ptx_known(low - 1), s.at),
                            tg_ptx_is_less(em, s.at, tg_ptx_known(high)));
    return s;
}

/* Of `size` indices from `at` on, those inside 0 .. extent. */
static void set_dim(tg_ptx_emitter *em, tg_ptx_ref *ref, int d, const start *s, int64_t size,
                    int64_t extent)
{
    ref->low[d] = tg_ptx_known(0);
    ref->shape[d] = ref->high[d] = tg_ptx_known(size);
    if (s->is_whole) return;
    const tg_ptx_value before = tg_ptx_sub(em, tg_ptx_known(0), s->at),
                       left = tg_ptx_sub(em, tg_ptx_known(extent), s->at);
    ref->low[d] = tg_ptx_min(em, tg_ptx_max(em, before, tg_ptx_known(0)), tg_ptx_known(size));
    ref->high[d] = tg_ptx_max(em, tg_ptx_min(em, left, tg_ptx_known(size)), ref->low[d]);
}

static void start_block(tg_ptx_emitter *em, uint32_t p)
{
    const tg_param *param = &em->plan->kernel->params[p];
    tg_ptx_ref *ref = &em->refs[p];
    int64_t stride[TG_MAX_RANK];
    start starts[TG_MAX_RANK];
    tg_ptx_value is_near = tg_ptx_known(1), origin = tg_ptx_known(0);
    tg_dense_strides(param->array.rank, param->array.shape, stride);
    for (int d = 0; d < param->array.rank; d++) {
        starts[d] = find_start(em, param, &em->plan->mappings[p], d);
        is_near = tg_ptx_both(em, is_near, starts[d].is_near);
    }
    tg_ptx_report_unless(em, TG_PTX_SITE_BLOCK, is_near);
    ref->through = NULL;
    ref->is_inside = is_near;
    int rank = 0;
    for (int d = 0; d < param->array.rank; d++) {
        const tg_block_dim *dim = &param->block[d];
        origin = tg_ptx_add(em, origin, tg_ptx_mul(em, starts[d].at, stride[d]));
        if (dim->kind == TG_BLOCK_SQUEEZED) continue;
        set_dim(em, ref, rank, &starts[d], dim->size, param->array.shape[d]);
        ref->stride[rank] = stride[d];
        ref->low[rank] = tg_ptx_choose(em, is_near, ref->low[rank], tg_ptx_known(0));
        ref->high[rank] = tg_ptx_choose(em, is_near, ref->high[rank], tg_ptx_known(0));
        rank++;
    }
    ref->origin = origin;
}

void tg_ptx_ref_start(tg_ptx_emitter *em, uint32_t p)
{
    if (em->plan->kernel->params[p].has_block)
        start_block(em, p);
    else
        start_whole(em, p);
}

/* ---- views ---- */

/* ceil((bound - start) / stride), within 0 .. size */
static tg_ptx_value first_from(tg_ptx_emitter *em, tg_ptx_value bound, tg_ptx_value begin,
                               int64_t stride, int64_t size)
{
    tg_ptx_value far = tg_ptx_sub(em, bound, begin);
    far = tg_ptx_floor_div(em, tg_ptx_add(em, far, tg_ptx_known(stride - 1)), stride);
    return tg_ptx_min(em, tg_ptx_max(em, far, tg_ptx_known(0)), tg_ptx_known(size));
}

static int64_t bounded_product(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > INT64_MAX / 4 ? INT64_MAX / 4
                                                                             : product;
}

/* A scalar, far ones bounded so that nothing that is computed of it overflows. */
static tg_ptx_value index_of(tg_ptx_emitter *em, const tg_operand *scalar)
{
    enum { FAR_AWAY = 60 };
    const tg_ptx_value at = tg_ptx_scalar(em, scalar);
    return tg_dtypes[scalar->dtype].bits < 64 ? at : bounded(em, at, (int64_t)1 << FAR_AWAY);
}

tg_ptx_value tg_ptx_position(tg_ptx_emitter *em, const tg_access_dim *dim)
{
    return dim->has_operand ? index_of(em, &dim->operand) : tg_ptx_known(dim->start);
}

void tg_ptx_ref_view(tg_ptx_emitter *em, const struct tg_inst_view *view)
{
    const tg_access_plan *a = &view->access;
    const tg_ptx_ref from = em->refs[a->ref];
    tg_ptx_ref *ref = &em->refs[view->out];
    tg_ptx_value is_legal = tg_ptx_known(1), is_inside = from.is_inside, origin = from.origin;
    *ref = from;
    for (int d = 0; d < a->rank; d++) {
        const tg_access_dim *dim = &a->dims[d];
        const tg_ptx_value begin = tg_ptx_position(em, dim);
        const tg_ptx_value end = tg_ptx_add(
            em, begin,
            tg_ptx_known(
                dim->kind == TG_INDEX_AT ? 1 : bounded_product(dim->size - 1, dim->stride) + 1));
        const tg_ptx_value is_in =
            tg_ptx_both(em, tg_ptx_is_less(em, tg_ptx_known(-1), begin),
                        tg_ptx_is_less(em, end, tg_ptx_add(em, from.shape[d], tg_ptx_known(1))));
        if (dim->kind == TG_INDEX_AT || dim->size > 0) is_legal = tg_ptx_both(em, is_legal, is_in);
        origin = tg_ptx_add(em, origin, tg_ptx_mul(em, begin, from.stride[d]));
        if (dim->kind == TG_INDEX_AT) {
            is_inside = tg_ptx_both(
                em, is_inside,
                tg_ptx_both(em,
                            tg_ptx_is_less(em, tg_ptx_sub(em, from.low[d], tg_ptx_known(1)), begin),
                            tg_ptx_is_less(em, begin, from.high[d])));
            continue;
        }
        const int r = dim->result_dim;
        ref->shape[r] = tg_ptx_known(dim->size);
        ref->stride[r] = bounded_product(dim->stride, from.stride[d]);
        ref->low[r] = first_from(em, from.low[d], begin, dim->stride, dim->size);
        ref->high[r] = tg_ptx_max(em, first_from(em, from.high[d], begin, dim->stride, dim->size),
                                  ref->low[r]);
    }
    for (int r = 0; r < a->result.rank; r++)
        ref->high[r] = tg_ptx_choose(em, is_inside, ref->high[r], ref->low[r]);
    ref->origin = origin;
    ref->is_inside = is_inside;
    tg_ptx_report_unless(em, TG_PTX_SITE_ACCESS, is_legal);
}

/* ---- parts ---- */

static tg_ptx_value within(tg_ptx_emitter *em, tg_ptx_value v, tg_ptx_value low, tg_ptx_value high)
{
    return tg_ptx_min(em, tg_ptx_max(em, v, low), high);
}

/* least <= v <= most */
static tg_ptx_value is_from_to(tg_ptx_emitter *em, tg_ptx_value v, int64_t least, tg_ptx_value most)
{
    return tg_ptx_both(em, tg_ptx_is_less(em, tg_ptx_known(least - 1), v),
                       tg_ptx_is_less(em, v, tg_ptx_add(em, most, tg_ptx_known(1))));
}

/* Dimension d of `ref` becomes the part that is asked for, as far as it is there; 1 or 0: whether all of it is. */
static tg_ptx_value take_part(tg_ptx_emitter *em, tg_ptx_ref *ref, const struct tg_inst_part *part,
                              int d)
{
    const tg_ptx_value none = tg_ptx_known(0),
                       end = tg_ptx_add(em, ref->shape[d], tg_ptx_known(part->beyond[d]));
    tg_ptx_value first = index_of(em, &part->starts[d]), count = index_of(em, &part->sizes[d]),
                 most = tg_ptx_known(part->type.shape[d]);
    tg_ptx_value fits =
        tg_ptx_both(em, is_from_to(em, first, 0, end), is_from_to(em, count, 0, most));
    fits = tg_ptx_both(em, fits, is_from_to(em, count, 0, tg_ptx_sub(em, end, first)));
    first = within(em, first, none, end);
    most = tg_ptx_min(em, most, tg_ptx_sub(em, end, first));
    count = within(em, count, none, most);
    ref->origin = tg_ptx_add(em, ref->origin, tg_ptx_mul(em, first, ref->stride[d]));
    ref->low[d] = within(em, tg_ptx_sub(em, ref->low[d], first), none, count);
    ref->high[d] = within(em, tg_ptx_sub(em, ref->high[d], first), ref->low[d], count);
    ref->shape[d] = count;
    return fits;
}

void tg_ptx_ref_part(tg_ptx_emitter *em, const struct tg_inst_part *part)
{
    tg_ptx_ref *ref = &em->refs[part->out];
    tg_ptx_value is_legal = tg_ptx_known(1);
    *ref = em->refs[part->from];
    for (int d = 0; d < part->type.rank; d++)
        is_legal = tg_ptx_both(em, is_legal, take_part(em, ref, part, d));
    tg_ptx_report_unless(em, TG_PTX_SITE_ACCESS, is_legal);
}

/* ---- scoped memory ---- */

/* Semaphores are 0 at first, all else is undefined. */
static tg_ptx_reg first_bits(tg_ptx_emitter *em, tg_dtype dtype)
{
    return tg_is_semaphore(dtype)
               ? tg_ptx_value_reg(em, tg_ptx_known(0))
               : tg_ptx_to_memory(&em->w, dtype, tg_ptx_undefined(&em->w, dtype));
}

void tg_ptx_fill_first(tg_ptx_emitter *em, tg_dtype dtype, int64_t count, tg_ptx_reg base,
                       int64_t displacement)
{
    if (count == 0) return;
    if (tg_dtypes[dtype].bytes == 1) count = (count + 3) / 4 * 4; /* atomics work on whole words */
    const tg_ptx_reg bits = first_bits(em, dtype);
    const int64_t bytes = tg_dtypes[dtype].bytes, one = 1;
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, count);
    const tg_ptx_reg first =
        tg_ptx_value_reg(em, tg_ptx_add(em, tg_ptx_held(base), tg_ptx_known(displacement)));
    const tg_ptx_reg at = tg_ptx_address_of(em, first, 1, &count, &one, &loop.element, bytes);
    tg_ptx_store_bits(em, em->space, (int)bytes, at, bits);
    tg_ptx_loop_end(em, &loop);
}

void tg_ptx_ref_scope(tg_ptx_emitter *em, const struct tg_inst_scope *scope)
{
    const tg_slot *slot = &em->plan->slots[scope->slot];
    tg_ptx_ref *ref = &em->refs[scope->out];
    const tg_ptx_reg base = tg_ptx_slot_address(em, scope->slot);
    ref->space = em->space;
    ref->base = tg_ptx_held(base);
    ref->extent = tg_ptx_extent_of(slot->offset, slot->bytes);
    ref->origin = tg_ptx_known(0);
    set_whole(ref, scope->type.rank, scope->type.shape);
    tg_ptx_fill_first(em, scope->type.dtype, tg_type_count(&scope->type), base, 0);
}
