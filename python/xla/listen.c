#include "listen.h"

#include <sched.h>
#include <stddef.h>

static tg_xla_listener listener;
static tg_xla_check_listener check_listener;
static int listening; /* active calls of listeners */

static void wait_for_listeners(void)
{
    while (__atomic_load_n(&listening, __ATOMIC_SEQ_CST)) sched_yield();
}

void tg_xla_listen(tg_xla_listener new_listener)
{
    __atomic_store_n(&listener, new_listener, __ATOMIC_SEQ_CST);
    wait_for_listeners();
}

void tg_xla_listen_to_checks(tg_xla_check_listener new_listener)
{
    __atomic_store_n(&check_listener, new_listener, __ATOMIC_SEQ_CST);
    wait_for_listeners();
}

void tg_tell(tg_xla_event event, const char *text)
{
    __atomic_add_fetch(&listening, 1, __ATOMIC_SEQ_CST);
    tg_xla_listener to = __atomic_load_n(&listener, __ATOMIC_SEQ_CST);
    if (to) to((int)event, text);
    __atomic_sub_fetch(&listening, 1, __ATOMIC_SEQ_CST);
}

void tg_tell_checked(const tg_xla_checked *checked)
{
    __atomic_add_fetch(&listening, 1, __ATOMIC_SEQ_CST);
    tg_xla_check_listener to = __atomic_load_n(&check_listener, __ATOMIC_SEQ_CST);
    if (to) to(checked);
    __atomic_sub_fetch(&listening, 1, __ATOMIC_SEQ_CST);
}
