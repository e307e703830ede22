"""Files of this tree that tools write: brought up to date, or held against what they should be."""


def main(files, root, tool, arguments):
    """Writes each of `files`, (path, text as it should be), that is not so; with --check among the `arguments` it only
    says which are not.  Returns the exit code: 1 where a check found any."""
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
