/* Windows: on a TPU a program finds the block of an input in a copy of its own.  The copy is made
 * when the block differs from that of the program before.
 *
 * This matters if an output is an alias of the input: writes through the output are not seen
 * through the input until another block is fetched.  So with target tpu each machine keeps such
 * inputs as copies, each as large as its array, of which only blocks are used. */
#ifndef TG_INTERP_MEMORY_WINDOWS_H
#define TG_INTERP_MEMORY_WINDOWS_H

#include "interp/state/machine.h"

/* Returns whether a TPU gives programs blocks of the parameter as copies; not if it stays in
 * HBM. */
bool tg_param_has_window(const tg_param *param);

/* Returns whether any input of the kernel needs a window. */
bool tg_windows_are_needed(const tg_kernel *kernel);

/* Makes the windows of a machine whose launch has windows.  Returns false if memory runs out; free
 * them in either case. */
bool tg_windows_init(tg_machine *m);
void tg_windows_free(tg_machine *m);

/* Called when a chain begins: all windows will be fetched again; and when one of its programs
 * starts, after its blocks were computed. */
void tg_windows_begin(tg_machine *m);
void tg_windows_start(tg_machine *m);

/* Returns the memory where the program finds the parameter.  *since is the index of the program for
 * which it was fetched, or INT64_MAX if it is the parameter's own memory, where all writes are
 * seen. */
unsigned char *tg_window_memory(const tg_machine *m, uint32_t param, int64_t *since);

#endif
