/* Commands that are programs of their own: those of the Python package. */
#ifndef TG_CLI_PACKAGED_H
#define TG_CLI_PACKAGED_H

#include <stdbool.h>

bool tg_cli_is_packaged(const char *name);

/* Prints a line of help for each. */
void tg_cli_list_packaged(void);

/* Executes tilegrind-NAME with the arguments, from the folder of this program or from PATH.  Does
 * not return, unless there is no such program: it says so, and returns the exit code. */
int tg_cli_execute_packaged(char **argv);

#endif
