"""Writes the texts of TTIR that this version of Triton makes of the kernels in constructs.py:

    python python/tests_triton/texts.py tests/data/triton/VERSION
"""

import sys
from pathlib import Path

import triton

HERE = Path(__file__).resolve().parent


def all_texts():
    """{name in LAUNCHES: text}, with paths that are the same on each machine.  Kernels that Tilegrind does not support have texts too."""
    import constructs

    from tilegrind.triton import ExportError, interpreter

    found = {}
    with interpreter(findings="collect"):
        for name, launch in constructs.LAUNCHES.items():
            try:
                launch()
            except ExportError:
                pass
            (caches,) = getattr(constructs, name).device_caches.values()
            (compiled,) = caches[0].values()
            found[name] = compiled.asm["ttir"].replace(f"{HERE}/", "").replace(str(Path(triton.__file__).parent), "triton")
    return found


if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in all_texts().items():
        (folder / f"{name}.ttir").write_text(text, encoding="utf-8")
