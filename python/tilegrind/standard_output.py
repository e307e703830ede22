"""The standard output of a command, whose reader may leave before the end, as `head` does."""

import os
import sys

READER_LEFT = 141  # as shells report a program that SIGPIPE ended


def run(main):
    """Runs the command `main`, which must let BrokenPipeError pass.  Returns its exit code, or READER_LEFT: without a message, as
    nobody has done anything wrong."""
    try:
        try:
            code = main()
        except SystemExit as end:  # of argparse
            code = end.code
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what Python flushes at exit
        return READER_LEFT
