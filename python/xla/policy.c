#include "policy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const levels[] = {"note", "warning", "error"};
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

/* "SHUFFLES,INTERLEAVINGS,SEED", where a number of 0 is none. */
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

const char *tg_policy_read(tg_ffi_span findings, tg_ffi_span checks, tg_ffi_span search,
                           tg_ffi_span fail_on, tg_policy *out)
{
    *out = (tg_policy){.is_check = checks.ptr != NULL, .searches = search.ptr != NULL};
    if (is(findings, "warn"))
        out->findings = TG_WARN;
    else if (is(findings, "tell"))
        out->findings = TG_TELL;
    else if (!is(findings, "raise"))
        return "findings is none of raise, warn, tell";
    if (fail_on.ptr) out->least_level = level_of(fail_on);
    if (out->least_level < 0) return "fail_on is none of error, warning, note";
    if (out->searches && !read_search(search, &out->search))
        return "search is not SHUFFLES,INTERLEAVINGS,SEED";
    return NULL;
}

bool tg_policy_raises(const tg_policy *policy, const tg_report *report)
{
    if (policy->findings != TG_RAISE) return false;
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const char *level = tg_report_finding(report, i).level;
        if (level_of((tg_ffi_span){level, strlen(level)}) >= policy->least_level) return true;
    }
    return false;
}
