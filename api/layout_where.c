/* Layouts backward. */
#include <stdlib.h>
#include <string.h>

#include "api/errors.h"
#include "api/layout_impl.h"
#include "layout/where.h"

tg_status tg_layout_where(const tg_layout *layout, const int64_t *place, int64_t **out,
                          size_t *count, tg_errors *errors)
{
    tg_diags unwanted = {0};
    tg_coordinate at;
    tg_element_list found = {0};
    memcpy(at.at, place, sizeof at.at);
    const tg_status status =
        tg_axe_where(&layout->axe, &at, &found, tg_api_diags(errors, &unwanted));
    *out = found.list;
    *count = found.count;
    tg_diags_free(&unwanted);
    return status;
}

void tg_layout_elements_free(int64_t *elements) { free(elements); }

tg_status tg_layout_injective(const tg_layout *layout, int *injective, int64_t *elements,
                              int64_t *place, tg_errors *errors)
{
    tg_diags unwanted = {0};
    tg_shared_place shared = {0};
    bool is_one = false;
    const tg_status status =
        tg_axe_is_injective(&layout->axe, &is_one, &shared, tg_api_diags(errors, &unwanted));
    *injective = is_one;
    memcpy(elements, shared.element, sizeof shared.element);
    if (place) memcpy(place, shared.at.at, sizeof shared.at.at);
    tg_diags_free(&unwanted);
    return status;
}
