/* The element at a byte of the memory of a parameter, as the source counts elements. */
#ifndef TG_CHECKS_ELEMENT_OF_BYTE_H
#define TG_CHECKS_ELEMENT_OF_BYTE_H

#include "ir/ir.h"

/* Returns its number, row-major, and prints its index. */
int64_t tg_element_of_byte(const tg_kernel *kernel, uint32_t param, int64_t byte,
                           char index[TG_INDEX_TEXT]);

#endif
