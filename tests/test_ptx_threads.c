/* Programs of several threads as PTX: teams of a CTA's threads, with barriers between them, give the bits of the
 * interpreter, and what races traps in the emulator. */
#include "run_seeds.h"
#include "thread_rounds.h"

/* ---- threads ---- */

/* %10 the chain, %11 the thread, %12 the other one of two, %13 1, %14 0. */
#define IDS                                                                                        \
    "%10:i32[] = program_id axis=0; %11:i32[] = program_id axis=1; %13:i32[] = constant value=1\n" \
    "%14:i32[] = constant value=0; %12:i32[] = sub %13 %11\n"
#define MEET "barrier_arrive %3 loc=2; barrier_wait %3 loc=3\n"
/* Each puts its number into scratch, and takes that of the other one. */
#define EXCHANGE(between)                                                                          \
    "grid 2p 2t\noutput o i32[2,2]\nscratch s i32[2]\nscratch b barrier[] arrivals=2\nbody\n" IDS  \
    "%20:i32[] = add %10 %10; %21:i32[] = add %20 %11; store %2 %21 %11 [@] loc=1\n" between       \
    "%22:i32[] = load %2 %12 [@] loc=4; store %1 %22 %10 %11 [@,@] loc=5\n"
static const int32_t exchanged[2][2] = {{1, 0}, {3, 2}};

Test(ptx_threads, a_barrier_orders_them) { check_equal(EXCHANGE(MEET), NAMED({"o", exchanged})); }

/* Without it they race; or one reads what nobody has written yet. */
Test(ptx_threads, without_it_they_race)
{
    check_fails(EXCHANGE(""), NAMED({0}), TG_ERR_INTERNAL, "shared-race");
}

/* A thread has a barrier of its own up to 15 threads, and is a warp beyond. */
static void check_count(int threads, int elements)
{
    char kernel[2048];
    int32_t *out = malloc((size_t)threads * (size_t)elements * sizeof *out);
    snprintf(
        kernel, sizeof kernel,
        "grid 1p %dt\noutput o i32[%d,%d]\nscratch s i32[%d,%d]\nscratch b barrier[] "
        "arrivals=%d\nbody\n"
        "%%11:i32[] = program_id axis=1; %%12:i32[%d] = iota axis=0; %%13:i32[] = constant "
        "value=%d\n"
        "%%14:i32[] = constant value=1; %%15:i32[] = add %%11 %%14; %%16:i32[] = rem %%15 %%13\n"
        "%%17:i32[%d] = broadcast_in_dim %%11 dims=[]; %%18:i32[%d] = mul %%12 %%17\n"
        "store %%2 %%18 %%11 [@,0:%d]; barrier_arrive %%3; barrier_wait %%3\n"
        "%%20:i32[%d] = load %%2 %%16 [@,0:%d]; %%21:i32[%d] = rev %%20 axes=[0]\n"
        "%%22:i32[%d] = cumsum %%21 axis=0; store %%1 %%22 %%11 [@,0:%d]\n",
        threads, threads, elements, threads, elements, threads, elements, threads, elements,
        elements, elements, elements, elements, elements, elements, elements);
    for (int t = 0; t < threads; t++)
        for (int e = 0, sum = 0; e < elements; e++)
            out[t * elements + e] = sum += (elements - 1 - e) * ((t + 1) % threads);
    check_equal(kernel, NAMED({"o", out}));
    free(out);
}

Test(ptx_threads, any_number_of_them)
{
    check_count(1, 3);
    check_count(3, 200);
    check_count(8, 130);
    check_count(11, 70);
    check_count(16, 40);
    check_count(32, 4);
}

