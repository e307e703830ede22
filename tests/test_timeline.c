/* The timeline of a run: who works when, who waits for what and who has ended it, what is in flight; and what a log that is full
 * says. */
#include "record_random.h"
#include "sampled.h"

typedef struct recorded {
    tg_module *module;
    arrays all;
    tg_report *report;
    tg_recording *recording;
} recorded;

static recorded record_module(tg_module *module, const named *inputs, const char *order,
                              size_t most)
{
    const tg_record_limits limits = {.size = sizeof limits, .events = most};
    const tg_run_options options = {.size = sizeof options, .order = order};
    recorded r = {.module = module};
    tg_errors *errors = tg_errors_new();
    r.all = make_arrays(r.module, inputs);
    r.report = run_once(r.module, &r.all, &options);
    const tg_status status = tg_record(r.module, NULL, r.all.list, r.all.count, &options, r.report,
                                       &limits, &r.recording, errors);
    if (status != TG_OK) show_errors(errors);
    cr_assert_eq(status, TG_OK);
    tg_errors_free(errors);
    return r;
}

static void drop(recorded *r)
{
    tg_recording_free(r->recording);
    tg_report_free(r->report);
    free_arrays(&r->all);
    tg_module_free(r->module);
}

/* ---- events as text ---- */

static int line_of(const recorded *r, const tg_record_event *e)
{
    return (int)tg_recording_location(r->recording, e->location).line;
}

/* "KIND:LINE (PROGRAM).THREAD PLACE NUMBER BEGIN-END", then what there is of SOURCES, MOMENTS, "by KIND:LINE", TEXT. */
static void print_event(const recorded *r, size_t i, char *out, size_t size)
{
    const tg_record_event e = tg_recording_event(r->recording, i);
    size_t used = (size_t)snprintf(out, size, "%s:%d (%d).%d%s%s", e.kind, line_of(r, &e),
                                   (int)e.program, (int)e.thread, e.place[0] ? " " : "", e.place);
#define MORE(...) used += (size_t)snprintf(out + used, size - used, __VA_ARGS__)
    if (e.number >= 0) MORE(" %d", (int)e.number);
    MORE(" %d-%d", (int)e.begin, (int)e.end);
    if (e.source[0]) MORE(" from %s", e.source);
    if (e.second[0]) MORE(" x %s", e.second);
    if (e.read >= 0) MORE(" read@%d", (int)e.read);
    if (e.happened >= 0) MORE(" at@%d", (int)e.happened);
    if (e.text) MORE(" '%s'", e.text);
    if (e.by < 0) return;
    const tg_record_event by = tg_recording_event(r->recording, (size_t)e.by);
    MORE(" by %s:%d", by.kind, line_of(r, &by));
#undef MORE
}

/* The timeline without its work, or with it, in lines. */
static void expect_events(const char *text, const named *inputs, const char *order, bool with_work,
                          const char *wanted)
{
    recorded r = record_module(load_kernel(text), inputs, order, 1000);
    const tg_timeline_info info = tg_recording_timeline(r.recording);
    char lines[8000] = "", line[500];
    cr_assert_eq(info.left_out, 0);
    for (size_t i = 0; i < info.event_count; i++) {
        const bool is_work = strcmp(tg_recording_event(r.recording, i).kind, "work") == 0;
        if (is_work && !with_work) continue;
        print_event(&r, i, line, sizeof line);
        strcat(strcat(lines, line), "\n");
    }
    cr_expect_str_eq(lines, wanted, "%s: got\n%s", order, lines);
    drop(&r);
}

static const named nothing[] = {{NULL, NULL}};
static const int32_t x[4] = {1, 2, 3, 4}, zeros[4] = {0};

/* ---- work ---- */

