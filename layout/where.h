/* The map backward: which elements are at a place, and whether two ever are. */
#ifndef TG_LAYOUT_WHERE_H
#define TG_LAYOUT_WHERE_H

#include "layout/map.h"

typedef struct tg_element_list {
    int64_t *list; /* ascending, each once */
    size_t count;
} tg_element_list;

/* The elements that have a copy at a place; none, if it is no place of the layout.  Where digits are
 * separated, that is, where on each axis every stride is more than all smaller ones reach, this takes a
 * division for each iter.  Else it is a search, bounded by what smaller strides reach.
 * TG_ERR_UNSUPPORTED if it takes more than TG_AXE_MOST_POINTS steps, or finds more elements than that;
 * TG_ERR_NO_MEMORY.  The caller frees the list. */
tg_status tg_axe_where(const tg_axe *axe, const tg_coordinate *at, tg_element_list *out,
                       tg_diags *diags);
void tg_element_list_free(tg_element_list *elements);

/* Two elements that have one place, the lower one first. */
typedef struct tg_shared_place {
    int64_t element[2];
    tg_coordinate at;
} tg_shared_place;

/* Whether no two elements ever have the same place, that is, whether tg_axe_where finds at most one at each.
 * If not, *shared is an example.  That digits are separated proves it; else all coordinates of an axis are
 * listed.  TG_ERR_UNSUPPORTED if these are more than TG_AXE_MOST_POINTS; TG_ERR_NO_MEMORY. */
tg_status tg_axe_is_injective(const tg_axe *axe, bool *injective, tg_shared_place *shared,
                              tg_diags *diags);

#endif
