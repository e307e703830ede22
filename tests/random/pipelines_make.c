/* Pipelines that are right by construction.
 *
 * Threads are ordered: a ring leads from one or two of them to later ones, or from a thread to itself.  In turn i of the
 * main section a thread takes block i of each ring that leads to it, and fills block i of each ring that leads from
 * it; or, with copies that need nothing else, block i + ahead.  It gives slots back `behind` turns later.  As ahead +
 * behind is less than the number of slots, no circle of threads waits for itself. */
#include "random/pipelines_plan.h"

/* ---- filling a slot ---- */

/* When, and of which part of which block. */
typedef struct filling {
    pipe_section *section;
    int ring, thread, ahead, to_turn;
    bool is_main, is_lead; /* of two producers the first */
    pipe_part part;
} filling;

static pipe_op *add_fill(plan *p, const filling *f, pipe_act act)
{
    pipe_op *op = add_op(p, f->section, act);
    op->to_turn = f->to_turn;
    return op;
}

static void copy_in(plan *p, const filling *f, int memory, pipe_part part)
{
    const ring *r = &p->rings[f->ring];
    pipe_op *op = add_fill(p, f, PIPE_COPY);
    op->from[0] = input_of(p, f->ahead);
    op->to = slot_of(memory, r->slots, f->ahead);
    op->from[0].part = op->to.part = part;
    op->barrier = slot_of(r->full, r->slots, f->ahead);
    op->told = r->fill == FILL_GROUP  ? PIPE_GROUP
               : r->fill == FILL_COPY ? PIPE_BARRIER
                                      : PIPE_EXPECTED;
}

static void copy_parts(plan *p, const filling *f)
{
    const ring *r = &p->rings[f->ring];
    if (f->part == PIPE_WHOLE && r->has_halves) {
        copy_in(p, f, r->memory, PIPE_UPPER);
        copy_in(p, f, r->memory, PIPE_LOWER);
    } else {
        copy_in(p, f, r->memory, f->part);
    }
    if (r->second != PIPE_NONE) copy_in(p, f, r->second, f->part);
}

static void arrive_full(plan *p, const filling *f)
{
    const ring *r = &p->rings[f->ring];
    for (int i = 0; i < r->arrivals; i++) {
        pipe_op *op = add_fill(p, f, PIPE_ARRIVE);
        op->to = slot_of(r->full, r->slots, f->ahead);
        op->orders = r->hands_order || orders_for_nothing(p);
    }
}

/* The bytes are expected before the arrival; the copies may start at any time. */
static void fill_expected(plan *p, const filling *f)
{
    const ring *r = &p->rings[f->ring];
    const int when = roll(p, 3);
    if (when == 0) copy_parts(p, f);
    if (f->is_lead) {
        pipe_op *op = add_fill(p, f, PIPE_EXPECT);
        op->to = slot_of(r->full, r->slots, f->ahead);
        op->number = r->second == PIPE_NONE ? 16 : 32;
    }
    if (when == 1) copy_parts(p, f);
    if (f->is_lead) arrive_full(p, f);
    if (when == 2) copy_parts(p, f);
}

/* Groups are closed in each turn, so that there is the same number of them in all. */
static void fill_group(plan *p, const filling *f)
{
    copy_parts(p, f);
    if (f->is_main)
        commit(p, f->section, f->thread, PIPE_COMMIT);
    else
        add_op(p, f->section, PIPE_COMMIT);
    add_op(p, f->section, PIPE_WAIT_GROUPS);
    arrive_full(p, f);
}

static void fill_product(plan *p, const filling *f)
{
    const ring *r = &p->rings[f->ring];
    pipe_op *op = add_fill(p, f, PIPE_DOT);
    op->to = slot_of(r->memory, r->slots, f->ahead);
    op->from[1] = only(p->weights);
    op->operand[0] = roll(p, 2) * 2;
    op->replaces = true;
    op->is_transposed = roll(p, 2);
    if (roll(p, 2)) commit(p, f->section, f->thread, PIPE_DOT_COMMIT);
    if (r->hands_order) {
        arrive_full(p, f);
        return;
    }
    add_fill(p, f, PIPE_DOT_ARRIVE)->to = slot_of(r->full, r->slots, f->ahead);
}

