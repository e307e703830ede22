/* The JSON Schema of the kernel language, for editors and for programs that write kernels. */
#ifndef TG_IR_SCHEMA_H
#define TG_IR_SCHEMA_H

/* Returns the JSON Schema (draft 2020-12) of a module, made from ops.def, attrs.def and dtypes.def.
 * It covers keys, kinds and counts, but not scope and types.  The caller frees the NUL-terminated
 * text with free(); NULL if memory runs out. */
char *tg_schema_json(void);

#endif
