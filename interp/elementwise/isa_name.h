/* External names that exist once per instruction set. */
#ifndef TG_INTERP_ELEMENTWISE_ISA_NAME_H
#define TG_INTERP_ELEMENTWISE_ISA_NAME_H

/* name__baseline, name__avx2 or name__avx512, depending on the set for which a source is compiled,
 * TG_ISA. */
#define TG_PASTE3(a, b, c) a##b##c
#define TG_PASTE(a, b, c) TG_PASTE3(a, b, c)
#define TG_ISA_NAME(name) TG_PASTE(name, __, TG_ISA)

#endif
