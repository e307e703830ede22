/* What printf makes of a format and values that are read one after another. */
#ifndef TG_EMULATOR_PRINT_FORMAT_H
#define TG_EMULATOR_PRINT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Where values come from; both return false to end the printing. */
typedef struct tg_emu_print_values {
    bool (*next)(void *context, unsigned bytes, uint64_t *out); /* of 4 or 8 bytes */
    bool (*next_string)(void *context, tg_text *out);
    void *context;
} tg_emu_print_values;

/* Appends the text, in the C locale.  Returns the number of values, TG_EMU_PRINT_ENDED if they ended it, or
 * TG_EMU_PRINT_UNKNOWN for a conversion that printf of CUDA does not have; *problem is then its offset. */
enum { TG_EMU_PRINT_ENDED = -1, TG_EMU_PRINT_UNKNOWN = -2 };
int tg_emu_print_format(const char *format, const tg_emu_print_values *values, tg_text *out,
                        size_t *problem);

#endif
