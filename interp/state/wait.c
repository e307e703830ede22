#include "interp/state/wait.h"

#include "interp/state/machine.h"

bool tg_wait_lasts(const tg_machine *m) { return m->wait && !m->wait->is_over(m); }

void tg_wait_end(tg_machine *m)
{
    if (m->wait && m->wait->go_on) m->wait->go_on(m);
    m->wait = NULL;
}
