"""Programs that say "cuda", on a machine without a GPU: torch is told that there is one, and its tensors are on the CPU.

Tensors that a program puts on "cuda" are made on the CPU, and each says that it is on `cuda:0`; copies between the two are copies, and
what is known to be on "cuda" stays itself when it is moved there.
Memory that a program wants to be pinned is ordinary memory.
What asks CUDA itself, such as `torch.Generator(device="cuda")`, does not work."""

from __future__ import annotations

import contextlib
import types
from typing import Any, Callable, Mapping, Sequence

import torch
from torch.overrides import TorchFunctionMode

from .events import Event, Stream
from .put_on_cuda import is_on_cuda, put_on_cuda

_COPIES = {torch.Tensor.cuda, torch.Tensor.cpu, torch.Tensor.to}
_DEVICE, _IS_CUDA, _IS_CPU = torch.Tensor.device.__get__, torch.Tensor.is_cuda.__get__, torch.Tensor.is_cpu.__get__
_active: list[Mapped] = []


class Mapped(TorchFunctionMode):
    """Inside it, arguments of torch's functions that name a GPU name the CPU."""

    def __torch_function__(self, func: Callable[..., Any], kinds: Any, args: Sequence[Any] = (),
                           kwargs: Mapping[str, Any] | None = None) -> Any:
        kwargs = kwargs or {}
        if func is torch.device:
            return func(*args, **kwargs)
        if func == _DEVICE and _IS_CPU(args[0]):
            return torch.device("cuda", 0)
        if func == _IS_CUDA:
            return _IS_CPU(args[0])
        if func is torch.Tensor.pin_memory:
            return args[0].clone()
        if func in _COPIES and (func is not torch.Tensor.to or _names_device(args[1:], kwargs)):
            return _copied(func, args, kwargs)
        kwargs = {name: one for name, one in kwargs.items() if name != "pin_memory"}
        given = (*args, *kwargs.values())
        result = func(*map(_mapped, args), **{name: _mapped(one) for name, one in kwargs.items()})
        if result is not None and not any(result is one for one in args) and any(_is_cuda(one) or is_on_cuda(one) for one in given):
            put_on_cuda(result)
        return result


def _copied(func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """A tensor on the device that is named: itself if it is known to be there and there is nothing to convert, else a copy.  Of what is on
    the CPU that is not known, as not everything that makes tensors on "cuda" is seen."""
    source, goes_to_cuda = args[0], func is torch.Tensor.cuda or any(_is_cuda(one) for one in (*args, *kwargs.values()))
    result = source
    if func is torch.Tensor.to:
        result = func(*map(_mapped, args), **{name: _mapped(one) for name, one in kwargs.items()})
    if result is source and not (goes_to_cuda and is_on_cuda(source)):
        result = source.clone()
    if goes_to_cuda:
        put_on_cuda(result)
    return result


def is_active() -> bool:
    return bool(_active)


def plain() -> Any:
    """A context in which torch says where tensors are."""
    return torch._C.DisableTorchFunction()


def map_cuda(undo: contextlib.ExitStack, capability: int, multiprocessors: int) -> None:
    """Maps until `undo` runs; programs are told that the GPU has this compute capability, 90 for 9.0, and so many multiprocessors."""
    for name, answer in _answers(capability, multiprocessors).items():
        undo.callback(setattr, torch.cuda, name, getattr(torch.cuda, name))
        setattr(torch.cuda, name, answer)
    _map_default(undo)
    mode = Mapped()
    undo.enter_context(mode)
    _active.append(mode)
    undo.callback(_active.remove, mode)


def _map_default(undo: contextlib.ExitStack) -> None:
    """Maps the default device, which torch adds where no mode of ours sees it any more."""
    set_default, get_default = torch.set_default_device, torch.get_default_device
    chosen = [get_default()]

    def set_default_device(device: Any) -> None:
        set_default(_mapped(device))
        chosen[0] = torch.device("cuda", 0) if _is_cuda(device) else torch.device(device or "cpu")

    def withdraw() -> None:
        if _is_cuda(chosen[0]):
            set_default(None)

    torch.set_default_device = set_default_device
    torch.get_default_device = lambda: chosen[0]
    undo.callback(withdraw)
    undo.callback(setattr, torch, "set_default_device", set_default)
    undo.callback(setattr, torch, "get_default_device", get_default)


def _is_cuda(one: Any) -> bool:
    return (isinstance(one, str) and one.split(":")[0] == "cuda") or (isinstance(one, torch.device) and one.type == "cuda")


def _mapped(one: Any) -> Any:
    return torch.device("cpu") if _is_cuda(one) else one


def _names_device(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    return "device" in kwargs or any(isinstance(one, (str, torch.device)) for one in args)


def _answers(capability: int, multiprocessors: int) -> dict[str, Any]:
    """What `torch.cuda` says and does."""
    properties = types.SimpleNamespace(name="Tilegrind on the CPU", major=capability // 10, minor=capability % 10,
                                       multi_processor_count=multiprocessors, total_memory=1 << 34, warp_size=32, max_threads_per_multi_processor=2048,
                                       shared_memory_per_block=48 << 10, shared_memory_per_block_optin=227 << 10,
                                       regs_per_multiprocessor=65536, L2_cache_size=1 << 25)
    stream = Stream()
    return {"is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0, "is_initialized": lambda: True,
            "get_device_capability": lambda device=None: (capability // 10, capability % 10),
            "get_device_name": lambda device=None: properties.name, "get_device_properties": lambda device=None: properties,
            "set_device": lambda device: None, "synchronize": lambda device=None: None, "empty_cache": lambda: None,
            "is_bf16_supported": lambda including_emulation=True: True, "current_stream": lambda device=None: stream,
            "stream": lambda stream: contextlib.nullcontext(), "device": lambda device: contextlib.nullcontext(),
            "device_of": lambda tensor: contextlib.nullcontext(), "manual_seed": lambda seed: None, "manual_seed_all": lambda seed: None,
            "memory_allocated": lambda device=None: 0, "max_memory_allocated": lambda device=None: 0,
            "reset_peak_memory_stats": lambda device=None: None, "Event": Event, "Stream": Stream}
