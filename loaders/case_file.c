/* Paths of the files that a case names. */
#include "loaders/case_file.h"

#include "loaders/case_path.h"

char *tg_case_file(tg_json_reader *r, const char *folder, const cJSON *item, const tg_path *at)
{
    tg_status status;
    const char *why, *name = tg_json_text(r, item, at);
    if (!name) return NULL;
    const char *wrong = tg_case_name_problem(name);
    char *path = NULL;
    if (wrong)
        tg_json_problem(r, TG_ERR_INVALID, at, "the file name \"%s\" %s", name, wrong);
    else if (!(path = tg_case_resolve(folder, name, &status, &why)))
        tg_json_problem(r, status, at, "the file \"%s\" cannot be used: %s", name, why);
    return path;
}
