"""Writes docs/coverage.md: which primitives of JAX have a rule, and why the others have none.

    gen_coverage.py          write it
    gen_coverage.py --check  exit with 1 if it is out of date

Its sources are tools/coverage.txt, the list of primitives, and the rules of the package, which needs JAX.  A primitive with
neither rule nor reason is an error, and so is a reason for one that has a rule.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from tilegrind.pallas import rules  # noqa: E402, F401  (to import them is to register them)
from tilegrind.pallas.lowering import converter  # noqa: E402

LIST, PAGE = ROOT / "tools" / "coverage.txt", ROOT / "docs" / "coverage.md"
HEAD = """# Coverage

The primitives of JAX that kernels use, and whether the exporter has a form for them.  Whatever else a kernel
contains, and each form that a rule does not take, is an error that names the primitive and the source line.
This page is made by `tools/gen_coverage.py`.
"""
ROW = re.compile(r"(\w+) ([\w-]+)(?:: (.+))?")


def rows(text):
    """(heading, group, name, reason or None) of each line of the list."""
    heading = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            heading = line.strip("[]")
            continue
        match = ROW.fullmatch(line)
        if match is None or heading is None:
            raise ValueError(f"line {number} of the list is malformed: {line}")
        yield heading, *match.groups()


def page(text, names, refused):
    """The page for a list, the (group, name) pairs that have rules, and the reasons of refusing rules."""
    parts, last, seen = [HEAD], None, set()
    for heading, group, name, reason in rows(text):
        key = group, name
        if key in seen:
            raise ValueError(f"{group} {name} is listed twice")
        seen.add(key)
        if key in names and reason is not None:
            raise ValueError(f"{group} {name} has a rule, but the list has a reason why it has none")
        if key not in names and reason is None:
            raise ValueError(f"{group} {name} has neither a rule nor a reason in the list")
        if heading != last:
            parts.append(f"\n## {heading}\n\n| primitive | of | |\n|---|---|---|\n")
            last = heading
        reason = refused.get(key, reason)
        parts.append(f"| `{name}` | {group} | {'yes' if reason is None else 'no: ' + reason} |\n")
    return "".join(parts)


def main():
    text = page(LIST.read_text(encoding="utf-8"), converter.NAMES, converter.REFUSED)
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    if "--check" in sys.argv[1:]:
        print(f"{PAGE.relative_to(ROOT)}: out of date, run tools/gen_coverage.py")
        return 1
    PAGE.write_text(text, encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
