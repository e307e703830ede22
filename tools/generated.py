"""Files of this tree that tools write: updates them, or checks that they are up to date."""


def main(files, root, tool, arguments):
    """Writes each of `files`, (path, intended text), that differs; with --check among the `arguments` it only
    lists those that differ.  Returns the exit code: 1 if a check found any."""
    check, stale = "--check" in arguments, []
    for path, text in files:
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.relative_to(root))
        if not check:
            path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"{path}: {f'out of date, run {tool}' if check else 'written'}")
    return 1 if check and stale else 0
