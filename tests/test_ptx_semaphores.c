/* Semaphores of programs of several threads, and loops that look at what other threads write, as PTX: they
 * give the bits of the interpreter, and what never ends is noticed. */
#include "run_seeds.h"

/* %10 the chain, %11 the thread, %13 1, %14 0. */
#define IDS                                                                                        \
    "%10:i32[] = program_id axis=0; %11:i32[] = program_id axis=1; %13:i32[] = constant value=1\n" \
    "%14:i32[] = constant value=0; %15:i32[] = constant value=5; %16:i32[] = constant value=2\n"
/* The first thread writes 40 numbers and signals %3; the second one waits and takes them. */
#define HAND_OVER(signal, wait)                                                                    \
    "grid 2p 2t\noutput o i32[2,40]\nscratch s i32[40]\nscratch c sem[2]\nbody\n" IDS              \
    "%20:ref<sem[]> = view %3 %13 [@]\n"                                                           \
    "switch %11 { %21:i32[40] = iota axis=0; store %2 %21 [0:40] loc=1; " signal " } { " wait      \
    "%30:i32[40] = load %2 [0:40] loc=2; store %1 %30 %10 [@,0:40] }\n"

static int32_t numbers[2][40];

static void set_numbers(void)
{
    for (int i = 0; i < 80; i++) numbers[i / 40][i % 40] = i % 40;
}

Test(ptx_semaphores, they_order_threads)
{
    static const char *const kernels[] = {
        HAND_OVER("semaphore_signal %20 %13", "semaphore_wait %20 %13; "),
        HAND_OVER("semaphore_signal %20 %16", "semaphore_wait %20 %13; semaphore_wait %20 %13; "),
        HAND_OVER("semaphore_signal %20 %13",
                  "semaphore_wait %20 %13 keep=true; semaphore_wait %20 %13; "),
    };
    set_numbers();
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        check_equal(kernels[i], NAMED({"o", numbers}));
}

Test(ptx_semaphores, without_a_wait_they_race)
{
    check_fails(HAND_OVER("semaphore_signal %20 %13", ""), NAMED({0}), TG_ERR_INTERNAL,
                "shared-race");
}

Test(ptx_semaphores, waits_that_never_end)
{
    check_fails(HAND_OVER("", "semaphore_wait %20 %13; "), NAMED({0}), TG_ERR_UNSUPPORTED,
                "wait for each other for ever: the warp goes round in a loop");
    check_fails(HAND_OVER("semaphore_signal %20 %13", "semaphore_wait %20 %16; "), NAMED({0}),
                TG_ERR_UNSUPPORTED, "wait for each other for ever: the warp goes round in a loop");
}

/* Many threads take turns; each takes what it needs in one step. */
Test(ptx_semaphores, as_locks)
{
    static const int32_t o[1] = {28};
    check_equal("grid 1p 8t\noutput o i32[1]\nscratch s i32[]\nscratch c sem[2]\nbody\n" IDS
                "%20:ref<sem[]> = view %3 %14 [@]; %21:ref<sem[]> = view %3 %13 [@]\n"
                "%17:i32[] = constant value=8\n"
                "switch %11 { store %2 %14 []; semaphore_signal %20 %13 } { yield }\n"
                "semaphore_wait %20 %13; %30:i32[] = load %2 []; %31:i32[] = add %30 %11\n"
                "store %2 %31 []; semaphore_signal %20 %13; semaphore_signal %21 %13\n"
                "switch %11 { semaphore_wait %21 %17; semaphore_wait %20 %13\n"
                "%32:i32[] = load %2 []; store %1 %32 %14 [@] } { yield }\n",
                NAMED({"o", o}));
}

/* A copy raises one by its bytes. */
Test(ptx_semaphores, copies_that_tell_a_semaphore)
{
    static const int32_t x[8] = {1, 2, 3, 4, 5, 6, 7, 8},
                         o[2][8] = {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8}};
    check_equal("grid 2p 2t\ninput x i32[8]\noutput o i32[2,8]\nscratch s i32[8]\n"
                "scratch c dma_sem[]\nbody\n" IDS
                "switch %11 { dma_start %1 %3 %4 loc=1 } { dma_wait %3 %4 loc=2\n"
                "%20:i32[8] = load %3 [0:8]; store %2 %20 %10 [@,0:8] }\n",
                NAMED({"x", x}, {"o", o}));
}

/* Of a block of a cluster, raised by the other one. */
Test(ptx_semaphores, of_other_blocks)
{
    static const int32_t o[2] = {8, 7};
    check_equal("grid 1p 2t\noutput o i32[2]\nscratch s i32[2] cluster=1\nscratch c sem[2] "
                "cluster=1\nscratch b barrier[2] arrivals=2 cluster=1\nbody\n" IDS
                "%12:i32[] = sub %13 %11; %17:i32[] = constant value=7; %18:i32[] = add %17 %11\n"
                "%20:ref<sem[]> = view %3 %11 [@]; %21:ref<sem[]> = view %3 %12 [@]\n"
                "%22:ref<barrier[]> = view %4 %11 [@]; %23:ref<barrier[]> = view %4 %12 [@]\n"
                "store %2 %18 %11 [@]; semaphore_signal %21 %13; semaphore_wait %20 %13\n"
                "%30:i32[] = load %2 %12 [@]; store %1 %30 %11 [@]\n"
                "barrier_arrive %22; barrier_arrive %23 at_once=true; barrier_wait %22\n",
                NAMED({"o", o}));
}

/* ---- loops that look ---- */

/* The second thread looks at the flag by atomics until it is set. */
#define LOOKS(first)                                                                               \
    "grid 1p 2t\noutput o i32[1]\nscratch s i32[]\nscratch f i32[]\nscratch b barrier[] "          \
    "arrivals=2\nbody\n" IDS "switch %11 { store %3 %14 [] } { yield }\n"                          \
    "barrier_arrive %4; barrier_wait %4\nswitch %11 { store %2 %15 [] loc=1; " first " } "         \
    "{ while { %30:i32[] = atomic_rmw %3 %14 [] kind='add' loc=5; %31:bool[] = eq %30 %14; "       \
    "yield %31 } { yield }\n%32:i32[] = load %2 [] loc=2; store %1 %32 %14 [@]; yield }\n"

Test(ptx_semaphores, loops_that_look_at_a_flag)
{
    static const int32_t five[1] = {5};
    check_equal(LOOKS("%20:i32[] = atomic_rmw %3 %13 [] kind='add'; yield"), NAMED({"o", five}));
    check_fails(LOOKS("yield"), NAMED({0}), TG_ERR_UNSUPPORTED,
                "wait for each other for ever: the warp goes round in a loop");
}

/* A semaphore that is looked at until it is raised. */
Test(ptx_semaphores, loops_that_look_at_a_semaphore)
{
    static const int32_t one[1] = {1};
    check_equal(
        "grid 1p 2t\noutput o i32[1]\nscratch c sem[]\nbody\n" IDS
        "switch %11 { semaphore_signal %2 %13 } { while { %30:i32[] = semaphore_read %2; "
        "%31:bool[] = eq %30 %14; yield %31 } { yield }\n"
        "%32:i32[] = semaphore_read %2; store %1 %32 %14 [@]; semaphore_wait %2 %13; yield }\n",
        NAMED({"o", one}));
}
