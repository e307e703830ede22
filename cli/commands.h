/* Every command: tg_command_<id>, in the file that does its work. */
#ifndef TG_CLI_COMMANDS_H
#define TG_CLI_COMMANDS_H

#include "cli/command.h"

#define TG_CLI_COMMAND(id) extern const tg_cli_command tg_command_##id;
#include "cli/commands.def"

#endif
