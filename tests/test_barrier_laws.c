/* The findings about barriers against all interleavings of random threads, each of which only arrives,
 * waits and starts copies.
 *
 * Such a program is so small that all its states can be visited. */
#include <stdint.h>

#include "run_text.h"

enum { MOST_THREADS = 3, MOST_BARRIERS = 2, MOST_OPS = 5 };

/* EXPECT, BRING: the barrier is told to expect the bytes of a copy, and a copy with such bytes starts. */
typedef enum act { ARRIVE, WAIT, COPY, EXPECT, BRING } act;

/* What there is beside arrivals and waits. */
typedef enum range { PLAIN, COPIES, EXPECTED } range;

typedef struct op {
    int barrier;
    act act;
} op;

typedef struct program {
    int threads, barriers, arrivals[MOST_BARRIERS], count[MOST_THREADS];
    op ops[MOST_THREADS][MOST_OPS];
} program;

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

/* A copy is followed by an arrival of its thread, but for some of them; what says that one comes always is. */
static void add_ops(program *p, int t, uint64_t *state, range of)
{
    const int barrier = (int)draw(state, (uint32_t)p->barriers);
    act does = draw(state, 2) ? WAIT : ARRIVE;
    if (of == COPIES && draw(state, 3) == 0) does = COPY;
    if (of == EXPECTED && draw(state, 2)) does = draw(state, 2) ? EXPECT : BRING;
    if (does == EXPECT && p->count[t] == MOST_OPS - 1) does = ARRIVE;
    p->ops[t][p->count[t]++] = (op){barrier, does};
    if (does == EXPECT || (does == COPY && p->count[t] < MOST_OPS && draw(state, 4)))
        p->ops[t][p->count[t]++] = (op){barrier, ARRIVE};
}

static program random_program(uint64_t seed, range of)
{
    uint64_t state = seed * 77 + 5;
    for (int i = 0; i < 4; i++) draw(&state, 2);
    program p = {.threads = 2 + (int)draw(&state, 2), .barriers = 1 + (int)draw(&state, 2)};
    for (int b = 0; b < p.barriers; b++) p.arrivals[b] = 1 + (int)draw(&state, 2);
    for (int t = 0; t < p.threads; t++) {
        const int count = 1 + (int)draw(&state, MOST_OPS);
        while (p.count[t] < count) add_ops(&p, t, &state, of);
    }
    return p;
}

/* ---- all interleavings ---- */

/* How far each thread is; of each barrier, its complete phases, the arrivals and what it lacks of the
 * current one, and copies on their way, of which some hold the phase up, and others have expected bytes. */
typedef struct moment {
    int8_t at[MOST_THREADS];
    struct {
        int8_t phases, arrived, lacks, copies, bringing;
    } barrier[MOST_BARRIERS];
} moment;

enum { STATES = 1 << 15 };

typedef struct laws {
    bool is_ambiguous; /* something is in several phases, or is one too many */
    bool deadlocks, misses, is_unobserved;
    bool has_rest; /* arrivals, or bytes, of a phase that is not complete at the end */
    int phase[MOST_THREADS][MOST_OPS]; /* of each op but waits; -1: not visited */
    moment visited[STATES];            /* a hash table */
    bool is_used[STATES];
} laws;

/* Returns whether it was new. */
static bool note_moment(laws *l, const moment *m)
{
    uint32_t at = 17;
    for (size_t i = 0; i < sizeof *m; i++) at = at * 31 + ((const uint8_t *)m)[i];
    for (at %= STATES; l->is_used[at]; at = (at + 1) % STATES)
        if (memcmp(&l->visited[at], m, sizeof *m) == 0) return false;
    l->is_used[at] = true;
    l->visited[at] = *m;
    return true;
}

/* The waits of the thread for the barrier until now. */
static int waits_of(const program *p, int count, int barrier, int thread)
{
    int waits = 0;
    for (int i = 0; i < count; i++)
        waits += p->ops[thread][i].barrier == barrier && p->ops[thread][i].act == WAIT;
    return waits;
}

static void note_phase(const program *p, laws *l, const moment *m, int t)
{
    int *known = &l->phase[t][m->at[t]];
    const int phase = m->barrier[p->ops[t][m->at[t]].barrier].phases;
    l->is_ambiguous = l->is_ambiguous || (*known >= 0 && *known != phase);
    *known = phase;
}

/* Completes the phase if nothing is missing.  What is brought behind that was started before. */
static void settle(const program *p, laws *l, moment *m, int b)
{
    if (m->barrier[b].arrived != p->arrivals[b] || m->barrier[b].lacks || m->barrier[b].copies)
        return;
    l->is_ambiguous = l->is_ambiguous || m->barrier[b].bringing;
    m->barrier[b].phases++;
    m->barrier[b].arrived = 0;
}

