/* NVIDIA's assembler takes the rows of every lane, for the oldest and the newest chips that are meant. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */

#include <unistd.h>

#include "find_ptxas.h"
#include "ptx_kernel.h"

/* -- a module of all lanes of a dtype -- */

typedef struct module {
    tg_text text;
    const char *table; /* the only one that lanes need so far */
    size_t entries;
} module;

static void add_entry(const ptx_lane *lane, void *context)
{
    module *const to = context;
    tg_ptx_writer w;
    char name[32];
    snprintf(name, sizeof name, "lane%zu", to->entries++);
    cr_assert(ptx_entry(lane, name, &to->text, &w), "%s %s", tg_ops[lane->op].name,
              tg_dtypes[lane->dtype].name);
    for (uint32_t k = 0; k < w.table_count; k++) {
        cr_assert(to->table == NULL || to->table == w.tables[k]);
        to->table = w.tables[k];
    }
}

static module module_of(tg_dtype d)
{
    module m = {.table = NULL};
    for (int op = 0; op < TG_OP_COUNT; op++)
        if (ptx_is_admitted((tg_opcode)op, d)) ptx_each_variant((tg_opcode)op, d, add_entry, &m);
    for (int op = 0; op < TG_OP_COUNT; op++) {
        tg_ptx_error error;
        if (!tg_ptx_lane_error((tg_opcode)op, d, &error)) continue;
        const ptx_lane fast = ptx_fast_lane_of((tg_opcode)op, d);
        add_entry(&fast, &m);
    }
    for (int to = 0; to < TG_DT_COUNT; to++) {
        const ptx_lane convert = ptx_convert_of(d, (tg_dtype)to);
        add_entry(&convert, &m);
    }
    return m;
}

/* -- ptxas -- */

/* Optimised little, for that is quick and every row is read all the same. */
static void assemble(const char *ptxas, const char *chip, tg_dtype d, const module *m)
{
    char path[] = "/tmp/tg_lanes_XXXXXX", command[256];
    const int file = mkstemp(path);
    cr_assert_geq(file, 0);
    FILE *const to = fdopen(file, "w");
    cr_assert_not_null(to);
    fprintf(to, "%s%s%s", PTX_HEADER, m->table != NULL ? m->table : "", m->text.data);
    cr_assert_eq(fclose(to), 0);
    snprintf(command, sizeof command, "timeout 300 %s -O0 -arch=%s -o /dev/null %s", ptxas, chip,
             path);
    cr_assert_eq(system(command), 0, "%s: %s", tg_dtypes[d].name, command);
    cr_assert_eq(unlink(path), 0);
}

static void assemble_all(const char *chip)
{
    const char *const ptxas = find_ptxas();
    for (int d = 0; d < TG_DT_COUNT; d++) {
        module m = module_of((tg_dtype)d);
        cr_assert_not(m.text.failed);
        assemble(ptxas, chip, (tg_dtype)d, &m);
        tg_text_drop(&m.text);
    }
}

Test(ptx_assemble, sm_80) { assemble_all("sm_80"); }
Test(ptx_assemble, sm_100) { assemble_all("sm_100"); }
