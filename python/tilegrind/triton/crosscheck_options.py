"""The options of ``python -m tilegrind.triton crosscheck``."""

from __future__ import annotations

import argparse


def add_options(command: argparse.ArgumentParser) -> None:
    """Those that other commands lack, and --checks."""
    add = command.add_argument
    add("--backends", default="cpu,triton-ptx", metavar="NAME,...",
        help="cpu, which is the reference, and those compared with it: triton-ptx, and emulator, which is the PTX of Tilegrind's own backend")
    add("--target", type=int, metavar="N", help="80 or 90: Triton compiles for sm_80 or sm_90 (default: --capability, else 80)")
    add("--seed", default=0, type=int, metavar="N", help="another order of CTAs and warps, and other approximations (default: 0, none)")
    add("--ulp", default=0, type=int, metavar="N", help="an element may differ by N ULP (default: 0) ...")
    add("--atol", default=0.0, type=float, metavar="A", help="... or by A (default: 0)")
    add("--instructions", default=1_000_000_000, type=int, metavar="N",
        help="of warps, after which a launch is stopped and not compared (default: 1000000000; 0: never)")
    add("--limit", type=int, metavar="N", help="compare the first N launches of each kernel; others only run (default: no limit)")
    add("--no-races", action="store_true", help="do not look for races within a CTA")
    add("--cta-races", action="store_true", help="look for races between CTAs in global memory, too")
    add("--no-first", action="store_true", help="do not look for the first operation that differs")
    add("--checks", default="none", metavar="NAMES", help="of the reference: none, all, or names separated by commas")
    add("--json", metavar="FILE", help="write the results to FILE too; standard output is shared with the program")