/* More barriers than a register has bits, of which each goes round twice. */
Test(ptx_threads, many_barriers)
{
    static const int32_t o[2] = {4 * 69 * 70 / 2, 4 * 69 * 70 / 2};
    check_equal("grid 2p 2t\noutput o i32[2]\nscratch s i32[70]\nscratch b barrier[70] arrivals=1\n"
                "scratch c barrier[3] arrivals=1\nbody\n" IDS
                "%15:i32[] = constant value=140; %16:i32[] = constant value=70; %17:i32[] = "
                "constant value=3\n"
                "%18:i32[] = constant value=2; %19:i32[] = sub %15 %13\n"
                "%20:i32[] = for %14 %15 %13 %14 { (%30:i32[] %31:i32[]) %32:i32[] = rem %30 %16\n"
                "%33:i32[] = rem %30 %17; %34:ref<barrier[]> = view %3 %32 [@]\n"
                "%35:ref<barrier[]> = view %4 %33 [@]\n"
                "%40:i32[] = switch %11 { %41:i32[] = mul %32 %18; store %2 %41 %32 [@]\n"
                "barrier_arrive %34; barrier_wait %35; yield %31 } "
                "{ barrier_wait %34; %42:i32[] = load %2 %32 [@]; %43:i32[] = add %31 %42\n"
                "barrier_arrive %35; yield %43 }; yield %40 }\n"
                "switch %11 { yield } { store %1 %20 %10 [@]; yield }\n",
                NAMED({"o", o}));
}

/* The second thread waits for the phase behind those that the first one has waited for. */
Test(ptx_threads, waits_for_those_that_follow)
{
    static const int32_t o[1] = {1}, x[4] = {1, 2, 3, 4};
    check_equal(
        "grid 1p 2t\noutput o i32[1]\nscratch s i32[]\nscratch b barrier[] arrivals=1\n"
        "scratch c barrier[] arrivals=1\nbody\n" IDS
        "switch %11 { barrier_arrive %3; barrier_wait %3 followers=1\n"
        "barrier_arrive %3; barrier_wait %3 followers=1\n"
        "store %2 %14 [] loc=1; barrier_arrive %4; store %2 %13 [] loc=2; barrier_arrive %3 } "
        "{ barrier_wait %4; barrier_wait %3; %20:i32[] = load %2 [] loc=3; store %1 %20 %14 [@] "
        "}\n",
        NAMED({"o", o}));
    /* the last of them have none after them */
    check_equal("grid 1p 3t\noutput o i32[1]\nscratch b barrier[] arrivals=3\nbody\n" IDS
                "barrier_arrive %2; barrier_wait %2 followers=0; barrier_arrive %2\n"
                "switch %11 { barrier_wait %2 followers=7; store %1 %13 %14 [@] } { yield }\n",
                NAMED({"o", o}));
    /* for their copies */
    check_equal(
        "grid 1p 2t\ninput x i32[4]\noutput o i32[4]\noutput p i32[4]\nscratch s i32[4]\n"
        "scratch b barrier[] arrivals=1\nbody\n" IDS
        "switch %11 { barrier_wait %5; dma_wait_groups %14 followers=1 loc=1; "
        "%20:i32[4] = load %2 [0:4] loc=2; store %3 %20 [0:4] } "
        "{ %21:i32[4] = load %1 [0:4]; store %4 %21 [0:4]; proxy_fence; dma_start %4 %2 loc=3; "
        "dma_commit; barrier_arrive %5 }\n",
        NAMED({"x", x}, {"o", x}, {"p", x}));
}

