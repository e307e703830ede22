#include "cli/seen.h"

#include <stdlib.h>

#include "base/list.h"

bool tg_seen_add(tg_seen *seen, uint64_t number)
{
    for (size_t i = 0; i < seen->count; i++)
        if (seen->list[i] == number) return false;
    uint64_t *list = tg_list_grow(seen->list, seen->count, &seen->capacity, sizeof *list);
    if (!list) return true;
    seen->list = list;
    seen->list[seen->count++] = number;
    return true;
}

void tg_seen_free(tg_seen *seen)
{
    free(seen->list);
    *seen = (tg_seen){0};
}

uint64_t tg_number_with(uint64_t number, const char *text)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        number = (number ^ *c) * prime;
    return (number ^ 0xff) *
           prime; /* no byte of UTF-8: where one text ends and the next begins plays a part */
}
