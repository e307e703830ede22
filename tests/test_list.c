/* Lists that grow. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/list.h"

Test(list, keeps_what_it_has)
{
    int *list = NULL;
    size_t room = 0;
    for (size_t count = 0; count < 1000; count++) {
        list = tg_list_grow(list, count, &room, sizeof *list);
        cr_assert_not_null(list);
        cr_assert_gt(room, count);
        list[count] = (int)count;
    }
    for (int i = 0; i < 1000; i++) cr_assert_eq(list[i], i);
    free(list);
}

/* More bytes than there can be are no memory, not few. */
Test(list, sizes_do_not_wrap)
{
    size_t room = SIZE_MAX / 8 + 1;
    int list;
    cr_assert_null(tg_list_grow(&list, room, &room, 4));
    cr_assert_eq(room, SIZE_MAX / 8 + 1);
}
