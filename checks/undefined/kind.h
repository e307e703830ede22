/* What the shadow of an element says of it (checks/undefined/undefined.c). */
#ifndef TG_CHECKS_UNDEFINED_KIND_H
#define TG_CHECKS_UNDEFINED_KIND_H

typedef enum tg_shadow_kind {
    TG_SHADOW_UNDEFINED, /* it depends on something that nothing defines, */
    TG_SHADOW_OVERFLOW,  /* on a signed integer that has wrapped around, */
    TG_SHADOW_RANGE      /* on a float converted to an integer that cannot hold it */
} tg_shadow_kind;

#endif
