#include "random/pipelines_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- events ---- */

static void check_room(int count, size_t room)
{
    if ((size_t)count < room) return;
    fprintf(stderr, "a pipeline is too long\n");
    abort();
}

#define ADD(run, list, count, ...)                                                                 \
    do {                                                                                           \
        check_room((run)->count, sizeof(run)->list / sizeof *(run)->list);                         \
        (run)->list[(run)->count++] = __VA_ARGS__;                                                 \
    } while (0)

bool pipe_is_before(const pipe_run *run, int one, int other)
{
    return run->before[other][one / 64] >> one % 64 & 1;
}

static int new_event(pipe_run *run)
{
    check_room(run->event_count, PIPE_EVENTS);
    memset(run->before[run->event_count], 0, sizeof run->before[0]);
    return run->event_count++;
}

static void comes_before(pipe_run *run, int one, int other)
{
    if (one == PIPE_NONE) return;
    for (int w = 0; w < PIPE_WORDS; w++) run->before[other][w] |= run->before[one][w];
    run->before[other][one / 64] |= UINT64_C(1) << one % 64;
}

/* The next event of the thread. */
static int next_event(pipe_run *run, int t)
{
    const int event = new_event(run);
    comes_before(run, run->thread[t].last, event);
    return run->thread[t].last = event;
}

/* ---- memory ---- */

typedef struct rows {
    int first, count;
} rows;

static rows rows_of(const pipe_place *place, int i)
{
    const int first = 2 * pipe_block(place, i) + (place->part == PIPE_LOWER);
    return (rows){first, place->part == PIPE_WHOLE ? 2 : 1};
}

static void note_access(pipe_run *run, const pipe_place *place, int i, int event, bool writes)
{
    const rows r = rows_of(place, i);
    for (int row = r.first; row < r.first + r.count; row++)
        ADD(run, accesses, access_count,
            (pipe_access){place->memory * PIPE_ROW_COUNT + row, event, writes});
}

/* A thread accesses a place, or arrives there: it must be there. */
static void note_use(pipe_run *run, int t, int memory, int event)
{
    const int home = run->k->memories[memory].home;
    if (home != PIPE_NONE && home != pipe_block_of(run->k, t))
        ADD(run, uses, use_count, (pipe_peer_use){event, home});
}

/* A copy or product that starts overwrites it: what threads have done there must be fenced for a strict check. */
static void note_overwriting(pipe_run *run, const pipe_place *place, int i, int start)
{
    const rows r = rows_of(place, i);
    if (run->k->memories[place->memory].kind != PIPE_SHARED) return;
    for (int row = r.first; row < r.first + r.count; row++) {
        const int write = run->written_by[place->memory][row];
        if (write != PIPE_NONE) ADD(run, sights, sight_count, (pipe_sight){write, start, true});
        for (int t = 0; t < PIPE_THREADS; t++) {
            int *read = &run->read_by[t][place->memory][row];
            if (*read != PIPE_NONE) ADD(run, sights, sight_count, (pipe_sight){*read, start, true});
            *read = PIPE_NONE;
        }
    }
}

/* A copy or product that starts reads it: what a thread wrote must be fenced. */
static void note_sight(pipe_run *run, const pipe_place *place, int i, int start)
{
    const rows r = rows_of(place, i);
    if (run->k->memories[place->memory].kind != PIPE_SHARED) return;
    for (int row = r.first; row < r.first + r.count; row++)
        if (run->written_by[place->memory][row] != PIPE_NONE)
            ADD(run, sights, sight_count,
                (pipe_sight){run->written_by[place->memory][row], start, false});
}

static void read_row(const pipe_run *run, int memory, int row, int32_t out[2], bool *is_defined)
{
    if (run->k->memories[memory].kind == PIPE_INPUT) {
        pipe_value block;
        pipe_input(run->chain, row / 2, block);
        memcpy(out, block[row % 2], sizeof block[0]);
        *is_defined = true;
        return;
    }
    memcpy(out, run->rows[memory][row], 2 * sizeof *out);
    *is_defined = run->is_defined[memory][row];
}

static void write_row(pipe_run *run, int memory, int row, const int32_t from[2], bool is_defined,
                      int by)
{
    memcpy(run->rows[memory][row], from, 2 * sizeof *from);
    run->is_defined[memory][row] = is_defined;
    run->is_written[memory][row] = true;
    run->written_by[memory][row] = by;
}

/* A block as a value. */
typedef struct block {
    pipe_value value;
    bool is_defined[2];
} block;