Test(timeline, instructions_of_one_line_are_one_event)
{
    expect_events("grid 2p\noutput o i32[2] block b1 at i\nbody\n"
                  "%10:i32[] = program_id axis=0 loc=1; %11:i32[] = add %10 %10 loc=1\n"
                  "%12:i32[] = constant value=0\n"
                  "store %1 %11 %12 [@] loc=2; debug_print %10 format='p {}' loc=3\n",
                  nothing, "sequential", true,
                  "work:1 (0).0 2 0-2\n"
                  "work:2 (0).0 1 2-3\n"
                  "work:3 (0).0 2 3-5\n"
                  "print:3 (0).0 3-4 'p 0'\n"
                  "work:1 (1).0 2 5-7\n"
                  "work:2 (1).0 1 7-8\n"
                  "work:3 (1).0 2 8-10\n"
                  "print:3 (1).0 8-9 'p 1'\n");
}

Test(timeline, lines_of_two_files_are_two_events)
{
    tg_module *module = load_kernel("grid 1p\nbody\n%10:i32[] = program_id axis=0 loc=1\n"
                                    "debug_print %10 format='p {}' loc=2\n");
    for (uint32_t i = 1; i < module->loc_count; i++) {
        if (module->locs[i].line != 2) continue;
        module->locs[i].line = 1;
        module->locs[i].file = "other.py";
    }
    recorded r = record_module(module, nothing, "sequential", 100);
    int work = 0;
    for (size_t i = 0; i < tg_recording_timeline(r.recording).event_count; i++)
        work += strcmp(tg_recording_event(r.recording, i).kind, "work") == 0;
    cr_expect_eq(work, 2, "%d events", work);
    drop(&r);
}

/* ---- barriers ---- */

/* Thread 0 waits for thread 1, which comes first in order sequential. */
#define ARRIVES                                                                                    \
    "grid 2t\nscratch b barrier[] arrivals=1\nbody\n%20:i32[] = program_id axis=0\n"               \
    "switch %20 { barrier_wait %1 loc=1; yield } { barrier_arrive %1 loc=2; yield }\n"

Test(timeline, a_wait_is_ended_by_an_arrival)
{
    expect_events(ARRIVES, nothing, "sequential", false,
                  "signal:2 (1).1 b 0 2-3\n"
                  "phase:2 (1).1 b 0 2-3 by signal:2\n"
                  "wait:1 (0).0 b 0 7-8 by signal:2\n");
    expect_events(ARRIVES, nothing, "reversed", false,
                  "wait:1 (0).0 b 0 2-9 by signal:2\n"
                  "signal:2 (1).1 b 0 5-6\n"
                  "phase:2 (1).1 b 0 5-6 by signal:2\n");
}

#define COPIES                                                                                     \
    "grid 2t\ninput x i32[4]\nscratch s i32[4]\nscratch b barrier[] arrivals=1\nbody\n"            \
    "%20:i32[] = program_id axis=0\n"                                                              \
    "switch %20 { barrier_wait %3 loc=1; yield } "                                                 \
    "{ dma_start %1 %2 %3 loc=2; barrier_arrive %3 loc=3; yield }\n"

Test(timeline, a_wait_is_ended_by_a_copy)
{
    expect_events(COPIES, NAMED({"x", x}), "sequential", false,
                  "copy:2 (1).1 s[0] 16 2-10 from x[0] at@9\n"
                  "signal:3 (1).1 b 0 3-4\n"
                  "wait:1 (0).0 b 0 8-10 by copy:2\n"
                  "phase:2 (0).0 b 0 9-10 by copy:2\n");
    expect_events(COPIES, NAMED({"x", x}), "reversed", false,
                  "wait:1 (0).0 b 0 2-11 by signal:3\n"
                  "copy:2 (1).1 s[0] 16 5-11 from x[0] at@6\n"
                  "signal:3 (1).1 b 0 7-8\n"
                  "phase:3 (1).1 b 0 7-8 by signal:3\n");
}