/* By a copy of registers. */
static void fill_by_registers(plan *p, const filling *f)
{
    const ring *r = &p->rings[f->ring];
    const int registers = add_memory(p, PIPE_PLAIN, 1, 0);
    store(p, f->section, only(registers));
    pipe_op *op = add_fill(p, f, PIPE_COPY);
    op->from[0] = only(registers);
    op->to = slot_of(r->memory, r->slots, f->ahead);
    op->from[0].part = op->to.part = f->part;
    op->told = PIPE_SOURCE;
    add_op(p, f->section, PIPE_COMMIT)->told = PIPE_SOURCE;
    disturb(p, f->section);
    add_op(p, f->section, PIPE_WAIT_GROUPS)->told = PIPE_SOURCE;
    arrive_full(p, f);
}

static void fill_store(plan *p, const filling *f)
{
    const ring *r = &p->rings[f->ring];
    if (r->second == PIPE_NONE && goes_by_registers(p, r->memory)) {
        fill_by_registers(p, f);
        return;
    }
    for (int second = 0; second < 1 + (r->second != PIPE_NONE); second++) {
        pipe_op *op = add_fill(p, f, PIPE_STORE);
        op->to = slot_of(second ? r->second : r->memory, r->slots, f->ahead);
        op->to.part = f->part;
        op->operand[0] = roll(p, 2) * 2;
    }
    if (r->is_fenced_by_producer) add_op(p, f->section, PIPE_FENCE);
    arrive_full(p, f);
}

static void fill_slot(plan *p, const filling *f)
{
    const ring *r = &p->rings[f->ring];
    if (r->empty != PIPE_NONE) {
        pipe_op *op = add_fill(p, f, PIPE_WAIT);
        op->to = slot_of(r->empty, r->slots, f->ahead);
        op->from_total = r->slots - f->ahead;
        op->orders = orders_for_nothing(p);
    }
    disturb(p, f->section);
    switch (r->fill) {
    case FILL_STORE: fill_store(p, f); break;
    case FILL_GROUP: fill_group(p, f); break;
    case FILL_DOT: fill_product(p, f); break;
    case FILL_EXPECTED: fill_expected(p, f); break;
    default:
        copy_parts(p, f);
        disturb(p, f->section);
        arrive_full(p, f);
    }
}

/* ---- taking a block ---- */

/* Gives a slot back in each turn, `behind` turns late, and at the end those that are left. */
static void release(plan *p, const ring *r, int thread, pipe_act act)
{
    const int turns = p->k->turns, total = pipe_total(p->k);
    if (r->empty == PIPE_NONE) return;
    for (int s = MAIN; s <= RELEASE; s += RELEASE - MAIN) {
        if (s == RELEASE && !r->behind) break;
        pipe_op *op = add_op(p, section_of(p, thread, s), act);
        op->to = slot_of(r->empty, r->slots, -r->behind);
        op->from_turn = s == MAIN || r->behind > turns ? r->behind : turns;
        if (s == RELEASE) op->to_turn = turns + r->behind;
        if (r->leaves_last) op->to_total = total - r->slots + r->behind;
        op->orders = act == PIPE_ARRIVE && orders_for_nothing(p);
    }
}

/* By a copy to registers, which are there at once; the slot is free behind a wait. */
static void load_by_registers(plan *p, const ring *r, int thread)
{
    pipe_section *s = section_of(p, thread, MAIN);
    const int registers = add_memory(p, PIPE_PLAIN, 1, 0), are_used_first = roll(p, 2);
    pipe_op *op = add_op(p, s, PIPE_COPY);
    op->from[0] = slot_of(r->memory, r->slots, 0);
    op->to = only(registers);
    op->told = PIPE_TARGET;
    add_op(p, s, PIPE_COMMIT)->told = PIPE_TARGET;
    p->thread[thread].loads++;
    if (are_used_first) load(p, s, only(registers));
    pipe_op *wait = add_op(p, s, PIPE_WAIT_GROUPS);
    wait->told = PIPE_TARGET;
    wait->scale = r->behind;
    if (!are_used_first) load(p, s, only(registers));
}

