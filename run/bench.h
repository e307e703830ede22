/* Benches: where runs take place, kept from run to run.  Several runs at once need one each. */
#ifndef TG_RUN_BENCH_H
#define TG_RUN_BENCH_H

#include "schedule/machines.h"

/* Memory of a parameter that takes the place of the caller's. */
typedef struct tg_own_memory {
    void *data;     /* NULL until it is needed for the first time */
    bool goes_back; /* in this run: an output whose memory is the caller's copy */
} tg_own_memory;

typedef struct tg_bench {
    tg_launch launch;
    tg_machines machines;
    tg_own_memory *own; /* per param */
} tg_bench;

enum { TG_KEPT_BENCHES = 16 }; /* that wait for the next run */

/* Benches that are not in use lie in `kept`, each of which one atomic exchange takes or gives back:
 * no lock is there to be held by a thread that a fork leaves behind. */
typedef struct tg_benches {
    const tg_launch *bound; /* what all benches share; has no memory of parameters */
    tg_bench *kept[TG_KEPT_BENCHES];
} tg_benches;

/* One that is the caller's until it is given back; NULL without memory. */
tg_bench *tg_bench_take(tg_benches *benches);
void tg_bench_give_back(tg_benches *benches, tg_bench *b);

/* Frees those that are not in use. */
void tg_benches_free(tg_benches *benches);

#endif
