#include "layouts/judge.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

const judged_op judged_ops[] = {
#define JUDGED_OP(id, least, most) {#id, least, most, judged_##id},
#include "layouts/judged_ops.def"
    {NULL, 0, 0, NULL},
};

enum { MOST_INPUTS = 8, MOST_BYTES = 1 << 26 };

static const char *text_of(const cJSON *item, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, key));
}

static const judged_op *find_op(const char *name)
{
    for (const judged_op *op = judged_ops; name && op->name; op++)
        if (strcmp(op->name, name) == 0) return op;
    return NULL;
}

static int inputs_of(const cJSON *item, const char **in)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(item, "in"), *input;
    int count = 0;
    cJSON_ArrayForEach(input, list)
    {
        if (count == MOST_INPUTS || !cJSON_IsString(input)) return -1;
        in[count++] = input->valuestring;
    }
    return count;
}

/* Whether the op did what the case says.  If not, `what` says what it did. */
static bool is_right(const cJSON *item, tg_status status, const char *printed,
                     const tg_diags *diags, tg_text *what)
{
    const char *out = text_of(item, "out"), *refuses = text_of(item, "refuses");
    const char *reason = diags->count ? diags->list[0].message : "";
    if (status == TG_OK) {
        if (out && strcmp(out, printed) == 0) return true;
        tg_text_add(what, "gives %s, not %s", printed, out ? out : "a refusal");
        return false;
    }
    if (refuses && *reason && strstr(reason, refuses)) return true;
    tg_text_add(what, "refuses: %s; expected: %s", reason, out ? out : refuses ? refuses : "?");
    return false;
}

static bool try_case(const cJSON *item, tg_text *what)
{
    const char *in[MOST_INPUTS];
    const judged_op *op = find_op(text_of(item, "op"));
    const int count = inputs_of(item, in);
    if (!op || count < op->least || count > op->most) {
        tg_text_put(what, "names no operation of that many texts");
        return false;
    }
    tg_text out = {0};
    tg_diags diags = {0};
    const tg_status status = op->run(in, count, &out, &diags);
    char *printed = tg_text_finish(&out);
    const bool right = is_right(item, status, printed ? printed : "", &diags, what);
    free(printed);
    tg_diags_free(&diags);
    return right;
}

static void judge_case(const cJSON *item, bool reasons, judge_tell *tell, judgement *out)
{
    const char *name = text_of(item, "name"), *without = text_of(item, "without");
    if (!name) name = "";
    if (without) {
        out->without++;
        if (reasons) tell(out->suite, name, without);
        return;
    }
    tg_text what = {0};
    const bool right = try_case(item, &what);
    char *said = tg_text_finish(&what);
    if (right)
        out->passed++;
    else
        out->failed++;
    if (!right) tell(out->suite, name, said ? said : "");
    free(said);
}

bool judge_file(const char *file, bool reasons, judge_tell *tell, judgement *out)
{
    char *data;
    size_t size;
    memset(out, 0, sizeof *out);
    if (tg_file_read(file, MOST_BYTES, &data, &size, NULL) != TG_OK) return false;
    cJSON *root = cJSON_ParseWithLength(data, size);
    free(data);
    const char *suite = text_of(root, "suite");
    const cJSON *cases = cJSON_GetObjectItemCaseSensitive(root, "cases"), *item;
    const bool is_one = suite && text_of(root, "source") && cJSON_IsArray(cases);
    if (is_one) snprintf(out->suite, sizeof out->suite, "%s", suite);
    if (is_one) cJSON_ArrayForEach(item, cases) judge_case(item, reasons, tell, out);
    cJSON_Delete(root);
    return is_one;
}
