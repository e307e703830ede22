/* Tries how many more threads this process can create. */
#ifndef TG_BASE_THREAD_SUPPLY_H
#define TG_BASE_THREAD_SUPPLY_H

enum { TG_MOST_THREADS = 1024 };

/* Creates up to `wanted` threads, at most TG_MOST_THREADS, which all exist at the same time, block
 * all signals and do nothing.  They have ended when this function returns.  Returns how many could
 * be created. */
int tg_thread_supply(int wanted);

#endif
