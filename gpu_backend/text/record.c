#include "gpu_backend/text/record.h"

#include <stdint.h>

#include "ir/type.h"

size_t tg_ptx_printed_bytes(const tg_operand *operand)
{
    int64_t count = 1;
    for (int d = 0; d < operand->rank; d++) count *= operand->shape[d];
    const size_t bytes = (size_t)count * tg_carrier_bytes[tg_carrier_of(operand->dtype)];
    return (bytes + 7) / 8 * 8;
}

size_t tg_ptx_record_bytes(const struct tg_inst_print *print)
{
    size_t bytes = TG_PTX_RECORD_HEAD;
    for (uint32_t i = 0; i < print->in_count; i++) bytes += tg_ptx_printed_bytes(&print->in[i]);
    return bytes;
}