/* Two barriers whose phases go round. */
Test(ptx_threads, phases_go_round)
{
    static const int32_t o[6] = {0, 1, 4, 9, 16, 25};
    check_equal(
        "grid 2p 2t\noutput o i32[6]\nscratch s i32[2]\nscratch full barrier[2] arrivals=1\n"
        "scratch empty barrier[2] arrivals=1\nbody\n" IDS
        "%16:i32[] = constant value=6; %17:i32[] = constant value=2; %15:bool[] = eq %10 %14\n"
        "for %14 %16 %13 { (%20:i32[]) %21:i32[] = rem %20 %17\n"
        "%22:ref<barrier[]> = view %3 %21 [@]; %23:ref<barrier[]> = view %4 %21 [@]\n"
        "switch %11 { %24:bool[] = ge %20 %17; switch %24 { yield } { barrier_wait %23 }\n"
        "%25:i32[] = mul %20 %20; store %2 %25 %21 [@]; barrier_arrive %22 } "
        "{ barrier_wait %22; %26:i32[] = load %2 %21 [@]\n"
        "switch %15 { yield } { store %1 %26 %20 [@] }\n"
        "%27:i32[] = sub %16 %17; %28:bool[] = lt %20 %27\n"
        "switch %28 { yield } { barrier_arrive %23; yield } }; yield }\n",
        NAMED({"o", o}));
}

Test(ptx_threads, steps_are_in_order)
{
    static const int32_t o[2][2] = {{12, 11}, {12, 11}};
    check_equal(
        "grid 2p 2t 3a\noutput o i32[2,2]\nscratch s i32[2]\nbody\n" IDS
        "%16:i32[] = program_id axis=2; %17:i32[] = constant value=10; %18:i32[] = mul %16 %17\n"
        "%19:i32[] = add %11 %18; %23:i32[] = constant value=2; %24:bool[] = eq %16 %13\n"
        "%25:i32[] = rem %16 %23\n"
        "switch %24 { %20:bool[] = eq %16 %23; switch %20 { yield } "
        "{ %22:i32[] = load %2 %12 [@] loc=4; %26:i32[] = add %22 %13; store %1 %26 %10 %11 [@,@] "
        "loc=5 } } "
        "{ store %2 %19 %11 [@] loc=1 }\n",
        NAMED({"o", o}));
}

Test(ptx_threads, rounds_drawn_by_lot)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const thread_rounds r = thread_rounds_draw(seed);
        int32_t out[8];
        char *kernel = thread_rounds_kernel(&r);
        thread_rounds_evaluate(&r, out);
        if (thread_rounds_race(&r))
            check_fails(kernel, NAMED({0}), TG_ERR_INTERNAL, "shared-race");
        else
            check_equal(kernel, NAMED({"o", out}));
        free(kernel);
    }
}

/* Who sees that the flag is set sees what stands before it. */
Test(ptx_threads, atomics_order_them)
{
    static const int32_t seven[1] = {7};
    check_equal(
        "grid 1p 2t\noutput o i32[1]\nscratch s i32[]\nscratch f i32[]\n"
        "scratch b barrier[] arrivals=2\nbody\n" IDS "%15:i32[] = constant value=7\n"
        "switch %11 { store %3 %14 [] } { yield }\nbarrier_arrive %4; barrier_wait %4\n"
        "switch %11 { store %2 %15 []; %20:i32[] = atomic_rmw %3 %13 [] kind='add'\n"
        "%21:i32[] = add %20 %13; %22:bool[] = eq %21 %14; switch %22 { yield } { yield } } "
        "{ %30:i32[] = atomic_rmw %3 %14 [] kind='add'; switch %30 { store %1 %15 %14 [@] } "
        "{ %31:i32[] = load %2 []; store %1 %31 %14 [@] }; yield }\n",
        NAMED({"o", seven}));
}

/* ---- copies ---- */

static const int32_t x[8] = {1, 2, 3, 4, 5, 6, 7, 8},
                     doubled[2][8] = {{2, 4, 6, 8, 10, 12, 14, 16}, {2, 4, 6, 8, 10, 12, 14, 16}};

/* The first thread starts a copy, the second one waits for a phase, and gives the double. */
#define COPY(start, wait)                                                                          \
    "grid 2p 2t\ninput x i32[8]\noutput o i32[2,8]\nscratch s i32[8]\nscratch b barrier[] "        \
    "arrivals=1\n"                                                                                 \
    "scratch c barrier[2] arrivals=1\nbody\n" IDS "switch %11 { " start " } { " wait               \
    "%20:i32[8] = load %3 [0:8]; %21:i32[8] = add %20 %20; store %2 %21 %10 [@,0:8] }\n"