/* Copies that an arrival makes take place come behind the step of its instruction. */
Test(timeline, an_arrival_beyond_those_of_a_phase)
{
    expect_events("input x i32[4]\nscratch s i32[4]\nscratch b barrier[] arrivals=1\nbody\n"
                  "dma_start %1 %2 %3 loc=1; barrier_arrive %3 loc=2; barrier_arrive %3 loc=3\n"
                  "barrier_wait %3 loc=4\n",
                  NAMED({"x", x}), "sequential", false,
                  "copy:1 (0).0 s[0] 16 0-5 from x[0] at@3\n"
                  "signal:2 (0).0 b 0 1-2\n"
                  "phase:1 (0).0 b 0 3-4 by copy:1\n"
                  "signal:3 (0).0 b 1 2-3\n"
                  "phase:3 (0).0 b 1 3-4 by signal:3\n"
                  "wait:4 (0).0 b 0 4-5 by copy:1\n");
}

Test(timeline, a_wait_that_nobody_ends)
{
    expect_events(
        "grid 2t\nscratch b barrier[] arrivals=2\nbody\n%20:i32[] = program_id axis=0\n"
        "switch %20 { barrier_wait %1 loc=1; yield } { barrier_arrive %1 loc=2; yield }\n",
        nothing, "sequential", false,
        "signal:2 (1).1 b 0 2-3\n"
        "wait:1 (0).0 b 0 7--1\n");
}

/* ---- groups, products, semaphores ---- */

Test(timeline, a_copy_of_a_group_reads_and_takes_place)
{
    static const char text[] =
        "input x i32[4]\noutput o i32[4]\nscratch s i32[4]\nbody\n"
        "%5:i32[] = constant value=0; %10:i32[4] = load %1 [0:4]; store %3 %10 [0:4]; proxy_fence\n"
        "dma_start %3 %2 loc=1; dma_commit; dma_wait_groups %5 reads=true loc=2\n"
        "dma_wait_groups %5 loc=3\n";
    expect_events(text, NAMED({"x", x}), "sequential", false,
                  "copy:1 (0).0 o[0] 16 3-9 from s[0] read@6 at@8\n"
                  "wait:2 (0).0 5-7 by copy:1\n"
                  "wait:3 (0).0 7-9 by copy:1\n");
}

/* The newest takes place first in order sequential. */
Test(timeline, a_wait_for_a_group_is_ended_by_the_last_of_it)
{
    expect_events(
        "input x i32[4]\noutput o i32[4]\noutput p i32[4]\nbody\n"
        "%5:i32[] = constant value=0\n"
        "dma_start %1 %2 loc=1; dma_start %1 %3 loc=2; dma_commit; dma_wait_groups %5 loc=3\n",
        NAMED({"x", x}), "sequential", false,
        "copy:1 (0).0 o[0] 16 0-6 from x[0] at@5\n"
        "copy:2 (0).0 p[0] 16 1-5 from x[0] at@4\n"
        "wait:3 (0).0 3-6 by copy:1\n");
}

Test(timeline, a_product_and_the_arrival_behind_it)
{
    static const char text[] =
        "input x i32[2,2]\ninput y i32[2,2]\noutput o i32[2,2]\nscratch s i32[2,2]\n"
        "scratch b barrier[] arrivals=1\nbody\n"
        "dot_start %4 %1 %2 replaces=true loc=1; dot_arrive %5 loc=2; barrier_wait %5 loc=3\n"
        "%40:i32[2,2] = load %4 [0:2,0:2]; store %3 %40 [0:2,0:2]\n";
    expect_events(text, NAMED({"x", x}, {"y", x}), "sequential", false,
                  "product:1 (0).0 s[0, 0] 0-5 from x[0, 0] x y[0, 0] at@3\n"
                  "arrival:2 (0).0 b 1-5 at@4\n"
                  "wait:3 (0).0 b 0 2-5 by arrival:2\n"
                  "phase:2 (0).0 b 0 4-5 by arrival:2\n");
}