static block read_block(const pipe_run *run, const pipe_place *place, int i)
{
    block out;
    const int first = 2 * pipe_block(place, i);
    for (int r = 0; r < 2; r++)
        read_row(run, place->memory, first + r, out.value[r], &out.is_defined[r]);
    return out;
}

static block register_of(const pipe_run *run, int t, int number)
{
    block out;
    memcpy(out.value, run->thread[t].registers[number], sizeof out.value);
    memcpy(out.is_defined, run->thread[t].is_defined[number], sizeof out.is_defined);
    return out;
}

static void set_register(pipe_run *run, int t, int number, const block *from)
{
    memcpy(run->thread[t].registers[number], from->value, sizeof from->value);
    memcpy(run->thread[t].is_defined[number], from->is_defined, sizeof from->is_defined);
}

/* ---- what threads do in memory ---- */

static void load(pipe_run *run, int t, const pipe_op *op, int i)
{
    const block value = read_block(run, &op->from[0], i);
    const rows r = rows_of(&op->from[0], i);
    const int event = next_event(run, t);
    note_access(run, &op->from[0], i, event, false);
    note_use(run, t, op->from[0].memory, event);
    for (int row = r.first; row < r.first + r.count; row++)
        run->read_by[t][op->from[0].memory][row] = event;
    set_register(run, t, op->result, &value);
}

static void store(pipe_run *run, int t, const pipe_op *op, int i)
{
    const block value = register_of(run, t, op->operand[0]);
    const rows r = rows_of(&op->to, i);
    const int event = next_event(run, t);
    note_access(run, &op->to, i, event, true);
    note_use(run, t, op->to.memory, event);
    for (int row = r.first; row < r.first + r.count; row++)
        write_row(run, op->to.memory, row, value.value[row % 2], value.is_defined[row % 2], event);
}

/* Integers wrap. */
static int32_t compute(pipe_lane lane, int32_t a, int32_t b)
{
    switch (lane) {
    case PIPE_ADD: return (int32_t)((uint32_t)a + (uint32_t)b);
    case PIPE_SUB: return (int32_t)((uint32_t)a - (uint32_t)b);
    case PIPE_MUL: return (int32_t)((uint32_t)a * (uint32_t)b);
    case PIPE_MAX: return a > b ? a : b;
    case PIPE_MIN: return a < b ? a : b;
    default: return a ^ b;
    }
}

static void compute_lanes(pipe_run *run, int t, const pipe_op *op, int i)
{
    block a = register_of(run, t, op->operand[0]), b = {.is_defined = {true, true}};
    if (op->operand[1] != PIPE_NONE) b = register_of(run, t, op->operand[1]);
    for (int e = 0; e < 4; e++) {
        const int32_t second = op->operand[1] == PIPE_NONE ? i : b.value[e / 2][e % 2];
        a.value[e / 2][e % 2] = compute((pipe_lane)op->number, a.value[e / 2][e % 2], second);
    }
    for (int r = 0; r < 2; r++) a.is_defined[r] = a.is_defined[r] && b.is_defined[r];
    set_register(run, t, op->result, &a);
}

/* ---- barriers ---- */

static int barrier_of(const pipe_place *place, int i)
{
    return place->memory * PIPE_SLOTS + pipe_block(place, i);
}

static void note_act(pipe_run *run, pipe_act act, int barrier, int event, bool is_expected)
{
    ADD(run, acts, act_count,
        (pipe_at_barrier){act, barrier, run->barriers[barrier].phases, event, is_expected,
                          PIPE_NONE});
}

/* What comes behind these two, of which each may be none. */
static int behind_both(pipe_run *run, int one, int other)
{
    if (one == PIPE_NONE && other == PIPE_NONE) return PIPE_NONE;
    const int event = new_event(run);
    comes_before(run, one, event);
    comes_before(run, other, event);
    return event;
}

static void settle(pipe_barrier *b)
{
    if (b->arrived != b->arrivals || b->lacks) return;
    b->phases++;
    b->arrived = 0;
}

/* One too many, where the phase lacks bytes.  `order` is what it hands on. */
static void arrive(pipe_run *run, int barrier, int event, int order)
{
    pipe_barrier *b = &run->barriers[barrier];
    if (b->arrived == b->arrivals) {
        run->faults |= PIPE_OVERRUN;
        return;
    }
    note_act(run, PIPE_ARRIVE, barrier, event, false);
    run->acts[run->act_count - 1].order = order;
    b->arrived++;
    settle(b);
}

