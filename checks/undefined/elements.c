#include "checks/undefined/elements.h"

#include "checks/undefined/found.h"
#include "checks/undefined/elementwise.h"
#include "checks/undefined/pieces.h"
#include "checks/undefined/places.h"
#include "checks/undefined/slots.h"
#include "checks/undefined/step_trail.h"
#include "interp/state/operand.h"
#include "interp/memory/elements.h"
#include "ir/reduction.h"

typedef struct element_walk {
    tg_elements e;
    tg_memory_shadow memory;
    tg_view mask, mask_words;
    tg_view positions[TG_MAX_RANK]; /* the words of positions and starts, per dimension */
    bool has_reported;              /* an undefined mask or position was reported */
    tg_step_trail step;
} element_walk;

static element_walk walk_of(tg_machine *m, const tg_inst *inst)
{
    const tg_access_plan *a = &inst->as.access->access;
    element_walk w = {.e = tg_elements_begin(m, inst),
                      .memory = tg_memory_of(m, a),
                      .step = tg_step_of(m, inst, 0)};
    w.e.has_reported = true; /* the access itself reports elements outside */
    w.mask = tg_elements_mask(&w.e);
    if (a->has_mask) w.mask_words = tg_shadow_view(tg_shadow_of(m), &a->mask);
    for (int d = 0; d < a->rank; d++)
        if (a->dims[d].has_operand)
            w.positions[d] = tg_shadow_view(tg_shadow_of(m), &a->dims[d].operand);
    return w;
}

static uint32_t word_of(const element_walk *w, const tg_view *words)
{
    return ((const uint32_t *)words->data)[tg_elements_offset(&w->e, words)];
}

/* Returns the word of the first undefined position of the current element. */
static uint32_t position_word(const element_walk *w, int *dim)
{
    for (*dim = 0; *dim < w->e.a->rank; ++*dim) {
        const tg_view *view = &w->positions[*dim];
        if (!view->data) continue;
        int64_t offset = 0;
        if (w->e.dims[*dim].is_array)
            for (int d = 0; d < view->rank; d++)
                offset += w->e.index.at[w->e.a->position_first + d] * view->stride[d];
        const uint32_t word = ((const uint32_t *)view->data)[offset];
        if (word) return word;
    }
    return 0;
}

/* Returns the word that makes the address of the current element undefined: of its mask, if there
 * is memory behind the element, or of a position, if the element is not masked off.  Reports it
 * once per access. */
static uint32_t address_word(element_walk *w, bool is_there, uint32_t mask)
{
    int dim;
    const uint32_t position = position_word(w, &dim);
    const bool is_bad_mask = mask && is_there && !position;
    if (!position && !is_bad_mask) return mask;
    if (!w->has_reported && position)
        tg_shadow_bad_position(w->e.m, w->e.inst, w->e.a, dim, position);
    else if (!w->has_reported)
        tg_shadow_bad_mask(w->e.m, w->e.inst, w->e.a, mask);
    w->has_reported = true;
    return position ? position : mask;
}

/* Returns the word of an element that is undefined because its address is undefined, or because it
 * lies outside. */
static uint32_t lost_word(element_walk *w, uint32_t address)
{
    const tg_dtype dtype = w->e.a->dtype;
    if (address) return tg_step_word(&w->step, address, tg_all_bytes(dtype));
    return tg_origin_word(w->e.m, TG_TRAIL_OUTSIDE, w->e.a, w->e.inst, dtype);
}

/* ---- loads ---- */

/* Returns the word of the current element; `other` gives the words of elements that are masked off,
 * or is NULL. */
static uint32_t load_word(element_walk *w, const tg_view *other)
{
    tg_pieces pieces;
    const uint32_t mask = w->mask_words.data ? word_of(w, &w->mask_words) : 0;
    if (!mask && tg_elements_is_off(&w->e, &w->mask)) {
        if (other) return word_of(w, other);
        if (tg_setting_zeroes_masked(&w->e.m->launch->setting)) return 0;
        return tg_origin_word(w->e.m, TG_TRAIL_MASKED, w->e.a, w->e.inst, w->e.a->dtype);
    }
    const bool is_there = tg_elements_locate(&w->e, &pieces);
    const uint32_t address = address_word(w, is_there, mask);
    if (address || !is_there) return lost_word(w, address);
    const uint32_t word = tg_pieces_word(&w->memory, &pieces);
    return word ? tg_step_word(&w->step, word, tg_word_bytes(word)) : 0;
}

