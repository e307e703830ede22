#define _POSIX_C_SOURCE 200809L /* strtok_r, strdup */
#include "tests/ptx_rows.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ptx_rows_instructions.h"

enum {
    MAX_REGISTERS = 1024,
    MAX_ROWS = 1024,
    MAX_TABLE = 64,
    TABLE_ADDRESS = 0x1000,
    NAME_BYTES = 40
};

/* -- programs -- */

typedef enum kind { ORDINARY, LOAD, BRANCH, LABEL } kind;

typedef struct row {
    kind kind;
    row_fn *run;
    int d, arg[3];   /* registers; of a branch arg[0] is the predicate */
    uint64_t offset; /* of a load */
    char label[NAME_BYTES];
    int target; /* row of a branch's label */
} row;

struct ptx_rows {
    size_t row_count, register_count, table_count;
    row rows[MAX_ROWS];
    char names[MAX_REGISTERS][NAME_BYTES];
    bool written[MAX_REGISTERS];
    uint64_t lanes[MAX_REGISTERS][PTX_ROWS_LANES];
    uint64_t table[MAX_TABLE];
    char table_name[NAME_BYTES];
};

enum { REG_R, REG_A, REG_B };

typedef struct reader {
    ptx_rows *rows;
    char *error;
    size_t error_bytes;
} reader;

static bool fail(reader *in, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(in->error, in->error_bytes, format, arguments);
    va_end(arguments);
    return false;
}

static int find(const ptx_rows *p, const char *name)
{
    for (size_t i = 0; i < p->register_count; i++)
        if (strcmp(p->names[i], name) == 0) return (int)i;
    return -1;
}

static int add_register(ptx_rows *p, const char *name)
{
    if (p->register_count == MAX_REGISTERS) return -1;
    snprintf(p->names[p->register_count], NAME_BYTES, "%s", name);
    return (int)p->register_count++;
}

/* A register of its own that holds a constant; -1 where `text` is none. */
static int add_constant(ptx_rows *p, const char *text, bool is_32)
{
    char *end;
    uint64_t value =
        strncmp(text, "0d", 2) == 0 ? strtoull(text + 2, &end, 16) : strtoull(text, &end, 0);
    if (strcmp(text, p->table_name) == 0 && p->table_count != 0) {
        value = TABLE_ADDRESS;
    } else if (*end != '\0' || (strncmp(text, "0d", 2) == 0 && strlen(text) != 18)) {
        return -1;
    }
    const int r = add_register(p, "");
    if (r < 0) return -1;
    for (int i = 0; i < PTX_ROWS_LANES; i++) p->lanes[r][i] = is_32 ? U32(value) : value;
    p->written[r] = true;
    return r;
}

static int source_of(reader *in, const char *text, const char *op)
{
    const int r = find(in->rows, text);
    const bool is_32 = strstr(op, "32") != NULL && strstr(op, "64") == NULL;
    if (r < 0) {
        const int constant = add_constant(in->rows, text, is_32);
        if (constant < 0) fail(in, "%s: neither register nor constant: %s", op, text);
        return constant;
    }
    if (!in->rows->written[r]) {
        fail(in, "%s: read before written: %s", op, text);
        return -1;
    }
    return r;
}

static bool destination(reader *in, row *new, const char *name)
{
    new->d = find(in->rows, name);
    if (new->d < 0) return fail(in, "undeclared: %s", name);
    if (in->rows->written[REG_R]) return fail(in, "a row behind that of $r");
    in->rows->written[new->d] = true;
    return true;
}

static bool read_declaration(reader *in, char *names)
{
    char *rest = NULL;
    for (char *name = strtok_r(names, ", ", &rest); name != NULL;
         name = strtok_r(NULL, ", ", &rest)) {
        if (find(in->rows, name) >= 0) return fail(in, "declared twice: %s", name);
        if (add_register(in->rows, name) < 0) return fail(in, "too many registers");
    }
    return true;
}

