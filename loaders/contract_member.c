#include "loaders/contract_member.h"

#include <stdio.h>
#include <string.h>

#define AT(above, name) (&(tg_path){.up = (above), .key = (name)})

bool tg_contract_number(tg_json_reader *r, const cJSON *item, const tg_path *at, double least,
                        double most, double *out)
{
    if (!cJSON_IsNumber(item))
        return tg_json_problem(r, TG_ERR_INVALID, at, "expected a number, found %s",
                               tg_json_kind(item));
    if (!(item->valuedouble >= least && item->valuedouble <= most))
        return tg_json_problem(r, TG_ERR_INVALID, at, "%.9g is not from %.9g to %.9g",
                               item->valuedouble, least, most);
    *out = item->valuedouble;
    return true;
}

bool tg_contract_source(tg_json_reader *r, const cJSON *object, const tg_path *at, const char **out)
{
    const cJSON *item = tg_json_need(r, object, at, "source");
    *out = NULL;
    if (!item || cJSON_IsNull(item)) return item != NULL;
    *out = tg_json_text_copy(r, item, AT(at, "source"));
    if (!*out) return false;
    return **out ? true
                 : tg_json_problem(r, TG_ERR_INVALID, AT(at, "source"),
                                   "it is empty: null says that there is no source");
}

int tg_contract_choice(tg_json_reader *r, const cJSON *object, const tg_path *at, const char *key,
                       const char *const *choices)
{
    char known[128] = "";
    const cJSON *item = tg_json_need(r, object, at, key);
    const char *text = item ? tg_json_text(r, item, AT(at, key)) : NULL;
    if (!text) return -1;
    for (int i = 0; choices[i]; i++) {
        if (strcmp(text, choices[i]) == 0) return i;
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, " %s", choices[i]);
    }
    tg_json_problem(r, TG_ERR_INVALID, AT(at, key), "\"%s\" is none of:%s", text, known);
    return -1;
}
