#include "interp/memory/forms.h"

#include "interp/blocks/copy.h"

const unsigned char *tg_memory_form(tg_machine *m, tg_dtype dtype, const unsigned char *from,
                                    int64_t stride, int64_t count)
{
    size_t wide = tg_carrier_bytes[tg_carrier_of(dtype)];
    unsigned char *carriers = m->strips, *bytes = m->strips + (size_t)TG_FORM_CHUNK * 8;
    const void *src = from;
    const int64_t dense = 1;
    if (stride != 1) {
        tg_view row = {.data = from, .rank = 1, .shape = {count}, .stride = {stride}};
        tg_copy_view(carriers, &dense, &row, wide);
        src = carriers;
    }
    tg_elementwise_fn *store = tg_elementwise_store(m->launch->elementwise, dtype);
    if (!store) return src;
    store(bytes, &src, 0, (size_t)count, 0);
    return bytes;
}
