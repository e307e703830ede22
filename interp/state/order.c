#include "interp/state/order.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"

static const struct {
    const char *name;
    tg_order_kind kind;
    bool has_number;
} orders[] = {
    {"sequential", TG_ORDER_SEQUENTIAL, false},  {"reversed", TG_ORDER_REVERSED, false},
    {"shuffled", TG_ORDER_SHUFFLED, true},       {"parallel", TG_ORDER_PARALLEL, true},
    {"interleaved", TG_ORDER_INTERLEAVED, true},
};
enum { ORDER_COUNT = sizeof orders / sizeof *orders, MOST_THREADS = 1024 };

static tg_status bad_order(tg_diags *diags, const char *text)
{
    return tg_fail(
        diags, TG_ERR_USAGE, NULL,
        "order \"%s\" is none of sequential, reversed, shuffled[:SEED], parallel[:THREADS], "
        "interleaved[:SEED], replay:TOKEN",
        text);
}

static bool parse_number(const char *text, uint64_t *out)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/* Reads a number that is followed by `end`, and skips both. */
static bool take_number(const char **text, const char *end, int64_t *out)
{
    char *at;
    if (**text < '0' || **text > '9') return false;
    errno = 0;
    *out = strtoll(*text, &at, 10);
    if (errno || strncmp(at, end, strlen(end)) != 0) return false;
    *text = at + strlen(end);
    return true;
}

/* Reads the text behind "replay:"; returns false if it is not valid. */
static bool parse_replay(const char *text, tg_order *out)
{
    static const char *const bases[] = {
        [TG_ORDER_REVERSED] = "reversed@", [TG_ORDER_SHUFFLED] = "shuffled:"};
    tg_replay *r = &out->replay;
    *out = (tg_order){.kind = TG_ORDER_REPLAY};
    r->base = text[0] == 'r'   ? TG_ORDER_REVERSED
              : text[0] == 's' ? TG_ORDER_SHUFFLED
                               : TG_ORDER_SEQUENTIAL;
    if (r->base == TG_ORDER_SEQUENTIAL)
        return take_number(&text, "-before-", &r->first) && take_number(&text, "", &r->second) &&
               !*text && r->first != r->second;
    if (strncmp(text, bases[r->base], strlen(bases[r->base])) != 0) return false;
    text += strlen(bases[r->base]);
    if (r->base == TG_ORDER_SHUFFLED) {
        char *at;
        errno = 0;
        out->seed = strtoull(text, &at, 10);
        if (*text < '0' || *text > '9' || errno || *at != '@') return false;
        text = at + 1;
    }
    return take_number(&text, ".", &r->done) && take_number(&text, "", &r->moved) && !*text;
}

tg_status tg_order_parse(const char *text, tg_order *out, tg_diags *diags)
{
    size_t length = strcspn(text, ":");
    uint64_t number = 0;
    *out = (tg_order){0};
    if (strncmp(text, "replay:", 7) == 0)
        return parse_replay(text + 7, out) ? TG_OK : bad_order(diags, text);
    for (int i = 0; i < ORDER_COUNT; i++) {
        if (strncmp(text, orders[i].name, length) != 0 || orders[i].name[length] != '\0') continue;
        bool has_number = text[length] == ':';
        if (has_number && (!orders[i].has_number || !parse_number(text + length + 1, &number)))
            break;
        out->kind = orders[i].kind;
        if (out->kind != TG_ORDER_PARALLEL) {
            out->seed = number;
            return TG_OK;
        }
        if (has_number && (number < 1 || number > MOST_THREADS))
            return tg_fail(diags, TG_ERR_USAGE, NULL, "order \"%s\": threads must be 1 to %d", text,
                           MOST_THREADS);
        out->threads = (int)number;
        return TG_OK;
    }
    return bad_order(diags, text);
}

static void print_replay(const tg_order *order, char *out, size_t size)
{
    const tg_replay *r = &order->replay;
    if (r->base == TG_ORDER_SEQUENTIAL)
        snprintf(out, size, "replay:%" PRId64 "-before-%" PRId64, r->first, r->second);
    else if (r->base == TG_ORDER_REVERSED)
        snprintf(out, size, "replay:reversed@%" PRId64 ".%" PRId64, r->done, r->moved);
    else
        snprintf(out, size, "replay:shuffled:%" PRIu64 "@%" PRId64 ".%" PRId64, order->seed,
                 r->done, r->moved);
}