Test(ptx_threads, copies_that_tell_a_barrier)
{
    const named *const list = NAMED({"x", x}, {"o", doubled});
    check_equal(COPY("dma_start %1 %3 %4; barrier_arrive %4", "barrier_wait %4;"), list);
    check_equal(COPY("%30:i32[] = constant value=32; barrier_expect %4 %30; barrier_arrive %4\n"
                     "dma_start %1 %3 %4 expected=true",
                     "barrier_wait %4;"),
                list);
    /* the arrival is another thread's, and the phase waits for the copy all the same */
    check_equal(COPY("dma_start %1 %3 %4; %31:ref<barrier[]> = view %5 %13 [@]; barrier_arrive %31",
                     "%32:ref<barrier[]> = view %5 %13 [@]; barrier_wait %32; barrier_arrive %4; "
                     "barrier_wait %4;"),
                list);
}

Test(ptx_threads, copies_that_nobody_waits_for)
{
    check_fails(COPY("dma_start %1 %3 %4", "%30:i32[] = add %13 %13;"), NAMED({"x", x}),
                TG_ERR_INTERNAL, "shared-race");
}

/* What the source lacks is 0. */
Test(ptx_threads, copies_with_zeros)
{
    static const int32_t some[3] = {1, 2, 3}, o[2][4] = {{1, 2, 3, 0}, {0, 0, 0, 0}};
    check_equal(
        "grid 2p\ninput x i32[3] block b4 at 0\noutput o i32[2,4]\nscratch s i32[4]\n"
        "scratch b barrier[] arrivals=1\nbody\n%10:i32[] = program_id axis=0\n"
        "dma_start %1 %3 %4 outside='zero'; barrier_arrive %4; barrier_wait %4\n"
        "%20:i32[4] = load %3 [0:4]; %21:i32[] = constant value=1; %22:i32[] = sub %21 %10\n"
        "%23:i32[4] = broadcast_in_dim %22 dims=[]; %24:i32[4] = mul %20 %23\n"
        "store %2 %24 %10 [@,0:4]\n",
        NAMED({"x", some}, {"o", o}));
}

/* ---- bulk copies ---- */

#define TO_SHARED "cp.async.bulk.shared::cluster.global"
#define TO_GLOBAL "cp.async.bulk.global.shared::cta"

/* A program with a single thread brings a block, and takes its double away. */
#define ROWS(load, start, shape, rest)                                                             \
    "input x i32[4,12]\noutput o i32[4,12]\nscratch s i32" shape "\nscratch t i32" shape "\n"      \
    "scratch b barrier[] arrivals=1\nbody\n%10:i32[] = constant value=0\n" load start              \
    "barrier_arrive %5; barrier_wait %5\n" rest