Test(timeline, a_semaphore_of_another_chain)
{
    static const char text[] = "grid 2\nscratch s sem[]\nbody\n%10:i32[] = program_id axis=0; "
                               "%11:i32[] = constant value=3\n"
                               "%12:i32[] = constant value=0\n"
                               "switch %10 { semaphore_wait %1 %11 loc=1; yield } "
                               "{ semaphore_signal %1 %11 %12 loc=2; yield }\n";
    expect_events(text, nothing, "sequential", false,
                  "wait:1 (0).0 s 3 2-9 by signal:2\n"
                  "signal:2 (1).0 s 3 5-6\n");
    expect_events(text, nothing, "reversed", false,
                  "signal:2 (1).0 s 3 2-3\n"
                  "wait:1 (0).0 s 3 7-8 by signal:2\n");
}

/* Threads 0 and 1 each take what thread 2 raises; it raises a second time, by `more`, when the first of
 * them has said that it has taken. */
#define TWO_TAKE(more)                                                                             \
    "grid 3t\nscratch s sem[]\nscratch u sem[]\nbody\n%10:i32[] = program_id axis=0; "             \
    "%11:i32[] = constant value=1; %12:i32[] = constant value=" more "\n"                          \
    "switch %10 { semaphore_wait %1 %11 loc=1; semaphore_signal %2 %11 loc=6; yield } "            \
    "{ semaphore_wait %1 %11 loc=2; semaphore_signal %2 %11 loc=7; yield } "                       \
    "{ semaphore_signal %1 %11 loc=3; semaphore_wait %2 %11 loc=5; "                               \
    "semaphore_signal %1 %12 loc=4; yield }\n"

Test(timeline, of_two_that_wait_for_a_semaphore_one_is_faster)
{
    expect_events(TWO_TAKE("1"), nothing, "interleaved:1", false,
                  "wait:2 (1).1 s 1 2-20 by signal:4\n"
                  "wait:1 (0).0 s 1 5-11 by signal:3\n"
                  "signal:3 (2).2 s 1 8-9\n"
                  "wait:5 (2).2 u 1 9-16 by signal:6\n"
                  "signal:6 (0).0 u 1 12-13\n"
                  "signal:4 (2).2 s 1 16-17\n"
                  "signal:7 (1).1 u 1 20-21\n");
    expect_events(TWO_TAKE("0"), nothing, "interleaved:1", false,
                  "wait:2 (1).1 s 1 2--1\n"
                  "wait:1 (0).0 s 1 5-11 by signal:3\n"
                  "signal:3 (2).2 s 1 8-9\n"
                  "wait:5 (2).2 u 1 9-16 by signal:6\n"
                  "signal:6 (0).0 u 1 12-13\n"
                  "signal:4 (2).2 s 0 16-17\n");
}

/* The first raise was enough; a raise by 0 is none. */
#define RAISES(second)                                                                             \
    "grid 2t\nscratch s sem[]\nbody\n%10:i32[] = program_id axis=0; %11:i32[] = constant "         \
    "value=1\n"                                                                                    \
    "%12:i32[] = constant value=" second "\n"                                                      \
    "switch %10 { semaphore_wait %1 %11 loc=1; yield } "                                           \
    "{ semaphore_signal %1 %11 loc=3; semaphore_signal %1 %12 loc=4; yield }\n"

Test(timeline, a_raise_that_is_not_needed_ends_no_wait)
{
    expect_events(RAISES("1"), nothing, "reversed", false,
                  "wait:1 (0).0 s 1 2-10 by signal:3\n"
                  "signal:3 (1).1 s 1 5-6\n"
                  "signal:4 (1).1 s 1 6-7\n");
    expect_events(RAISES("0"), nothing, "sequential", false,
                  "signal:3 (1).1 s 1 2-3\n"
                  "signal:4 (1).1 s 0 3-4\n"
                  "wait:1 (0).0 s 1 8-9 by signal:3\n");
}

