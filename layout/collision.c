#include "layout/collision.h"

/* A word that a lane wants. */
typedef struct want {
    int lane;
    int64_t byte;
} want;

static int64_t word(const want *w) { return w->byte / TG_WORD_BYTES; }

static bool collide(const want *a, const want *b)
{
    return word(a) != word(b) && word(a) % TG_BANKS == word(b) % TG_BANKS;
}

/* The words of lanes first, .., first + count - 1, lane by lane; returns how many. */
static int list_words(const tg_warp_access *access, int first, int count, int words, want *out)
{
    int known = 0;
    for (int lane = first; lane < first + count; lane++)
        for (int w = 0; (access->active >> lane & 1) && w < words; w++)
            out[known++] = (want){lane, access->address[lane] + (int64_t)w * TG_WORD_BYTES};
    return known;
}

bool tg_collision_find(const tg_warp_access *access, tg_collision *out)
{
    const int words = access->bytes > TG_WORD_BYTES ? access->bytes / TG_WORD_BYTES : 1;
    const int count = TG_LANES / words;
    for (int first = 0; first < TG_LANES; first += count) {
        want wants[TG_LANES];
        const int known = list_words(access, first, count, words, wants);
        for (int i = 0; i < known; i++)
            for (int k = 0; k < i; k++) {
                const want *a = &wants[k], *b = &wants[i];
                if (!collide(a, b)) continue;
                *out = (tg_collision){
                    {a->lane, b->lane}, {a->byte, b->byte}, (int)(word(a) % TG_BANKS)};
                return true;
            }
    }
    return false;
}
