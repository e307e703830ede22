/* PTX text while it is written: rows of instructions, and the virtual registers that they name.
 *
 * Registers get numbers when they are taken and are declared after all rows are written.  A
 * register is never used for two purposes.  Nothing tracks the state space of an address: the rows
 * that use it name .shared or .global. */
#ifndef TG_GPU_BACKEND_TEXT_WRITER_H
#define TG_GPU_BACKEND_TEXT_WRITER_H

#include <stdint.h>

#include "base/diag.h"
#include "base/text.h"
#include "ir/type.h"

typedef enum tg_ptx_class {
    TG_PTX_PRED, /* %p,  .pred */
    TG_PTX_B16,  /* %h,  .b16 */
    TG_PTX_B32,  /* %r,  .b32 */
    TG_PTX_B64,  /* %rd, .b64 */
    TG_PTX_F32,  /* %f,  .f32 */
    TG_PTX_F64,  /* %fd, .f64 */
    TG_PTX_CLASS_COUNT
} tg_ptx_class;

/* A register by its name, to be printed with %s: add(w, "mov.b32 %s, 0;", r.name). */
typedef struct tg_ptx_reg {
    char name[15];
    uint8_t class;
} tg_ptx_reg;

enum { TG_PTX_MAX_TABLES = 4 };

/* Zero-initialise; the text ends with tg_text_finish or tg_text_drop. */
typedef struct tg_ptx_writer {
    tg_text text;
    uint32_t used[TG_PTX_CLASS_COUNT]; /* registers taken so far, per class */
    uint32_t labels;                   /* labels taken so far */
    uint32_t table_count;              /* constants that the module must declare once */
    const char *tables[TG_PTX_MAX_TABLES];
} tg_ptx_writer;

tg_ptx_reg tg_ptx_new(tg_ptx_writer *w, tg_ptx_class class);

/* Writes one row of the body, indented; `format` is as for printf, without the line end. */
TG_PRINTF(2, 3)
void tg_ptx_row(tg_ptx_writer *w, const char *format, ...);

/* tg_ptx_move copies to another register of the class.  tg_ptx_selp returns a new register with p ?
 * a : b; a and b are not predicates. */
void tg_ptx_move(tg_ptx_writer *w, tg_ptx_reg to, tg_ptx_reg from);
tg_ptx_reg tg_ptx_selp(tg_ptx_writer *w, tg_ptx_reg p, tg_ptx_reg a, tg_ptx_reg b);

/* tg_ptx_new_label returns the number of a new label.  tg_ptx_label defines it; rows name it
 * "$L%u". */
uint32_t tg_ptx_new_label(tg_ptx_writer *w);
void tg_ptx_label(tg_ptx_writer *w, uint32_t label);

/* Writes the declarations of all registers taken; they go before the body. */
void tg_ptx_declare(const tg_ptx_writer *w, tg_text *to);

/* Remembers a text of static lifetime that must precede the functions.  A text that is requested
 * twice counts once.  NULL is fine. */
void tg_ptx_need_table(tg_ptx_writer *w, const char *table);

/* The class of registers that hold a carrier: .b32 for bool and for ints of up to 32 bits, extended
 * by sign or zeros (a bool is 0 or 1); .f32 for f32 and for types that it carries. */
tg_ptx_class tg_ptx_class_of(tg_dtype dtype);

#endif
