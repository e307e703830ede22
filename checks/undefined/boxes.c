#include "checks/undefined/boxes.h"

#include <string.h>

#include "checks/undefined/elements.h"
#include "checks/undefined/found.h"
#include "checks/undefined/places.h"
#include "checks/undefined/slots.h"
#include "checks/undefined/step_trail.h"
#include "interp/memory/box.h"
#include "interp/memory/rows.h"

/* ---- rows of a box ---- */

/* The data of a box: its memory, and the elements and words of each operand. */
typedef struct box_walk {
    tg_machine *m;
    const tg_inst *inst;
    const tg_access_plan *a;
    const tg_box *box;
    tg_memory_shadow memory;
    tg_view mask, mask_words;
    bool has_reported; /* an undefined mask was reported */
} box_walk;

static tg_view as_row(tg_view view)
{
    if (view.rank > 0) return view;
    view.rank = 1;
    view.shape[0] = view.stride[0] = 1;
    return view;
}

static box_walk walk_of(tg_machine *m, const tg_inst *inst, const tg_box *box)
{
    const tg_access_plan *a = &inst->as.access->access;
    box_walk w = {.m = m, .inst = inst, .a = a, .box = box, .memory = tg_memory_of(m, a)};
    if (!a->has_mask) return w;
    w.mask = tg_box_view(m, &a->mask);
    w.mask_words = as_row(tg_shadow_view(tg_shadow_of(m), &a->mask));
    return w;
}

static int64_t row_start(const box_walk *w, const tg_rows *rows)
{
    const int last = w->box->rank - 1;
    return w->box->origin + tg_rows_offset(rows, w->box->stride) +
           w->box->low[last] * w->box->stride[last];
}

/* Returns the offset in a view of element `i` of the row's part inside the array. */
static int64_t in_row(const box_walk *w, const tg_rows *rows, const tg_view *view, int64_t i)
{
    const int last = w->box->rank - 1;
    return tg_rows_offset(rows, view->stride) + (w->box->low[last] + i) * view->stride[last];
}

static int64_t row_length(const box_walk *w)
{
    const int last = w->box->rank - 1;
    return w->box->high[last] - w->box->low[last];
}

static bool is_set(const box_walk *w, const tg_rows *rows, int64_t i)
{
    return !w->a->has_mask || ((const uint8_t *)w->mask.data)[in_row(w, rows, &w->mask, i)];
}

/* Returns the word of the mask there; reports it once per access. */
static uint32_t mask_word(box_walk *w, const tg_rows *rows, int64_t i)
{
    if (!w->a->has_mask) return 0;
    const uint32_t word =
        ((const uint32_t *)w->mask_words.data)[in_row(w, rows, &w->mask_words, i)];
    if (word && !w->has_reported) tg_shadow_bad_mask(w->m, w->inst, w->a, word);
    w->has_reported = w->has_reported || word;
    return word;
}

/* ---- loads ---- */

/* Loads the words of the part inside the array into the dense `to`. */
static void load_rows(const box_walk *w, const int64_t *dense, uint32_t *to)
{
    const tg_box *box = w->box;
    const int last = box->rank - 1;
    tg_step_trail step = tg_step_of(w->m, w->inst, 0);
    tg_rows rows;
    for (bool more = tg_rows_begin(&rows, box->rank, box->low, box->high); more;
         more = tg_rows_next(&rows)) {
        uint32_t *row = to + tg_rows_offset(&rows, dense) + box->low[last];
        const int64_t count = row_length(w);
        if (w->memory.plane) {
            tg_memory_get_row(&w->memory, w->a->dtype, row_start(w, &rows), box->stride[last],
                              count, row);
            for (int64_t i = 0; i < count; i++)
                if (row[i]) row[i] = tg_step_word(&step, row[i], tg_word_bytes(row[i]));
        } else {
            for (int64_t i = 0; i < count; i++) row[i] = 0;
        }
    }
}

