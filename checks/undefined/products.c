#include "checks/undefined/products.h"

#include <string.h>

#include "checks/undefined/places.h"
#include "checks/undefined/sides.h"
#include "checks/undefined/slots.h"
#include "checks/undefined/step_trail.h"
#include "interp/sync/product_factors.h"

enum { LHS, RHS };

static size_t count_of(const tg_type *type) { return (size_t)tg_type_count(type); }

/* Gets the words of a source or, of the sum, those before it. */
static void get(tg_machine *m, const tg_async_op *product, const tg_async_place *place,
                const tg_async_side *side, uint32_t *words)
{
    const tg_access_plan access = {.root = place->root};
    const uint32_t outside =
        tg_origin_word(m, TG_TRAIL_OUTSIDE, &access, product->inst, place->type.dtype);
    const tg_memory_shadow memory = tg_side_memory(m, product, place, side);
    tg_planes_lock(m, &memory);
    tg_side_get(&memory, side, &place->type, outside, words);
    tg_planes_unlock(m, &memory);
}

static void get_source(tg_machine *m, const tg_async_op *product, int which, uint32_t *words)
{
    const tg_async_place *place = &product->inst->as.async->source[which];
    const size_t bytes = count_of(&place->type) * sizeof *words;
    if (!place->is_value)
        get(m, product, place, &product->source[which], words);
    else if (*tg_async_note(m, product))
        memcpy(words, *tg_async_note(m, product), bytes);
    else
        memset(words, 0, bytes);
}

/* ---- what each factor's words are ---- */

/* An element whose scale is undefined is undefined. */
static void add_scales(const struct tg_inst_async *plan, uint32_t which, const uint32_t *scales,
                       uint32_t *words)
{
    const tg_type *factor = &plan->source[which].type;
    const int64_t blocks = plan->source[plan->scales + which].type.shape[1];
    for (int64_t row = 0; row < factor->shape[0]; row++)
        for (int64_t column = 0; column < factor->shape[1]; column++, words++)
            if (!*words)
                *words = scales[tg_product_scale_of(factor, which == RHS, blocks, row, column)];
}

/* An element that may be another one of its group is undefined. */
static void add_selection(const uint32_t *selection, size_t count, uint32_t *words)
{
    for (size_t i = 0; i < count; i++)
        if (!words[i]) words[i] = selection[i];
}

/* ---- the sum ---- */

static uint32_t first_of(const uint32_t *words, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (words[i]) return words[i];
    return 0;
}

/* The first undefined element that a row of the left factor is multiplied by.  `rows`: see
 * tg_product_rows; NULL: all in their order. */
static uint32_t first_below(const uint32_t *rhs, int64_t columns, const int64_t *rows,
                            int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const uint32_t word = rhs[(rows ? rows[i] : i) * columns];
        if (word) return word;
    }
    return 0;
}

/* The words of the sum, from those of the factors. */
static void add_words(tg_machine *m, const tg_async_op *product, const uint32_t *lhs,
                      const uint32_t *rhs, const int64_t *selected, uint32_t *sum)
{
    const struct tg_inst_async *plan = product->inst->as.async;
    const int64_t rows = plan->to.type.shape[0], columns = plan->to.type.shape[1],
                  terms = plan->source[LHS].type.shape[1];
    const unsigned bytes = tg_all_bytes(plan->to.type.dtype);
    tg_step_trail step = tg_step_of(m, product->inst, 0);
    for (int64_t row = 0; row < rows; row++) {
        const uint32_t of_row = first_of(lhs + row * terms, terms);
        const int64_t *const below = selected ? selected + row * terms : NULL;
        for (int64_t column = 0; column < columns; column++, sum++) {
            uint32_t word = of_row ? of_row : first_below(rhs + column, columns, below, terms);
            if (!word) word = *sum;
            *sum = word ? tg_step_word(&step, word, bytes) : 0;
        }
    }
}

static void set_sum(tg_machine *m, const tg_async_op *product, uint32_t *words)
{
    const tg_async_place *to = &product->inst->as.async->to;
    const tg_memory_shadow memory = tg_side_memory(m, product, to, &product->to);
    tg_step_trail step = tg_step_of(m, product->inst, 0);
    const size_t count = count_of(&to->type);
    if (!memory.plane) return;
    for (size_t i = 0; i < count; i++)
        words[i] = tg_stored_word(product->program_index, &memory, &step, words[i]);
    tg_planes_lock(m, &memory);
    tg_side_set(&memory, &product->to, &to->type, words);
    tg_planes_unlock(m, &memory);
}

/* Gets the words of all sources into `words`, one after the other; `of` is where those of each begin. */
static void get_sources(tg_machine *m, const tg_async_op *product, uint32_t *words, uint32_t **of)
{
    const struct tg_inst_async *plan = product->inst->as.async;
    for (uint32_t i = 0; i < TG_MOST_SOURCES; i++) {
        of[i] = words;
        if (i >= plan->source_count) continue;
        get_source(m, product, (int)i, words);
        words += count_of(&plan->source[i].type);
    }
    if (plan->scales)
        for (uint32_t which = LHS; which <= RHS; which++)
            add_scales(plan, which, of[plan->scales + which], of[which]);
    if (plan->selection)
        add_selection(of[plan->selection], count_of(&plan->source[LHS].type), of[LHS]);
}

static bool is_defined(tg_machine *m, const tg_async_op *product, uint32_t which)
{
    const tg_async_place *place = &product->inst->as.async->source[which];
    if (place->is_value) return !*tg_async_note(m, product);
    return tg_side_is_defined(m, product, place, &product->source[which]);
}

/* The usual case.  Returns whether the sum is defined, which it may have been before. */
static bool stays_defined(tg_machine *m, const tg_async_op *product)
{
    const struct tg_inst_async *plan = product->inst->as.async;
    for (uint32_t i = 0; i < plan->source_count; i++)
        if (!is_defined(m, product, i)) return false;
    if (!plan->replaces) return tg_side_is_defined(m, product, &plan->to, &product->to);
    tg_side_define(m, product, &plan->to, &product->to);
    return true;
}

void tg_shadow_product(tg_machine *m, const tg_async_op *product)
{
    if (stays_defined(m, product)) return;
    const struct tg_inst_async *plan = product->inst->as.async;
    const size_t count = count_of(&plan->to.type);
    size_t all = count;
    for (uint32_t i = 0; i < plan->source_count; i++) all += count_of(&plan->source[i].type);
    uint32_t *sum = tg_shadow_room(tg_shadow_of(m), all * sizeof *sum), *of[TG_MOST_SOURCES];
    if (!sum) return;
    tg_room *const room = tg_room_enter(m->launch);
    const int64_t *const rows = room && plan->selection ? tg_product_rows(m, room, product) : NULL;
    if (plan->replaces)
        memset(sum, 0, count * sizeof *sum);
    else
        get(m, product, &plan->to, &product->to, sum);
    get_sources(m, product, sum + count, of);
    add_words(m, product, of[LHS], of[RHS], rows, sum);
    set_sum(m, product, sum);
    tg_room_leave(m->launch, room);
}
