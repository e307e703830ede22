#include "schedule/team.h"

#include <stdlib.h>

#include "interp/exec/program.h"
#include "schedule/programs.h"

tg_team *tg_team_new(int64_t threads)
{
    tg_team *team = calloc(1, sizeof *team + (size_t)threads * sizeof *team->machines);
    if (team) team->machines = (tg_machine **)(team + 1);
    return team;
}

void tg_team_begin(tg_team *team, int64_t turn, int64_t chain, int64_t begun)
{
    team->chain = chain;
    team->step = 0;
    team->turn = turn;
    team->begun = begun;
    team->is_blocked = false;
}

void tg_teams_free(tg_team *first)
{
    for (tg_team *team = first, *next; team; team = next) {
        next = team->next;
        free(team);
    }
}

static tg_actor actor_of(tg_team *team, int64_t thread)
{
    return (tg_actor){.machine = team->machines[thread],
                      .team = team,
                      .chain = team->chain,
                      .step = team->step,
                      .thread = thread,
                      .begun = team->begun};
}

void tg_team_start(tg_walk *w, tg_team *team)
{
    team->running = w->grid->threads;
    team->machines[0]->own_chain.threads = team->machines;
    if (team->step > 0) TG_DETECT(team->machines[0], threads_joined, team->machines[0])
    for (int64_t thread = 0; thread < w->grid->threads; thread++) {
        const tg_actor a = actor_of(team, thread);
        a.machine->chain = &team->machines[0]->own_chain;
        tg_walk_start(w, &a);
    }
}

tg_actor tg_team_actor(const tg_walk *w, tg_team *team, int64_t turn)
{
    const int64_t threads = w->grid->threads;
    tg_actor a = actor_of(team, tg_order_pick_thread(w->order, turn, threads));
    a.turn = team->turn * threads + turn;
    return a;
}

bool tg_team_thread_ends(tg_walk *w, const tg_actor *a, tg_step how)
{
    if (how == TG_STEP_DONE)
        tg_walk_program_done(w, a);
    else
        a->team->is_blocked = true;
    return --a->team->running == 0;
}

bool tg_team_next(const tg_walk *w, tg_team *team)
{
    if (team->is_blocked || team->step + 1 == w->grid->steps) return false;
    team->step++;
    return true;
}

void tg_team_end(const tg_walk *w, const tg_team *team)
{
    for (int64_t thread = 0; thread < w->grid->threads; thread++)
        tg_machine_end_chain(team->machines[thread], !team->is_blocked);
}
