/* Texts that grow at their end. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Pieces of every length end before, at and behind the end of the memory that there is. */
Test(text, grows_at_any_length)
{
    char piece[600];
    for (int length = 0; length < (int)sizeof piece; length++) {
        tg_text text = {0};
        memset(piece, 'a', sizeof piece);
        piece[length] = '\0';
        tg_text_put(&text, "b");
        tg_text_add(&text, "%s%d", piece, 7);
        cr_assert_eq(text.length, (size_t)length + 2);
        char *data = tg_text_finish(&text);
        cr_assert_eq(strlen(data), (size_t)length + 2);
        cr_assert(data[0] == 'b' && data[length + 1] == '7');
        cr_assert_eq(strspn(data + 1, "a"), (size_t)length);
        free(data);
    }
}

Test(text, integers_are_those_of_printf)
{
    char want[32];
    for (int bits = 0; bits <= 64; bits++)
        for (uint64_t more = 0; more < 2; more++) {
            uint64_t value = (bits < 64 ? UINT64_C(1) << bits : 0) - more;
            tg_text text = {0};
            tg_text_put_uint(&text, value);
            snprintf(want, sizeof want, "%" PRIu64, value);
            cr_assert_str_eq(text.data, want);
            tg_text_drop(&text);
        }
}