/* An arrival beyond those of the phase makes its copies take place, as in a run; if that does not complete
 * the phase, it does not count. */
static void arrive(const program *p, laws *l, moment *m, int t)
{
    const int b = p->ops[t][m->at[t]].barrier;
    if (m->barrier[b].arrived == p->arrivals[b]) {
        l->is_ambiguous = true;
        m->barrier[b].copies = 0;
        m->barrier[b].lacks = (int8_t)(m->barrier[b].lacks - m->barrier[b].bringing);
        m->barrier[b].bringing = 0;
        settle(p, l, m, b);
    }
    note_phase(p, l, m, t);
    if (m->barrier[b].arrived < p->arrivals[b]) m->barrier[b].arrived++;
}

/* Lets the thread go on; returns false if it must wait. */
static bool go_on(const program *p, laws *l, moment *m, int t)
{
    const op next = p->ops[t][m->at[t]];
    const int b = next.barrier, phases = m->barrier[b].phases;
    if (next.act == WAIT) {
        const int awaited = waits_of(p, m->at[t]++, b, t);
        l->misses = l->misses || phases >= awaited + 2;
        return phases > awaited;
    }
    if (next.act != ARRIVE) note_phase(p, l, m, t);
    switch (next.act) {
    case ARRIVE: arrive(p, l, m, t); break;
    case COPY: m->barrier[b].copies++; break;
    case BRING: m->barrier[b].bringing++; break;
    default: m->barrier[b].lacks++; break;
    }
    m->at[t]++;
    settle(p, l, m, b);
    return true;
}

static void visit(const program *p, laws *l, const moment *m);

/* A copy takes place. */
static void visit_copy(const program *p, laws *l, moment m, int b, bool was_expected)
{
    if (was_expected) {
        m.barrier[b].bringing--;
        m.barrier[b].lacks--;
    } else {
        m.barrier[b].copies--;
    }
    settle(p, l, &m, b);
    visit(p, l, &m);
}

/* The last phase need not be awaited. */
static void look_at_the_end(const program *p, laws *l, const moment *m)
{
    for (int b = 0; b < p->barriers; b++) {
        int most = 0;
        for (int t = 0; t < p->threads; t++) {
            const int waits = waits_of(p, p->count[t], b, t);
            if (waits > most) most = waits;
        }
        if (most < m->barrier[b].phases - 1) l->is_unobserved = true;
        if (m->barrier[b].arrived || m->barrier[b].lacks) l->has_rest = true;
    }
}

static void visit(const program *p, laws *l, const moment *m)
{
    bool goes_on = false, is_over = true;
    if (!note_moment(l, m)) return;
    for (int b = 0; b < p->barriers; b++) {
        goes_on = goes_on || m->barrier[b].copies || m->barrier[b].bringing;
        if (m->barrier[b].copies) visit_copy(p, l, *m, b, false);
        if (m->barrier[b].bringing) visit_copy(p, l, *m, b, true);
    }
    for (int t = 0; t < p->threads; t++) {
        moment next = *m;
        if (m->at[t] == p->count[t]) continue;
        is_over = false;
        if (!go_on(p, l, &next, t)) continue;
        goes_on = true;
        visit(p, l, &next);
    }
    l->deadlocks = l->deadlocks || (!goes_on && !is_over);
    if (is_over && !goes_on) look_at_the_end(p, l, m);
}

static void find_laws(const program *p, laws *l)
{
    *l = (laws){0};
    memset(l->phase, -1, sizeof l->phase);
    visit(p, l, &(moment){{0}, {{0}}});
}

/* ---- what is found ---- */

static void put_op(tg_text *text, const op *o)
{
    static const char *const before[] = {"barrier_arrive", "barrier_wait", "dma_start %1 %2",
                                         "barrier_expect", "dma_start %1 %2"},
                             *const behind[] = {"", "", "", " %21", " expected=true"};
    tg_text_add(text, " %s %%%d%s;", before[o->act], 3 + o->barrier, behind[o->act]);
}

static tg_module *module_of(const program *p)
{
    tg_text text = {0};
    tg_text_add(&text, "grid %dt\ninput x i32[1]\nscratch s i32[1]\n", p->threads);
    for (int b = 0; b < p->barriers; b++)
        tg_text_add(&text, "scratch b%d barrier[] arrivals=%d\n", b, p->arrivals[b]);
    tg_text_put(&text,
                "body\n%20:i32[] = program_id axis=0; %21:i32[] = constant value=4\nswitch %20");
    for (int t = 0; t < p->threads; t++) {
        tg_text_put(&text, " {");
        for (int i = 0; i < p->count[t]; i++) put_op(&text, &p->ops[t][i]);
        tg_text_put(&text, " yield }");
    }
    tg_text_put(&text, "\n");
    char *kernel = tg_text_finish(&text);
    tg_module *module = load_kernel(kernel);
    free(kernel);
    return module;
}