static void load_all(element_walk *w, const tg_operand *to, const tg_operand *other)
{
    tg_machine *m = w->e.m;
    uint32_t *words = tg_shadow_open(tg_shadow_of(m), to);
    tg_view other_words = {0};
    if (!words) return;
    if (other) other_words = tg_shadow_view(tg_shadow_of(m), other);
    tg_planes_lock(m, &w->memory);
    for (int64_t i = 0; i < w->e.count; i++, tg_elements_next(&w->e))
        words[i] = load_word(w, other ? &other_words : NULL);
    tg_planes_unlock(m, &w->memory);
    tg_shadow_close(tg_shadow_of(m), to);
}

/* Returns whether all positions in the dimension lie inside the array. */
static bool is_dim_inside(const tg_elements *e, int dim)
{
    const tg_element_source *s = &e->dims[dim];
    const int64_t low = e->ref->low[dim], high = e->ref->high[dim];
    tg_index_walk walk;
    int64_t last;
    if (!s->is_array)
        return !__builtin_mul_overflow(e->index.shape[s->result_dim] - 1, s->stride, &last) &&
               !__builtin_add_overflow(last, s->start, &last) && s->start >= low &&
               s->start < high && last >= low && last < high;
    if (!tg_index_begin(&walk, s->positions.rank, s->positions.shape)) return true;
    do {
        const int64_t at =
            ((const int64_t *)s->positions.data)[tg_index_offset(&walk, s->positions.stride)];
        if (at < low || at >= high) return false;
    } while (tg_index_next(&walk));
    return true;
}

static bool is_inside(const tg_elements *e)
{
    if (e->ref->is_nothing || e->ref->recast) return false;
    for (int d = 0; d < e->a->rank; d++)
        if (!is_dim_inside(e, d)) return false;
    return true;
}

/* Returns whether the load reads memory that is all defined, at positions that are all defined and
 * inside the array.  Then it need not examine single elements. */
static bool is_plain_load(const element_walk *w, const struct tg_inst_access *load)
{
    const tg_shadow *s = tg_shadow_of(w->e.m);
    const tg_access_plan *a = &load->access;
    if (w->memory.plane) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->dims[d].has_operand && s->is_flagged[a->dims[d].operand.slot]) return false;
    if (a->has_mask &&
        (s->is_flagged[a->mask.slot] || !a->has_other || s->is_flagged[a->other.slot]))
        return false;
    return is_inside(&w->e);
}

void tg_shadow_scattered_load(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *load = inst->as.access;
    element_walk w = walk_of(m, inst);
    if (is_plain_load(&w, load)) {
        tg_shadow_define(tg_shadow_of(m), &load->value);
        return;
    }
    load_all(&w, &load->value, load->access.has_other ? &load->access.other : NULL);
}

/* ---- stores ---- */

static void store_all(element_walk *w, const tg_operand *from)
{
    tg_machine *m = w->e.m;
    const tg_view value = tg_shadow_view(tg_shadow_of(m), from);
    tg_step_trail step = tg_step_of(m, w->e.inst, 0);
    tg_planes_lock(m, &w->memory);
    for (int64_t i = 0; i < w->e.count; i++, tg_elements_next(&w->e)) {
        tg_pieces pieces;
        const uint32_t mask = w->mask_words.data ? word_of(w, &w->mask_words) : 0;
        if (!mask && tg_elements_is_off(&w->e, &w->mask)) continue;
        const bool is_there = tg_elements_locate(&w->e, &pieces);
        const uint32_t address = address_word(w, is_there, mask);
        if (!is_there || (address && address != mask)) continue;
        uint32_t word = word_of(w, &value);
        if (mask) word = tg_word(tg_word_trail(mask), tg_all_bytes(w->e.a->dtype));
        tg_pieces_set_word(&w->memory, &pieces,
                           tg_stored_word(m->program_index, &w->memory, &step, word));
    }
    tg_planes_unlock(m, &w->memory);
}

void tg_shadow_scattered_store(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *store = inst->as.access;
    element_walk w = walk_of(m, inst);
    if (store->has_old) load_all(&w, &store->old, &store->value);
    store_all(&w, &store->value);
}

/* ---- atomics ---- */

