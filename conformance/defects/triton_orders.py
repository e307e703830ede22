"""Triton kernels that pass data from program to program by a flag, where the order or the scope of an atomic is too weak, or an access is none."""

from __future__ import annotations

import numpy as np

from conformance.defects.corpus import race
from conformance.defects.triton_kernels import at, triton_defect

try:
    import triton.language as tl
except ImportError:  # only Triton looks into these functions
    tl = None


def zeros(*counts):
    return [np.zeros(count, np.int32) for count in counts]


FLAG, ONE, ROOM = zeros(1)[0], zeros(1)[0], zeros(2)[0]
# Program 0 writes `data`, raises `flag`; program 1 waits for it and takes what `data` has.
HANDED = {"grid": 2, "inputs": [FLAG, ONE, ROOM]}
RACE = race("data", (0,), at("put", 0), at("take", 1))


def handed(flag, data, out):
    return {"flag": flag + 1, "data": data + 7, "out": np.array([0, 7], np.int32)}


@triton_defect("the flag is raised by a relaxed exchange, which does not hand on what was written before", RACE, **HANDED)
class RaisedRelaxed:
    def broken(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)  # <put>
            tl.atomic_xchg(flag, 1, sem="relaxed")
        else:
            while tl.atomic_add(flag, 0, sem="acquire") != 1:
                pass
            tl.store(out + 1, tl.load(data))  # <take>

    def repaired(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)
            tl.atomic_xchg(flag, 1, sem="release")
        else:
            while tl.atomic_add(flag, 0, sem="acquire") != 1:
                pass
            tl.store(out + 1, tl.load(data))

    outputs = handed


@triton_defect("the program that waits looks by relaxed atomics, which take nothing on", RACE, **HANDED)
class AwaitedRelaxed:
    def broken(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)  # <put>
            tl.atomic_xchg(flag, 1, sem="release")
        else:
            while tl.atomic_add(flag, 0, sem="relaxed") != 1:
                pass
            tl.store(out + 1, tl.load(data))  # <take>

    def repaired(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)
            tl.atomic_xchg(flag, 1, sem="release")
        else:
            while tl.atomic_add(flag, 0, sem="acquire") != 1:
                pass
            tl.store(out + 1, tl.load(data))

    outputs = handed


@triton_defect("the flag is raised by an atomic that acquires, where it should release", RACE, **HANDED)
class RaisedByAcquire:
    def broken(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)  # <put>
            tl.atomic_add(flag, 1, sem="acquire")
        else:
            while tl.atomic_add(flag, 0, sem="acquire") == 0:
                pass
            tl.store(out + 1, tl.load(data))  # <take>

    def repaired(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)
            tl.atomic_add(flag, 1, sem="release")
        else:
            while tl.atomic_add(flag, 0, sem="acquire") == 0:
                pass
            tl.store(out + 1, tl.load(data))

    outputs = handed


@triton_defect("the program that waits looks by a compare-and-swap that releases, where it should acquire", RACE, **HANDED)
class AwaitedByRelease:
    def broken(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)  # <put>
            tl.atomic_xchg(flag, 1, sem="release")
        else:
            while tl.atomic_cas(flag, 1, 1, sem="release") != 1:
                pass
            tl.store(out + 1, tl.load(data))  # <take>

    def repaired(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)
            tl.atomic_xchg(flag, 1, sem="release")
        else:
            while tl.atomic_cas(flag, 1, 1, sem="acquire") != 1:
                pass
            tl.store(out + 1, tl.load(data))

    outputs = handed


@triton_defect("the flag is one of scope cta, which is none for another program",
               race("flag", (0,), at("raise", 0), at("look", 1)), RACE, **HANDED)
class FlagOfScopeCta:
    def broken(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)  # <put>
            tl.atomic_xchg(flag, 1, sem="release", scope="cta")  # <raise>
        else:
            while tl.atomic_add(flag, 0, sem="acquire", scope="cta") != 1:  # <look>
                pass
            tl.store(out + 1, tl.load(data))  # <take>

    def repaired(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)
            tl.atomic_xchg(flag, 1, sem="release", scope="gpu")
        else:
            while tl.atomic_add(flag, 0, sem="acquire", scope="gpu") != 1:
                pass
            tl.store(out + 1, tl.load(data))

    outputs = handed


@triton_defect("only the program that waits looks with scope cta: both must cover each other",
               race("flag", (0,), at("raise", 0), at("look", 1)), RACE, **HANDED)
class AwaitedWithScopeCta:
    def broken(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)  # <put>
            tl.atomic_xchg(flag, 1, sem="release", scope="sys")  # <raise>
        else:
            while tl.atomic_add(flag, 0, sem="acquire", scope="cta") != 1:  # <look>
                pass
            tl.store(out + 1, tl.load(data))  # <take>

    def repaired(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)
            tl.atomic_xchg(flag, 1, sem="release", scope="sys")
        else:
            while tl.atomic_add(flag, 0, sem="acquire", scope="gpu") != 1:
                pass
            tl.store(out + 1, tl.load(data))

    outputs = handed