Test(timeline, a_copy_that_raises_a_semaphore)
{
    static const char text[] = "input x i32[4]\noutput o i32[4]\nscratch s dma_sem[]\nbody\n"
                               "dma_start %1 %2 %3 loc=1; dma_wait %2 %3 loc=2\n";
    expect_events(text, NAMED({"x", x}), "sequential", false,
                  "copy:1 (0).0 o[0] 16 0-3 from x[0] at@2\n"
                  "wait:2 (0).0 s 16 1-3 by copy:1\n");
    expect_events(text, NAMED({"x", x}), "reversed", false,
                  "copy:1 (0).0 o[0] 16 0-3 from x[0] at@1\n"
                  "wait:2 (0).0 s 16 2-3 by copy:1\n");
}

/* ---- loops ---- */

/* Program 0 waits until program 1 has set the flag; it sets its neighbour before, and the flag once more behind. */
Test(timeline, a_loop_is_ended_by_a_write)
{
    static const char text[] =
        "grid 2\ninput z i32[4]\noutput f i32[4] alias=z\nbody\n"
        "%10:i32[] = program_id axis=0; %11:i32[] = constant value=0; %12:i32[] = constant "
        "value=1\n"
        "switch %10 { while loc=1 { %30:i32[] = atomic_rmw %2 %11 %12 [@] kind='add' loc=9; "
        "%31:bool[] = eq %30 %11; yield %31 } { }\nyield } "
        "{ %39:i32[] = atomic_rmw %2 %12 %11 [@] kind='xchg' loc=7\n"
        "%40:i32[] = atomic_rmw %2 %12 %12 [@] kind='xchg' loc=8\n"
        "%41:i32[] = atomic_rmw %2 %12 %12 [@] kind='add' loc=6; yield }\n";
    expect_events(text, NAMED({"z", zeros}), "sequential", false,
                  "wait:1 (0).0 f[1] 42-50 by signal:8\n"
                  "signal:8 (1).0 f[1] 46-47\n");
}

/* ---- room ---- */

Test(timeline, what_there_is_no_room_for_is_counted)
{
    recorded r = record_module(load_kernel("grid 5p\noutput o i32[5]\nbody\n"
                                           "%10:i32[] = program_id axis=0 loc=1\n"
                                           "store %1 %10 %10 [@] loc=1\n"),
                               nothing, "sequential", 4);
    const tg_timeline_info info = tg_recording_timeline(r.recording);
    cr_assert_eq(info.event_count, 2, "half of the room is for work");
    cr_assert_eq(info.left_out, 3);
    cr_assert_eq(info.left_program, 2);
    cr_assert_eq(tg_recording_location(r.recording, info.left_location).line, 1);
    cr_assert_eq(info.left_since, tg_recording_event(r.recording, 1).end);
    cr_assert_eq(info.steps, 5 * tg_recording_event(r.recording, 0).end);
    drop(&r);
}

/* A wait whose signal the log has no room for has nobody who ended it, as far as the log knows. */
Test(timeline, what_is_left_out_ends_no_wait)
{
    recorded r = record_module(load_kernel(ARRIVES), nothing, "reversed", 1);
    const tg_timeline_info info = tg_recording_timeline(r.recording);
    cr_assert_eq(info.event_count, 1);
    cr_assert_gt(info.left_out, 0);
    drop(&r);
}

/* ---- by definition ---- */

enum { SEEDS = 40, MOST_ACTORS = 4096 };

typedef struct tally {
    int waits, ended, ops, unordered;
} tally;

static void check_op(const tg_record_event *e, const tg_timeline_info *info, const char *where)
{
    cr_assert(e->happened < info->steps && e->happened != e->begin, "%s", where);
    if (e->happened >= 0) cr_assert_gt(e->happened, e->begin, "%s", where);
    if (e->read >= 0) cr_assert_gt(e->read, e->begin, "%s", where);
    if (e->read >= 0 && e->happened >= 0) cr_assert_lt(e->read, e->happened, "%s", where);
    if (e->end >= 0 && e->happened >= 0) cr_assert_lt(e->happened, e->end, "%s", where);
}