/* An element in memory and its operand: their words, and their values in carriers. */
typedef struct operand_pair {
    uint32_t words[2];
    uint64_t old;
    const void *value;
} operand_pair;

static bool is_equal(const element_walk *w, const operand_pair *pair)
{
    const tg_dtype dtype = w->e.a->dtype;
    const tg_elementwise_call eq =
        tg_elementwise_op(w->e.m->launch->elementwise, TG_OP_eq, dtype, dtype);
    const void *src[] = {&pair->old, pair->value};
    uint8_t result = 0;
    eq.compute(&result, src, 0, 1, 0);
    return result != 0;
}

/* Returns the word of the memory after the op: by the rule of the op; for an exchange, the word of
 * the operand; for a compare-and-exchange, all bytes are undefined if the comparison is
 * undefined. */
static uint32_t combined_word(element_walk *w, const struct tg_inst_access *atomic,
                              const operand_pair *pair)
{
    const tg_dtype dtype = w->e.a->dtype;
    const uint32_t first = pair->words[0] ? pair->words[0] : pair->words[1];
    if (w->e.inst->op == TG_OP_atomic_cas) {
        if (first) return tg_step_word(&w->step, first, tg_all_bytes(dtype));
        const tg_view second = tg_shadow_view(tg_shadow_of(w->e.m), &atomic->second);
        return is_equal(w, pair) ? word_of(w, &second) : 0;
    }
    if (tg_atomic_op(atomic->kind) == TG_OP_COUNT) return pair->words[1];
    const tg_group_op op = {
        .op = tg_atomic_op(atomic->kind), .dtype = dtype, .second = dtype, .in_count = 2};
    uint32_t word = 0;
    const tg_group_op_shadow shadow = {.op = &op,
                                       .words = {&pair->words[0], &pair->words[1]},
                                       .values = {&pair->old, pair->value},
                                       .out = &word,
                                       .count = 1};
    if (first) tg_group_op_rule(&shadow, &w->step);
    return word;
}

/* Updates one element, and returns the word of its old value. */
static uint32_t update_word(element_walk *w, const struct tg_inst_access *atomic,
                            const tg_view *value, const tg_view *words, tg_step_trail *step)
{
    const size_t wide = tg_carrier_bytes[tg_carrier_of(w->e.a->dtype)];
    tg_pieces pieces;
    const uint32_t mask = w->mask_words.data ? word_of(w, &w->mask_words) : 0;
    if (!mask && tg_elements_is_off(&w->e, &w->mask))
        return tg_origin_word(w->e.m, TG_TRAIL_MASKED, w->e.a, w->e.inst, w->e.a->dtype);
    const bool is_there = tg_elements_locate(&w->e, &pieces);
    const uint32_t address = address_word(w, is_there, mask);
    if (!is_there || (address && address != mask)) return lost_word(w, address);
    const uint32_t old = tg_pieces_word(&w->memory, &pieces);
    operand_pair pair = {.words = {old, word_of(w, words)},
                         .value = (const unsigned char *)value->data +
                                  (size_t)tg_elements_offset(&w->e, value) * wide};
    tg_elements_get(&w->e, &pieces, &pair.old);
    uint32_t now = combined_word(w, atomic, &pair);
    if (mask) now = tg_step_word(&w->step, mask, tg_all_bytes(w->e.a->dtype));
    tg_pieces_set_word(&w->memory, &pieces,
                       tg_stored_word(w->e.m->program_index, &w->memory, step, now));
    if (address) return lost_word(w, address);
    return old ? tg_step_word(&w->step, old, tg_word_bytes(old)) : 0;
}

void tg_shadow_atomic(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *atomic = inst->as.access;
    element_walk w = walk_of(m, inst);
    const tg_view value = tg_operand_view(m, &atomic->value);
    const tg_view words = tg_shadow_view(tg_shadow_of(m), &atomic->value);
    tg_step_trail step = tg_step_of(m, inst, 0);
    uint32_t *old = atomic->has_old ? tg_shadow_open(tg_shadow_of(m), &atomic->old) : NULL;
    tg_planes_lock(m, &w.memory);
    for (int64_t i = 0; i < w.e.count; i++, tg_elements_next(&w.e)) {
        const uint32_t word = update_word(&w, atomic, &value, &words, &step);
        if (old) old[i] = word;
    }
    tg_planes_unlock(m, &w.memory);
    if (old) tg_shadow_close(tg_shadow_of(m), &atomic->old);
}
