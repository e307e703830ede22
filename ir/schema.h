/* The JSON Schema of the kernel language, for editors and for other programs that write it. */
#ifndef TG_IR_SCHEMA_H
#define TG_IR_SCHEMA_H

/* JSON Schema (draft 2020-12) of a module, made from ops.def, attrs.def and dtypes.def.  It knows
 * keys, kinds and counts; scope and types are beyond it.  NUL-terminated, to be freed with free();
 * NULL without memory. */
char *tg_schema_json(void);

#endif
