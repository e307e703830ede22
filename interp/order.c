#include "interp/order.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        "interleaved[:SEED]",
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

tg_status tg_order_parse(const char *text, tg_order *out, tg_diags *diags)
{
    size_t length = strcspn(text, ":");
    uint64_t number = 0;
    *out = (tg_order){0};
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

char *tg_order_print(const tg_order *order, char *out, size_t size)
{
    const char *name = orders[order->kind].name;
    if (order->kind == TG_ORDER_SHUFFLED || order->kind == TG_ORDER_INTERLEAVED)
        snprintf(out, size, "%s:%" PRIu64, name, order->seed);
    else if (order->kind == TG_ORDER_PARALLEL && order->threads)
        snprintf(out, size, "%s:%d", name, order->threads);
    else
        snprintf(out, size, "%s", name);
    return out;
}

/* The finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
uint64_t tg_random(uint64_t seed, uint64_t n)
{
    uint64_t z = seed * UINT64_C(0xd1342543de82ef95) + (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A Feistel network on 2 * half bits permutes [0, 4^half); walking on until a number below `count` comes
 * out makes it a permutation of [0, count) (Black and Rogaway: Ciphers with arbitrary finite domains, 2002). */
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

int64_t tg_order_pick(const tg_order *order, int64_t turn, int64_t count)
{
    switch (order->kind) {
    case TG_ORDER_REVERSED: return count - 1 - turn;
    case TG_ORDER_SHUFFLED:
    case TG_ORDER_INTERLEAVED:
        return count < 2 ? turn : (int64_t)permute(order->seed, (uint64_t)turn, (uint64_t)count);
    default: return turn;
    }
}