/* What ends a wait comes before its end. */
static void check_wait(const tg_recording *r, const tg_record_event *e, const char *where)
{
    if (e->by < 0) return;
    const tg_record_event by = tg_recording_event(r, (size_t)e->by);
    cr_assert_geq(e->by_step, by.begin, "%s", where);
    if (e->end >= 0) cr_assert_lt(e->by_step, e->end, "%s", where);
    cr_assert(strcmp(by.kind, "work") && strcmp(by.kind, "wait") && strcmp(by.kind, "phase"));
}

static void look(const tg_recording *r, uint64_t seed, const char *order, void *context)
{
    tally *t = context;
    const tg_timeline_info info = tg_recording_timeline(r);
    static int64_t ends[MOST_ACTORS];
    int64_t worked = 0, executed = 0, moments = 0, waits = 0;
    char where[100];
    memset(ends, 0, sizeof ends);
    cr_assert_lt(info.actors, MOST_ACTORS);
    for (size_t i = 0; i < info.event_count; i++) {
        const tg_record_event e = tg_recording_event(r, i);
        const bool is_work = strcmp(e.kind, "work") == 0, is_wait = strcmp(e.kind, "wait") == 0;
        const bool is_op = strcmp(e.kind, "copy") == 0 || strcmp(e.kind, "product") == 0 ||
                           strcmp(e.kind, "arrival") == 0;
        int64_t *end = &ends[(e.chain * (info.actors) + e.thread) % MOST_ACTORS];
        snprintf(where, sizeof where, "seed %llu, %s: event %zu", (unsigned long long)seed, order,
                 i);
        cr_assert(e.begin >= 0 && e.begin < info.steps && e.end <= info.steps, "%s", where);
        cr_assert(e.op && e.op[0], "%s", where);
        if (e.end >= 0) cr_assert_lt(e.begin, e.end, "%s", where);
        if (is_work || is_wait) {
            cr_assert_geq(e.begin, *end, "%s: it begins before the last one has ended", where);
            *end = e.end < 0 ? INT64_MAX : e.end;
        }
        if (is_work) {
            cr_assert_geq(e.begin, worked, "%s: two programs work in one step", where);
            worked = e.end;
            executed += e.number;
        }
        moments += (e.happened >= 0) + (e.read >= 0);
        waits += is_wait;
        if (is_wait) check_wait(r, &e, where);
        if (is_op) check_op(&e, &info, where);
        t->waits += is_wait;
        t->ended += is_wait && e.by >= 0;
        t->ops += is_op;
    }
    if (!waits) cr_assert_eq(executed + moments, info.steps, "seed %d, %s", (int)seed, order);
}

static tally check_seeds(uint64_t first, int count, const char *order)
{
    static const tg_record_limits roomy = {.size = sizeof roomy, .events = 1 << 20};
    tally t = {0};
    for (int i = 0; i < count; i++) record_random(first + (uint64_t)i, order, &roomy, look, &t);
    return t;
}

/* Each step is one instruction or moment, and what a program does is in the order in which it does it. */
Test(timeline, steps_of_random_kernels)
{
    static const char *const orders[] = {"sequential", "reversed", "shuffled:7", "interleaved:3",
                                         "parallel:2"};
    const int count = sampled(SEEDS, 10);
    for (int o = 0; o < 5; o++) {
        check_seeds(0, count, orders[o]);
        tally all = check_seeds(UINT64_C(1) << 35, count, orders[o]);
        const tally more = check_seeds(UINT64_C(1) << 36, count, orders[o]);
        cr_log_info("%s: %d ops, %d of %d waits", orders[o], all.ops + more.ops,
                    all.ended + more.ended, all.waits + more.waits);
        cr_assert_gt(all.ops + more.ops, count, "%s", orders[o]);
        cr_assert_gt(all.ended + more.ended, count, "%s", orders[o]);
    }
}
