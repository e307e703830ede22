/* For the tests of the verifier: modules as JSON with ' for ", and what is found in them. */
#ifndef TESTS_VERIFY_TEXT_H
#define TESTS_VERIFY_TEXT_H

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/verify.h"
#include "loaders/json_ir.h"

typedef struct text {
    char chars[1 << 15];
    size_t used;
} text;

TG_PRINTF(2, 3)
static inline void put(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->chars + t->used, sizeof t->chars - t->used, format, args);
    va_end(args);
    cr_assert_lt(t->used, sizeof t->chars);
}

/* The tables write JSON with ' for ". */
static inline void use_double_quotes(text *t)
{
    for (size_t i = 0; i < t->used; i++)
        if (t->chars[i] == '\'') t->chars[i] = '"';
}

static inline void put_kernels(text *t, const char *kernels)
{
    t->used = 0;
    put(t, "{'tilegrind':'0.1','kernels':[%s]}", kernels);
    use_double_quotes(t);
}

static inline tg_module *load(const text *t)
{
    tg_diags diags = {0};
    tg_module *module = NULL;
    const tg_status status = tg_json_load(t->chars, t->used, &module, &diags);
    cr_assert_eq(status, TG_OK, "%s: %s\n%s", diags.count ? diags.list[0].where : "",
                 diags.count ? diags.list[0].message : "no diagnosis", t->chars);
    tg_diags_free(&diags);
    return module;
}

static inline bool is_reported(const tg_diags *diags, tg_status status, const char *at,
                               const char *message)
{
    for (size_t i = 0; i < diags->count; i++)
        if (diags->list[i].status == status && strcmp(diags->list[i].where, at) == 0 &&
            strstr(diags->list[i].message, message))
            return true;
    return false;
}

/* Expects the problem among those reported, or with TG_OK none at all. */
static inline void expect(const tg_module *module, tg_status status, const char *at,
                          const char *message, const char *about)
{
    tg_diags diags = {0};
    const tg_status found = tg_module_verify(module, &diags);
    const char *where = diags.count ? diags.list[0].where : "";
    const char *first = diags.count ? diags.list[0].message : "accepted";
    if (status == TG_OK) {
        cr_expect_eq(found, TG_OK, "%s\n  at %s: %s", about, where, first);
        cr_expect_eq(diags.count, 0, "%s\n  at %s: %s", about, where, first);
    } else {
        cr_expect_neq(found, TG_OK, "%s\n  wanted at %s: %s", about, at, message);
        cr_expect(is_reported(&diags, status, at, message),
                  "%s\n  wanted %s at %s: %s\n  found %s at %s: %s", about, tg_status_name(status),
                  at, message, tg_status_name(found), where, first);
    }
    tg_diags_free(&diags);
}

static inline tg_module *load_kernels(const char *kernels)
{
    static text t;
    put_kernels(&t, kernels);
    return load(&t);
}

/* What an expectation ends with. */
#define TYPE(at, message) TG_ERR_TYPE, at, message
#define INVALID(at, message) TG_ERR_INVALID, at, message
#define GOOD TG_OK, "", ""

#endif