static void use_by_loads(plan *p, const ring *r, int thread)
{
    pipe_section *s = section_of(p, thread, MAIN);
    if (goes_by_registers(p, r->memory))
        load_by_registers(p, r, thread);
    else
        load(p, s, slot_of(r->memory, r->slots, 0));
    if (r->second != PIPE_NONE) load(p, s, slot_of(r->second, r->slots, 0));
    release(p, r, thread, PIPE_ARRIVE);
}

static void use_by_copy(plan *p, const ring *r, int thread)
{
    pipe_section *s = section_of(p, thread, MAIN);
    pipe_place to;
    if (!take_outputs(p, pipe_total(p->k), &to)) {
        use_by_loads(p, r, thread);
        return;
    }
    if (r->second != PIPE_NONE) load(p, s, slot_of(r->second, r->slots, 0));
    copy_out(p, s, thread, slot_of(r->memory, r->slots, 0), to);
    disturb(p, s);
    wait_behind(p, s, thread, PIPE_WAIT_GROUPS, p->thread[thread].copies - 1, r->behind);
    release(p, r, thread, PIPE_ARRIVE);
}

/* A copy of the slot for the products behind it, which need not wait for it.  It waits for those before, which may
 * still read what it overwrites. */
static pipe_place copy_among(plan *p, const ring *r, int thread)
{
    const pipe_place tile = only(add_memory(p, PIPE_PLAIN, 1, 0));
    wait_for_all(p, section_of(p, thread, MAIN), PIPE_DOT_WAIT);
    pipe_op *op = add_op(p, section_of(p, thread, MAIN), PIPE_COPY);
    op->from[0] = slot_of(r->memory, r->slots, 0);
    op->to = tile;
    op->told = PIPE_AMONG;
    return tile;
}

/* The first product may take the place of the sum, which is set otherwise. */
static void start_product(plan *p, const ring *r, int thread, int sum)
{
    pipe_op op = {.to = only(sum), .operand = {PIPE_NONE, PIPE_NONE}};
    const int slot_is = roll(p, 2);
    const bool replaces = roll(p, 2), is_transposed = roll(p, 2);
    op.from[slot_is] = slot_of(r->memory, r->slots, 0);
    op.from[!slot_is] = only(p->weights);
    if (r->second != PIPE_NONE) op.from[!slot_is] = slot_of(r->second, r->slots, 0);
    if (slot_is == 1 && r->second == PIPE_NONE && roll(p, 2)) op.operand[0] = roll(p, 2) * 2;
    if (p->has_copies_among && !r->hands_order && roll(p, 2))
        op.from[slot_is] = copy_among(p, r, thread);
    for (int first = 1; first >= 0; first--) {
        if (first && !replaces) continue;
        pipe_op *made = add_op(p, section_of(p, thread, MAIN), PIPE_DOT);
        made->to = op.to;
        memcpy(made->from, op.from, sizeof op.from);
        made->operand[0] = op.operand[0];
        made->is_transposed = is_transposed;
        made->replaces = first;
        if (first) made->to_turn = 1;
        if (!first && replaces) made->from_turn = 1;
    }
    if (!replaces) store(p, section_of(p, thread, START), only(sum));
}

/* A sum of the thread: where there are many memories, one that it has. */
static int sum_for(plan *p, int thread)
{
    int *sums = p->thread[thread].sums, *count = &p->thread[thread].sum_count;
    if (p->k->memory_count > MOST_SUMS_FROM && *count) return sums[0];
    return sums[(*count)++] = add_memory(p, PIPE_PLAIN, 1, 0);
}

