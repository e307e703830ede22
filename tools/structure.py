"""Checks the C sources of the product against the rules of its structure.

    structure.py                     a report: folders in layers, statistics, violations of rules
    structure.py --check [FOLDER...] violations of rules, in these folders or anywhere; exit 1 if there are any
    structure.py --json [FOLDER...]  the report as JSON

No rule has exceptions.  The product is every .c and .h file that git tracks, except those in tests, examples, bench, tools, demo and sdk.

1. Folders.  The includes between folders have no cycle.  A sub-folder counts as a folder of its own.

2. Headers.  Functions and objects that X.c defines for other files are declared in X.h beside it.  Several files
   may implement one interface P: P_read.c and P_write.c may be declared in P.h, and any file of a folder in
   the header with the folder's name (emulator/emulator.h).  Then P.h declares names of at most 3 files.
   A header under include/ is the public interface, and any file may define what it declares.
   A private header, impl.h or P_impl.h, is included only in its own folder.  It contains what several files share,
   types, macros and inline functions, and declares nothing that a .c file defines.
   Names made by macros need no declaration, nor do those that a macro of a header declares: tg_exec_##id there
   stands for all names that begin with tg_exec_.

3. Cycles.  A unit is X.c with X.h.  It needs another unit if it includes that unit's header, or uses a name that
   only that unit defines.  At most 3 units need each other in a cycle.

4. Names.  A name that a header declares is declared only in that header: tags, types, constants, macros,
   functions, objects.  `struct x;` and `typedef struct x x;` beside the definition do not count as a second meaning.  Two
   .c files do not define functions or objects of the same name.  The guard of a header is its path, as it is included
   from the root or from include/, with TG_ before it unless it begins with the project's name.

5. Clients.  The command, cli/, is a client of the public interface: its files include files of cli/, of include/
   and of base/, which knows nothing of kernels, and no others of ours.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

import c_outline
from structure_figures import figures

ROOT = Path(__file__).resolve().parent.parent
NOT_PRODUCT = {"tests", "examples", "bench", "tools", "demo", "sdk"}
PUBLIC = "include"
CLIENTS = {"cli": {"cli", "base", PUBLIC}}  # folder: what its files may include
MOST_FILES = 3  # whose names one header declares; also units in a cycle


@dataclass(frozen=True)
class Violation:
    rule: str
    at: str  # file:line, or what stands for it
    text: str
    paths: tuple  # the files concerned


@dataclass
class File:
    path: str
    text: str
    outline: c_outline.Outline

    @property
    def folder(self):
        return folder_of(self.path)

    @property
    def stem(self):
        return PurePosixPath(self.path).stem

    @property
    def unit(self):
        return str(PurePosixPath(self.path).with_suffix(""))

    @property
    def is_header(self):
        return self.path.endswith(".h")

    @property
    def is_private(self):
        return self.is_header and (self.stem == "impl" or self.stem.endswith("_impl"))

    def defined(self):
        """The names that the file defines for others.  `main` does not count, as no file calls it."""
        return [name for name in self.outline.names
                if not self.is_header and name.kind in ("function", "object") and not name.internal
                and not name.forward and name.text != "main"]

    def declared(self):
        """The functions and objects that a header declares for a .c file to define."""
        return [name for name in self.outline.names
                if self.is_header and name.kind in ("function", "object") and name.forward]


def folder_of(path):
    parts = PurePosixPath(path).parts[:-1]
    return PUBLIC if parts[:1] == (PUBLIC,) else "/".join(parts)


class Tree:
    """The sources of the product: files by path, and the targets of their includes."""

    def __init__(self, root):
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", "*.c", "*.h", "*.def"],
                                cwd=root, capture_output=True, text=True, check=True).stdout.split("\n")
        texts = {path: (Path(root) / path).read_text(encoding="utf-8") for path in sorted(set(listed))
                 if "/" in path and path.split("/")[0] not in NOT_PRODUCT and (Path(root) / path).is_file()}
        static = {name for text in texts.values() for name in c_outline.macros_for_static(text)}
        self.files = {path: File(path, text, c_outline.read(text, path.endswith(".h"), static))
                      for path, text in texts.items() if not path.endswith(".def")}
        # Files that include a table define these, and the table undefines them: they are not names of a header.
        self.of_tables = {name for path, text in texts.items() if path.endswith(".def")
                          for name in re.findall(r"^#undef (\w+)", text, re.MULTILINE)}
        self.definers = defaultdict(list)  # name -> [(path, line)]
        for file in self.files.values():
            for name in file.defined():
                self.definers[name.text].append((file.path, name.line))

    def headers(self):
        return [file for file in self.files.values() if file.is_header]

    def resolve(self, file, quoted):
        """The path of an included file of the product; None for a system header."""
        beside = str(PurePosixPath(file.path).parent / quoted)
        return next((path for path in (beside, quoted, f"{PUBLIC}/{quoted}") if path in self.files), None)

    def includes(self, file):
        """(path, line) of each product file that a file includes."""
        for quoted, line in file.outline.includes:
            path = self.resolve(file, quoted)
            if path is not None:
                yield path, line


def circles(arrows):
    """Sets of two or more nodes that reach each other.  arrows: {node: {node, ...}}"""
    reached = {}
    for start in arrows:
        seen, waiting = set(), [start]
        while waiting:
            for node in arrows.get(waiting.pop(), ()):
                if node not in seen:
                    seen.add(node)
                    waiting.append(node)
        reached[start] = seen
    found, done = [], set()
    for node in sorted(arrows):
        circle = {other for other in reached[node] if node in reached.get(other, ())}
        if len(circle) > 1 and node not in done:
            done |= circle
            found.append(circle)
    return found


def folder_arrows(tree):
    """{folder: {folder: [file:line, ...]}} of the includes between folders."""
    arrows = {file.folder: {} for file in tree.files.values()}
    for file in tree.files.values():
        for path, line in tree.includes(file):
            if folder_of(path) != file.folder:
                arrows[file.folder].setdefault(folder_of(path), []).append(f"{file.path}:{line}")
    return arrows


def check_folders(tree):
    arrows = folder_arrows(tree)
    for circle in circles(arrows):
        inside = [(source, target, arrows[source][target]) for source in sorted(circle)
                  for target in sorted(arrows[source]) if target in circle]
        inside.sort(key=lambda arrow: len(arrow[2]))
        lines = [f"{source} -> {target}: {len(places)} includes: {' '.join(places[:4])}"
                 f"{' ...' if len(places) > 4 else ''}" for source, target, places in inside]
        yield Violation("folders", inside[0][2][0], "\n    ".join(
            [f"folders include each other: {', '.join(sorted(circle))}; fewest first:", *lines]),
            tuple(place.rsplit(":", 1)[0] for _, _, places in inside for place in places))


def may_declare(header, file):
    """Whether, by their names, a header may declare what a .c file defines."""
    if header.folder == PUBLIC:
        return True
    if header.folder != file.folder or header.is_private:
        return False
    return (header.stem in (file.stem, PurePosixPath(header.folder).name)
            or file.stem.startswith(header.stem + "_"))


def check_declared(tree):
    """Checks that each name that a .c file defines is declared in the header for it."""
    places = defaultdict(list)  # name -> [(header, line)]
    for header in tree.headers():
        for name in header.declared():
            places[name.text].append((header, name.line))
    pasted = tuple(text for header in tree.headers() for text in header.outline.pasted if text != "tg_")
    for file in tree.files.values():
        missing = [name for name in file.defined()
                   if not places[name.text] and not name.text.startswith(pasted)]
        if missing:
            yield Violation("headers", f"{file.path}:{missing[0].line}", "declared in no header: "
                            f"{', '.join(name.text for name in missing)}; make them static, or declare them "
                            f"in {file.unit}.h", (file.path,))
        astray = defaultdict(list)  # header -> [(line, name)]
        for name in file.defined():
            for header, line in places[name.text]:
                if not may_declare(header, file):
                    astray[header.path].append((line, name.text))
        for path, names in astray.items():
            yield Violation("headers", f"{path}:{min(names)[0]}", f"declares what {file.path} defines: "
                            f"{', '.join(text for _, text in sorted(names))}; that belongs in {file.unit}.h",
                            (path, file.path))


def check_headers(tree):
    """Checks of how many files one header declares names, and who includes a private header."""
    for header in tree.headers():
        homes = sorted({path for name in header.declared() for path, _ in tree.definers.get(name.text, ())
                        if header.folder != PUBLIC})
        if len(homes) > MOST_FILES:
            yield Violation("headers", f"{header.path}:1", f"declares names of {len(homes)} files "
                            f"({', '.join(homes)}); at most {MOST_FILES}: give them headers of their own",
                            (header.path,))
    for file in tree.files.values():
        for path, line in tree.includes(file):
            if tree.files[path].is_private and folder_of(path) != file.folder:
                yield Violation("headers", f"{file.path}:{line}", f"includes {path}, which is private to "
                                f"{folder_of(path)}", (file.path, path))


def unit_arrows(tree):
    """{unit: {unit: {reason: file:line}}}"""
    arrows = {file.unit: {} for file in tree.files.values()}
    for file in tree.files.values():
        def tie(path, what, line, file=file):
            target = tree.files[path].unit
            if target != file.unit:
                arrows[file.unit].setdefault(target, {}).setdefault(what, f"{file.path}:{line}")

        for path, line in tree.includes(file):
            tie(path, "#include", line)
        own = {name.text for name in file.outline.names if not name.forward}
        for text, line in file.outline.used.items():
            places = tree.definers.get(text, ())
            if len({path for path, _ in places}) == 1 and text not in own:
                tie(places[0][0], text, line)
    return arrows


def check_circles(tree):
    arrows = unit_arrows(tree)
    for circle in circles(arrows):
        if len(circle) <= MOST_FILES:
            continue
        inside = [(source, target, arrows[source][target]) for source in sorted(circle)
                  for target in sorted(arrows[source]) if target in circle]
        inside.sort(key=lambda arrow: (len(arrow[2]), arrow[:2]))
        lines = [f"{source} -> {target}: " + ", ".join(f"{what} ({place})" for what, place in ties.items())
                 for source, target, ties in inside]
        yield Violation("circles", next(iter(inside[0][2].values())), "\n    ".join(
            [f"{len(circle)} files need each other, at most {MOST_FILES} may: {' '.join(sorted(circle))}; "
             "what ties them, fewest first:", *lines]),
            tuple(path for path, file in tree.files.items() if file.unit in circle))


def meanings(tree):
    """{name: {path: (kind, line)}} of all names that headers declare, and of tags that they leave to a .c file."""
    found, left = defaultdict(dict), set()
    for header in tree.headers():
        for name in header.outline.names:
            if name.kind == "tag" and name.forward:
                left.add(name.text)
            elif name.kind != "macro" or name.text not in tree.of_tables:
                found[name.text].setdefault(header.path, (name.kind, name.line))
    for file in tree.files.values():
        for name in file.outline.names:
            if not file.is_header and name.kind == "tag" and not name.forward and name.text in left:
                found[name.text].setdefault(file.path, (name.kind, name.line))
    return found


def check_names(tree):
    for text, places in sorted(meanings(tree).items()):
        if len(places) > 1:
            told = [f"{kind} in {path}:{line}" for path, (kind, line) in places.items()]
            first, (_, line) = next(iter(places.items()))
            yield Violation("names", f"{first}:{line}", f"{text} is declared more than once: "
                            f"{', '.join(told)}; rename one, or keep one", tuple(places))
    for text, places in sorted(tree.definers.items()):
        if len({path for path, _ in places}) > 1:
            yield Violation("names", "{}:{}".format(*places[0]), f"{text} is defined more than once: "
                            + ", ".join("{}:{}".format(*place) for place in places),
                            tuple(path for path, _ in places))


def guard_of(path):
    spelled = path.removeprefix(PUBLIC + "/")
    name = "".join(c if c.isalnum() else "_" for c in spelled).upper()
    return name if name.startswith("TILEGRIND_") else "TG_" + name


def check_guards(tree):
    for header in tree.headers():
        if header.outline.guard != guard_of(header.path):
            yield Violation("names", f"{header.path}:1", f"the guard is {header.outline.guard}; it should be "
                            f"{guard_of(header.path)}", (header.path,))


def check_clients(tree):
    for file in tree.files.values():
        allowed = CLIENTS.get(file.folder)
        for path, line in tree.includes(file):
            if allowed is not None and folder_of(path) not in allowed:
                yield Violation("clients", f"{file.path}:{line}", f"includes {path}, but {file.folder} is a client of "
                                f"public headers: it includes {', '.join(sorted(allowed))} only", (file.path, path))


RULES = (check_folders, check_declared, check_headers, check_circles, check_names, check_guards, check_clients)


def violations(tree, folders=()):
    """Violations of rules, in the given folders, or everywhere."""
    inside = tuple(folder.rstrip("/") + "/" for folder in folders)
    return [violation for rule in RULES for violation in rule(tree)
            if not inside or any(path.startswith(inside) for path in violation.paths)]


def layers(tree):
    """Folders from the lowest layer up: each above all folders that it includes.  [[folder, ...], ...]"""
    arrows = folder_arrows(tree)
    together = {folder: circle for circle in circles(arrows) for folder in circle}
    heights = {}

    def height(folder):
        if folder not in heights:
            group = together.get(folder, {folder})
            below = {target for member in group for target in arrows[member]} - group
            found = max((height(target) + 1 for target in below), default=0)
            heights.update((member, found) for member in group)
        return heights[folder]

    rows = defaultdict(list)
    for folder in sorted(arrows):
        rows[height(folder)].append(folder)
    return [rows[index] for index in sorted(rows)]


def drawing(tree):
    """The layers as text, the highest first, with the includes of each folder."""
    arrows = folder_arrows(tree)
    width = max(map(len, arrows))
    lines = []
    for index, row in reversed(list(enumerate(layers(tree)))):
        for folder in row:
            head = f"{index:>3}" if folder == row[0] else "   "
            below = " ".join(sorted(arrows[folder]))
            lines.append(f"{head}  {folder:<{width}}  {'-> ' + below if below else ''}".rstrip())
    return "\n".join(lines)


def report(tree, found):
    counts = {rule: sum(violation.rule == rule for violation in found)
              for rule in ("folders", "headers", "circles", "names", "clients")}
    print(f"{len(tree.files)} files\n\nFolders, each above what it includes:\n{drawing(tree)}\n\nFigures:")
    for what, rows in figures(tree).items():
        print(f"{len(rows):>5} {what}")
        for size, where in rows[:5]:
            print(f"      {size:>5} {where}")
    print("\nWhat breaks a rule:")
    for rule, count in counts.items():
        print(f"{count:>5} {rule}")
    show(found)


def show(found):
    for violation in found:
        print(f"{violation.at}: {violation.rule}: {violation.text}")


def main(arguments=None, root=ROOT):
    parser = argparse.ArgumentParser(description="Holds the C sources to the rules of their structure.")
    parser.add_argument("folders", nargs="*", help="show only what concerns files of these folders")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a rule is broken")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    options = parser.parse_args(arguments)
    tree = Tree(root)
    found = violations(tree, options.folders)
    if options.json:
        print(json.dumps({"layers": layers(tree), "figures": figures(tree),
                          "violations": [asdict(violation) for violation in found]}, indent=1))
    elif options.check:
        show(found)
        print(f"{len(found)} violations" if found else "The structure is as it should be.")
    else:
        report(tree, found)
    return 1 if options.check and found else 0


if __name__ == "__main__":
    sys.exit(main())