Test(ptx_threads, rows_of_bulk_copies)
{
    int32_t in[4][12], half[4][12], all[4][12];
    for (int i = 0; i < 48; i++) in[i / 12][i % 12] = all[i / 12][i % 12] = i * 7;
    for (int i = 0; i < 48; i++) {
        const int column = i % 12;
        half[i / 12][column] = column < 4 || column >= 8 ? -1 : 2 * in[i / 12][column];
    }
    /* whole: a single row */
    const char *const whole =
        ROWS("", "dma_start %1 %3 %5\n", "[4,12]",
             "%20:i32[4,12] = load %3 [0:4,0:12]; store %4 %20 [0:4,0:12]; proxy_fence\n"
             "dma_start %4 %2; dma_commit; dma_wait_groups %10\n");
    cr_assert_eq(count_in_text(whole, TO_SHARED), 1);
    cr_assert_eq(count_in_text(whole, TO_GLOBAL), 1);
    check_equal(whole, NAMED({"x", in}, {"o", all}));
    /* four rows of 16 bytes; what the copy does not write keeps its value */
    const char *const columns = ROWS(
        "%11:i32[4,12] = constant value=-1; store %2 %11 [0:4,0:12]\n"
        "%12:ref<i32[4,4]> = view %1 [0:4,4:4]; %13:ref<i32[4,4]> = view %2 [0:4,4:4]\n",
        "dma_start %12 %3 %5\n", "[4,4]",
        "%20:i32[4,4] = load %3 [0:4,0:4]; %21:i32[4,4] = add %20 %20; store %4 %21 [0:4,0:4]\n"
        "dma_start %4 %13; dma_commit; dma_wait_groups %10 reads=true\n"
        "%22:i32[4,4] = constant value=0; store %4 %22 [0:4,0:4]; dma_wait_groups %10\n");
    cr_assert_eq(count_in_text(columns, TO_SHARED), 1);
    cr_assert_eq(count_in_text(columns, TO_GLOBAL), 1);
    check_equal(columns, NAMED({"x", in}, {"o", half}));
}

/* Rows that are no multiple of 16 bytes, or begin at none, go element by element. */
Test(ptx_threads, copies_that_are_not_bulk)
{
    int32_t in[4][12], out[4][12];
    for (int i = 0; i < 48; i++) in[i / 12][i % 12] = out[i / 12][i % 12] = i;
#define TAKE_ALL "%30:i32[4,12] = load %1 [0:4,0:12]; store %2 %30 [0:4,0:12]\n"
    const char *const narrow =
        ROWS("%12:ref<i32[4,3]> = view %1 [0:4,0:3]\n", "dma_start %12 %3 %5\n", "[4,3]",
             TAKE_ALL "%20:i32[4,3] = load %3 [0:4,0:3]; store %2 %20 [0:4,0:3]\n");
    const char *const between =
        ROWS("%12:ref<i32[4,4]> = view %1 [0:4,2:4]\n", "dma_start %12 %3 %5\n", "[4,4]",
             TAKE_ALL "%20:i32[4,4] = load %3 [0:4,0:4]; store %2 %20 [0:4,2:4]\n");
    cr_assert_eq(count_in_text(narrow, TO_SHARED), 0);
    check_equal(narrow, NAMED({"x", in}, {"o", out}));
    check_equal(between, NAMED({"x", in}, {"o", out}));
}

/* Which copies are bulk is known at run time only: those that begin at multiples of 16 bytes. */
Test(ptx_threads, copies_that_may_be_bulk)
{
    int32_t in[16], out[9][8];
    for (int i = 0; i < 16; i++) in[i] = 10 * i;
    for (int i = 0; i < 72; i++) out[i / 8][i % 8] = in[i / 8 + i % 8];
    const char *const kernel =
        "grid 9p 2t\ninput x i32[16]\noutput o i32[9,8]\nscratch s i32[8]\nscratch b barrier[] "
        "arrivals=1\nbody\n" IDS "switch %11 { %20:ref<i32[8]> = view %1 [*:8] %10\n"
        "dma_start %20 %3 %4; barrier_arrive %4 } "
        "{ barrier_wait %4; %21:i32[8] = load %3 [0:8]; store %2 %21 %10 [@,0:8] }\n";
    cr_assert_eq(count_in_text(kernel, TO_SHARED), 1);
    check_equal(kernel, NAMED({"x", in}, {"o", out}));
}

