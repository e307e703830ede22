/* Barriers that hand on the order of products: a product comes behind those that other threads have started before
 * the arrival, though nobody has waited for them. */
#include "several_threads.h"

#define ARRIVE(barrier) "barrier_arrive %" barrier " orders_products=true; "
#define WAIT(barrier) "barrier_wait %" barrier " orders_products=true; "
#define ADD "dot_start %4 %1 %2 loc=2; "
#define DONE "dot_arrive %7; barrier_wait %7; "

static void expect_race(const char *kernel)
{
    for (int o = 0; o < ORDERS; o++) expect_kind(kernel, every_order[o], "race", NULL);
}

static void expect_each(const char *kernel, const named *list)
{
    expect_nothing(kernel, list);
    expect_findings(kernel, list, "");
}

Test(product_order, a_product_comes_behind_that_of_another_thread)
{
    expect_each(TWO_THREADS("1", START ARRIVE("5"), WAIT("5") ADD DONE READ), WITH(twice));
}

Test(product_order, a_wait_for_its_group_is_one_for_both)
{
    expect_each(
        TWO_THREADS("1", START ARRIVE("5"), WAIT("5") ADD "dot_commit; dot_wait_groups %50; " READ),
        WITH(twice));
}

/* Both ends must say so. */
Test(product_order, another_barrier_orders_no_products)
{
    expect_race(TWO_THREADS("1", START "barrier_arrive %5; ", WAIT("5") ADD DONE READ));
    expect_race(TWO_THREADS("1", START ARRIVE("5"), "barrier_wait %5; " ADD DONE READ));
}

Test(product_order, a_product_behind_the_arrival_is_not_ordered)
{
    expect_race(TWO_THREADS("1",
                            START ARRIVE("5") "dot_start %4 %1 %2 loc=3; dot_commit; "
                                              "dot_wait_groups %50; ",
                            WAIT("5") ADD DONE READ));
}

/* A factor that is copied. */
Test(product_order, a_product_comes_behind_a_copy_of_another_thread)
{
    expect_each(TWO_THREADS("1", "dma_start %2 %6 among_products=true; " ARRIVE("5"),
                            WAIT("5") "dot_start %4 %1 %6 replaces=true; " DONE READ),
                WITH(once));
}

/* On a GPU a copy may come before a product whose factor it overwrites. */
Test(product_order, a_copy_comes_behind_none)
{
    expect_race(TWO_THREADS("1",
                            "store %6 %8 [0:3,0:2]; dot_start %4 %1 %6 replaces=true loc=1; "
                            "dot_arrive %7; " ARRIVE("5"),
                            WAIT("5") "dma_start %2 %6 among_products=true loc=2; dot_commit; "
                                      "dot_wait_groups %50; barrier_wait %7; " READ));
}

/* Neither behind one of its own thread, where another thread has waited for that. */
Test(product_order, a_copy_comes_behind_none_of_its_own_thread)
{
    const char *const kernel = TWO_THREADS(
        "1",
        "store %6 %8 [0:3,0:2]; dot_start %4 %1 %6 replaces=true loc=1; " ARRIVE(
            "5") "barrier_wait %7; dma_start %2 %6 among_products=true loc=2; dot_commit; "
                 "dot_wait_groups %50; ",
        WAIT("5") ADD "dot_commit; barrier_arrive %7; dot_wait_groups %50; " READ);
    for (int seed = 0; seed < SEEDS; seed++)
        expect_kind(kernel, interleaved(seed), "race", "product-in-flight");
}

/* It is only for what its own thread has started. */
Test(product_order, an_arrival_comes_behind_products_of_its_own_thread)
{
    expect_race(TWO_THREADS("1", START ARRIVE("5"), WAIT("5") DONE READ));
}

/* The wait of the thread in the middle is enough. */
Test(product_order, it_is_handed_on_twice)
{
    expect_each(THREE_THREADS("1", START ARRIVE("5"), WAIT("5") ARRIVE("7"),
                              WAIT("7") ADD "dot_commit; dot_wait_groups %50; " READ),
                WITH(twice));
    expect_each(THREE_THREADS("1", START ARRIVE("5"), WAIT("5") ADD ARRIVE("7"),
                              WAIT("7") "dot_start %4 %1 %2 replaces=true; dot_commit; "
                                        "dot_wait_groups %50; " READ),
                WITH(once));
}

Test(product_order, a_product_comes_behind_those_of_several_threads)
{
    expect_each(THREE_THREADS("2", "dma_start %2 %6 among_products=true; " ARRIVE("5"),
                              START ARRIVE("5"), WAIT("5") "dot_start %4 %1 %6; " DONE READ),
                WITH(twice));
}

/* The thread that has started the first one learns of it from who has waited for the second one. */
Test(product_order, its_own_thread_is_told)
{
    expect_each(TWO_THREADS("1", START ARRIVE("5") "barrier_wait %7; " READ,
                            WAIT("5") ADD "dot_arrive %7; "),
                WITH(twice));
    expect_each(TWO_THREADS("1", START ARRIVE("5") "barrier_wait %7; " READ,
                            WAIT("5") ADD "dot_commit; dot_wait_groups %50; barrier_arrive %7; "),
                WITH(twice));
}

/* Each turn hands on what belongs to its phase. */
Test(product_order, phases_follow_each_other)
{
    expect_each(TWO_THREADS("1",
                            START ARRIVE("5") "barrier_wait %7; " ADD ARRIVE(
                                "5") "barrier_wait %7; " ADD ARRIVE("5") "barrier_wait %7; " READ,
                            WAIT("5") ADD "dot_arrive %7; " WAIT("5") ADD "dot_arrive %7; " WAIT(
                                "5") "dot_start %4 %1 %2 replaces=true; dot_arrive %7; "),
                WITH(once));
}

/* Nothing of what the first phase has handed on is for who takes on the third one. */
Test(product_order, a_phase_hands_on_what_was_handed_on_at_it)
{
    expect_race(THREE_THREADS("1", START ARRIVE("5"),
                              "barrier_wait %5; barrier_wait %5; barrier_arrive %7; " WAIT("5") ADD
                              "dot_commit; dot_wait_groups %50; " READ,
                              "barrier_wait %5; barrier_arrive %5; barrier_wait %7; " ARRIVE("5")));
}
