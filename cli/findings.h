/* One finding, for people and as JSON. */
#ifndef TG_CLI_FINDINGS_H
#define TG_CLI_FINDINGS_H

#include "base/json_out.h"
#include "tilegrind/tilegrind.h"

/* "program (3)"; "" where `program` is NULL or the grid has no axes.  Returns `out`. */
enum { TG_CLI_PROGRAM_TEXT = 400 };
char *tg_cli_program_text(const tg_report *report, const int64_t *program, int rank,
                          char out[TG_CLI_PROGRAM_TEXT]);

/* What the findings of a run that have been printed have told for those that follow. */
typedef struct tg_cli_told {
    bool has_hint;
    size_t calls_of; /* number + 1 of the finding whose callers were printed last; 0: of none */
} tg_cli_told;

/* What, where, the source line, which program, the other places with theirs, and `repeat`: the
 * command that shows it again. */
void tg_cli_print_finding(const tg_report *report, size_t index, const char *repeat,
                          tg_cli_told *told);

/* An element of a list, with what covers it (NULL: nothing). */
void tg_cli_json_finding(tg_json_out *json, const tg_report *report, size_t index,
                         const tg_suppression *known);

/* Members of the open object: "program", "elements", where there are such; and "name", "file" and
 * "line". */
void tg_cli_json_program(tg_json_out *json, const int64_t *program, int rank);
void tg_cli_json_elements(tg_json_out *json, const tg_finding *f);
void tg_cli_json_suppression(tg_json_out *json, const tg_suppression *known);

#endif