char *tg_order_print(const tg_order *order, char *out, size_t size)
{
    if (order->kind == TG_ORDER_REPLAY) {
        print_replay(order, out, size);
        return out;
    }
    const char *name = orders[order->kind].name;
    if (order->kind == TG_ORDER_SHUFFLED || order->kind == TG_ORDER_INTERLEAVED)
        snprintf(out, size, "%s:%" PRIu64, name, order->seed);
    else if (order->kind == TG_ORDER_PARALLEL && order->threads)
        snprintf(out, size, "%s:%d", name, order->threads);
    else
        snprintf(out, size, "%s", name);
    return out;
}

uint64_t tg_random(uint64_t seed, uint64_t n)
{
    return tg_splitmix(seed * UINT64_C(0xd1342543de82ef95) + (n + 1) * TG_SPLITMIX_STEP);
}

/* A Feistel network on 2 * half bits permutes [0, 4^half); to apply it again until the number is
 * below `count` makes it a permutation of [0, count) (Black and Rogaway: Ciphers with arbitrary
 * finite domains, 2002). */
static uint64_t permute(uint64_t seed, uint64_t at, uint64_t count)
{
    enum { ROUNDS = 6 };
    unsigned half = 1;
    while (half < 32 && (UINT64_C(1) << (2 * half)) < count) half++;
    uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = at >> half, right = at & mask;
        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint64_t mixed = left ^ (tg_random(seed + round * UINT64_C(0x9e3779b9), right) & mask);
            left = right;
            right = mixed;
        }
        at = left << half | right;
    } while (at >= count);
    return at;
}

/* Order `sequential`, except that `first` runs right before `second`. */
static int64_t pick_moved(const tg_replay *r, int64_t turn)
{
    const bool is_later = r->first > r->second;              /* in order `sequential` */
    const int64_t at = is_later ? r->second : r->second - 1; /* turn of `first` */
    if (turn == at) return r->first;
    if (is_later) return turn > at && turn <= r->first ? turn - 1 : turn;
    return turn >= r->first && turn < at ? turn + 1 : turn;
}

int64_t tg_order_pick(const tg_order *order, int64_t turn, int64_t count)
{
    switch (order->kind) {
    case TG_ORDER_REVERSED: return count - 1 - turn;
    case TG_ORDER_SHUFFLED:
    case TG_ORDER_INTERLEAVED:
        return count < 2 ? turn : (int64_t)permute(order->seed, (uint64_t)turn, (uint64_t)count);
    case TG_ORDER_REPLAY: return pick_moved(&order->replay, turn);
    default: return turn;
    }
}

int64_t tg_order_pick_thread(const tg_order *order, int64_t turn, int64_t count)
{
    return order->kind == TG_ORDER_REPLAY ? turn : tg_order_pick(order, turn, count);
}

bool tg_order_is_listed(const tg_order *order)
{
    return order->kind == TG_ORDER_REPLAY && order->replay.base != TG_ORDER_SEQUENTIAL;
}

int64_t *tg_order_list(const tg_order *order, int64_t count)
{
    const tg_replay *r = &order->replay;
    const tg_order base = {.kind = r->base, .seed = order->seed};
    int64_t *list = calloc((size_t)(count ? count : 1), sizeof *list), used = 0;
    bool *is_used = calloc((size_t)(count ? count : 1), sizeof *is_used);
    if (list && is_used) {
        for (; used < r->done; used++) {
            list[used] = tg_order_pick(&base, used, count);
            is_used[list[used]] = true;
        }
        for (int64_t chain = 0; chain < count; chain++)
            if (!is_used[chain]) list[used++] = chain;
        const int64_t next = r->done < count ? tg_order_pick(&base, r->done, count) : -1;
        int64_t at = r->done;
        while (at < count && list[at] != next) at++;
        for (int64_t m = 0; m < r->moved && at > r->done && at < count; m++, at--) {
            list[at] = list[at - 1];
            list[at - 1] = next;
        }
    }
    free(is_used);
    if (is_used) return list;
    free(list);
    return NULL;
}

tg_status tg_order_fits(const tg_order *order, int64_t count, tg_diags *diags)
{
    const tg_replay *r = &order->replay;
    char text[TG_ORDER_TEXT];
    const bool fits =
        tg_order_is_listed(order) ? r->done <= count : r->first < count && r->second < count;
    if (order->kind != TG_ORDER_REPLAY || fits) return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL,
                   "order %s is that of another grid: this one has %" PRId64 " chains of programs",
                   tg_order_print(order, text, sizeof text), count);
}