/* Elements that are masked off take the words of `other`, or have their origin here.  If the mask
 * of an element is undefined, so is the element. */
static void mask_rows(box_walk *w, const int64_t *dense, const tg_operand *other, uint32_t *to)
{
    const tg_box *box = w->box;
    const int last = box->rank - 1;
    const unsigned all = tg_all_bytes(w->a->dtype);
    tg_step_trail step = tg_step_of(w->m, w->inst, 0);
    const tg_view other_words =
        other ? as_row(tg_shadow_view(tg_shadow_of(w->m), other)) : (tg_view){0};
    const uint32_t off = other || tg_setting_zeroes_masked(&w->m->launch->setting)
                             ? 0
                             : tg_origin_word(w->m, TG_TRAIL_MASKED, w->a, w->inst, w->a->dtype);
    const int64_t zeros[TG_MAX_RANK] = {0};
    tg_rows rows;
    for (bool more = tg_rows_begin(&rows, box->rank, zeros, box->shape); more;
         more = tg_rows_next(&rows))
        for (int64_t i = 0; i < box->shape[last]; i++) {
            uint32_t *word = &to[tg_rows_offset(&rows, dense) + i];
            const uint32_t mask =
                ((const uint32_t *)w->mask_words.data)[tg_rows_offset(&rows, w->mask_words.stride) +
                                                       i * w->mask_words.stride[last]];
            const bool is_on =
                ((const uint8_t *)w->mask
                     .data)[tg_rows_offset(&rows, w->mask.stride) + i * w->mask.stride[last]];
            if (mask)
                *word = tg_step_word(&step, mask, all);
            else if (!is_on)
                *word = other ? ((const uint32_t *)
                                     other_words.data)[tg_rows_offset(&rows, other_words.stride) +
                                                       i * other_words.stride[last]]
                              : off;
        }
}

/* Returns the places of the part inside the array. */
static tg_plane_box places_of(const box_walk *w)
{
    const tg_box *box = w->box;
    const int64_t places = (int64_t)(tg_dtypes[w->a->dtype].bytes / w->memory.memory->width);
    tg_plane_box all;
    all.first = box->origin * places;
    all.rank = box->rank;
    for (int d = 0; d < box->rank; d++) {
        all.count[d] = box->high[d] - box->low[d];
        all.stride[d] = box->stride[d] * places;
        all.first += box->low[d] * all.stride[d];
    }
    if (places > 1) {
        all.count[all.rank] = places;
        all.stride[all.rank++] = 1;
    }
    return all;
}

/* Returns whether the part inside the array is all defined. */
static bool is_defined(const box_walk *w)
{
    if (!w->memory.plane) return true;
    const tg_plane_box places = places_of(w);
    return tg_memory_box_is_defined(&w->memory, &places);
}

/* An undefined mask decides which memory is accessed, if the access includes any memory. */
static void look_at_mask(box_walk *w)
{
    tg_rows rows;
    if (!w->a->has_mask || !tg_shadow_of(w->m)->is_flagged[w->a->mask.slot]) return;
    for (bool more = tg_rows_begin(&rows, w->box->rank, w->box->low, w->box->high); more;
         more = tg_rows_next(&rows))
        for (int64_t i = 0; i < row_length(w) && !w->has_reported; i++) mask_word(w, &rows, i);
}

/* Returns how many elements from `first` on have the mask `is_on`, up to element `count`. */
static int64_t mask_run(const uint8_t *mask, int64_t stride, int64_t first, int64_t count,
                        bool is_on)
{
    int64_t at = first;
    if (stride == 1 && is_on) {
        const uint8_t *off = memchr(mask + first, 0, (size_t)(count - first));
        return off ? off - (mask + first) : count - first;
    }
    while (at < count && (mask[at * stride] != 0) == is_on) at++;
    return at - first;
}

