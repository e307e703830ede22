/* tilegrind: runs, verifies and shows tile kernels. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/packaged.h"
#include "tilegrind/tilegrind.h"

static const tg_cli_command *const commands[] = {
#define TG_CLI_COMMAND(id) &tg_command_##id,
#include "cli/commands.def"
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(void)
{
    puts("Usage: tilegrind COMMAND [OPTION]... [OPERAND]...\n\n"
         "A reference interpreter for tile kernels: runs them in any order on the CPU, the same "
         "bits each\n"
         "time, and says what is wrong with them.\n\nCommands:");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    puts("  help       print this text, or that of a command\n\n"
         "Commands of the Python package:");
    tg_cli_list_packaged();
    puts("\n"
         "Options:\n"
         "  --help    print this text\n"
         "  --version print the version\n\n"
         "Exit codes: 0 clean; 1 findings (of the levels that --fail-on asks for), or outputs "
         "other\n"
         "than expected; 2 wrong usage, or a file that cannot be read or written; 3 invalid or\n"
         "unsupported input; 4 a defect of Tilegrind itself; 77 skipped; 130 stopped by Ctrl-C.\n"
         "Environment: NO_COLOR turns colours off; TILEGRIND_ISA picks the instruction set as "
         "--isa does.");
}

static const tg_cli_command *find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static int unknown(const char *name)
{
    fprintf(stderr, "tilegrind: %s is no command\nTry: tilegrind --help\n", name);
    return TG_EXIT_USAGE;
}

static int help(int argc, char **argv)
{
    if (argc < 2) {
        print_help();
        return TG_EXIT_CLEAN;
    }
    if (tg_cli_is_packaged(argv[1]))
        return tg_cli_execute_packaged((char *[]){argv[1], (char[]){"--help"}, NULL});
    const tg_cli_command *command = find(argv[1]);
    if (!command) return unknown(argv[1]);
    tg_cli_print_help(command);
    return TG_EXIT_CLEAN;
}

static int dispatch(int argc, char **argv)
{
    if (argc == 0) {
        fprintf(stderr, "tilegrind: no command given\nTry: tilegrind --help\n");
        return TG_EXIT_USAGE;
    }
    if (strcmp(argv[0], "--version") == 0) {
        printf("tilegrind %s\n", tg_version());
        return TG_EXIT_CLEAN;
    }
    if (strcmp(argv[0], "help") == 0 || strcmp(argv[0], "--help") == 0) return help(argc, argv);
    if (tg_cli_is_packaged(argv[0])) return tg_cli_execute_packaged(argv);
    const tg_cli_command *command = find(argv[0]);
    return command ? command->run(argc, argv) : unknown(argv[0]);
}

int main(int argc, char **argv)
{
    int code = dispatch(argc - 1, argv + 1);
    /* A full disk or a closed pipe shows only here. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("tilegrind: standard output");
        return TG_EXIT_USAGE;
    }
    return code;
}
