/* random_programs [--cpu | --gpu] [--ops N] [--log FILE] [FIRST [COUNT]]: checks that many kernels from seed FIRST on, see programs.h.
 *
 *   --cpu        on the interpreter alone, in all its orders; without it as PTX as well
 *   --gpu        in order sequential on the interpreter, and as PTX on the first GPU
 *   --ops N      kernels of at most N ops at the top; 16 without it
 *   --log FILE   begins behind the last seed that FILE tells of, and adds a line for what holds now and then: called
 *                again with the same FILE, FIRST and COUNT, it goes on where it was ended
 *
 * With OMP_WAIT_POLICY=passive in the environment threads that wait for the next of these tiny runs do not keep
 * a core busy.
 *
 * The first that fails ends the run: its kernel, with as few ops as still fail, goes to standard output, why
 * and the command that repeats it to standard error, and the exit status is 1. */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "random/programs.h"
#include "tilegrind/gpu.h"

enum { PROGRESS = 1000, EXIT_USAGE = 2 };

typedef struct session {
    random_checks checks;
    int ops;                        /* at the top of a kernel */
    const char *log;                /* NULL: none */
    uint64_t first, count, refused; /* refused: since `begun` */
    uint64_t begun;                 /* the seed that this call began with */
    time_t start;
} session;

static int show_failure(const session *s, uint64_t seed, const char *why)
{
    char less[512];
    fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, why);
    /* A GPU that has met an error takes nothing more from this process: only new ones can try fewer ops. */
    const bool is_usable = s->checks != RANDOM_GPU || strstr(why, "CUDA_ERROR") == NULL;
    const int ops = is_usable ? random_program_shrink(seed, s->ops, s->checks) : s->ops;
    if (is_usable && random_program_check(seed, ops, s->checks, less, sizeof less) == RANDOM_FAILS)
        fprintf(stderr, "with %d ops at the top: %s\n", ops, less);
    fprintf(stderr, "again: random_programs %s%" PRIu64 " 1\n",
            s->checks == RANDOM_GPU ? "--gpu " : "", seed);
    char *json = random_program_json(seed, ops);
    puts(json);
    free(json);
    return EXIT_FAILURE;
}

/* ---- the log ---- */

#define LOG_LINE "seeds %" PRIu64 " to %" PRIu64 " hold, %" PRIu64 " of them refused as PTX\n"
#define LOG_READ "seeds %" SCNu64 " to %" SCNu64 " hold, %" SCNu64 " of them refused as PTX\n"

/* The first seed of the range that the log does not tell of. */
static uint64_t where_to_begin(const session *s)
{
    uint64_t from, to, refused, next = s->first;
    FILE *log = s->log ? fopen(s->log, "r") : NULL;
    while (log && fscanf(log, LOG_READ, &from, &to, &refused) == 3)
        if (from <= next && to >= next) next = to + 1;
    if (log) fclose(log);
    return next;
}

/* What holds from `from` up to `to`; false where it cannot be written. */
static bool note(const session *s, uint64_t from, uint64_t to, uint64_t refused)
{
    if (!s->log) return true;
    FILE *log = fopen(s->log, "a");
    const bool is_written = log && fprintf(log, LOG_LINE, from, to, refused) > 0;
    if (log && fclose(log) == 0 && is_written) return true;
    fprintf(stderr, "%s cannot be written\n", s->log);
    return false;
}

/* ---- the run ---- */

static int run(session *s)
{
    char why[512];
    uint64_t from = s->begun, refused = 0;
    for (uint64_t seed = s->begun; seed - s->first < s->count; seed++) {
        const random_verdict verdict =
            random_program_check(seed, s->ops, s->checks, why, sizeof why);
        if (verdict == RANDOM_FAILS) return show_failure(s, seed, why);
        if (verdict == RANDOM_REFUSED)
            fprintf(stderr, "seed %" PRIu64 " is refused: %s\n", seed, why);
        refused += verdict == RANDOM_REFUSED;
        const uint64_t done = seed - s->first + 1;
        if (done % PROGRESS != 0 && done != s->count) continue;
        if (!note(s, from, seed, refused)) return EXIT_FAILURE;
        s->refused += refused;
        from = seed + 1;
        refused = 0;
        fprintf(stderr, "%" PRIu64 " of %" PRIu64 ", %.0f s\n", done, s->count,
                difftime(time(NULL), s->start));
    }
    printf("%" PRIu64 " kernels, seeds %" PRIu64 " to %" PRIu64 ": all hold%s; this call began at "
           "seed %" PRIu64 ", and %" PRIu64 " were refused as PTX\n",
           s->count, s->first, s->first + s->count - 1,
           s->checks == RANDOM_CPU   ? " on the interpreter"
           : s->checks == RANDOM_GPU ? " on the GPU"
                                     : "",
           s->begun, s->refused);
    return EXIT_SUCCESS;
}

static bool parse_number(const char *text, uint64_t *out)
{
    char *end;
    *out = strtoull(text, &end, 10);
    return end != text && *end == '\0';
}

static bool keep_gpu(tg_gpu_kept **kept)
{
    tg_errors *errors = tg_errors_new();
    const bool is_there = tg_gpu_keep("gpu", kept, errors) == TG_OK;
    if (!is_there && tg_errors_count(errors))
        fprintf(stderr, "%s\n", tg_errors_get(errors, 0).message);
    tg_errors_free(errors);
    return is_there;
}

int main(int argc, char **argv)
{
    session s = {.ops = PROGRAM_OPS, .count = 1000, .start = time(NULL)};
    int next = 1;
    uint64_t ops = PROGRAM_OPS;
    /* Blocks of a megabyte come and go all the time: the system need not map and clear them anew. */
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    mallopt(M_MXFAST, 0);
    for (; next < argc && strncmp(argv[next], "--", 2) == 0; next++) {
        if (strcmp(argv[next], "--cpu") == 0)
            s.checks = RANDOM_CPU;
        else if (strcmp(argv[next], "--gpu") == 0)
            s.checks = RANDOM_GPU;
        else if (strcmp(argv[next], "--ops") == 0 && next + 1 < argc &&
                 parse_number(argv[next + 1], &ops) && ops <= PROGRAM_OPS)
            next++;
        else if (strcmp(argv[next], "--log") == 0 && next + 1 < argc)
            s.log = argv[++next];
        else
            break;
    }
    const bool is_right = argc - next <= 2 &&
                          (next >= argc || parse_number(argv[next], &s.first)) &&
                          (next + 1 >= argc || parse_number(argv[next + 1], &s.count));
    if (!is_right) {
        fprintf(stderr, "random_programs [--cpu | --gpu] [--ops N] [--log FILE] [FIRST [COUNT]]\n");
        return EXIT_USAGE;
    }
    s.ops = (int)ops;
    s.begun = where_to_begin(&s);
    tg_gpu_kept *kept = NULL; /* opening a GPU takes longer than a run */
    if (s.checks == RANDOM_GPU && !keep_gpu(&kept)) return EXIT_FAILURE;
    const int code = run(&s);
    tg_gpu_release(kept);
    return code;
}
