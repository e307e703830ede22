/* Pipelines of threads that are right, and the same without one of their statements: each is needed, and every
 * order finds that it is missing.
 *
 * Thread 0 brings rows to the slots of a ring; each worker doubles all of them in memory of its own, and a
 * copy takes them away. */
#include "run_text.h"

typedef enum part {
    PRODUCER_WAITS,   /* until the slot is free */
    PRODUCER_COPIES,  /* a row to the slot */
    PRODUCER_ARRIVES, /* for the copy */
    WORKER_WAITS,     /* until the slot is full */
    WORKER_HAS_READ,  /* waits until the copy before has read */
    WORKER_FENCES,
    WORKER_COPIES,
    WORKER_COMMITS,
    WORKER_ARRIVES, /* the slot is free */
    WORKER_ENDS,    /* waits for its last copy */
    PARTS
} part;

static const char *const names[PARTS] = {
    "waits for a free slot", "copies to it", "arrives for the copy",
    "waits for a full slot", "has read",     "fences",
    "copies from it",        "commits",      "arrives",
    "waits at the end"};

typedef struct shape {
    int slots, workers, steps;
    part missing; /* PARTS: none */
    int where;    /* the worker that lacks it */
} shape;

/* Values %40 to %59 are the worker's own: "%41" is "%141" of the first one. */
static void put_own(tg_text *text, int worker, const char *ops)
{
    for (; *ops; ops++) {
        tg_text_add(text, "%c", *ops);
        if (*ops == '%' && (ops[1] == '4' || ops[1] == '5') && isdigit(ops[2]))
            tg_text_add(text, "%d", worker + 1);
    }
}

static void put(tg_text *text, const shape *s, int worker, part p, const char *ops)
{
    if (p != s->missing || (p >= WORKER_WAITS && worker != s->where)) put_own(text, worker, ops);
}

static void put_producer(tg_text *t, const shape *s)
{
    tg_text_put(t, " { for %11 %12 %13 { (%30:i32[]) %31:i32[] = rem %30 %14\n"
                   "%32:ref<i32[2]> = view %1 %30 [@,0:2]; %33:ref<i32[2]> = view %3 %31 [@,0:2]\n"
                   "%34:ref<barrier[]> = view %5 %31 [@]; %35:ref<barrier[]> = view %6 %31 [@]\n"
                   "%36:bool[] = ge %30 %14; switch %36 { yield } {");
    put(t, s, -1, PRODUCER_WAITS, " barrier_wait %35;");
    tg_text_put(t, " yield }\n");
    put(t, s, -1, PRODUCER_COPIES, "dma_start %32 %33 %34\n");
    put(t, s, -1, PRODUCER_ARRIVES, "barrier_arrive %34\n");
    tg_text_put(t, "yield }; yield }");
}

static void put_worker(tg_text *t, const shape *s, int w)
{
    tg_text_add(t, " { %%%d40:i32[] = constant value=%d\n", w + 1, w);
    put_own(t, w, "%41:ref<i32[2]> = view %4 %40 [@,0:2]\n");
    put_own(t, w,
            "for %11 %12 %13 { (%50:i32[]) %51:i32[] = rem %50 %14\n"
            "%52:ref<i32[2]> = view %2 %40 %50 [@,@,0:2]\n"
            "%54:ref<barrier[]> = view %5 %51 [@]; %55:ref<barrier[]> = view %6 %51 [@]\n");
    put(t, s, w, WORKER_WAITS, "barrier_wait %54\n");
    put_own(t, w, "%56:i32[2] = load %3 %51 [@,0:2]; %57:i32[2] = add %56 %56\n");
    put(t, s, w, WORKER_HAS_READ, "dma_wait_groups %11 reads=true\n");
    put_own(t, w, "store %41 %57 [0:2]\n");
    put(t, s, w, WORKER_FENCES, "proxy_fence\n");
    put(t, s, w, WORKER_COPIES, "dma_start %41 %52\n");
    put(t, s, w, WORKER_COMMITS, "dma_commit\n");
    put_own(t, w, "%58:bool[] = lt %50 %15; switch %58 { yield } {");
    put(t, s, w, WORKER_ARRIVES, " barrier_arrive %55;");
    put_own(t, w, " yield }; yield }\n");
    put(t, s, w, WORKER_ENDS, "dma_wait_groups %11\n");
    put_own(t, w, "yield }");
}

static char *kernel_of(const shape *s)
{
    tg_text t = {0};
    tg_text_add(&t, "grid %dt\ninput x i32[%d,2]\noutput o i32[%d,%d,2]\n", 1 + s->workers,
                s->steps, s->workers, s->steps);
    tg_text_add(&t, "scratch s i32[%d,2] space=smem\nscratch r i32[%d,2] space=smem\n", s->slots,
                s->workers);
    tg_text_add(&t, "scratch full barrier[%d] arrivals=1\nscratch free barrier[%d] arrivals=%d\n",
                s->slots, s->slots, s->workers);
    tg_text_put(&t, "body\n%10:i32[] = program_id axis=0; %11:i32[] = constant value=0\n");
    tg_text_add(&t, "%%12:i32[] = constant value=%d; %%13:i32[] = constant value=1\n", s->steps);
    tg_text_add(&t, "%%14:i32[] = constant value=%d; %%15:i32[] = sub %%12 %%14\nswitch %%10",
                s->slots);
    put_producer(&t, s);
    for (int w = 0; w < s->workers; w++) put_worker(&t, s, w);
    tg_text_put(&t, "\n");
    return tg_text_finish(&t);
}

static size_t findings_in(const tg_module *module, const shape *s, const char *order)
{
    enum { MOST = 2 * 6 * 2 };
    static const int32_t x[MOST] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    int32_t twice[MOST];
    for (int i = 0; i < s->workers * s->steps * 2; i++) twice[i] = 2 * x[i % (s->steps * 2)];
    const tg_run_options options = {.size = sizeof options, .order = order, .checks = "all"};
    arrays all = make_arrays(module, NAMED({"x", x}, {"o", twice}));
    tg_report *report = run_once(module, &all, &options);
    const size_t count = tg_report_finding_count(report);
    if (s->missing == PARTS) {
        show_findings(report);
        compare_arrays(&all, order);
    }
    tg_report_free(report);
    free_arrays(&all);
    return count;
}

static void try_all_orders(const shape *s)
{
    char *kernel = kernel_of(s);
    tg_module *module = load_kernel(kernel);
    for (int o = 0; o < ORDERS; o++) {
        const size_t count = findings_in(module, s, every_order[o]);
        if (s->missing == PARTS)
            cr_expect_eq(count, 0, "%d slots, %d workers, %s", s->slots, s->workers,
                         every_order[o]);
        else
            cr_expect(count > 0, "%d slots, %d workers, worker %d without \"%s\": %s finds nothing",
                      s->slots, s->workers, s->where, names[s->missing], every_order[o]);
    }
    tg_module_free(module);
    free(kernel);
}

Test(thread_mutants, every_statement_is_needed)
{
    for (int slots = 1; slots <= 3; slots++)
        for (int workers = 1; workers <= 2; workers++)
            for (int missing = 0; missing <= PARTS; missing++)
                for (int where = 0; where < workers; where++)
                    try_all_orders(&(shape){slots, workers, 6, (part)missing, where});
}
