"""first_commands.py COMPILE_COMMANDS: the list with only the first command of each file, for clang-tidy."""

import json
import sys

first = {}
with open(sys.argv[1], encoding="utf-8") as commands:
    for entry in json.load(commands):
        first.setdefault(entry["file"], entry)
json.dump(list(first.values()), sys.stdout, indent=1)
