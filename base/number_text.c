#include "base/number_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

char *tg_number_text(int64_t number, char out[TG_NUMBER_TEXT])
{
    char digits[TG_NUMBER_TEXT];
    snprintf(digits, sizeof digits, "%" PRId64, number);
    size_t count = strlen(digits), used = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && digits[i - 1] != '-' && (count - i) % 3 == 0) out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}