static void use_by_product(plan *p, const ring *r, int thread)
{
    pipe_section *s = section_of(p, thread, MAIN);
    const int sum = sum_for(p, thread);
    start_product(p, r, thread, sum);
    const int which = commit(p, s, thread, PIPE_DOT_COMMIT);
    disturb(p, s);
    if (!r->behind && r->producers[0] != thread && roll(p, 2)) {
        release(p, r, thread, PIPE_DOT_ARRIVE);
        return;
    }
    wait_behind(p, s, thread, PIPE_DOT_WAIT, which, r->behind);
    release(p, r, thread, PIPE_ARRIVE);
}

static void use_slot(plan *p, const ring *r, int thread)
{
    pipe_section *s = section_of(p, thread, MAIN);
    pipe_op *wait = at_barrier(p, s, PIPE_WAIT, slot_of(r->full, r->slots, 0));
    wait->orders = r->hands_order || orders_for_nothing(p);
    if (r->is_fenced_by_consumer && r->use[thread] != USE_LOAD) add_op(p, s, PIPE_FENCE);
    disturb(p, s);
    switch (r->use[thread]) {
    case USE_COPY: use_by_copy(p, r, thread); return;
    case USE_DOT:
        if (p->k->memory_count > MOST_SUMS_FROM && !r->hands_order) break;
        use_by_product(p, r, thread);
        return;
    default: break;
    }
    use_by_loads(p, r, thread);
}

/* ---- rings ---- */

static void choose_producers(plan *p, ring *r, int consumer)
{
    r->producers[0] = roll(p, consumer);
    r->producer_count = 1;
    const int second = roll(p, consumer);
    if (roll(p, 4) || second == r->producers[0]) return;
    r->producers[r->producer_count++] = second;
}

static void choose_consumers(plan *p, ring *r, int consumer)
{
    int last = r->producers[0];
    if (r->producer_count == 2 && r->producers[1] > last) last = r->producers[1];
    r->is_consumer[consumer] = true;
    for (int t = last + 1; t < pipe_number_of_threads(p->k); t++)
        if (roll(p, 3) == 0) r->is_consumer[t] = true;
}

static fill choose_fill(plan *p, const ring *r, bool is_own)
{
    const fill chosen = (fill)roll(p, FILLS);
    if (is_own && (chosen == FILL_STORE || chosen == FILL_DOT)) return FILL_COPY;
    return chosen == FILL_DOT && r->producer_count == 2 ? FILL_STORE : chosen;
}

/* Only copies can be started ahead of the turn; and a thread's own ring is filled ahead of it. */
static void choose_distances(plan *p, ring *r, bool is_own)
{
    const bool may_be_ahead = r->fill != FILL_STORE && r->fill != FILL_DOT;
    r->slots = 1 + is_own + roll(p, 3);
    if (is_own)
        r->ahead = 1 + roll(p, r->slots - 1);
    else if (may_be_ahead)
        r->ahead = roll(p, r->slots);
    r->behind = roll(p, r->slots - r->ahead);
}

static void choose_uses(plan *p, ring *r)
{
    bool is_fence_needed = false;
    r->hands_order = p->has_relays && r->fill == FILL_DOT && roll(p, 2);
    for (int t = 0; t < PIPE_THREADS; t++) {
        const use chosen = (use)roll(p, r->fill == FILL_DOT ? 2 : 3);
        r->use[t] = r->hands_order ? USE_DOT : roll(p, 2) ? USE_LOAD : chosen;
        if (r->is_consumer[t] && r->use[t] == USE_DOT) p->thread[t].multiplies = true;
        is_fence_needed = is_fence_needed || (r->is_consumer[t] && r->use[t] != USE_LOAD);
    }
    if (r->fill == FILL_DOT) p->thread[r->producers[0]].multiplies = true;
    if (r->fill != FILL_STORE || !is_fence_needed || !needs_fence(p, r->memory)) return;
    r->is_fenced_by_producer = roll(p, 2);
    r->is_fenced_by_consumer = !r->is_fenced_by_producer;
}

static int count_consumers(const ring *r)
{
    int count = 0;
    for (int t = 0; t < PIPE_THREADS; t++) count += r->is_consumer[t];
    return count;
}

