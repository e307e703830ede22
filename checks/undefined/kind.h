/* What the shadow of an element says about it (checks/undefined/undefined.c): the element depends
 * on ... */
#ifndef TG_CHECKS_UNDEFINED_KIND_H
#define TG_CHECKS_UNDEFINED_KIND_H

typedef enum tg_shadow_kind {
    TG_SHADOW_UNDEFINED, /* something that nothing defines */
    TG_SHADOW_OVERFLOW,  /* a signed integer that has wrapped around */
    TG_SHADOW_RANGE      /* a float that was converted to an integer that cannot hold it */
} tg_shadow_kind;

#endif
