/* The findings about barriers against all interleavings of random threads, each of which only arrives,
 * waits and starts copies.
 *
 * Such a program is so small that all its states can be visited. */
#include <stdint.h>

#include "run_text.h"

enum { MOST_THREADS = 3, MOST_BARRIERS = 2, MOST_OPS = 5 };

typedef enum act { ARRIVE, WAIT, COPY } act;

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

/* A copy is followed by an arrival of its thread, but for some of them. */
static void add_ops(program *p, int t, uint64_t *state, bool has_copies)
{
    const int barrier = (int)draw(state, (uint32_t)p->barriers);
    const act does = has_copies && draw(state, 3) == 0 ? COPY : draw(state, 2) ? WAIT : ARRIVE;
    p->ops[t][p->count[t]++] = (op){barrier, does};
    if (does == COPY && p->count[t] < MOST_OPS && draw(state, 4))
        p->ops[t][p->count[t]++] = (op){barrier, ARRIVE};
}

static program random_program(uint64_t seed, bool has_copies)
{
    uint64_t state = seed * 77 + 5;
    for (int i = 0; i < 4; i++) draw(&state, 2);
    program p = {.threads = 2 + (int)draw(&state, 2), .barriers = 1 + (int)draw(&state, 2)};
    for (int b = 0; b < p.barriers; b++) p.arrivals[b] = 1 + (int)draw(&state, 2);
    for (int t = 0; t < p.threads; t++) {
        const int count = 1 + (int)draw(&state, MOST_OPS);
        while (p.count[t] < count) add_ops(&p, t, &state, has_copies);
    }
    return p;
}

/* ---- all interleavings ---- */

/* How far each thread is; of each barrier, the copies that are on their way, and whether only they are
 * missing.  How many arrivals it has had follows from that. */
typedef struct moment {
    int at[MOST_THREADS], pending[MOST_BARRIERS];
    bool is_full[MOST_BARRIERS];
} moment;

enum { STATES = 6 * 6 * 6 * 16 * 16 * 4 };

typedef struct laws {
    bool is_ambiguous; /* an arrival or a copy is in several phases, or is one too many */
    bool deadlocks, misses, is_unobserved;
    int phase[MOST_THREADS][MOST_OPS]; /* of each arrival and copy; -1: not visited */
    bool visited[STATES];
} laws;

/* The acts of a kind at a barrier by those who are at `at`, or by one thread. */
static int count_of(const program *p, const int *at, int barrier, act what, int thread)
{
    int count = 0;
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < at[t] && (thread < 0 || t == thread); i++)
            count += p->ops[t][i].barrier == barrier && p->ops[t][i].act == what;
    return count;
}

static int phase_at(const program *p, const moment *m, int barrier)
{
    return count_of(p, m->at, barrier, ARRIVE, -1) / p->arrivals[barrier] - m->is_full[barrier];
}

static void note_phase(const program *p, laws *l, const moment *m, int t)
{
    int *known = &l->phase[t][m->at[t]];
    const int phase = phase_at(p, m, p->ops[t][m->at[t]].barrier);
    l->is_ambiguous = l->is_ambiguous || (*known >= 0 && *known != phase);
    *known = phase;
}

/* One arrival too many is one of the next phase here, as in a run. */
static moment after_arrival(const program *p, laws *l, moment m, int t)
{
    const int b = p->ops[t][m.at[t]].barrier;
    if (m.is_full[b]) {
        l->is_ambiguous = true;
        m.is_full[b] = false;
        m.pending[b] = 0;
    }
    note_phase(p, l, &m, t);
    m.at[t]++;
    const bool is_last = count_of(p, m.at, b, ARRIVE, -1) % p->arrivals[b] == 0;
    m.is_full[b] = is_last && m.pending[b];
    return m;
}

/* Lets the thread go on; returns false if it must wait. */
static bool go_on(const program *p, laws *l, moment *m, int t)
{
    const op next = p->ops[t][m->at[t]];
    if (next.act == ARRIVE) {
        *m = after_arrival(p, l, *m, t);
        return true;
    }
    if (next.act == COPY) {
        note_phase(p, l, m, t);
        m->pending[next.barrier]++;
        m->at[t]++;
        return true;
    }
    const int phase = phase_at(p, m, next.barrier),
              wanted = count_of(p, m->at, next.barrier, WAIT, t);
    l->misses = l->misses || phase >= wanted + 2;
    m->at[t]++;
    return phase > wanted;
}