static void add_ring(plan *p, int consumer, bool is_own)
{
    ring *r = &p->rings[p->ring_count++];
    *r = (ring){.empty = PIPE_NONE,
                .second = PIPE_NONE,
                .arrivals = 1,
                .producers = {consumer},
                .producer_count = 1};
    if (!is_own) choose_producers(p, r, consumer);
    if (is_own)
        r->is_consumer[consumer] = true;
    else
        choose_consumers(p, r, consumer);
    r->fill = choose_fill(p, r, is_own);
    choose_distances(p, r, is_own);
    r->has_halves = roll(p, 3) == 0;
    r->leaves_last = roll(p, 2);
    if (r->fill != FILL_DOT && roll(p, 5) == 0) r->arrivals = 2;
    r->memory =
        r->fill == FILL_DOT ? add_memory(p, PIPE_PLAIN, r->slots, 0) : shared_or_plain(p, r->slots);
    if (r->fill != FILL_DOT && roll(p, 3) == 0)
        r->second = add_memory(p, p->k->memories[r->memory].kind, r->slots, 0);
    const bool has_one_lead = r->producer_count == 1 || r->fill == FILL_EXPECTED;
    r->full = add_memory(p, PIPE_BARRIERS, r->slots, r->arrivals * (has_one_lead ? 1 : 2));
    if (!is_own && (pipe_total(p->k) > r->slots || roll(p, 2)))
        r->empty = add_memory(p, PIPE_BARRIERS, r->slots, count_consumers(r));
    choose_uses(p, r);
}

static void add_rings(plan *p)
{
    const int threads = pipe_number_of_threads(p->k);
    if (threads == 1) add_ring(p, 0, true);
    for (int t = 1; t < threads && p->ring_count < MOST_RINGS; t++) add_ring(p, t, false);
    while (p->ring_count < MOST_RINGS && roll(p, 3) == 0) {
        const int t = roll(p, threads);
        add_ring(p, t, t == 0 || roll(p, 3) == 0);
    }
}

/* ---- threads ---- */

static void fill_ring(plan *p, int number, int thread)
{
    const ring *r = &p->rings[number];
    const int turns = p->k->turns;
    for (int i = 0; i < r->producer_count; i++) {
        if (r->producers[i] != thread) continue;
        filling f = {.ring = number, .thread = thread, .is_lead = i == 0};
        if (r->producer_count == 2) f.part = i ? PIPE_LOWER : PIPE_UPPER;
        if (r->ahead) {
            f.section = section_of(p, thread, PREFETCH);
            f.to_turn = r->ahead < turns ? r->ahead : turns;
            fill_slot(p, &f);
        }
        f.section = section_of(p, thread, MAIN);
        f.is_main = true;
        f.ahead = r->ahead;
        f.to_turn = r->ahead ? turns - r->ahead : turns + PIPE_ROWS;
        fill_slot(p, &f);
    }
}

/* Who multiplies needs the weights, which thread 0 writes; all wait for them. */
static void hand_out_weights(plan *p, int thread)
{
    pipe_section *s = section_of(p, thread, START);
    if (p->weights == PIPE_NONE) return;
    if (thread == 0) {
        store(p, s, only(p->weights));
        if (p->are_weights_fenced) add_op(p, s, PIPE_FENCE);
        if (p->ready != PIPE_NONE) at_barrier(p, s, PIPE_ARRIVE, only(p->ready));
    } else {
        at_barrier(p, s, PIPE_WAIT, only(p->ready));
    }
    if (!p->are_weights_fenced && p->thread[thread].multiplies) add_op(p, s, PIPE_FENCE);
}

