"""docs/defects.md: the table of all pairs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Sequence

from conformance.defects.corpus import Pair

FILE = Path(__file__).resolve().parent.parent.parent / "docs" / "defects.md"

_HEAD = """\
# The corpus of defects

<!-- written by conformance/defects/run.py --document -->
{pairs} kernels with a defect, each beside the same kernel repaired, in {classes} classes; {threads} of them are of a kind
that users have reported in public. Kernels and expected findings are in [`conformance/defects/`](../conformance/defects), as
small as the defect allows; `corpus.py` there says how a pair is written.

    ./bootstrap defects                        # check all of them, in every order, and that kernels without a defect are told nothing
    ./bootstrap defects --only 'padding/*'     # some
    ./bootstrap defects --keep FOLDER          # and leave the cases, to look at
    ./bootstrap defects --check                # how long `tilegrind check` takes on every kernel, and nothing else

One run in sequential order must tell of each broken kernel the kind, both lines, both programs and the first element,
and nothing else; of the repaired kernel it must tell nothing but notes and advice, of the kind that the pair is about not even these, and its outputs must be JAX's, or those that the pair states where
JAX's interpreter, which runs one program after the other, would never end. What order sequential hides is judged by
`tilegrind check`, and must be shown again by the order that it names. No verdict may take more than 5 s. The table that is printed
has a row for each class: precision is the part of the findings that are about the defect, recall the part of the
expected findings that were told. A pair with a kind that this build cannot tell yet counts as *not yet*, never as
passed.

Kernels about [layouts](checks.md#layouts) are written op by op in the kernel language (`layout_kernels.py`). The repaired one must also compute its outputs in a
[physical run](layouts.md#logical-and-physical-runs). `wrong-values` is no finding of the command: in a physical run of the broken kernel, the named element is the first one that is not
that of the repaired one.

Kernels of [Triton](../conformance/defects/triton_kernels.py) have their TTIR beside them, as Triton writes it before any pass, so that they are judged without Triton; `write_ttir.py` there writes it anew. A text that is not of the kernel as it is now is an error.
Their grids have the axes z, y and x.

A finding alone could be wrong. So a broken kernel of Mosaic GPU that uses memory too early (`race`, `dma-in-flight`, `product-in-flight`) must have wrong values in some order that `tilegrind check` runs by
default, and the repaired one in none (`tests/test_mosaic_defects.py`). Two kinds cannot show so, and there no order may have wrong values: `wait-only-promised`, as runs keep the promise, and `collective-diverged`,
as nobody waits for those who do not come.

**What the kernels assume.** Axes of the grid are `parallel` unless a pair says otherwise: only atomics and `arbitrary`
axes order programs. Classes named after the TPU have that for a [target](checks.md#target-tpu). An input that is an alias of an output is the same memory. Padding of edge blocks, scratch memory,
outputs before they are written and lanes that a mask without `other` turns off are undefined.

**Which of many.** A defect shows at the least element, row-major, that it touches, and there at the first two programs
of the grid that meet; an undefined element of an output at the program that wrote it last.
"""


def text(pairs: Sequence[Pair]) -> str:
    """The whole document."""
    groups = list(dict.fromkeys(pair.group for pair in pairs))
    parts = [_HEAD.format(pairs=len(pairs), classes=len(groups),
                          threads=sum(pair.thread is not None for pair in pairs))]
    for group in groups:
        about = (sys.modules[f"{__package__}.{group}"].__doc__ or "").strip()
        parts += ["", f"## {group.replace('_', ' ').capitalize()}", "", about, "",
                  "| pair | what is wrong | findings | public thread |", "|---|---|---|---|",
                  *(_row(pair) for pair in pairs if pair.group == group)]
    return "\n".join(parts) + "\n"


def _row(pair: Pair) -> str:
    kinds = ", ".join(f"`{kind}`" for kind in dict.fromkeys(finding.kind for finding in pair.finds))
    return f"| {pair.name} | {pair.why} | {kinds} | {_link(pair.thread)} |"


def _link(thread: str | None) -> str:
    if thread is None:
        return ""
    repository, _, number = thread.partition("#")
    return f"[{thread}](https://github.com/{repository}/issues/{number})"
