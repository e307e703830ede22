/* A few threads that do one piece of work together and are gone when it is done.
 *
 * They are started for each piece of work, so that none are there to be lost when the process forks; a thread
 * that cannot be started is done without. */
#ifndef TG_INTERP_TEAM_H
#define TG_INTERP_TEAM_H

/* Calls work(context, 0) on this thread, and work(context, i) for 0 < i < members on others, which take no
 * signals; returns when all are done.  Returns how many members there really were. */
int tg_team_run(int members, void (*work)(void *context, int member), void *context);

/* Threads that may work without crowding out others: the processors that this process may use, less the
 * helpers of all teams now at work.  At least 1, the caller. */
int tg_team_room(void);

/* The processors that this process may use. */
int tg_team_processors(void);

#endif