typedef struct kinds {
    bool overrun, deadlock, missed, unobserved, rest;
} kinds;

static kinds kinds_in(const tg_module *module, const char *order)
{
    const tg_run_options options = {.size = sizeof options, .order = order, .checks = "none"};
    arrays all = make_arrays(module, NAMED({"x", (int32_t[]){1}}));
    tg_report *report = run_once(module, &all, &options);
    kinds found = {0};
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const char *kind = tg_report_finding(report, i).kind;
        found.overrun = found.overrun || strcmp(kind, "barrier-overrun") == 0;
        found.deadlock = found.deadlock || strcmp(kind, "deadlock") == 0;
        found.rest = found.rest || strcmp(kind, "semaphore-left") == 0;
        found.missed = found.missed || strcmp(kind, "phase-missed") == 0;
        found.unobserved = found.unobserved || strcmp(kind, "phase-unobserved") == 0;
    }
    tg_report_free(report);
    free_arrays(&all);
    return found;
}

static void compare_waits(uint64_t seed, const laws *l, const char *order, kinds found)
{
    cr_expect_eq(found.missed, l->misses, "seed %d, %s: missed %d", (int)seed, order, found.missed);
    if (!l->misses)
        cr_expect_eq(found.unobserved, l->is_unobserved, "seed %d, %s: unobserved %d", (int)seed,
                     order, found.unobserved);
}

/* Where no interleaving blocks, the findings are exactly those that all interleavings together show; a missed
 * phase of the same barrier says more than one that nobody waits for. */
static void compare(uint64_t seed, const laws *l, const char *order, kinds found)
{
    if (l->deadlocks) {
        cr_expect(found.overrun || found.deadlock, "seed %d, %s: nothing found", (int)seed, order);
        cr_expect(!found.overrun || l->is_ambiguous, "seed %d, %s: overrun", (int)seed, order);
        return;
    }
    cr_expect(!found.deadlock, "seed %d, %s: deadlock", (int)seed, order);
    cr_expect_eq(found.overrun, l->is_ambiguous, "seed %d, %s: overrun %d", (int)seed, order,
                 found.overrun);
    if (!l->is_ambiguous) compare_waits(seed, l, order, found);
}

/* Bytes that come in the wrong phase may show in one of several ways. */
static void compare_bytes(uint64_t seed, const laws *l, const char *order, kinds found)
{
    const bool is_wrong = l->is_ambiguous || l->deadlocks || l->has_rest,
               is_found = found.overrun || found.deadlock || found.rest;
    cr_expect(is_wrong || !is_found, "seed %d, %s: accused", (int)seed, order);
    cr_expect(!is_wrong || is_found || found.missed || found.unobserved,
              "seed %d, %s: nothing found", (int)seed, order);
    cr_expect(!found.overrun || l->is_ambiguous, "seed %d, %s: overrun", (int)seed, order);
    if (!is_wrong) compare_waits(seed, l, order, found);
}

typedef struct tally {
    int good, ambiguous, blocked, missed, unobserved;
} tally;

static void count(tally *all, const laws *l)
{
    int *one = l->deadlocks       ? &all->blocked
               : l->is_ambiguous  ? &all->ambiguous
               : l->misses        ? &all->missed
               : l->is_unobserved ? &all->unobserved
                                  : &all->good;
    ++*one;
}

static tally try_programs(int programs, range of)
{
    static const char *const orders[] = {"sequential", "reversed", "shuffled:3", "interleaved:1",
                                         "interleaved:2"};
    static laws l;
    tally all = {0};
    for (uint64_t seed = 0; seed < (uint64_t)programs; seed++) {
        const program p = random_program(seed, of);
        find_laws(&p, &l);
        tg_module *module = module_of(&p);
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
            (of == EXPECTED ? compare_bytes : compare)(seed, &l, orders[o],
                                                       kinds_in(module, orders[o]));
        tg_module_free(module);
        count(&all, &l);
    }
    printf("%d may block, %d are ambiguous, %d miss a phase, %d do not observe one, %d are good\n",
           all.blocked, all.ambiguous, all.missed, all.unobserved, all.good);
    return all;
}

Test(barrier_laws, all_interleavings_of_random_threads)
{
    const tally all = try_programs(3000, PLAIN);
    cr_expect(all.ambiguous > 50 && all.missed > 20 && all.unobserved > 10 && all.good > 50);
}

Test(barrier_laws, all_interleavings_of_random_threads_with_copies)
{
    const tally all = try_programs(3000, COPIES);
    cr_expect(all.ambiguous > 50 && all.missed > 10 && all.unobserved > 5 && all.good > 50);
}

Test(barrier_laws, all_interleavings_of_random_threads_with_expected_bytes)
{
    const tally all = try_programs(3000, EXPECTED);
    cr_expect(all.ambiguous > 50 && all.good > 20);
}
