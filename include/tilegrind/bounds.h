/* How far a result may be from the exact one: companion kernels.  docs/bounds.md has the rules.
 *
 * A contract says what an implementation may do to its numbers: round each operation to nearest,
 * add in any order, compute functions to one unit in the last place.  A companion kernel computes,
 * beside each element of its outputs, what that element is in exact arithmetic, and a bound of how
 * far a result that keeps the contract may be from it. */
#ifndef TILEGRIND_BOUNDS_H
#define TILEGRIND_BOUNDS_H

#include <tilegrind/tilegrind.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which bounds: those that no conforming result leaves, or those that hardly any leaves. */
typedef enum tg_bounds {
    TG_BOUNDS_CERTAIN,
    /* Of long sums, roundings partly cancel: smaller bounds, which results on random inputs keep with
     * a probability of at least 1 - 3e-14 a sum.  No greater than the certain ones. */
    TG_BOUNDS_PROBABLE
} tg_bounds;

/* Makes the companion of a kernel (NULL: the first) for a contract: the name of one, or the text of
 * one in JSON, which begins with '{'.  The companion is a module with one kernel that takes what the
 * kernel takes.  It returns what the kernel returns and, for each output NAME of
 * floats, "NAME exact" and "NAME bound" in f64.  An input NAME that shares its
 * memory with an output is followed by inputs of these names: the input in f64, and zeros.
 *
 * Returns TG_ERR_USAGE for a kernel or contract that there is not, TG_ERR_SYNTAX or TG_ERR_INVALID
 * for a text that is not a contract's, TG_ERR_UNSUPPORTED with the op's place if there is no rule for an operation, or TG_ERR_NO_MEMORY; then *out is NULL.  The caller
 * frees *out, which does not depend on `module`. */
TG_API tg_status tg_module_companion(const tg_module *module, const char *kernel,
                                     const char *contract, tg_bounds bounds, tg_module **out,
                                     tg_errors *errors);

/* Returns the text of a contract in a JSON file (docs/bounds.md), which is checked, or NULL: the file
 * cannot be read, or is not a contract; `errors` has each problem with its place in the file. */
TG_API char *tg_contract_read(const char *path, tg_errors *errors);

/* Names of contracts, and what they are for, in the order of the documents; NULL after the last. */
TG_API const char *tg_contract_name(size_t i);
TG_API const char *tg_contract_about(size_t i);

#ifdef __cplusplus
}
#endif

#endif
