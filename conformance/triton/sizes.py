"""How large a test of a public suite is, as far as its name says."""

from __future__ import annotations

import math
import re

LIST = re.compile(r"\[(?:\d+, *)*(\d+)\]")  # lengths of sequences, each from the start: the last one is the length of all
NOT_AN_EXTENT = re.compile(r"\d*\.\d+|\d+e-\d+|(?<=[a-z])\d+")  # 0.5, 1e-5, float16, chunk_size64


def size_of(test: str) -> int:
    """The product of the extents in the brackets of a test's name: 2 * 63 * 4 for `test_x[B2-T63-H4-torch.float16]`; 1 without any."""
    _, _, values = test.partition("[")
    values = NOT_AN_EXTENT.sub("", LIST.sub(lambda one: f"-{one[1]}", values))
    return math.prod(int(one) for one in re.findall(r"\d+", values) if int(one))
