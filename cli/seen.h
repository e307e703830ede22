/* What has been told already, by numbers made of texts. */
#ifndef TG_CLI_SEEN_H
#define TG_CLI_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise; ends with tg_seen_free. */
typedef struct tg_seen {
    uint64_t *list;
    size_t count, capacity;
} tg_seen;

/* Adds a number; whether it is new.  Without memory everything is new. */
bool tg_seen_add(tg_seen *seen, uint64_t number);
void tg_seen_free(tg_seen *seen);

/* Goes on with a number that stands for texts, from TG_NUMBER_OF_NOTHING on (FNV-1a, of 64 bits):
 * the same texts give the same number everywhere and always. */
#define TG_NUMBER_OF_NOTHING UINT64_C(0xcbf29ce484222325)
uint64_t tg_number_with(uint64_t number, const char *text);

#endif
