/* Suppressions of the public interface. */
#include <stdlib.h>

#include "api/api_impl.h"
#include "api/errors.h"
#include "base/file.h"
#include "report/suppression.h"

enum { MOST_BYTES = 16 << 20 };

struct tg_suppressions {
    tg_suppression_list list;
};

tg_suppressions *tg_suppressions_new(void) { return calloc(1, sizeof(tg_suppressions)); }

void tg_suppressions_free(tg_suppressions *suppressions)
{
    if (suppressions) tg_suppression_list_free(&suppressions->list);
    free(suppressions);
}

tg_status tg_suppressions_add_text(tg_suppressions *suppressions, const char *text, size_t length,
                                   const char *file, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_status status =
        tg_suppression_list_read(&suppressions->list, text, length, file, diags);
    tg_diags_free(&unwanted);
    return status;
}

static tg_status add_file(tg_suppressions *suppressions, const char *path, tg_diags *diags)
{
    char *text;
    size_t length;
    TG_TRY(tg_file_read(path, MOST_BYTES, &text, &length, diags));
    const tg_status status =
        tg_suppression_list_read(&suppressions->list, text, length, path, diags);
    free(text);
    return status;
}

tg_status tg_suppressions_add_file(tg_suppressions *suppressions, const char *path,
                                   tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_status status = add_file(suppressions, path, diags);
    tg_diags_free(&unwanted);
    return status;
}

size_t tg_suppressions_count(const tg_suppressions *suppressions)
{
    return suppressions->list.count;
}

tg_suppression tg_suppressions_get(const tg_suppressions *suppressions, size_t index)
{
    const tg_suppression_rule *rule = &suppressions->list.rules[index];
    return (tg_suppression){rule->name, rule->file, rule->line};
}

int tg_suppressions_concern(const tg_suppressions *suppressions, size_t index, const char *kernel)
{
    return tg_suppression_concerns(&suppressions->list.rules[index], kernel);
}

size_t tg_suppressions_find(const tg_suppressions *suppressions, const tg_report *report,
                            size_t finding)
{
    const tg_suppression_list *list = &suppressions->list;
    size_t i = 0;
    while (i < list->count &&
           !tg_suppression_covers(&list->rules[i], report->module, report->kernel,
                                  &report->findings.list[finding]))
        i++;
    return i;
}

char *tg_suppression_for(const tg_report *report, size_t finding)
{
    return tg_suppression_print(report->module, report->kernel, &report->findings.list[finding]);
}
