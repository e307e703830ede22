"""The files of a run, made by the judge: inputs that nobody may change, outputs filled with poison between guards.

Around each output lies a guard, a tensor of bytes of its own.  Guards and outputs are filled with bytes that differ from
run to run: those of the second run of a case are the complement of those of the first, so no element can look unwritten
by chance.
"""

from __future__ import annotations

import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping

import numpy as np

from ..digests import digest
from ..runner.layout import Type, header_of
from .verdicts import Fault

_GUARD = 256  # bytes, and at most the size of the padding more
_ALIGNMENT = 64
_PERIOD = 4099  # of the poison; a prime, so that no block of a kernel repeats it


def poison() -> bytes:
    """Fresh poison."""
    return secrets.token_bytes(_PERIOD)


def complement(pattern: bytes) -> bytes:
    return bytes(byte ^ 0xFF for byte in pattern)


def write_inputs(path: Path, arrays: Mapping[str, tuple[Type, bytes]]) -> str:
    """Writes a file that is made for reading only.  Its digest."""
    header, entries = header_of([(name, tensor) for name, (tensor, _) in arrays.items()])
    data = header + b"".join(content for _, content in arrays.values())
    remove(path)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
    with open(descriptor, "wb") as file:
        file.write(data)
    return digest(data)


def remove(path: Path) -> None:
    """Removes what a run has left at the place of a file: a runner may have put a folder there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def check_inputs(path: Path, wanted: str) -> None:
    """Raises Fault if the file is not what was written."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise Fault("input-modified", f"the file of inputs cannot be read any more: {problem.strerror}") from None
    if digest(content) != wanted:
        raise Fault("input-modified", "the file of inputs changed")


@dataclass(frozen=True)
class _Part:
    """An output or a guard."""

    name: str
    type: Type
    begin: int
    end: int
    is_guard: bool


class Outputs:
    """The file of outputs of one run."""

    def __init__(self, path: Path, types: Mapping[str, Type], pattern: bytes):
        self._path, self._pattern = path, pattern
        guards = _names_of_guards(types)
        tensors = [(guards[0], _guard(0))]
        for k, (name, tensor) in enumerate(types.items()):
            tensors += [(name, tensor), (guards[k + 1], _guard(tensor.size))]
        self._header, entries = header_of(tensors)
        self._parts = [_Part(name, tensor, entries[name].begin, entries[name].end, name in guards)
                       for name, tensor in tensors]
        self._size = self._parts[-1].end
        remove(path)
        with open(path, "xb") as file:
            file.write(self._header + self._filled(len(self._header), self._size))
            self._inode = os.fstat(file.fileno()).st_ino
        self._descriptor = os.open(path, os.O_RDONLY)  # what the runner puts in its place is another file

    def _filled(self, begin: int, end: int) -> bytes:
        """The poison at these places."""
        first = begin % _PERIOD
        repeats = (first + end - begin) // _PERIOD + 1
        return (self._pattern * repeats)[first:first + end - begin]

    def read(self) -> dict[str, Written]:
        """What the run has written.  Raises Fault if it wrote anything else than the outputs."""
        try:
            self._check_file()
            with open(self._descriptor, "rb", closefd=False) as file:  # not mapped: a runner may cut it off meanwhile
                content = file.read()
        finally:
            self.close()
        if len(content) != self._size:
            raise Fault("output-replaced", f"the file of outputs has {len(content)} bytes instead of {self._size}")
        if content[:len(self._header)] != self._header:
            raise Fault("shape", "the header of the file of outputs changed")
        for part in self._parts:
            if part.is_guard and content[part.begin:part.end] != self._filled(part.begin, part.end):
                raise Fault("wrote-outside", self._where(content, part))
        return {part.name: Written(part.type, content[part.begin:part.end], self._filled(part.begin, part.end))
                for part in self._parts if not part.is_guard}

    def close(self) -> None:
        """Gives up the file without reading it."""
        os.close(self._descriptor)

    def _check_file(self) -> None:
        try:
            there = os.stat(self._path)
        except OSError as problem:
            raise Fault("output-replaced", f"the file of outputs is gone: {problem.strerror}") from None
        if there.st_ino != self._inode:
            raise Fault("output-replaced", "another file has the name of that of outputs, which is to be written in place")
        if there.st_size != self._size:
            raise Fault("output-replaced", f"the file of outputs has {there.st_size} bytes instead of {self._size}")

    def _where(self, content: bytes, guard: _Part) -> str:
        """Which bytes of a guard changed, counted from the output nearest to them."""
        wanted = self._filled(guard.begin, guard.end)
        changed = [k for k, byte in enumerate(wanted) if content[guard.begin + k] != byte]
        at = self._parts.index(guard)
        if at == 0:
            return f"{guard.end - guard.begin - changed[-1]} bytes before {self._parts[1].name}"
        return f"{changed[0]} bytes after the end of {self._parts[at - 1].name}"


@dataclass(frozen=True)
class Written:
    """The bytes of an output after a run, and those before it."""

    type: Type
    data: bytes
    before: bytes

    @property
    def array(self) -> np.ndarray:
        return np.frombuffer(self.data, np.uint8).view(self.type.numpy).reshape(self.type.shape)

    @property
    def untouched(self) -> np.ndarray:
        """Which elements still have the bytes from before the run, flat."""
        same = np.frombuffer(self.data, np.uint8) == np.frombuffer(self.before, np.uint8)
        return same.reshape(-1, self.type.numpy.itemsize).all(axis=1)


def _guard(size_before: int) -> Type:
    """A guard after so many bytes; what follows it is aligned."""
    return Type("u8", (_GUARD + -size_before % _ALIGNMENT,))


def _names_of_guards(types: Mapping[str, Type]) -> list[str]:
    """Names that no output has."""
    prefix = "guard"
    while any(name.startswith(prefix) for name in types):
        prefix += "_"
    return [f"{prefix}{k}" for k in range(len(types) + 1)]
