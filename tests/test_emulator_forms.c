/* Each form of instruction against tests/emulator/forms/, whose files say in comments what an entry is to give:
 *
 *     //: ENTRY b32 = b16 pred      results, then operands: pointers in the order of the entry's parameters, and n
 *     // 00000003 = 0001 00000001   one row of each, in hexadecimal
 *
 * A predicate is an element of 32 bits, 0 or 1.  Row i is the business of thread i. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include <criterion/criterion.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/emulator.h"
#include "emulator/isa.h"

enum { MOST_COLUMNS = 14, MOST_ROWS = 1024, THREADS = 96 };
static const char folder[] = "tests/emulator/forms";

typedef struct table {
    char entry[128];
    size_t columns, results, rows;
    size_t bytes[MOST_COLUMNS];
    uint64_t values[MOST_ROWS][MOST_COLUMNS];
} table;

static char *read_file(const char *name, size_t *length)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(*length + 1, 1);
    cr_assert_eq(fread(text, 1, *length, file), *length);
    fclose(file);
    return text;
}

/* "//: ENTRY b32 = b16 pred" */
static void read_head(char *line, table *t)
{
    char *rest = NULL;
    memset(t, 0, sizeof *t);
    snprintf(t->entry, sizeof t->entry, "%s", strtok_r(line, " ", &rest));
    for (char *word; (word = strtok_r(NULL, " ", &rest));) {
        if (strcmp(word, "=") == 0)
            t->results = t->columns;
        else
            t->bytes[t->columns++] = strcmp(word, "pred") == 0 ? 4 : (size_t)atoi(word + 1) / 8;
    }
}

static void read_row(char *line, table *t)
{
    char *rest = NULL;
    size_t column = 0;
    cr_assert_lt(t->rows, MOST_ROWS);
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (strcmp(word, "=") != 0) t->values[t->rows][column++] = strtoull(word, NULL, 16);
    cr_assert_eq(column, t->columns, "%s", t->entry);
    t->rows++;
}

/* Runs an entry on its rows; returns how many are wrong. */
static int run(tg_emu_module *module, const table *t, uint64_t seed, const char *file)
{
    struct {
        uint64_t pointers[MOST_COLUMNS + 1]; /* and how many rows */
    } params = {{0}};
    tg_diags diags = {0};
    tg_emu_result result;
    tg_emu_memory *memory = tg_emu_memory_new();
    unsigned char *host[MOST_COLUMNS];
    int wrong = 0;
    for (size_t c = 0; c < t->columns; c++) {
        size_t bytes = t->bytes[c] * t->rows;
        params.pointers[c] = tg_emu_alloc(memory, bytes, t->bytes[c], "column");
        host[c] = tg_emu_host(memory, params.pointers[c], bytes);
        for (size_t r = 0; r < t->rows && c >= t->results; r++)
            memcpy(host[c] + r * t->bytes[c], &t->values[r][c], t->bytes[c]);
    }
    uint32_t rows = (uint32_t)t->rows;
    memcpy(&params.pointers[t->columns], &rows, sizeof rows);
    tg_emu_launch launch = {.entry = tg_emu_entry_find(module, t->entry),
                            .grid = {(rows + THREADS - 1) / THREADS, 1, 1},
                            .block = {THREADS, 1, 1},
                            .params = &params,
                            .param_bytes = 8 * t->columns + 4,
                            .seed = seed,
                            .races = true,
                            .cta_races = true,
                            .instruction_limit = 100000};
    tg_status status = tg_emu_run(module, memory, &launch, &result, &diags);
    cr_assert_eq(status, TG_OK, "%s %s: %s", file, t->entry,
                 diags.count ? diags.list[0].message : "");
    cr_assert(!result.trapped, "%s %s: %s", file, t->entry, result.trap.text);
    for (size_t r = 0; r < t->rows; r++)
        for (size_t c = 0; c < t->results; c++) {
            uint64_t got = 0;
            memcpy(&got, host[c] + r * t->bytes[c], t->bytes[c]);
            if (got == t->values[r][c]) continue;
            if (wrong++ == 0)
                cr_log_error("%s %s row %zu, operand %" PRIx64 ": %" PRIx64 ", expected %" PRIx64,
                             file, t->entry, r, t->values[r][t->results], got, t->values[r][c]);
        }
    tg_emu_memory_free(memory);
    return wrong;
}

/* Every table of a file; returns how many there are. */
static int run_file(const char *file, const char *isa, uint64_t seed, int *wrong)
{
    static table t;
    size_t length;
    tg_diags diags = {0};
    tg_emu_module *module = NULL;
    char *text = read_file(file, &length), *rest = NULL;
    tg_status status = tg_emu_module_load_for(isa, text, length, file, &module, &diags);
    int count = 0;
    t.entry[0] = '\0';
    if (status == TG_ERR_USAGE) { /* this machine lacks the instruction set */
        free(text);
        tg_diags_free(&diags);
        return -1;
    }
    cr_assert_eq(status, TG_OK, "%s: %s", file, diags.count ? diags.list[0].message : "");
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        bool is_head = strncmp(line, "//: ", 4) == 0,
             is_row = t.entry[0] && strncmp(line, "// ", 3) == 0;
        if (!is_row && t.entry[0]) {
            *wrong += run(module, &t, seed, file);
            t.entry[0] = '\0';
        }
        if (is_head) read_head(line + 4, &t), count++;
        if (is_row) read_row(line + 3, &t);
    }
    if (t.entry[0]) *wrong += run(module, &t, seed, file);
    tg_emu_module_free(module);
    free(text);
    return count;
}

static int run_all(const char *isa, uint64_t seed)
{
    DIR *directory = opendir(folder);
    cr_assert_not_null(directory, "%s", folder);
    int count = 0, wrong = 0;
    for (struct dirent *d; count >= 0 && (d = readdir(directory));) {
        if (!strstr(d->d_name, ".ptx")) continue;
        int tables = run_file(d->d_name, isa, seed, &wrong);
        count = tables < 0 ? -1 : count + tables;
    }
    closedir(directory);
    cr_assert_eq(wrong, 0, "%d results are wrong", wrong);
    return count;
}

Test(emulator_forms, baseline) { cr_assert_gt(run_all("baseline", 0), 800); }
Test(emulator_forms, avx2) { cr_assert_neq(run_all("avx2", 0), 0); }
Test(emulator_forms, avx512) { cr_assert_neq(run_all("avx512", 0), 0); }
Test(emulator_forms, seeded) { cr_assert_gt(run_all(NULL, 5), 800); }

/* Whether some line of the text begins an instruction with the name. */
static bool is_used(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if (at[-1] == ' ' && at[length] == ' ') return true;
    return false;
}

Test(emulator_forms, every_exact_form_of_the_table_has_a_test)
{
    tg_emu_isa isa;
    char *all = calloc(1, 1);
    size_t total = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *d; (d = readdir(directory));) {
        size_t length;
        if (!strstr(d->d_name, ".ptx")) continue;
        char *text = read_file(d->d_name, &length);
        all = realloc(all, total + length + 1);
        memcpy(all + total, text, length + 1);
        total += length;
        free(text);
    }
    closedir(directory);
    cr_assert(tg_emu_isa_get("baseline", &isa));
    for (int list = 0; list < TG_EMU_FORM_LISTS; list++)
        for (size_t i = 0; i < isa.forms[list].count; i++) {
            const tg_emu_form *form = &isa.forms[list].list[i];
            if (!(form->flags & TG_EMU_INEXACT))
                cr_expect(is_used(all, form->name), "%s has no test", form->name);
        }
    free(all);
}
