/* Runs the rows of tg_ptx_form lane by lane: the judge of what tools/gen_ptx_forms.py writes, and of no
 * kin to it or to interp/elementwise/.  Knows the instructions that forms are made of and no others. */
#ifndef TG_TESTS_PTX_ROWS_H
#define TG_TESTS_PTX_ROWS_H

#include <stddef.h>
#include <stdint.h>

enum { PTX_ROWS_LANES = 64 };

typedef struct ptx_rows ptx_rows;

/* The rows of a scope `text`; `table` is the module's text for it or NULL.  On an unknown instruction,
 * a register undeclared, declared twice, or read before it is written, an ill-formed constant: NULL,
 * and `error` says what and on which row. */
ptx_rows *ptx_rows_read(const char *text, const char *table, char *error, size_t error_bytes);
void ptx_rows_free(ptx_rows *rows);

/* How many instructions there are. */
size_t ptx_rows_count(const ptx_rows *rows);

/* r[i] = rows of a[i], b[i] for i < PTX_ROWS_LANES; 32-bit values in the low half of their element,
 * whose high half is 0.  Returns NULL, or what went wrong: an access outside of the table. */
const char *ptx_rows_run(ptx_rows *rows, uint64_t *r, const uint64_t *a, const uint64_t *b);

#endif
