"""Makes torch's wheel for CUDA work without CUDA's libraries: `import torch` finds stand-ins for them, in which each function says
that there is no device.  Then `torch.cuda.is_available()` is False, and everything on the CPU works.

    python torch_stubs.py

writes them into the folder `torch/lib` of the Python that runs it.  Needs binutils and a C compiler.  For tests alone: what calls CUDA in
spite of that may end the process.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

NO_DEVICE = 100  # cudaErrorNoDevice
LIBRARIES = re.compile(r"lib(cu|nv|nccl)")
FUNCTIONS = re.compile(r"(cuda|cublas|cudnn|cufft|curand|cusparse|cusolver|nccl|nvrtc|nvJit|cupti|cu[A-Z]|nvtx|cufile|cuFile|nvshmem|__cuda"
                       r"|cudss)")


def output(*command: object) -> str:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout


def folder_of_torch() -> Path:
    """Found without importing torch, which would fail."""
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("torch is not installed for this Python")
    return Path(spec.submodule_search_locations[0]) / "lib"


def missing_libraries(folder: Path) -> list[str]:
    """Names of CUDA's libraries that torch's own ones ask for, and that are not beside them."""
    needed = {name for library in folder.glob("*.so") for name in re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", library))}
    return sorted(name for name in needed if LIBRARIES.match(name) and not (folder / name).exists())


def missing_functions(folder: Path) -> dict[str, set[str]]:
    """CUDA's functions that torch calls, each with the versions of its symbol."""
    found: dict[str, set[str]] = {}
    for library in folder.glob("*.so"):
        for symbol in re.findall(r" U (\S+)", output("nm", "-D", "--undefined-only", library)):
            name, _, version = symbol.partition("@")
            if FUNCTIONS.match(name):
                found.setdefault(name, set()).add(version.lstrip("@"))
    return found


def main() -> None:
    folder = folder_of_torch()
    libraries, functions = missing_libraries(folder), missing_functions(folder)
    if not libraries:
        print("torch finds all of its libraries")
        return
    home = next((name for name in libraries if "cudart" in name), libraries[0])
    versions = sorted({version for each in functions.values() for version in each if version})
    with tempfile.TemporaryDirectory() as work:
        source, script = Path(work) / "stubs.c", Path(work) / "versions.map"
        source.write_text("".join(f"int {name}(void) {{ return {NO_DEVICE}; }}\n" for name in sorted(functions)))
        script.write_text("".join(f"{version} {{ global: {' '.join(f'{name};' for name in functions if version in functions[name])} }};\n"
                                  for version in versions))
        for name in libraries:
            holds = [source, *([f"-Wl,--version-script={script}"] if versions else [])] if name == home else ["-x", "c", "/dev/null"]
            output("cc", "-shared", "-fPIC", "-w", "-o", folder / name, f"-Wl,-soname,{name}", *holds)
    print(f"{len(libraries)} libraries, {len(functions)} functions")


if __name__ == "__main__":
    main()