/* An arrival of the thread itself. */
static void arrive_at(pipe_run *run, int t, const pipe_op *op, int barrier)
{
    const int event = next_event(run, t);
    note_use(run, t, op->to.memory, event);
    arrive(run, barrier, event,
           op->orders ? behind_both(run, run->thread[t].newest_in_order, run->thread[t].taken)
                      : PIPE_NONE);
}

static void expect(pipe_run *run, int t, const pipe_op *op, int barrier)
{
    note_act(run, PIPE_EXPECT, barrier, next_event(run, t), false);
    run->barriers[barrier].lacks += op->number;
    settle(&run->barriers[barrier]);
}

/* Whatever counts for the phase comes before the end of a wait for it. */
static void end_wait(pipe_run *run, int t, const pipe_op *op, int barrier)
{
    const int event = next_event(run, t), phase = run->thread[t].awaited[barrier]++;
    for (int i = 0; i < run->act_count; i++) {
        const pipe_at_barrier *act = &run->acts[i];
        if (act->barrier != barrier || act->phase != phase || act->act != PIPE_ARRIVE) continue;
        comes_before(run, act->event, event);
        if (op->orders) run->thread[t].taken = behind_both(run, run->thread[t].taken, act->order);
    }
    for (int i = 0; i < run->async_count; i++) {
        const pipe_async *async = &run->asyncs[i];
        if (async->barrier == barrier && async->phase == phase)
            comes_before(run, async->done, event);
    }
    ADD(run, acts, act_count,
        (pipe_at_barrier){PIPE_WAIT, barrier, phase, event, false, PIPE_NONE});
    ADD(run, waits, wait_count, event);
}

/* Returns false if the thread must wait. */
static bool wait(pipe_run *run, int t, const pipe_op *op, int barrier)
{
    if (run->barriers[barrier].phases <= run->thread[t].awaited[barrier]) return false;
    end_wait(run, t, op, barrier);
    return true;
}

/* ---- copies and products ---- */

static pipe_engine engine_of(const pipe_op *op)
{
    switch (op->told) {
    case PIPE_AMONG: return PIPE_PRODUCTS;
    case PIPE_TARGET: return PIPE_LOADS;
    case PIPE_SOURCE: return PIPE_STORES;
    default: return PIPE_COPIES;
    }
}

static int bytes_of(const pipe_place *place) { return place->part == PIPE_WHOLE ? 16 : 8; }

static void move(pipe_run *run, const pipe_op *op, int i)
{
    const rows from = rows_of(&op->from[0], i), to = rows_of(&op->to, i);
    for (int r = 0; r < from.count; r++) {
        int32_t row[2];
        bool is_defined;
        read_row(run, op->from[0].memory, from.first + r, row, &is_defined);
        write_row(run, op->to.memory, to.first + r, row, is_defined, PIPE_NONE);
    }
}

/* The barrier that a copy tells counts it to its current phase. */
static void tell(pipe_run *run, const pipe_op *op, int barrier, pipe_async *copy)
{
    copy->barrier = barrier;
    copy->phase = run->barriers[barrier].phases;
    note_act(run, PIPE_COPY, barrier, copy->start, op->told == PIPE_EXPECTED);
    if (op->told == PIPE_EXPECTED) run->barriers[barrier].lacks -= bytes_of(&op->to);
    settle(&run->barriers[barrier]);
}

/* It follows what its thread has started before, products and such arrivals. */
static int next_in_order(pipe_run *run, int t, int start)
{
    const int event = new_event(run);
    comes_before(run, start, event);
    comes_before(run, run->thread[t].newest_in_order, event);
    return run->thread[t].newest_in_order = event;
}

/* It reads what products and copies before it have written, and may write before they are done. */
static void copy_in_order(pipe_run *run, int t, pipe_async *copy)
{
    copy->read = next_in_order(run, t, copy->start);
    copy->done = new_event(run);
    comes_before(run, copy->start, copy->done);
    comes_before(run, copy->done, next_in_order(run, t, copy->start));
}

/* The moments of a copy: when it reads and when it writes.  Registers are read, and are written, when it starts. */
static void set_moments(pipe_run *run, int t, pipe_told told, pipe_async *copy)
{
    copy->start = next_event(run, t);
    copy->read = copy->done = copy->start;
    if (told == PIPE_AMONG) {
        copy_in_order(run, t, copy);
        return;
    }
    if (told != PIPE_SOURCE) {
        copy->read = new_event(run);
        comes_before(run, copy->start, copy->read);
    }
    if (told == PIPE_TARGET) return;
    copy->done = new_event(run);
    comes_before(run, copy->read, copy->done);
}