/* Two copies for one phase, in a ring of two slots. */
Test(ptx_threads, a_pipeline_of_bulk_copies)
{
    int32_t in[8][16], out[8][16];
    for (int i = 0; i < 128; i++) {
        in[i / 16][i % 16] = i;
        out[i / 16][i % 16] = 3 * i;
    }
    check_equal(
        "grid 2p 2t\ninput x i32[8,16]\noutput o i32[8,16]\nscratch s i32[2,16]\n"
        "scratch full barrier[2] arrivals=1\nscratch empty barrier[2] arrivals=1\nbody\n" IDS
        "%15:i32[] = constant value=4; %16:i32[] = constant value=2; %17:i32[] = mul %10 %15\n"
        "%18:i32[] = constant value=64; %19:i32[16] = constant value=3\n"
        "for %14 %15 %13 { (%20:i32[]) %21:i32[] = rem %20 %16; %29:i32[] = add %20 %17\n"
        "%22:ref<barrier[]> = view %4 %21 [@]; %23:ref<barrier[]> = view %5 %21 [@]\n"
        "switch %11 { %24:bool[] = ge %20 %16; switch %24 { yield } { barrier_wait %23 }\n"
        "barrier_expect %22 %18; barrier_arrive %22\n"
        "%30:ref<i32[8]> = view %1 %29 [@,0:8]; %31:ref<i32[8]> = view %1 %29 [@,8:8]\n"
        "%32:ref<i32[8]> = view %3 %21 [@,0:8]; %33:ref<i32[8]> = view %3 %21 [@,8:8]\n"
        "dma_start %31 %33 %22 expected=true; dma_start %30 %32 %22 expected=true } "
        "{ barrier_wait %22; %25:i32[16] = load %3 %21 [@,0:16]; %26:i32[16] = mul %25 %19\n"
        "store %2 %26 %29 [@,0:16]; %27:i32[] = add %20 %16; %28:bool[] = lt %27 %15\n"
        "switch %28 { yield } { barrier_arrive %23; yield } }; yield }\n",
        NAMED({"x", in}, {"o", out}));
}

/* ---- what never ends, and what is refused ---- */

Test(ptx_threads, a_wait_that_never_ends)
{
    check_fails(EXCHANGE("barrier_wait %3 loc=3\n"), NAMED({0}), TG_ERR_UNSUPPORTED,
                "a program whose threads wait for each other for ever: phase 0 of the mbarrier");
}

