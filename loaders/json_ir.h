/* The JSON form of the kernel language (docs/ir.md) to ir/ir.h. */
#ifndef TG_LOADERS_JSON_IR_H
#define TG_LOADERS_JSON_IR_H

#include "ir/ir.h"

/* Builds a module from `length` bytes of JSON.  Checks form alone: keys, kinds, names, ids and
 * their scope, limits; what ops mean is tg_module_verify's business.  Reports everything found,
 * each with path and byte offset.  On TG_OK *out is the caller's, for tg_module_destroy; otherwise it
 * is NULL and the result is
 *   TG_ERR_SYNTAX       the text is not strict JSON
 *   TG_ERR_INVALID      a key, kind, name, number or id is wrong
 *   TG_ERR_TYPE         a list has not as many entries as a type demands
 *   TG_ERR_UNSUPPORTED  another version, or a limit is exceeded
 *   TG_ERR_NO_MEMORY */
tg_status tg_json_load(const char *text, size_t length, tg_module **out, tg_diags *diags);

/* The same for a file, which its diagnoses name.  TG_ERR_IO where it cannot be read. */
tg_status tg_json_load_file(const char *path, tg_module **out, tg_diags *diags);

#endif
