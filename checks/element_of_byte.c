#include "checks/element_of_byte.h"

#include "physical/logical_element.h"

int64_t tg_element_of_byte(const tg_kernel *kernel, uint32_t param, int64_t byte,
                           char index[TG_INDEX_TEXT])
{
    const tg_type *array = &kernel->params[param].array;
    int64_t element = byte / tg_dtypes[array->dtype].bytes;
    tg_laid_out laid_out;
    if (tg_laid_out_find(kernel, param, &laid_out)) {
        array = &laid_out.param->array;
        element = tg_laid_out_element(&laid_out, element);
    }
    tg_index_print(array, element, index);
    return element;
}
