/* For the tests of the verifier: tables of ops, each with what it takes and gives and what is wrong with it. */
#ifndef TESTS_VERIFY_OP_H
#define TESTS_VERIFY_OP_H

#include "verify_spoil.h"

/* Copies the next word of `*list` to `word`; false at the end. */
static inline bool next_word(const char **list, char word[64])
{
    *list += strspn(*list, " ");
    const size_t length = strcspn(*list, " ");
    cr_assert_lt(length, 64);
    memcpy(word, *list, length);
    word[length] = '\0';
    *list += length;
    return length != 0;
}

/* Puts a VALUE for every type in `types`, with ids from `first` on. */
static inline void put_values(text *t, const char *types, int first)
{
    char type[64];
    for (int i = 0; next_word(&types, type); i++)
        put(t, "%s{'id':%d,'type':'%s'}", i ? "," : "", first + i, type);
}

/* An op among the values it needs: operand i has id i and the i-th type of `ins`; a ref is a
 * scratch param, a value comes from an op before.  Result i has id 50 + i.  `more` is further JSON
 * of the op. */
typedef struct op_case {
    const char *op, *ins, *outs, *more;
    tg_status status;
    const char *at;      /* path below the op's own */
    const char *message; /* part of it; "" for an op that is accepted */
} op_case;

static inline bool is_ref(const char *type) { return strncmp(type, "ref<", 4) == 0; }

static inline void put_params(text *t, const char *types)
{
    char type[64], separator = ' ';
    for (int i = 0; next_word(&types, type); i++) {
        if (!is_ref(type)) continue;
        put(t, "%c{'name':'p%d','role':'scratch','type':'%.*s'}", separator, i,
            (int)strlen(type) - 5, type + 4);
        separator = ',';
    }
}

static inline void put_ref_args(text *t, const char *types)
{
    char type[64], separator = ' ';
    for (int i = 0; next_word(&types, type); i++) {
        if (!is_ref(type)) continue;
        put(t, "%c{'id':%d,'type':'%s'}", separator, i, type);
        separator = ',';
    }
}

/* Returns how many ops it puts. */
static inline int put_operands(text *t, const char *types)
{
    char type[64];
    int count = 0;
    for (int i = 0; next_word(&types, type); i++) {
        if (is_ref(type)) continue;
        put(t, "{'op':'undefined','out':[{'id':%d,'type':'%s'}]},", i, type);
        count++;
    }
    return count;
}

static inline int word_count(const char *list)
{
    char word[64];
    int count = 0;
    while (next_word(&list, word)) count++;
    return count;
}

/* Writes a module around the op; returns the op's place in the body. */
static inline int put_op_module(text *t, const op_case *c)
{
    put(t, "{'tilegrind':'0.1','kernels':[{'name':'k','grid':[{'size':4}],'params':[");
    put_params(t, c->ins);
    put(t, "],'body':{'args':[");
    put_ref_args(t, c->ins);
    put(t, "],'ops':[");
    const int place = put_operands(t, c->ins);
    put(t, "{'op':'%s','in':[", c->op);
    for (int i = 0; i < word_count(c->ins); i++) put(t, "%s%d", i ? "," : "", i);
    put(t, "],'out':[");
    put_values(t, c->outs, 50);
    put(t, "]%s%s}]}}]}", c->more[0] ? "," : "", c->more);
    use_double_quotes(t);
    return place;
}

static inline void check_op_case(const op_case *c)
{
    static text t;
    char at[128], about[512];
    t.used = 0;
    const int place = put_op_module(&t, c);
    tg_module *module = load(&t);
    snprintf(at, sizeof at, "/kernels/0/body/ops/%d%s", place, c->at);
    snprintf(about, sizeof about, "%s (%s) -> (%s) %s", c->op, c->ins, c->outs, c->more);
    expect(module, c->status, at, c->message, about);
    tg_module_destroy(module);
    survive(&t, 10);
}

static inline void check_op_cases(const op_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) check_op_case(&cases[i]);
}

#define CHECK_ALL(cases) check_op_cases(cases, sizeof cases / sizeof cases[0])

#endif