static bool read_load(reader *in, row *new, char *operands)
{
    char d[NAME_BYTES], base[NAME_BYTES];
    unsigned long long offset;
    if (sscanf(operands, "%39[^,], [%39[^]+]+%llu]", d, base, &offset) != 3)
        return fail(in, "ld.const.b64 %s", operands);
    new->kind = LOAD;
    new->offset = offset;
    new->arg[0] = source_of(in, base, "ld.const.b64");
    return new->arg[0] >= 0 && destination(in, new, d);
}

static bool read_instruction(reader *in, row *new, const char *op, char *operands)
{
    if (strcmp(op, "ld.const.b64") == 0) return read_load(in, new, operands);
    size_t k = 0;
    while (k < sizeof instructions / sizeof *instructions && strcmp(op, instructions[k].name) != 0)
        k++;
    if (k == sizeof instructions / sizeof *instructions) return fail(in, "unknown: %s", op);
    new->run = instructions[k].run;
    char *rest = NULL, *const d = strtok_r(operands, ", ", &rest);
    for (int i = 0; i < instructions[k].operands; i++) {
        const char *const text = strtok_r(NULL, ", ", &rest);
        if (text == NULL) return fail(in, "%s: too few operands", op);
        new->arg[i] = source_of(in, text, op);
        if (new->arg[i] < 0) return false;
    }
    if (strtok_r(NULL, ", ", &rest) != NULL) return fail(in, "%s: too many operands", op);
    return d != NULL && destination(in, new, d);
}

static bool read_line(reader *in, char *line)
{
    ptx_rows *const p = in->rows;
    char *const end = line + strlen(line) - 1;
    if (p->row_count == MAX_ROWS) return fail(in, "too many rows");
    row *const new = &p->rows[p->row_count];
    *new = (row){.kind = ORDINARY, .d = -1, .arg = {-1, -1, -1}};
    if (*end == ':') {
        *end = '\0';
        new->kind = LABEL;
        snprintf(new->label, NAME_BYTES, "%s", line);
        p->row_count++;
        return true;
    }
    if (*end != ';') return fail(in, "no semicolon: %s", line);
    *end = '\0';
    if (strncmp(line, ".reg .", 6) == 0) {
        char *const names = strchr(line + 6, ' ');
        return names != NULL && read_declaration(in, names);
    }
    p->row_count++;
    char predicate[NAME_BYTES];
    if (sscanf(line, "@%39s bra %39s", predicate, new->label) == 2) {
        new->kind = BRANCH;
        new->arg[0] = source_of(in, predicate, "bra");
        return new->arg[0] >= 0;
    }
    char *const space = strchr(line, ' ');
    if (space == NULL) return fail(in, "no operands: %s", line);
    *space = '\0';
    return read_instruction(in, new, line, space + 1);
}

/* Branches go forward, to the first label behind them. */
static bool resolve(reader *in)
{
    ptx_rows *const p = in->rows;
    for (size_t i = 0; i < p->row_count; i++) {
        if (p->rows[i].kind != BRANCH) continue;
        size_t k = i + 1;
        while (k < p->row_count && p->rows[k].kind != LABEL && p->rows[k].kind != BRANCH) k++;
        if (k == p->row_count || strcmp(p->rows[k].label, p->rows[i].label) != 0 ||
            p->rows[k].kind == BRANCH)
            return fail(in, "no label ahead: %s", p->rows[i].label);
        p->rows[i].target = (int)k;
    }
    return p->written[REG_R] ? true : fail(in, "$r is not written");
}

static bool read_table(reader *in, const char *text)
{
    ptx_rows *const p = in->rows;
    if (text == NULL) return true;
    size_t count;
    if (sscanf(text, ".const .align 8 .b64 %39[^[][%zu]", p->table_name, &count) != 2 ||
        count > MAX_TABLE)
        return fail(in, "table: %.40s", text);
    const char *at = strchr(text, '{');
    while (at != NULL && p->table_count < count) {
        char *end;
        p->table[p->table_count++] = strtoull(at + 1, &end, 0);
        at = strpbrk(end, ",}");
        if (at != NULL && *at == '}') break;
    }
    return p->table_count == count ? true : fail(in, "table: %zu of %zu", p->table_count, count);
}

