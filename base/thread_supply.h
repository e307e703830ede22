/* How many threads the system still gives to this process. */
#ifndef TG_BASE_THREAD_SUPPLY_H
#define TG_BASE_THREAD_SUPPLY_H

enum { TG_MOST_THREADS = 1024 };

/* Makes up to `wanted` threads, no more than TG_MOST_THREADS, which all exist at once, take no signals, do nothing and are gone
 * when this returns: how many there were. */
int tg_thread_supply(int wanted);

#endif