static int number_of(const moment *m)
{
    int number = m->at[0] + 6 * m->at[1] + 36 * m->at[2];
    for (int b = 0; b < MOST_BARRIERS; b++)
        number = (number * 16 + m->pending[b]) * 2 + m->is_full[b];
    return number;
}

static void visit(const program *p, laws *l, const moment *m)
{
    bool goes_on = false, is_over = true;
    if (l->visited[number_of(m)]) return;
    l->visited[number_of(m)] = true;
    for (int b = 0; b < p->barriers; b++) {
        if (!m->pending[b]) continue;
        moment next = *m;
        next.pending[b]--;
        next.is_full[b] = next.is_full[b] && next.pending[b];
        goes_on = true;
        visit(p, l, &next);
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
}

/* A phase that is not the last complete one, and that no thread waits for. */
static bool is_unobserved(const program *p)
{
    for (int b = 0; b < p->barriers; b++) {
        const int phases = count_of(p, p->count, b, ARRIVE, -1) / p->arrivals[b];
        int most = 0;
        for (int t = 0; t < p->threads; t++) {
            const int waits = count_of(p, p->count, b, WAIT, t);
            if (waits > most) most = waits;
        }
        if (most < phases - 1) return true;
    }
    return false;
}

static void find_laws(const program *p, laws *l)
{
    *l = (laws){.is_unobserved = is_unobserved(p)};
    memset(l->phase, -1, sizeof l->phase);
    visit(p, l, &(moment){{0}, {0}, {0}});
}

/* ---- what is found ---- */

static tg_module *module_of(const program *p)
{
    static const char *const names[] = {"barrier_arrive", "barrier_wait", "dma_start %1 %2"};
    tg_text text = {0};
    tg_text_add(&text, "grid %dt\ninput x i32[1]\nscratch s i32[1]\n", p->threads);
    for (int b = 0; b < p->barriers; b++)
        tg_text_add(&text, "scratch b%d barrier[] arrivals=%d\n", b, p->arrivals[b]);
    tg_text_put(&text, "body\n%20:i32[] = program_id axis=0\nswitch %20");
    for (int t = 0; t < p->threads; t++) {
        tg_text_put(&text, " {");
        for (int i = 0; i < p->count[t]; i++)
            tg_text_add(&text, " %s %%%d;", names[p->ops[t][i].act], 3 + p->ops[t][i].barrier);
        tg_text_put(&text, " yield }");
    }
    tg_text_put(&text, "\n");
    char *kernel = tg_text_finish(&text);
    tg_module *module = load_kernel(kernel);
    free(kernel);
    return module;
}

typedef struct kinds {
    bool overrun, deadlock, missed, unobserved;
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
        found.missed = found.missed || strcmp(kind, "phase-missed") == 0;
        found.unobserved = found.unobserved || strcmp(kind, "phase-unobserved") == 0;
    }
    tg_report_free(report);
    free_arrays(&all);
    return found;
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
    if (l->is_ambiguous) return;
    cr_expect_eq(found.missed, l->misses, "seed %d, %s: missed %d", (int)seed, order, found.missed);
    if (!l->misses)
        cr_expect_eq(found.unobserved, l->is_unobserved, "seed %d, %s: unobserved %d", (int)seed,
                     order, found.unobserved);
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

static tally try_programs(int programs, bool has_copies)
{
    static const char *const orders[] = {"sequential", "reversed", "shuffled:3", "interleaved:1",
                                         "interleaved:2"};
    static laws l;
    tally all = {0};
    for (uint64_t seed = 0; seed < (uint64_t)programs; seed++) {
        const program p = random_program(seed, has_copies);
        find_laws(&p, &l);
        tg_module *module = module_of(&p);
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
            compare(seed, &l, orders[o], kinds_in(module, orders[o]));
        tg_module_free(module);
        count(&all, &l);
    }
    printf("%d may block, %d are ambiguous, %d miss a phase, %d do not observe one, %d are good\n",
           all.blocked, all.ambiguous, all.missed, all.unobserved, all.good);
    return all;
}

Test(barrier_laws, all_interleavings_of_random_threads)
{
    const tally all = try_programs(3000, false);
    cr_expect(all.ambiguous > 50 && all.missed > 20 && all.unobserved > 10 && all.good > 50);
}

Test(barrier_laws, all_interleavings_of_random_threads_with_copies)
{
    const tally all = try_programs(3000, true);
    cr_expect(all.ambiguous > 50 && all.missed > 10 && all.unobserved > 5 && all.good > 50);
}
