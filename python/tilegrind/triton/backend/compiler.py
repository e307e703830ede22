"""What Triton asks of a backend while it compiles: options, and the stages, of which the last one is the text of TTIR."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, fields
from typing import Any

from triton.backends.compiler import BaseBackend as _Base
from triton.backends.compiler import GPUTarget, Language

from ... import __version__
from .target import NAME, presented


@dataclass(frozen=True)
class Options:
    """What a launch may set.  Most of it says how a GPU compiles and runs a kernel, and changes nothing here."""

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    warp_size: int = 32
    cluster_dims: tuple[int, ...] = (1, 1, 1)
    maxnreg: int | None = None
    enable_fp_fusion: bool = True
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    extern_libs: tuple[Any, ...] = ()
    debug: bool = True  # else there would be no tt.assert
    sanitize_overflow: bool = False  # Tilegrind has a check of its own
    arch: str = NAME
    backend_name: str = "tilegrind"
    ir_override: str | None = None
    instrumentation_mode: str = ""
    fpsan_homomorphic_casts: bool = False
    supported_fp8_dtypes: tuple[str, ...] = ("fp8e4nv", "fp8e5", "fp8e4b15", "fp8e4b8", "fp8e5b16")
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple[str, ...] = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int = 0
    ptx_version: int | None = None
    ptx_options: str | None = None
    sched4reg: bool = False
    enable_reflect_ftz: bool = True
    min_shared_mem: int | None = None
    clc: bool = False
    waves_per_eu: int = 0
    matrix_instr_nonkdim: int = 0
    kpack: int = 1
    schedule_hint: str = "none"
    allow_flush_denorm: bool = False
    llvm_fn_attrs: str | tuple[tuple[str, str], ...] = ""
    wgp_cu_mode: str = "wgp"
    launch_settings: tuple[tuple[str, Any], ...] = ()  # those that the launch gave, for texts.py

    def __post_init__(self) -> None:
        for name in ("extern_libs", "launch_settings"):
            object.__setattr__(self, name, _hashable(getattr(self, name)))
        if self.num_warps <= 0 or self.num_warps & (self.num_warps - 1):
            raise AssertionError("num_warps must be a power of 2")

    def hash(self) -> str:
        return hashlib.sha256(repr(sorted(asdict(self).items())).encode()).hexdigest()


def _hashable(value: Any) -> Any:
    """An option as a part of keys: callers may give `extern_libs` as a dict, and what Triton has written down comes back in lists."""
    if isinstance(value, dict):
        return tuple(value.items())
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple)) else value


class TilegrindBackend(_Base):
    binary_ext = "tilegrind"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == NAME or target == presented()

    def hash(self) -> str:
        """Part of the names in Triton's cache on disk: the text of a kernel depends on the target that it may ask for."""
        return f"tilegrind-{__version__}-{self.target.backend}-{self.target.arch}"

    def parse_options(self, options: dict[str, Any]) -> Options:
        """Triton calls it with what a launch gives, kernel parameters by name among it, and once more with all of what came of that."""
        known = {field.name for field in fields(Options)}
        set_here = {name: value for name, value in options.items() if name in known and value is not None}
        set_here.setdefault("launch_settings", tuple((name, _hashable(value)) for name, value in sorted(set_here.items())))
        return Options(**{name: value for name, value in set_here.items() if name not in ("debug", "sanitize_overflow")})

    def pack_metadata(self, metadata: Any) -> Any:
        return metadata

    def get_codegen_implementation(self, options: Options) -> dict[str, Any]:
        from .float8 import convert_custom_types

        return {"min_dot_size": lambda lhs, rhs: (1, 1, 1), "convert_custom_types": convert_custom_types}

    def get_module_map(self) -> dict[str, Any]:
        from triton.language.extra.cuda import libdevice

        return {"triton.language.extra.libdevice": libdevice}

    def load_dialects(self, context: Any) -> None:
        """Triton's own ones are there."""

    def add_stages(self, stages: dict[str, Any], options: Options, language: Language = Language.TRITON) -> None:
        if language != Language.TRITON:
            raise NotImplementedError("this kernel is Gluon's; Tilegrind runs kernels of triton.jit")
        stages["ttir"] = _named
        stages[self.binary_ext] = lambda text, metadata: str(text).encode()


def _named(module: Any, metadata: dict[str, Any]) -> Any:
    """The first stage as it comes, before any pass: passes drop lines and loads that nobody uses."""
    metadata["name"] = module.get_entry_func_name()
    metadata["shared"] = 1  # programs divide by it
    return module
