/* Advice to the system about memory. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/big_pages.h"

/* Wherever the memory starts and ends. */
Test(big_pages, advice_keeps_the_contents)
{
    const size_t sizes[] = {0, 1, 4095, 4 << 20, (9 << 20) + 13}, around = 16;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t all = sizes[s] + around;
        unsigned char *memory = malloc(all);
        cr_assert_not_null(memory);
        for (size_t i = 0; i < all; i++) memory[i] = (unsigned char)(i * 7 + 1);
        tg_advise_big_pages(memory + 3, sizes[s]);
        for (size_t i = 0; i < all; i++) cr_assert_eq(memory[i], (unsigned char)(i * 7 + 1));
        free(memory);
    }
}