/* What a turn has come to goes to the output by way of memory of the thread's own. */
static void stage(plan *p, int thread)
{
    pipe_section *s = section_of(p, thread, MAIN);
    pipe_place to;
    const int slots = 1 + roll(p, 2);
    if (roll(p, 3) || !take_outputs(p, pipe_total(p->k), &to)) return;
    const int memory = shared_or_plain(p, slots);
    wait_behind(p, s, thread, PIPE_WAIT_GROUPS, p->thread[thread].copies, slots);
    store(p, s, slot_of(memory, slots, 0));
    if (needs_fence(p, memory)) add_op(p, s, PIPE_FENCE);
    copy_out(p, s, thread, slot_of(memory, slots, 0), to);
}

static void finish(plan *p, int thread)
{
    pipe_section *s = section_of(p, thread, FINISH);
    pipe_place to;
    for (int i = 0; i < p->thread[thread].sum_count; i++)
        load(p, s, only(p->thread[thread].sums[i]));
    /* Of an odd number of turns the last one is another block in each of two steps. */
    take_outputs(p, p->k->steps, &to);
    if (roll(p, 2)) {
        store(p, s, to);
        return;
    }
    const int memory = shared_or_plain(p, 1);
    store(p, s, only(memory));
    if (needs_fence(p, memory)) add_op(p, s, PIPE_FENCE);
    pipe_op *op = add_op(p, s, PIPE_COPY);
    op->from[0] = only(memory);
    op->to = to;
    add_op(p, s, PIPE_COMMIT);
    wait_for_all(p, s, PIPE_WAIT_GROUPS);
}

/* The blocks of a cluster meet before they end. */
static void say_bye(plan *p, int thread)
{
    pipe_section *s = section_of(p, thread, FINISH);
    for (int b = 0; b < p->bye_count; b++) at_barrier(p, s, PIPE_ARRIVE, only(p->bye[b]));
    if (!p->bye_count) return;
    const int own = p->bye_count == 1 ? 0 : pipe_block_of(p->k, thread);
    at_barrier(p, s, PIPE_WAIT, only(p->bye[own]));
}

/* All copies and products that the thread has closed. */
static void drain(plan *p, int thread)
{
    pipe_section *s = section_of(p, thread, DRAIN);
    if (p->thread[thread].copies) wait_for_all(p, s, PIPE_WAIT_GROUPS);
    if (p->thread[thread].sum_count) wait_for_all(p, s, PIPE_DOT_WAIT);
    if (p->thread[thread].loads) add_op(p, s, PIPE_WAIT_GROUPS)->told = PIPE_TARGET;
}

static void count_groups(plan *p, int thread)
{
    pipe_section *s = section_of(p, thread, MAIN);
    for (int i = 0; i < s->count; i++) {
        pipe_op *op = &s->ops[i];
        const int groups = op->told == PIPE_TARGET       ? p->thread[thread].loads
                           : op->act == PIPE_WAIT_GROUPS ? p->thread[thread].copies
                                                         : p->thread[thread].products;
        op->number += op->scale * groups;
    }
}

static void set_turns(plan *p, int thread)
{
    const int turns = p->k->turns,
              ends[] = {1, turns, turns, turns + 1, turns + MOST_BEHIND, turns};
    const int firsts[] = {0, 0, 0, turns, turns, turns - 1};
    p->k->thread[thread].count = FINISH + 1;
    for (int s = START; s <= FINISH; s++) {
        section_of(p, thread, s)->first = firsts[s];
        section_of(p, thread, s)->end = ends[s];
    }
    section_of(p, thread, MAIN)->is_main = true;
}

static void make_thread(plan *p, int thread)
{
    pipe_section *s = section_of(p, thread, MAIN);
    set_turns(p, thread);
    hand_out_weights(p, thread);
    if (p->meet != PIPE_NONE) {
        at_barrier(p, s, PIPE_ARRIVE, only(p->meet));
        at_barrier(p, s, PIPE_WAIT, only(p->meet));
    }
    for (int r = 0; r < p->ring_count; r++)
        if (p->rings[r].is_consumer[thread]) use_slot(p, &p->rings[r], thread);
    for (int r = 0; r < p->ring_count; r++) {
        disturb(p, s);
        fill_ring(p, r, thread);
    }
    pipe_join_relay(p, thread);
    stage(p, thread);
    count_groups(p, thread);
    drain(p, thread);
    finish(p, thread);
    say_bye(p, thread);
}

