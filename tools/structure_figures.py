"""Sizes of the C sources that no rule of structure.py limits."""

LONG_FUNCTION, LONG_FILE, MANY_PARAMS, WIDE_LINE = 60, 400, 6, 100


def figures(tree):
    """Sizes that no rule limits: {what: [[size, where], ...]}, the largest first."""
    found = {f"functions over {LONG_FUNCTION} lines": [], f"files over {LONG_FILE} lines": [],
             f"functions with over {MANY_PARAMS} parameters": [], f"lines over {WIDE_LINE} columns": []}
    functions, files, params, lines = found.values()
    for file in tree.files.values():
        text = file.text.split("\n")
        if len(text) - 1 > LONG_FILE:
            files.append([len(text) - 1, file.path])
        lines += [[len(line), f"{file.path}:{number}"] for number, line in enumerate(text, 1)
                  if len(line) > WIDE_LINE]
        for function in file.outline.functions:
            where = f"{file.path}:{function.line} {function.name}"
            if function.lines > LONG_FUNCTION:
                functions.append([function.lines, where])
            if function.params > MANY_PARAMS:
                params.append([function.params, where])
    return {what: sorted(rows, key=lambda row: (-row[0], row[1])) for what, rows in found.items()}
