#define _POSIX_C_SOURCE 200809L /* stat */
#include "cli/command.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_OPTIONS = 32, HELP_COLUMN = 26, HELP_WIDTH = 74, HELP_ID = 1000 };

/* How much of a text goes on one line: up to its end, or the last space that there is room for. */
static size_t line_length(const char *text)
{
    const size_t whole = strcspn(text, "\n");
    if (whole <= HELP_WIDTH) return whole;
    size_t length = HELP_WIDTH;
    while (length && text[length] != ' ') length--;
    return length ? length : whole;
}

static void print_option(const char *name, const char *arg, const char *help)
{
    char left[64];
    snprintf(left, sizeof left, "  --%s%s%s", name, arg ? " " : "", arg ? arg : "");
    int too_long = strlen(left) >= HELP_COLUMN;
    printf("%-*s%s", HELP_COLUMN, left, too_long ? "\n" : "");
    if (too_long) printf("%*s", HELP_COLUMN, "");
    for (const char *line = help;;) {
        const size_t length = line_length(line);
        printf("%.*s\n", (int)length, line);
        line += length;
        if (!*line++) return;
        printf("%*s", HELP_COLUMN, "");
    }
}

void tg_cli_print_help(const tg_cli_command *command)
{
    printf("Usage: tilegrind %s [OPTION]...%s%s\n\n%s\n\nOptions:\n", command->name,
           command->operands[0] ? " " : "", command->operands, command->details);
    for (const tg_cli_option *o = command->options; o->id; o++)
        print_option(o->name, o->arg, o->help);
    print_option("help", NULL, "print this text");
}

int tg_cli_usage(const tg_cli_command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "tilegrind %s: ", command->name);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\nTry: tilegrind %s --help\n", command->name);
    va_end(args);
    return TG_EXIT_USAGE;
}

/* getopt's table from ours. */
static void fill(const tg_cli_command *command, struct option *table)
{
    int count = 0;
    for (const tg_cli_option *o = command->options; o->id && count < MAX_OPTIONS; o++)
        table[count++] =
            (struct option){o->name, o->arg ? required_argument : no_argument, NULL, o->id};
    table[count++] = (struct option){"help", no_argument, NULL, HELP_ID};
    table[count] = (struct option){NULL, 0, NULL, 0};
}

int tg_cli_next(const tg_cli_command *command, int argc, char **argv, const char **value,
                int *first)
{
    struct option table[MAX_OPTIONS + 2];
    fill(command, table);
    opterr = 0;
    int id = getopt_long(argc, argv, ":", table, NULL);
    *value = optarg;
    *first = optind;
    if (id == -1) return TG_CLI_DONE;
    if (id == HELP_ID) {
        tg_cli_print_help(command);
        return TG_CLI_HELPED;
    }
    if (id == ':') {
        tg_cli_usage(command, "%s needs an argument", argv[optind - 1]);
        return TG_CLI_BAD;
    }
    if (id == '?') {
        tg_cli_usage(command, "unknown option %s", argv[optind - 1]);
        return TG_CLI_BAD;
    }
    return id;
}

bool tg_cli_is_case(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}
