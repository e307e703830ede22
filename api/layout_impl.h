/* Private to the implementation of layouts in the public interface. */
#ifndef TG_API_LAYOUT_IMPL_H
#define TG_API_LAYOUT_IMPL_H

#include "layout/axe.h"
#include "tilegrind/layout.h"

struct tg_layout {
    tg_axe axe;
};

#endif
