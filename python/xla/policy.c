#include "policy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const levels[] = {"advice", "note", "warning", "error"};
enum { LEVELS = sizeof levels / sizeof *levels };

static bool is(tg_ffi_span span, const char *text)
{
    return span.len == strlen(text) && memcmp(span.ptr, text, span.len) == 0;
}

static int level_of(tg_ffi_span span)
{
    int level = LEVELS - 1;
    while (level >= 0 && !is(span, levels[level])) level--;
    return level;
}

/* Reads "SHUFFLES,INTERLEAVINGS,SEED"; a number of 0 means no such orders. */
static bool read_search(tg_ffi_span span, tg_check_options *out)
{
    char text[64];
    unsigned shuffles, interleavings;
    uint64_t seed;
    int length = 0;
    if (span.len >= sizeof text) return false;
    memcpy(text, span.ptr, span.len);
    text[span.len] = '\0';
    if (sscanf(text, "%6u,%6u,%19" SCNu64 "%n", &shuffles, &interleavings, &seed, &length) != 3 ||
        (size_t)length != span.len)
        return false;
    *out = (tg_check_options){.size = sizeof *out,
                              .shuffles = shuffles ? (int)shuffles : -1,
                              .interleavings = interleavings ? (int)interleavings : -1,
                              .seed = seed};
    return true;
}

/* Reads "WHAT" or "WHAT:KIND,KIND". */
static const char *read_findings(tg_ffi_span text, tg_policy *out)
{
    const char *colon = text.len ? memchr(text.ptr, ':', text.len) : NULL;
    const tg_ffi_span what = {text.ptr, colon ? (size_t)(colon - text.ptr) : text.len};
    if (is(what, "warn"))
        out->findings = TG_WARN;
    else if (is(what, "tell") && !colon)
        out->findings = TG_TELL;
    else if (!is(what, "raise"))
        return "findings is none of raise, warn, tell";
    if (colon) out->kinds = (tg_ffi_span){colon + 1, text.len - what.len - 1};
    return NULL;
}

const char *tg_policy_read(tg_ffi_span findings, tg_ffi_span search, tg_ffi_span fail_on,
                           tg_policy *out)
{
    *out = (tg_policy){.is_check = fail_on.ptr != NULL, .searches = search.ptr != NULL};
    const char *wrong = read_findings(findings, out);
    if (wrong) return wrong;
    if (fail_on.ptr) out->least_level = level_of(fail_on);
    if (out->least_level < 0) return "fail_on is none of error, warning, note, advice";
    if (out->searches && !read_search(search, &out->search))
        return "search is not SHUFFLES,INTERLEAVINGS,SEED";
    return NULL;
}

static bool is_listed(tg_ffi_span list, const char *kind)
{
    const char *const end = list.ptr + list.len;
    for (const char *name = list.ptr; name < end;) {
        const char *comma = memchr(name, ',', (size_t)(end - name));
        const char *stop = comma ? comma : end;
        if (is((tg_ffi_span){name, (size_t)(stop - name)}, kind)) return true;
        name = stop + 1;
    }
    return false;
}

bool tg_policy_ends(const tg_policy *policy, const tg_finding *finding)
{
    const bool is_meant = !policy->kinds.ptr || is_listed(policy->kinds, finding->kind);
    if (policy->findings == TG_TELL) return false;
    return is_meant == (policy->findings == TG_RAISE) &&
           level_of((tg_ffi_span){finding->level, strlen(finding->level)}) >= policy->least_level;
}