static void copy(pipe_run *run, int t, const pipe_op *op, int i)
{
    pipe_async copy = {.thread = t, .barrier = PIPE_NONE, .engine = engine_of(op)};
    set_moments(run, t, op->told, &copy);
    note_access(run, &op->from[0], i, copy.read, false);
    note_access(run, &op->to, i, copy.done, true);
    note_sight(run, &op->from[0], i, copy.start);
    note_overwriting(run, &op->to, i, copy.start);
    move(run, op, i);
    copy.group = run->thread[t].closed[copy.engine];
    if (op->told == PIPE_BARRIER || op->told == PIPE_EXPECTED) {
        copy.group = PIPE_NONE;
        tell(run, op, barrier_of(&op->barrier, i), &copy);
    }
    ADD(run, asyncs, async_count, copy);
}

static void multiply(const block *a, const block *b, bool is_transposed, bool adds, block *sum)
{
    const bool are_defined = b->is_defined[0] && b->is_defined[1];
    for (int r = 0; r < 2; r++) {
        for (int c = 0; c < 2; c++) {
            uint32_t total = adds ? (uint32_t)sum->value[r][c] : 0;
            for (int k = 0; k < 2; k++)
                total += (uint32_t)a->value[r][k] *
                         (uint32_t)(is_transposed ? b->value[c][k] : b->value[k][c]);
            sum->value[r][c] = (int32_t)total;
        }
        sum->is_defined[r] = are_defined && a->is_defined[r] && (!adds || sum->is_defined[r]);
    }
}

static void add_product(pipe_run *run, int t, const pipe_op *op, int i)
{
    const block right = read_block(run, &op->from[1], i),
                left = op->operand[0] == PIPE_NONE ? read_block(run, &op->from[0], i)
                                                   : register_of(run, t, op->operand[0]);
    block sum = read_block(run, &op->to, i);
    multiply(&left, &right, op->is_transposed, !op->replaces, &sum);
    const int first = 2 * pipe_block(&op->to, i);
    for (int r = 0; r < 2; r++)
        write_row(run, op->to.memory, first + r, sum.value[r], sum.is_defined[r], PIPE_NONE);
}

static void start_product(pipe_run *run, int t, const pipe_op *op, int i)
{
    pipe_async product = {.thread = t, .barrier = PIPE_NONE, .engine = PIPE_PRODUCTS};
    product.group = run->thread[t].closed[PIPE_PRODUCTS];
    product.start = next_event(run, t);
    product.read = product.done = next_in_order(run, t, product.start);
    comes_before(run, run->thread[t].taken, product.done);
    for (int f = op->operand[0] == PIPE_NONE ? 0 : 1; f < 2; f++) {
        note_access(run, &op->from[f], i, product.done, false);
        note_sight(run, &op->from[f], i, product.start);
    }
    note_access(run, &op->to, i, product.done, true);
    note_overwriting(run, &op->to, i, product.start);
    add_product(run, t, op, i);
    ADD(run, asyncs, async_count, product);
}

static void arrive_behind_products(pipe_run *run, int t, int barrier)
{
    const int event = next_in_order(run, t, next_event(run, t));
    arrive(run, barrier, event, PIPE_NONE);
}

static void wait_for_groups(pipe_run *run, int t, const pipe_op *op, pipe_engine engine)
{
    const int event = next_event(run, t), end = run->thread[t].closed[engine] - op->number;
    if (op->is_promised && run->does_without_promises) return;
    ADD(run, waits, wait_count, event);
    for (int i = 0; i < run->async_count; i++) {
        const pipe_async *async = &run->asyncs[i];
        if (async->thread != t || async->engine != engine || async->group == PIPE_NONE ||
            async->group >= end)
            continue;
        comes_before(run, async->read, event);
        if (!op->reads) comes_before(run, async->done, event);
    }
}

/* ---- threads ---- */

static void fence(pipe_run *run, int t)
{
    const int event = next_event(run, t);
    ADD(run, fences, fence_count, event);
}

/* Returns false if the thread must wait. */
static bool act(pipe_run *run, int t, const pipe_op *op, int i)
{
    switch (op->act) {
    case PIPE_WAIT: return wait(run, t, op, barrier_of(&op->to, i));
    case PIPE_ARRIVE: arrive_at(run, t, op, barrier_of(&op->to, i)); break;
    case PIPE_EXPECT: expect(run, t, op, barrier_of(&op->to, i)); break;
    case PIPE_COPY: copy(run, t, op, i); break;
    case PIPE_COMMIT: run->thread[t].closed[engine_of(op)]++; break;
    case PIPE_WAIT_GROUPS: wait_for_groups(run, t, op, engine_of(op)); break;
    case PIPE_DOT: start_product(run, t, op, i); break;
    case PIPE_DOT_COMMIT: run->thread[t].closed[PIPE_PRODUCTS]++; break;
    case PIPE_DOT_WAIT: wait_for_groups(run, t, op, PIPE_PRODUCTS); break;
    case PIPE_DOT_ARRIVE: arrive_behind_products(run, t, barrier_of(&op->to, i)); break;
    case PIPE_FENCE: fence(run, t); break;
    case PIPE_LOAD: load(run, t, op, i); break;
    case PIPE_STORE: store(run, t, op, i); break;
    default: compute_lanes(run, t, op, i); break;
    }
    return true;
}