/* A thread that is alone with its barrier is told. */
Test(ptx_threads, a_wait_that_never_ends_of_one_thread)
{
    tg_module *module =
        load_kernel("grid 2p\noutput o i32[2]\nscratch b barrier[2] arrivals=1\nbody\n"
                    "%10:i32[] = program_id axis=0; %11:ref<barrier[]> = view %2 %10 [@]\n"
                    "%12:i32[] = constant value=1; %13:ref<barrier[]> = view %2 %12 [@]\n"
                    "store %1 %10 %10 [@]; barrier_arrive %13; barrier_wait %11 loc=7\n"
                    "store %1 %12 %10 [@]\n");
    static const int32_t o[2] = {0, 1};
    arrays all = make_arrays(module, NAMED({"o", o}));
    const tg_run_options options = {.size = sizeof options, .backend = "emulator:2"};
    tg_report *report = run_once(module, &all, &options);
    cr_assert_eq(tg_report_finding_count(report), 1);
    const tg_finding f = tg_report_finding(report, 0);
    cr_assert_str_eq(f.kind, "deadlock");
    cr_assert(f.line == 7 && f.program[0] == 0, "%d", (int)f.line);
    compare_arrays(&all, "emulator");
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

Test(ptx_threads, refused)
{
    check_fails("grid 33t\nbody\n", NAMED({0}), TG_ERR_UNSUPPORTED,
                "of more than 32 threads: 33 of them");
}

/* ---- the text ---- */

/* The kernel's text; an older chip has no barriers. */
Test(ptx_threads, targets)
{
    tg_module *module = load_kernel(EXCHANGE(MEET));
    tg_errors *errors = tg_errors_new();
    char *text = tg_module_ptx(module, NULL, NULL, errors);
    cr_assert_not_null(text);
    cr_assert_not_null(strstr(text, ".version 8.0\n.target sm_90\n"), "%.200s", text);
    free(text);
    const tg_module_ptx_options earlier = {.size = sizeof earlier, .target = "sm_80"};
    cr_assert_null(tg_module_ptx(module, NULL, &earlier, errors));
    cr_assert_not_null(strstr(tg_errors_get(errors, 0).message,
                              "a barrier between threads on a chip before sm_90: sm_80"));
    tg_errors_free(errors);
    tg_module_free(module);
}

/* ---- products ---- */

/* %20 is the sum, 1 at first. */
#define PRODUCT(dtype, sum, ops)                                                                   \
    "grid 1p 2t\ninput x " dtype "[2,3]\ninput y " dtype "[3,2]\noutput o " sum "[2,2]\n"          \
    "scratch s " sum "[2,2]\nscratch a " dtype "[2,3]\nscratch b barrier[] arrivals=1\nbody\n" IDS \
    "switch %11 { %30:" dtype "[2,3] = load %1 [0:2,0:3]; store %5 %30 [0:2,0:3]\n"                \
    "%31:" sum "[2,2] = constant value=1; store %4 %31 [0:2,0:2]\n" ops "} "                       \
    "{ barrier_wait %6; %40:" sum "[2,2] = load %4 [0:2,0:2]; store %3 %40 [0:2,0:2] }\n"

static const int32_t left[2][3] = {{1, 2, 3}, {4, 5, 6}}, right[3][2] = {{1, 0}, {0, 1}, {1, 1}},
                     once[2][2] = {{5, 6}, {11, 12}}, twice[2][2] = {{9, 11}, {21, 23}},
                     replaced[2][2] = {{4, 5}, {10, 11}};
#define WITH(sum) NAMED({"x", left}, {"y", right}, {"o", sum})

Test(ptx_threads, products_beside_them)
{
    check_equal(PRODUCT("i32", "i32", "dot_start %4 %5 %2; dot_arrive %6"), WITH(once));
    check_equal(PRODUCT("i32", "i32",
                        "dot_start %4 %5 %2; dot_commit; dot_start %4 %30 %2; dot_commit\n"
                        "dot_wait_groups %14; barrier_arrive %6"),
                WITH(twice));
    check_equal(PRODUCT("i32", "i32", "dot_start %4 %5 %2 replaces=true; dot_arrive %6"),
                WITH(replaced));
}

/* Each product is rounded to the type of the sum, and so is the addition. */
Test(ptx_threads, products_that_are_rounded)
{
    static const uint16_t x16[2][3] = {{0x3c01, 0x1000, 0x0000}, {0x7bff, 0x4000, 0xbc00}},
                          y16[3][2] = {{0x3c00, 0x3c01}, {0x3c00, 0x0400}, {0x3c00, 0x3555}};
    static const uint16_t wanted[2][2] = {{0x4001, 0x4001}, {0x7bff, 0x7c00}};
    check_equal(PRODUCT("f16", "f16", "dot_start %4 %5 %2; dot_arrive %6"),
                NAMED({"x", x16}, {"y", y16}, {"o", wanted}));
}

Test(ptx_threads, products_with_scales)
{
    check_fails("input x f32[2,2]\ninput s f32[2,1]\nscratch t f32[2,2]\nbody\n"
                "dot_start %3 %1 %1 %2 %2 loc=4\n",
                NAMED({"x", x}, {"s", x}), TG_ERR_UNSUPPORTED,
                "with scales, or of a sparse factor: dot_start (k.py:4)");
}

Test(ptx_threads, products_in_their_own_memory)
{
    check_fails("input x f32[2,2]\nscratch s f32[2,2]\nbody\n%10:f32[2,2] = load %1 [0:2,0:2]\n"
                "store %2 %10 [0:2,0:2]; dot_start %2 %1 %2 loc=4\n",
                NAMED({"x", x}), TG_ERR_UNSUPPORTED,
                "with a factor in the memory of its sum: dot_start (k.py:4)");
}