static bool is_mask_full(const box_walk *w)
{
    const int last = w->box->rank - 1;
    const int64_t zeros[TG_MAX_RANK] = {0};
    tg_rows rows;
    for (bool more = tg_rows_begin(&rows, w->box->rank, zeros, w->box->shape); more;
         more = tg_rows_next(&rows)) {
        const uint8_t *mask = (const uint8_t *)w->mask.data + tg_rows_offset(&rows, w->mask.stride);
        if (mask_run(mask, w->mask.stride[last], 0, w->box->shape[last], true) <
            w->box->shape[last])
            return false;
    }
    return true;
}

/* Returns whether the mask makes no element undefined. */
static bool is_mask_plain(const box_walk *w, const tg_operand *other)
{
    const tg_shadow *s = tg_shadow_of(w->m);
    if (!w->a->has_mask) return true;
    if (s->is_flagged[w->a->mask.slot]) return false;
    return other ? !s->is_flagged[other->slot] : is_mask_full(w);
}

/* Computes the words of a load; most blocks are all defined. */
static void load_box(box_walk *w, const tg_operand *to, const tg_operand *other)
{
    if (w->box->is_inside && is_mask_plain(w, other) && is_defined(w)) {
        tg_shadow_define(tg_shadow_of(w->m), to);
        return;
    }
    uint32_t *words = tg_shadow_open(tg_shadow_of(w->m), to);
    int64_t dense[TG_MAX_RANK];
    if (!words) return;
    tg_dense_strides(w->box->rank, w->box->shape, dense);
    if (!w->box->is_inside)
        tg_shadow_fill(tg_shadow_of(w->m), to,
                       tg_origin_word(w->m, TG_TRAIL_OUTSIDE, w->a, w->inst, w->a->dtype));
    load_rows(w, dense, words);
    look_at_mask(w);
    if (w->a->has_mask) mask_rows(w, dense, other, words);
    tg_shadow_close(tg_shadow_of(w->m), to);
}

/* A load from an undefined address is undefined. */
static bool is_lost(tg_machine *m, const tg_inst *inst, const tg_operand *to)
{
    const uint32_t word = tg_shadow_positions(m, inst, &inst->as.access->access);
    tg_step_trail step = tg_step_of(m, inst, 0);
    if (word && to)
        tg_shadow_fill(tg_shadow_of(m), to, tg_step_word(&step, word, tg_all_bytes(to->dtype)));
    return word != 0;
}

/* Returns whether the load reads memory that is all defined into a slot that is all defined, as
 * most loads do. */
static bool is_plain_load(const tg_machine *m, const tg_access_plan *a)
{
    return tg_shadow_of(m)->flagged == 0 && !a->has_mask && a->is_fixed &&
           m->refs[a->ref].is_inside && !tg_memory_of(m, a).plane;
}

/* Positions of index arrays, and masks beside them, are judged one by one if any is undefined. */
static bool is_scattered(const tg_machine *m, const tg_access_plan *a, tg_box *box)
{
    const tg_shadow *s = tg_shadow_of(m);
    if (a->has_arrays && a->has_mask && s->is_flagged[a->mask.slot]) return true;
    for (int d = 0; a->has_arrays && d < a->rank; d++)
        if (a->dims[d].has_operand && s->is_flagged[a->dims[d].operand.slot]) return true;
    return tg_access_is_scattered(m, a, box);
}

void tg_shadow_load(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *load = inst->as.access;
    tg_box box;
    if (is_plain_load(m, &load->access)) return;
    if (is_scattered(m, &load->access, &box)) {
        tg_shadow_scattered_load(m, inst);
        return;
    }
    if (is_lost(m, inst, &load->value)) return;
    box_walk w = walk_of(m, inst, &box);
    tg_planes_lock(m, &w.memory);
    load_box(&w, &load->value, load->access.has_other ? &load->access.other : NULL);
    tg_planes_unlock(m, &w.memory);
}