/* ---- the kernel ---- */

static void choose_shape(plan *p)
{
    pipe_kernel *k = p->k;
    k->blocks = roll(p, p->has_relays ? 3 : 6) ? 1 : 2;
    k->threads = 1 + roll(p, k->blocks == 1 ? 4 : 3);
    k->chains = 1 + (roll(p, 4) == 0);
    k->steps = 1 + (roll(p, 4) == 0);
    k->turns = k->steps == 1 ? 1 + roll(p, 4) : 1 + 2 * roll(p, 2); /* see finish() */
    k->has_trip = roll(p, 3) == 0;
    for (int t = 0; t < pipe_number_of_threads(k); t++)
        k->thread[t].is_unrolled = k->steps == 1 && !k->has_trip && roll(p, 3) == 0;
}

static void add_common(plan *p)
{
    const int threads = pipe_number_of_threads(p->k);
    bool multiply = false;
    for (int t = 0; t < threads; t++) multiply = multiply || p->thread[t].multiplies;
    p->weights = p->ready = p->meet = PIPE_NONE;
    if (threads > 1 && roll(p, 4) == 0) p->meet = add_memory(p, PIPE_BARRIERS, 1, threads);
    if (!multiply) return;
    p->weights = shared_or_plain(p, 1);
    if (threads > 1) p->ready = add_memory(p, PIPE_BARRIERS, 1, 1);
    p->are_weights_fenced = !needs_fence(p, p->weights) || roll(p, 2);
}

static void add_byes(plan *p)
{
    const int threads = pipe_number_of_threads(p->k);
    if (!p->has_homes) return;
    p->bye_count = 1 + roll(p, 2);
    for (int b = 0; b < p->bye_count; b++) {
        p->bye[b] = add_memory(p, PIPE_BARRIERS, 1, threads);
        p->k->memories[p->bye[b]].home = p->bye_count == 1 ? PIPE_NONE : b;
    }
}

/* Along the blocks, the threads of each count together. */
static void add_meeting(plan *p)
{
    pipe_kernel *k = p->k;
    pipe_meeting *m = &k->meetings[k->meeting_count++];
    m->is_along_blocks = k->blocks > 1 && roll(p, 2);
    m->is_along_threads = !m->is_along_blocks || roll(p, 2);
    const int times[] = {roll(p, 3), roll(p, 3), roll(p, 3)};
    for (int t = 0; t < pipe_number_of_threads(k); t++) {
        const int block = pipe_block_of(k, t), in_block = t % k->threads;
        if (m->is_along_blocks && m->is_along_threads)
            m->times[t] = times[0];
        else if (m->is_along_threads)
            m->times[t] = times[block];
        else
            m->times[t] = times[block ? k->threads - 1 - in_block : in_block];
    }
}

static void add_meetings(plan *p)
{
    if (!p->has_relays || pipe_number_of_threads(p->k) == 1) return;
    for (int i = roll(p, PIPE_MEETINGS + 1); i > 0; i--) add_meeting(p);
}

void pipe_make(pipe_kernel *out, uint64_t seed)
{
    plan p = {.k = out,
              .state = seed * 2 + 1,
              .has_copies_among = seed >= PIPE_COPIES_AMONG,
              .has_relays = seed >= PIPE_RELAYS,
              .has_register_copies = seed >= PIPE_REGISTER_COPIES};
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 4; i++) roll(&p, 2);
    choose_shape(&p);
    out->has_faults_of_order = p.has_relays;
    p.has_homes = p.has_relays && out->blocks > 1 && roll(&p, 2);
    add_memory(&p, PIPE_INPUT, INPUT_BLOCKS, 0);
    add_memory(&p, PIPE_OUTPUT, 0, 0);
    add_rings(&p);
    pipe_add_relay(&p);
    add_common(&p);
    add_byes(&p);
    add_meetings(&p);
    for (int t = 0; t < pipe_number_of_threads(out); t++) make_thread(&p, t);
}