/* The next section, if this one is over, and so on; false: the thread has ended. */
static bool find_op(pipe_run *run, int t)
{
    const pipe_thread *thread = &run->k->thread[t];
    while (run->thread[t].section < thread->count) {
        const pipe_section *s = &thread->sections[run->thread[t].section];
        if (run->thread[t].turn < s->end && run->thread[t].op < s->count) return true;
        if (run->thread[t].turn + 1 < s->end) {
            run->thread[t].turn++;
        } else {
            run->thread[t].section++;
            if (run->thread[t].section < thread->count)
                run->thread[t].turn = thread->sections[run->thread[t].section].first;
        }
        run->thread[t].op = 0;
    }
    return false;
}

/* Goes on until the thread waits or ends; returns whether it has ended. */
static bool go_on(pipe_run *run, int t, bool *has_moved)
{
    while (!run->faults && find_op(run, t)) {
        const pipe_op *op =
            &run->k->thread[t].sections[run->thread[t].section].ops[run->thread[t].op];
        const int turn = run->thread[t].turn, i = run->step * run->k->turns + turn;
        if (pipe_takes_place(run->k, op, run->step, turn) && !act(run, t, op, i)) return false;
        run->thread[t].op++;
        *has_moved = true;
    }
    return true;
}

/* A step begins when all threads have ended the one before. */
static void begin_step(pipe_run *run)
{
    const int threads = pipe_number_of_threads(run->k), event = new_event(run);
    for (int t = 0; t < threads; t++) comes_before(run, run->thread[t].last, event);
    for (int t = 0; t < threads; t++) {
        const pipe_thread *thread = &run->k->thread[t];
        run->thread[t].last = event;
        run->thread[t].section = run->thread[t].op = 0;
        run->thread[t].turn = thread->count ? thread->sections[0].first : 0;
        for (int r = 0; r < PIPE_REGISTERS; r++) {
            block first = {.is_defined = {true, true}};
            for (int e = 0; e < 4; e++) first.value[e / 2][e % 2] = t + r + 1;
            set_register(run, t, r, &first);
        }
    }
}

static void run_step(pipe_run *run)
{
    bool has_moved = true, is_over = false;
    begin_step(run);
    while (has_moved && !is_over && !run->faults) {
        has_moved = false;
        is_over = true;
        for (int t = 0; t < pipe_number_of_threads(run->k); t++)
            if (!go_on(run, t, &has_moved)) is_over = false;
    }
    if (!is_over && !run->faults) run->faults |= PIPE_DEADLOCK;
}

static void begin(pipe_run *run, const pipe_kernel *k, int chain)
{
    run->k = k;
    run->chain = chain;
    run->faults = 0;
    run->event_count = run->access_count = run->act_count = 0;
    run->async_count = run->sight_count = run->fence_count = run->wait_count = run->use_count = 0;
    memset(run->thread, 0, sizeof run->thread);
    for (int t = 0; t < PIPE_THREADS; t++)
        run->thread[t].last = run->thread[t].newest_in_order = run->thread[t].taken = PIPE_NONE;
    memset(run->barriers, 0, sizeof run->barriers);
    for (int m = 0; m < k->memory_count; m++)
        for (int b = 0; k->memories[m].kind == PIPE_BARRIERS && b < k->memories[m].count; b++)
            run->barriers[m * PIPE_SLOTS + b].arrivals = k->memories[m].arrivals;
    memset(run->is_defined, 0, sizeof run->is_defined);
    memset(run->is_written, 0, sizeof run->is_written);
    memset(run->written_by, 0xff, sizeof run->written_by);
    memset(run->read_by, 0xff, sizeof run->read_by);
}

void pipe_run_all(pipe_run *run, const pipe_kernel *k, int chain, bool does_without_promises)
{
    begin(run, k, chain);
    run->does_without_promises = does_without_promises;
    for (run->step = 0; run->step < k->steps && !run->faults; run->step++) run_step(run);
}
