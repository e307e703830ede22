/* Reads the JSON form of the kernel language (docs/ir.md) into a module (ir/ir.h). */
#ifndef TG_LOADERS_JSON_IR_H
#define TG_LOADERS_JSON_IR_H

#include "ir/ir.h"

/* Builds a module from `length` bytes of JSON.  Checks only the form: keys, kinds, names, ids and
 * their scope, limits; tg_module_verify checks the meaning of ops.  Reports all problems, each with
 * path and byte offset.  On TG_OK the caller owns *out and frees it with tg_module_destroy;
 * otherwise *out is NULL and the result is
 *   TG_ERR_SYNTAX       the text is not strict JSON
 *   TG_ERR_INVALID      a key, kind, name, number or id is wrong
 *   TG_ERR_TYPE         a list has not as many entries as a type requires
 *   TG_ERR_UNSUPPORTED  another version, or a limit is exceeded
 *   TG_ERR_NO_MEMORY */
tg_status tg_json_load(const char *text, size_t length, tg_module **out, tg_diags *diags);

/* The same for a file, which diagnoses then name.  TG_ERR_IO if it cannot be read. */
tg_status tg_json_load_file(const char *path, tg_module **out, tg_diags *diags);

#endif
