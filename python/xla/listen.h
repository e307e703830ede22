/* Who is told of what happens in runs. */
#ifndef TG_XLA_LISTEN_H
#define TG_XLA_LISTEN_H

#include "target.h"

/* Tells whoever listens, from the calling thread; nothing where nobody does. */
void tg_tell(tg_xla_event event, const char *text);
void tg_tell_checked(const tg_xla_checked *checked);

#endif