/* ---- stores ---- */

/* Stores a row's words where the mask is set, in runs.  Where the mask is undefined, so is the
 * place. */
static void store_row(box_walk *w, const tg_rows *rows, const tg_view *value, tg_step_trail *step)
{
    const int64_t count = row_length(w), first = row_start(w, rows);
    const int64_t stride = w->box->stride[w->box->rank - 1];
    uint32_t words[TG_SHADOW_STRIP];
    int64_t done = 0, run = 0; /* words from `done` on are not stored yet */
    for (int64_t i = 0; i < count; i++) {
        const uint32_t mask = mask_word(w, rows, i);
        if (mask || is_set(w, rows, i)) {
            uint32_t word = ((const uint32_t *)value->data)[in_row(w, rows, value, i)];
            if (mask) word = tg_word(tg_word_trail(mask), tg_all_bytes(w->a->dtype));
            words[run++] = tg_stored_word(w->m->program_index, &w->memory, step, word);
            if (run < TG_SHADOW_STRIP) continue;
            tg_memory_set_row(&w->memory, w->a->dtype, first + done * stride, stride, run, words);
            done = i + 1;
        } else {
            if (run)
                tg_memory_set_row(&w->memory, w->a->dtype, first + done * stride, stride, run,
                                  words);
            done = i + 1;
        }
        run = 0;
    }
    if (run) tg_memory_set_row(&w->memory, w->a->dtype, first + done * stride, stride, run, words);
}

static void define_box(const box_walk *w)
{
    const tg_plane_box places = places_of(w);
    tg_memory_define_box(&w->memory, &places);
}

/* The same for defined values, where the mask is set. */
static void define_masked(const box_walk *w)
{
    const int64_t stride = w->box->stride[w->box->rank - 1], count = row_length(w);
    const int64_t mask_stride = w->mask.stride[w->box->rank - 1];
    tg_rows rows;
    for (bool more = tg_rows_begin(&rows, w->box->rank, w->box->low, w->box->high); more;
         more = tg_rows_next(&rows)) {
        const uint8_t *mask = (const uint8_t *)w->mask.data + in_row(w, &rows, &w->mask, 0);
        const int64_t first = row_start(w, &rows);
        for (int64_t at = 0, run; at < count; at += run) {
            run = mask_run(mask, mask_stride, at, count, true);
            if (run) tg_memory_define(&w->memory, w->a->dtype, first + at * stride, stride, run);
            run += mask_run(mask, mask_stride, at + run, count, false);
        }
    }
}

static void store_box(box_walk *w, const tg_operand *from)
{
    const tg_view value = as_row(tg_shadow_view(tg_shadow_of(w->m), from));
    tg_step_trail step = tg_step_of(w->m, w->inst, 0);
    tg_rows rows;
    for (bool more = tg_rows_begin(&rows, w->box->rank, w->box->low, w->box->high); more;
         more = tg_rows_next(&rows))
        store_row(w, &rows, &value, &step);
}

void tg_shadow_store(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *store = inst->as.access;
    tg_box box;
    if (is_scattered(m, &store->access, &box)) {
        tg_shadow_scattered_store(m, inst);
        return;
    }
    if (is_lost(m, inst, store->has_old ? &store->old : NULL)) return;
    box_walk w = walk_of(m, inst, &box);
    tg_planes_lock(m, &w.memory);
    if (store->has_old) load_box(&w, &store->old, &store->value);
    if (!w.memory.plane) return;
    if (!tg_shadow_of(m)->is_flagged[store->value.slot] && !store->access.has_mask)
        define_box(&w);
    else if (!tg_shadow_of(m)->is_flagged[store->value.slot] &&
             !tg_shadow_of(m)->is_flagged[store->access.mask.slot])
        define_masked(&w);
    else
        store_box(&w, &store->value);
    tg_planes_unlock(m, &w.memory);
}
