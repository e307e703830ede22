"""Layouts of blocks in memory: all those that Mosaic GPU's transforms give a block.

An array may be transposed in its last two dimensions, cut into tiles of 8 rows of 16 to 128 bytes, the tiles put in the order of
columns, and chunks of 16 bytes swizzled within rows of 32, 64 or 128 bytes (layout/mosaic/transforms.h).
"""

from __future__ import annotations

import copy
import itertools
import math
import re
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Sequence

from tilegrind.layout import Layout

CHUNK = 16  # bytes that a swizzle moves as one
WIDTHS = (16, 32, 64, 128)  # bytes of a row of a tile
ROWS = 8  # of a tile


@dataclass(frozen=True)
class Transforms:
    """tile      bytes of a row of the tiles; 0: the array is not cut
    swizzle      bytes of the rows within which chunks are swizzled; 0: they are not"""

    is_transposed: bool = False
    tile: int = 0
    is_by_columns: bool = False
    swizzle: int = 0

    def __str__(self) -> str:
        return " ".join(["transposed"] * self.is_transposed + [f"tile {self.tile}"] * bool(self.tile)
                        + ["by columns"] * self.is_by_columns + [f"swizzle {self.swizzle}"] * bool(self.swizzle)) or "rows"

    def layout(self, shape: Sequence[int], width: int) -> str | None:
        """The layout as text, of an array of elements of `width` bytes; None if there is none."""
        if 0 in shape:
            return None
        strips = self._strips(list(shape), width)
        if strips is None:
            return None
        last = strips[-1][1] if strips else 1
        if self.swizzle and last * width != self.swizzle:
            return None
        step, digits = 1, []
        for dim, extent, inner in reversed(strips):
            digits.append((dim, inner, extent, step))
            step *= extent
        digits.sort(key=lambda digit: (digit[0], -digit[1]))
        text = "({}):({})".format(",".join(str(extent) for _, _, extent, _ in digits),
                                  ",".join(str(stride) for _, _, _, stride in digits)) if digits else "1:1"
        return self._swizzled(text, width)

    def _strips(self, shape: list[int], width: int) -> list[tuple[int, int, int]] | None:
        """The dimensions in memory: which of the array's, extent, and its step there.  None if tiles do not divide."""
        dims = [(dim, extent, 1) for dim, extent in enumerate(shape)]
        if self.is_transposed:
            if len(dims) < 2:
                return None
            dims[-2:] = dims[:-3:-1]
        if not self.tile:
            return None if self.is_by_columns else dims
        tile = [ROWS, self.tile // width][-len(dims):]
        if not dims or self.tile % width or any(dim[1] % t for dim, t in zip(dims[-len(tile):], tile)):
            return None
        outer = [(dim, extent // t, t) for (dim, extent, _), t in zip(dims[-len(tile):], tile)]
        inner = [(dim, t, 1) for (dim, *_), t in zip(dims[-len(tile):], tile)]
        if self.is_by_columns:
            if len(outer) < 2 or 1 in (outer[0][1], outer[1][1]):
                return None
            outer.reverse()
        return dims[:-len(tile)] + outer + inner

    def _swizzled(self, text: str, width: int) -> str:
        if not self.swizzle:
            return text
        return f"Sw<{int(math.log2(self.swizzle // CHUNK))},{int(math.log2(CHUNK // width))},3> o {text}"


ALL = tuple(Transforms(*choice) for choice in itertools.product((False, True), (0, *WIDTHS), (False, True), (0, *WIDTHS[1:])))


def layouts_of(shape: Sequence[int], width: int) -> Iterator[tuple[Transforms, str]]:
    """Each of ALL that the array can have, with its layout; of those that give the same layout, the first."""
    seen = set()
    for transforms in ALL:
        text = transforms.layout(shape, width)
        if text is not None and (canonical := str(Layout(text).canonical())) not in seen:
            seen.add(canonical)
            yield transforms, text


# ---- blocks of kernels ----

# Bytes of the dtypes whose elements are whole bytes.
BYTES = {"bool": 1, "i8": 1, "u8": 1, "f8e4m3fn": 1, "f8e5m2": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2,
         "i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8}


@dataclass(frozen=True)
class Block:
    """A block, or scratch, as the body of a kernel sees it.  `width`: bytes of an element."""

    param: str
    role: str
    shape: tuple[int, ...]
    width: int


def blocks_of(kernel: Mapping[str, Any]) -> list[Block]:
    """The blocks of a kernel, as JSON, that can have a layout."""
    found = []
    for param, ref in zip(kernel["params"], kernel["body"]["args"], strict=True):
        dtype, extents = re.fullmatch(r"ref<(\w+)\[([\d,]*)\]>", ref["type"]).groups()
        shape = tuple(int(extent) for extent in extents.split(",") if extent)
        if param["role"] != "prefetch" and dtype in BYTES and 0 not in shape:
            found.append(Block(param["name"], param["role"], shape, BYTES[dtype]))
    return found


def most_together(kernel: Mapping[str, Any]) -> int:
    """The most blocks, or other params, whose memory one op of the kernel, as JSON, takes."""
    owner = {ref["id"]: param["name"] for param, ref in zip(kernel["params"], kernel["body"]["args"], strict=True)}

    def most_of(region: Mapping[str, Any]) -> int:
        most = 0
        for op in region.get("ops", ()):
            names = {owner[value] for value in op.get("in", ()) if value in owner}
            owner.update((out["id"], name) for out in op.get("out", ()) if out["type"].startswith("ref<") for name in names)
            most = max(most, len(names), *map(most_of, op.get("regions", ())))
        return most

    return most_of(kernel["body"])


def with_layouts(module: Mapping[str, Any], layouts: Mapping[str, str]) -> dict[str, Any]:
    """The module, as JSON, with layouts of the params of its first kernel."""
    made = copy.deepcopy(dict(module))
    for param in made["kernels"][0]["params"]:
        if param["name"] in layouts:
            param["layout"] = layouts[param["name"]]
    return made