static bool read_text(reader *in, char *text)
{
    char *rest = NULL;
    bool is_closed = false;
    const char *const open = strtok_r(text, "\n", &rest);
    if (open == NULL || strcmp(open, "{") != 0) return fail(in, "no scope");
    for (char *line = strtok_r(NULL, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (is_closed) return fail(in, "text behind the scope");
        is_closed = strcmp(line, "}") == 0;
        if (!is_closed && !read_line(in, line)) return false;
    }
    return is_closed ? resolve(in) : fail(in, "the scope is not closed");
}

ptx_rows *ptx_rows_read(const char *text, const char *table, char *error, size_t error_bytes)
{
    reader in = {calloc(1, sizeof(ptx_rows)), error, error_bytes};
    char *const copy = strdup(text);
    if (in.rows == NULL || copy == NULL) abort();
    add_register(in.rows, "$r");
    in.rows->written[add_register(in.rows, "$a")] = true;
    in.rows->written[add_register(in.rows, "$b")] = true;
    const bool is_read = read_table(&in, table) && read_text(&in, copy);
    free(copy);
    if (is_read) return in.rows;
    ptx_rows_free(in.rows);
    return NULL;
}

void ptx_rows_free(ptx_rows *rows) { free(rows); }

size_t ptx_rows_count(const ptx_rows *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->row_count; i++) count += rows->rows[i].kind != LABEL;
    return count;
}

static bool load(const ptx_rows *p, const row *at, uint64_t *d, const bool *away)
{
    LANES
    {
        const uint64_t offset = p->lanes[at->arg[0]][i] + at->offset - TABLE_ADDRESS;
        if (away[i]) continue;
        if (offset % 8 != 0 || offset / 8 >= p->table_count) return false;
        d[i] = p->table[offset / 8];
    }
    return true;
}

/* Where the branch's row sends all lanes; else marks those that are away till its label. */
static size_t branch(const ptx_rows *p, size_t at, bool *away)
{
    int count = 0;
    LANES count += (int)p->lanes[p->rows[at].arg[0]][i];
    if (count == PTX_ROWS_LANES) return (size_t)p->rows[at].target;
    LANES away[i] = p->lanes[p->rows[at].arg[0]][i] != 0;
    return at;
}

const char *ptx_rows_run(ptx_rows *rows, uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    static const bool none[PTX_ROWS_LANES];
    bool away[PTX_ROWS_LANES] = {false};
    uint64_t new[PTX_ROWS_LANES];
    memcpy(rows->lanes[REG_A], a, sizeof new);
    memcpy(rows->lanes[REG_B], b, sizeof new);
    for (size_t at = 0; at < rows->row_count; at++) {
        const row *const it = &rows->rows[at];
        const uint64_t *const x = rows->lanes[it->arg[0] < 0 ? 0 : it->arg[0]],
                              *const y = rows->lanes[it->arg[1] < 0 ? 0 : it->arg[1]],
                              *const z = rows->lanes[it->arg[2] < 0 ? 0 : it->arg[2]];
        if (it->kind == BRANCH) {
            at = branch(rows, at, away);
        } else if (it->kind == LABEL) {
            memcpy(away, none, sizeof away);
        } else if (memcmp(away, none, sizeof away) == 0 && it->kind == ORDINARY &&
                   it->d != it->arg[0]) {
            it->run(rows->lanes[it->d], x, y, z);
        } else {
            if (it->kind == ORDINARY)
                it->run(new, x, y, z);
            else if (!load(rows, it, new, away))
                return "an access outside of the table";
            LANES if (!away[i]) rows->lanes[it->d][i] = new[i];
        }
    }
    memcpy(r, rows->lanes[REG_R], sizeof new);
    return NULL;
}