@triton_defect("the flag is raised by a plain store", race("flag", (0,), at("raise", 0), at("look", 1)), RACE, **HANDED)
class RaisedByStore:
    def broken(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)  # <put>
            tl.store(flag, 1)  # <raise>
        else:
            while tl.atomic_add(flag, 0, sem="acquire") != 1:  # <look>
                pass
            tl.store(out + 1, tl.load(data))  # <take>

    def repaired(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)
            tl.atomic_store(flag, 1, sem="release")
        else:
            while tl.atomic_add(flag, 0, sem="acquire") != 1:
                pass
            tl.store(out + 1, tl.load(data))

    outputs = handed


@triton_defect("the program that waits looks by a plain load", race("flag", (0,), at("raise", 0), at("look", 1)), RACE, **HANDED)
class AwaitedByLoad:
    def broken(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)  # <put>
            tl.atomic_xchg(flag, 1, sem="release")  # <raise>
        else:
            while tl.load(flag) != 1:  # <look>
                pass
            tl.store(out + 1, tl.load(data))  # <take>

    def repaired(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)
            tl.atomic_xchg(flag, 1, sem="release")
        else:
            while tl.atomic_load(flag, sem="acquire") != 1:
                pass
            tl.store(out + 1, tl.load(data))

    outputs = handed


@triton_defect("an atomic store that raises the flag is relaxed", RACE, **HANDED)
class StoreRelaxed:
    def broken(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)  # <put>
            tl.atomic_store(flag, 1, sem="relaxed")
        else:
            while tl.atomic_load(flag, sem="acquire") != 1:
                pass
            tl.store(out + 1, tl.load(data))  # <take>

    def repaired(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)
            tl.atomic_store(flag, 1, sem="release")
        else:
            while tl.atomic_load(flag, sem="acquire") != 1:
                pass
            tl.store(out + 1, tl.load(data))

    outputs = handed


@triton_defect("a poll for the flag is relaxed", RACE, **HANDED)
class PolledRelaxed:
    def broken(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)  # <put>
            tl.atomic_xchg(flag, 1, sem="release")
        else:
            tl.atomic_poll(flag, 1, sem="relaxed")
            tl.store(out + 1, tl.load(data))  # <take>

    def repaired(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)
            tl.atomic_xchg(flag, 1, sem="release")
        else:
            tl.atomic_poll(flag, 1, sem="acquire")
            tl.store(out + 1, tl.load(data))

    outputs = handed


@triton_defect("the flag is raised before the data is written", RACE, **HANDED)
class RaisedTooEarly:
    def broken(flag, data, out):
        if tl.program_id(0) == 0:
            tl.atomic_xchg(flag, 1, sem="release")
            tl.store(data, 7)  # <put>
        else:
            while tl.atomic_add(flag, 0, sem="acquire") != 1:
                pass
            tl.store(out + 1, tl.load(data))  # <take>

    def repaired(flag, data, out):
        if tl.program_id(0) == 0:
            tl.store(data, 7)
            tl.atomic_xchg(flag, 1, sem="release")
        else:
            while tl.atomic_add(flag, 0, sem="acquire") != 1:
                pass
            tl.store(out + 1, tl.load(data))

    outputs = handed


@triton_defect("a third program lowers the flag by an atomic store, which hands on nothing of what the first one did", grid=3,
               *[race("data", (0,), at("put", 0), at("take", 1))], inputs=[FLAG, ONE, ROOM])
class ChainBrokenByStore:
    def broken(flag, data, out):
        pid = tl.program_id(0)
        if pid == 0:
            tl.store(data, 7)  # <put>
            tl.atomic_xchg(flag, 1, sem="release")
        elif pid == 1:
            while tl.atomic_load(flag, sem="relaxed") != 2:
                pass
            tl.atomic_poll(flag, 2, sem="acquire")
            tl.store(out + 1, tl.load(data))  # <take>
        else:
            while tl.atomic_load(flag, sem="relaxed") != 1:
                pass
            tl.atomic_store(flag, 2, sem="release")

    def repaired(flag, data, out):
        pid = tl.program_id(0)
        if pid == 0:
            tl.store(data, 7)
            tl.atomic_xchg(flag, 1, sem="release")
        elif pid == 1:
            while tl.atomic_load(flag, sem="relaxed") != 2:
                pass
            tl.atomic_poll(flag, 2, sem="acquire")
            tl.store(out + 1, tl.load(data))
        else:
            while tl.atomic_load(flag, sem="relaxed") != 1:
                pass
            tl.atomic_add(flag, 1, sem="relaxed")

    def outputs(flag, data, out):
        return {"flag": flag + 2, "data": data + 7, "out": np.array([0, 7], np.int32)}
