"""Types of TTIR: scalars, pointers, tensors and tensor descriptors."""

from __future__ import annotations

from dataclasses import dataclass

from .scanner import Scanner

SCALAR = r"(?:[su]?i\d+|index|bf16|f\d+(?:E\d+M\d+\w*)?|tf32)\b"


@dataclass(frozen=True)
class Pointer:
    """A pointer to elements; `space` is its address space, 1 for global memory, "constant" for what a kernel may not write."""

    pointee: "str | Pointer | Type"
    space: "int | str" = 1


@dataclass(frozen=True)
class Descriptor:
    """A tensor descriptor, whose boxes are tensors of the type `box`.  Only here do integers tell whether they are signed: si32, ui32."""

    box: "Type"


@dataclass(frozen=True)
class Type:
    """A scalar (`shape` is None) or a tensor of `element`, such as "f32", "i1", or a Pointer."""

    element: "str | Pointer | Descriptor"
    shape: tuple[int, ...] | None = None

    @property
    def is_pointer(self) -> bool:
        return isinstance(self.element, Pointer)

    @property
    def pointee(self) -> "str | Pointer | Type | None":
        """The type of the memory behind a pointer or a descriptor, integers without signs; None for other types."""
        if isinstance(self.element, Descriptor):
            return str(self.element.box.element).removeprefix("s").removeprefix("u")
        return self.element.pointee if isinstance(self.element, Pointer) else None

    def of(self, element: "str | Pointer | Descriptor") -> "Type":
        """The type of the same shape with other elements."""
        return Type(element, self.shape)

    def __str__(self) -> str:
        element = _spelled(self.element)
        return element if self.shape is None else f"tensor<{''.join(f'{n}x' for n in self.shape)}{element}>"


def _spelled(element: "str | Pointer | Descriptor | Type") -> str:
    if isinstance(element, Pointer):
        space = {1: "", "constant": ', "constant"'}.get(element.space, f", {element.space}")
        return f"!tt.ptr<{_spelled(element.pointee)}{space}>"
    if isinstance(element, Descriptor):
        return f"!tt.tensordesc<{element.box}>"
    return str(element)


def read_type(at: Scanner) -> Type:
    """The type that is next.  Raises SyntaxProblem for what is none, encodings of layouts included: TTIR has none."""
    if at.accept("tensor<"):
        shape = tuple(int(extent) for extent in at.need(r"(?:\d+x)*", "extents").split("x")[:-1])
        element = read_type(at).element
        at.expect(">")
        return Type(element, shape)
    if at.accept("!tt.ptr<"):
        return _rest_of_pointer(at)
    if at.accept("!tt.tensordesc<"):
        return Type(Descriptor(_read_box(at)))
    if at.accept("<"):  # without its name, as `tt.make_tensor_descriptor` has it: a box has extents, a pointee none
        return Type(Descriptor(_read_box(at))) if at.peek(r"\d+x|tensor<") else _rest_of_pointer(at)
    return Type(at.need(SCALAR, "a type"))


def _rest_of_pointer(at: Scanner) -> Type:
    pointee = read_type(at)
    space = _space(at.need(r'\d+|"\w+"', "an address space")) if at.accept(",") else 1
    at.expect(">")
    return Type(Pointer(pointee.element if pointee.shape is None else pointee, space))


def _space(text: str) -> int | str:
    return int(text) if text.isdigit() else text.strip('"')


def _read_box(at: Scanner) -> Type:
    """The box of a descriptor: a tensor type, since Triton 3.9 without the word `tensor`."""
    if at.is_next("tensor<"):
        box = read_type(at)
    else:
        shape = tuple(int(extent) for extent in at.need(r"(?:\d+x)*", "extents").split("x")[:-1])
        box = Type(read_type(at).element, shape)
    at.expect(">")
    return box
