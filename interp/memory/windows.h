/* Windows: on a TPU a program finds the block of an input in a copy of its own, which is made when
 * the block is another one than the program's before.
 *
 * It matters where an output is an alias of the input: what is written by the output's name is not
 * seen by the input's until another block is fetched.  So with target tpu each machine keeps such
 * inputs as copies, each as large as its array, of which only blocks are used. */
#ifndef TG_INTERP_MEMORY_WINDOWS_H
#define TG_INTERP_MEMORY_WINDOWS_H

#include "interp/state/machine.h"

/* Whether a TPU gives programs blocks of the parameter as copies.  What is left in HBM it does
 * not. */
bool tg_param_has_window(const tg_param *param);

/* Whether inputs of the kernel need windows. */
bool tg_windows_are_needed(const tg_kernel *kernel);

/* For a machine whose launch has windows.  False without memory; in either case to be freed. */
bool tg_windows_init(tg_machine *m);
void tg_windows_free(tg_machine *m);

/* A chain begins: all windows are fetched anew.  A program of it starts, with its blocks found. */
void tg_windows_begin(tg_machine *m);
void tg_windows_start(tg_machine *m);

/* The memory in which the program finds the parameter, and the place in the grid of the program for
 * which it was fetched (INT64_MAX: it is the parameter's own, where the last write is seen). */
unsigned char *tg_window_memory(const tg_machine *m, uint32_t param, int64_t *since);

#endif
