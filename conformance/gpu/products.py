"""Which way of summing, of those that the emulator has, a GPU's `mma` has: the same random operands on both.

The entries are those of tests/emulator/forms/mma.ptx: their operands are the registers of a lane, of as many warps as wanted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from . import emulated
from .tables import FORMS

WAYS = {"Hopper": 0, "Ampere": 1, "one by one": 2}  # seeds of the emulator that select them
_THREADS = 96
_KEPT = 32 * 128  # threads whose registers are kept
_BYTES = {"b16": 2, "b32": 4, "f32": 4, "b64": 8, "f64": 8}


def _registers(dice: np.random.Generator, dtype: str, spread: int, count: int) -> np.ndarray:
    """Random registers of 32 or 64 bits: packed numbers of the dtype, whose exponents are `spread` apart at most."""
    if dtype == "f64":
        return np.ldexp(dice.standard_normal(count), dice.integers(-spread, spread + 1, count)).view(np.uint64)
    if dtype in ("s8", "u8", "s32", "e4m3", "e5m2"):
        packed = dice.integers(0, 1 << 32, count, np.uint64).astype(np.uint32)
        return packed if dtype[0] in "su" else _finite(dice, dtype, count)
    if dtype in ("f32", "tf32"):
        return np.ldexp(dice.standard_normal(count).astype(np.float32), dice.integers(-spread, spread + 1, count)).astype(np.float32).view(np.uint32)
    wide = np.ldexp(dice.standard_normal(2 * count), dice.integers(-spread, spread + 1, 2 * count)).astype(np.float32)
    if dtype == "f16":
        return np.clip(wide, -60000, 60000).astype(np.float16).view(np.uint32)
    return (wide.view(np.uint32) >> 16).astype(np.uint16).view(np.uint32)


def _finite(dice: np.random.Generator, dtype: str, count: int) -> np.ndarray:
    """Four fp8 numbers in each register, none of them NaN or infinite."""
    top = 0x7E if dtype == "e4m3" else 0x7B
    return (dice.integers(0, top + 1, 4 * count) | dice.integers(0, 2, 4 * count) << 7).astype(np.uint8).view(np.uint32)


def forms(text: str) -> list[tuple[str, list[str], list[str], list[str]]]:
    """Entry, types of D, A, B and C by name, kinds of results, and kinds of operands."""
    found = []
    for line in text.splitlines():
        if line.startswith("//:"):
            entry, *kinds = line[3:].split()
            types = re.findall(r"_(f16|bf16|tf32|f32|f64|e4m3|e5m2|s8|u8|s32)(?=_)", entry)
            at = kinds.index("=")
            found.append((entry, types[-4:], kinds[:at], kinds[at + 1:]))
    return found


def _counts(types: list[str], operands: list[str], results: list[str]) -> tuple[int, int, int]:
    """How many registers A, B and C have: C as many as D, A twice as many as B but for f64, where they are one each."""
    c = len(results)
    a = (len(operands) - c) // 2 if types[0] == "f64" else (len(operands) - c) * 2 // 3
    return a, len(operands) - c - a, c


def compare(module: Any, reference: Any, form: tuple[str, list[str], list[str], list[str]], warps: int, spread: int,
            keep: Path | None = None) -> dict[str, Any]:
    """How many elements of D differ from each way, for operands whose exponents are so far apart.

    keep  a folder for the registers of the first warps: operands `in0` ..., and the device's D"""
    entry, types, results, operands = form
    dice, threads = np.random.default_rng(spread), 32 * warps
    a, b, _ = _counts(types, operands, results)
    given = []
    for number, kind in enumerate(operands):
        dtype = types[1] if number < a else types[2] if number < a + b else types[3]
        given.append(_registers(dice, dtype, spread, threads).view(f"u{_BYTES[kind]}"))
    grid, count = (-(-threads // _THREADS),), np.uint32(threads)

    def outcome(on: Any, **options: int) -> np.ndarray:
        got = [np.zeros(threads, f"u{_BYTES[kind]}") for kind in results]
        on.run(entry, [*got, *(one.copy() for one in given), count], grid=grid, block=(_THREADS,), **options)
        return np.concatenate(got)

    seen = outcome(module)
    if keep:
        columns = seen.reshape(len(results), threads)[:, :_KEPT]
        np.savez_compressed(keep / f"{entry}-{spread}.npz", d=columns, **{f"in{at}": one[:_KEPT] for at, one in enumerate(given)})
    differing = {way: int((outcome(reference, seed=seed) != seen).sum()) for way, seed in WAYS.items()}
    return {"form": entry, "spread": spread, "elements": int(seen.size), "differing": differing}


def run(device: Any, warps: int = 3 * 256, keep: Path | None = None) -> list[dict[str, Any]]:
    """All forms of `mma`, with operands of about the same size, and of sizes further apart; `keep` as in `compare`."""
    text = (FORMS / "mma.ptx").read_text()
    module, reference = device.load(text), emulated.load(text)
    return [compare(module, reference, form, warps, spread, keep) for form in forms(text) for spread in (0, 4, 12)]
