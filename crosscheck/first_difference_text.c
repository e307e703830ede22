/* The first difference in words. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "report/compare.h"
#include "crosscheck/first_difference.h"
#include "ir/bits.h"
#include "plan/program_text.h"

/* What does not fit is left out. */
typedef struct line {
    char *out;
    size_t used;
} line;

TG_PRINTF(2, 3)
static void put(line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(l->out + l->used, TG_FIRST_TEXT - l->used, format, args);
    va_end(args);
    if (length > 0) l->used += (size_t)length;
    if (l->used >= TG_FIRST_TEXT) l->used = TG_FIRST_TEXT - 1;
}

static void put_place(line *l, const tg_first_difference *first, const tg_first_place *place)
{
    char program[TG_PROGRAM_TEXT];
    put(l, "%s", place->op);
    if (place->at->line) put(l, " at %s:%" PRId64, place->at->file, place->at->line);
    put(l, " in program %s", tg_program_print(first->kernel, first->grid, place->program, program));
    if (place->visit > 1) put(l, ", visit %" PRId64, place->visit);
}

static void put_element(line *l, const char *who, tg_dtype dtype, uint64_t bits)
{
    char value[TG_ELEMENT_TEXT];
    uint64_t element;
    tg_bits_store(dtype, bits, &element);
    put(l, "%s %s", who, tg_element_print(dtype, &element, value));
    if (tg_dtypes[dtype].kind != TG_KIND_FLOAT)
        put(l, " [%0*" PRIx64 "]", (tg_dtypes[dtype].bits + 3) / 4, bits);
}

static void put_values(line *l, const tg_first_difference *first, const char *backend)
{
    char index[TG_INDEX_TEXT];
    put(l, "%s: ", tg_index_print(&first->type, first->element, index));
    put_element(l, "cpu", first->type.dtype, first->bits[0]);
    put(l, ", ");
    put_element(l, backend, first->type.dtype, first->bits[1]);
    if (first->ulps != UINT64_MAX) put(l, ", %" PRIu64 " ULP apart", first->ulps);
    put(l, "; %" PRId64 " of %" PRId64 " elements differ", first->differing,
        tg_type_count(&first->type));
}

static void put_path(line *l, const tg_first_difference *first, const char *backend)
{
    put(l, "ops go another way, all blocks before being the same: cpu has ");
    if (first->place.op)
        put_place(l, first, &first->place);
    else
        put(l, "no op");
    put(l, " where %s has ", backend);
    if (first->other.op)
        put_place(l, first, &first->other);
    else
        put(l, "no op");
}

static void put_store(line *l, const tg_first_difference *first, const char *backend)
{
    put(l, "all ops leave the same blocks, and output %s differs at ", first->output);
    put_values(l, first, backend);
    if (!first->place.op) {
        put(l, "; in the interpreter nobody writes that element");
        return;
    }
    put(l, "; it is written last by ");
    put_place(l, first, &first->place);
}

char *tg_first_difference_print(const tg_first_difference *first, const char *backend,
                                char out[TG_FIRST_TEXT])
{
    line l = {out, 0};
    out[0] = '\0';
    switch (first->kind) {
    case TG_FIRST_BLOCK:
        put(&l, "first op that differs: ");
        put_place(&l, first, &first->place);
        put(&l, ", %s element ", tg_dtypes[first->type.dtype].name);
        put_values(&l, first, backend);
        break;
    case TG_FIRST_PATH: put_path(&l, first, backend); break;
    case TG_FIRST_STORE: put_store(&l, first, backend); break;
    case TG_FIRST_NONE:
        put(&l, "the difference does not show once what ops leave is written down");
        break;
    case TG_FIRST_TOO_LONG:
        put(&l,
            "no op that differs among those whose blocks fill the first %" PRIu64
            " bytes; the others were not looked at",
            first->compared);
        break;
    }
    return out;
}
