/* Holds the rows of gpu_backend/elementwise/forms.h against the lane functions on many operands.  Not part of the test run,
 * which tries fewer.
 *
 *   verify_forms list                              every form: function, variant, rows
 *   verify_forms FUNCTION VARIANT FIRST COUNT      operands by number: F32 of one operand by its bits, all others
 *                                                  random, the seed being the number
 *
 * Prints one line; exit status 1 and the first difference if there was one, 2 for bad arguments. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/ptx_forms_lanes.h"
#include "tests/ptx_forms_operands.h"

static int list_forms(void)
{
    char error[200];
    for (int op = 0; op < TG_OP_COUNT; op++)
        for (int v = 0; v < TG_PTX_FORM_VARIANT_COUNT; v++) {
            const char *const text = tg_ptx_form((tg_opcode)op, (tg_ptx_form_variant)v);
            if (text == NULL) continue;
            ptx_rows *const rows =
                ptx_rows_read(text, tg_ptx_form_table((tg_opcode)op), error, sizeof error);
            printf("%s %s %s %zu\n", tg_ops[op].name, variant_names[v], rows ? "" : error,
                   rows ? ptx_rows_count(rows) : 0);
            ptx_rows_free(rows);
        }
    return 0;
}

static int try(tg_opcode op, tg_ptx_form_variant v, uint64_t first, uint64_t count)
{
    char error[200];
    const char *const text = tg_ptx_form(op, v);
    ptx_rows *const rows =
        text ? ptx_rows_read(text, tg_ptx_form_table(op), error, sizeof error) : NULL;
    if (rows == NULL) return 2;
    const bool by_bits = is_32(base_of[v]) && tg_ops[op].in_max == 1;
    uint64_t a[PTX_ROWS_LANES], b[PTX_ROWS_LANES], got[PTX_ROWS_LANES], want[PTX_ROWS_LANES];
    for (uint64_t at = first; at < first + count; at += PTX_ROWS_LANES) {
        for (uint64_t i = 0; i < PTX_ROWS_LANES; i++) {
            a[i] = by_bits ? (uint32_t)(at + i) : random_operand(base_of[v], 2 * (at + i));
            b[i] = tg_ops[op].in_max == 1 ? 0 : random_operand(second_of[v], 2 * (at + i) + 1);
        }
        const char *what = NULL;
        const int lane = compare_strip(rows, lanes_of(op, v), v, a, b, got, want, &what);
        if (lane < 0) continue;
        printf("%s %s differs at %#" PRIx64 ", %#" PRIx64 ": rows %#" PRIx64 " %s\n",
               tg_ops[op].name, variant_names[v], a[lane], b[lane], got[lane], what ? what : "");
        return 1;
    }
    printf("%s %s: %" PRIu64 " operands, the same bits\n", tg_ops[op].name, variant_names[v],
           count);
    ptx_rows_free(rows);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) return list_forms();
    for (int op = 0; argc == 5 && op < TG_OP_COUNT; op++)
        for (int v = 0; v < TG_PTX_FORM_VARIANT_COUNT; v++)
            if (strcmp(argv[1], tg_ops[op].name) == 0 && strcmp(argv[2], variant_names[v]) == 0)
                return try((tg_opcode)op, (tg_ptx_form_variant)v, strtoull(argv[3], NULL, 0),
                           strtoull(argv[4], NULL, 0));
    return 2;
}
