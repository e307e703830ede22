"""What code that `plgpu.inline_mgpu` inserts does, from the MLIR that it emits.

The inserted function is called with memory and scalars that are arguments of an MLIR block of its own, and with arrays that are values
of JAX (arrays.py).  The ops that it emits there are done in their order by functions of JAX, up to where an array needs
them.  So the function becomes one of Pallas, which the kernel around it calls.  What has no counterpart is refused.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import threading
from typing import Any, Callable, Iterator, Sequence

import jax
import jax.numpy as jnp
from jax import lax, tree_util

from ...ir.errors import Unsupported
from . import arrays
from .launch import EmittedLaunch
from .ops import EACH_LANE, OF_LANES, computed
from .views import View, view_of

_lock = threading.RLock()  # of the names that are replaced while an inserted function is called

_ARCH = (9, 0)  # of the GPU for which inserted functions emit code where they ask

_FENCES = ("#nvvm.proxy_kind<async>", "#nvvm.proxy_kind<async.shared>")


class Emission:
    """What one inserted function has emitted so far.

    grid, cluster  names and sizes of the axes of the kernel, which MLIR knows as blocks
    is_warp        whether one warp executes it"""

    def __init__(self, grid: Sequence[tuple[Any, int]], cluster: Sequence[tuple[Any, int]], is_warp: bool) -> None:
        from jax.experimental.mosaic import gpu as mosaic
        from jax.experimental.mosaic.gpu import fragmented_array
        from jaxlib.mlir import ir
        from jaxlib.mlir.dialects import func

        self._ir, self._mosaic, self.layouts = ir, mosaic, fragmented_array
        self._grid, self._cluster, self._is_warp = grid, cluster, is_warp
        self._values: dict[Any, Any] = {}  # of MLIR: scalars of JAX, views
        self._done: list[Any] = []
        self._module = ir.Module.create()
        for what, number in zip(("major", "minor"), _ARCH):  # newer versions of JAX look there
            self._module.operation.attributes[f"mosaic_gpu.arch_{what}"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), number)
        with ir.InsertionPoint(self._module.body):
            self._block = func.FuncOp("inserted", ([], [])).add_entry_block()
        self.arrays = arrays.array_class(self)

    @contextlib.contextmanager
    def _in_place(self) -> Iterator[None]:
        """Ops go to the block, and arrays are those of this emission."""
        with _lock, self._ir.InsertionPoint(self._block), contextlib.ExitStack() as undo:
            for module in (self._mosaic, self.layouts):
                undo.callback(setattr, module, "FragmentedArray", module.FragmentedArray)
                module.FragmentedArray = self.arrays
            yield

    def call(self, function: Callable[..., Any], arguments: Any) -> Any:
        """What the function returns, once all that it has emitted is done."""
        with self._in_place():
            try:
                result = function(EmittedLaunch(self), *arguments)
                self.reach()
            except Unsupported:
                raise
            except Exception as error:
                raise Unsupported(f"the inserted code raises {type(error).__name__}: {error}") from error
        return result

    # -- what goes in --

    def argument(self, value: Any, kind: Any) -> Any:
        """What the function gets for a reference or an array of the kernel."""
        if type(kind).__name__ == "RefType":
            return self._named_view(view_of(value, kind.transforms))
        self.check_shape(value.shape)
        return self.arrays(value, kind.to_mgpu())

    def check_shape(self, shape: Sequence[int]) -> None:
        """Raises Unsupported for an array of a warp."""
        if shape and self._is_warp:
            raise Unsupported(f"a warp has no arrays, and this one has shape {tuple(shape)}")

    def named(self, value: Any) -> Any:
        """The name in MLIR of a scalar of JAX."""
        name = self._block.add_argument(self.mlir_dtype(value.dtype), self._ir.Location.unknown())
        self._values[name] = jnp.asarray(value) if value.dtype.kind != "u" else lax.convert_element_type(value, value.dtype.name[1:])
        return name

    def is_shared(self, name: Any) -> bool:
        """Whether memory of MLIR is shared memory."""
        return self._mosaic.utils.is_smem_ref(name)

    def _named_view(self, view: View) -> Any:
        space = self._mosaic.utils.smem() if "smem" in str(jax.typeof(_whole(view.ref)).memory_space).lower() else None
        kind = self._ir.MemRefType.get(view.shape, self.mlir_dtype(view.ref.dtype), memory_space=space)
        name = self._block.add_argument(kind, self._ir.Location.unknown())
        self._values[name] = view
        return name

    def mlir_dtype(self, dtype: Any) -> Any:
        return self._mosaic.utils.dtype_to_ir_type(jnp.dtype(dtype))

    def splat_layout(self, shape: tuple[int, ...]) -> Any:
        return self.layouts.WGSplatFragLayout(shape)

    # -- what comes out --

    def scalar(self, name: Any) -> Any:
        """The scalar of JAX that a value of MLIR is."""
        self.reach()
        value = self._values.get(name) if isinstance(name, self._ir.Value) else None
        if value is EACH_LANE:
            raise Unsupported("the inserted code uses a value that differs between lanes")
        if value is None or isinstance(value, View):
            raise Unsupported("the inserted code uses something else than a scalar as one")
        return value

    def view(self, name: Any) -> View:
        """The memory that a value of MLIR is."""
        self.reach()
        value = self._values.get(name) if isinstance(name, self._ir.Value) else None
        if not isinstance(value, View):
            raise Unsupported("the inserted code uses something else than memory as such")
        return value

    def reach(self) -> None:
        """Does what has been emitted and is not yet done."""
        if self._ir.InsertionPoint.current.block != self._block:
            raise Unsupported("arrays inside of a branch or a loop of MLIR are not supported")
        ops = list(self._block.operations)
        if ops[:len(self._done)] != self._done:
            raise Unsupported("the inserted code emits an op in front of others")
        for op in ops[len(self._done):]:
            self._do(op.operation)
        self._done = ops

    # -- ops --

    def _do(self, op: Any) -> None:
        name, operands = op.name, list(op.operands)
        if name in OF_LANES:
            self._set(op, EACH_LANE)
        elif name.startswith("arith."):
            self._set(op, computed(op, [self._values[one] for one in operands]))
        elif name in ("gpu.block_id", "gpu.grid_dim"):
            self._set(op, self._of_blocks(op))
        elif name == "memref.subview":
            self._set(op, self._part(op))
        elif name == "memref.load":
            self._set(op, self._element(operands)[...])
        elif name == "memref.store":
            self._element(operands[1:])[...] = self._uniform(operands[0])
        elif name == "nvvm.fence.proxy" and str(op.attributes["kind"]) in _FENCES:
            importlib.import_module("jax.experimental.pallas.mosaic_gpu").commit_smem()
        elif name == "llvm.inline_asm" and str(op.attributes["asm_string"]) == '"bar.sync $0, 128;"' and not self._is_warp:
            pass  # a thread of Mosaic GPU is at one place with all its lanes
        elif name == "scf.if" and not op.results:
            self._branch(op)
        elif name != "scf.yield":
            raise Unsupported(f"the inserted code has an op {name}, which has no counterpart here")

    def _set(self, op: Any, value: Any) -> None:
        [result] = op.results
        self._values[result] = value

    def _uniform(self, name: Any) -> Any:
        value = self._values[name]
        if value is EACH_LANE:
            raise Unsupported("the inserted code uses a value that differs between lanes")
        return value

    def _branch(self, op: Any) -> None:
        bodies = [list(block.operations) for region in op.regions for block in region.blocks]
        if all(one.operation.name == "scf.yield" for body in bodies for one in body):
            return
        condition = self._uniform(op.operands[0])
        then, otherwise = (lambda body=body: [self._do(one.operation) for one in body] and None for body in (*bodies, [])[:2])
        lax.cond(condition, then, lambda: otherwise() or None)

    def _of_blocks(self, op: Any) -> Any:
        """The number of this block along a dimension of the launch, or how many there are: the last axes are the first dimensions, all
        axes in front of the last two are one, and the axes of a cluster are within those of the grid."""
        dimension = "xyz".index(str(op.attributes["dimension"])[-2])  # "#gpu<dim x>", or "#gpu.dim<x>"
        axes = [axis for kind in (self._grid, self._cluster) for axis in (kind[-1:], kind[-2:-1], kind[:-2])[dimension]]
        if op.name == "gpu.grid_dim":
            return jnp.int32(math.prod(size for _, size in axes))
        number = jnp.int32(0)
        for name, size in axes:
            number = number * size + lax.axis_index(name)
        return number

    def _part(self, op: Any) -> View:
        source, *more = op.operands
        moving = self._ir.ShapedType.get_dynamic_stride_or_offset()
        starts, sizes, steps = (list(op.attributes[f"static_{what}"]) for what in ("offsets", "sizes", "strides"))
        if len(more) != starts.count(moving) or any(step != 1 for step in steps):
            raise Unsupported("the inserted code takes a part of memory with sizes or steps that are not supported")
        given = iter(more)
        return self._values[source].part([self._uniform(next(given)) if start == moving else start for start in starts], sizes,
                                         len(op.results[0].type.shape))

    def _element(self, operands: Sequence[Any]) -> Any:
        source, *indices = operands
        return self._values[source].element([self._uniform(one) for one in indices])


def _whole(ref: Any) -> Any:
    """The reference that a view of one is part of."""
    return getattr(ref, "ref", ref)


def effect_of_code(params: Any, grid: Sequence[tuple[Any, int]], cluster: Sequence[tuple[Any, int]], is_warp: bool) -> Callable[..., Any]:
    """What the inserted function of an `inline_mgpu` with `params` does, as a function of Pallas with the same operands."""
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    def effect(*arguments: Any) -> Any:
        leaves = tree_util.tree_leaves(arguments, is_leaf=lambda one: hasattr(one, "transforms"))
        with mlir.make_ir_context(), ir.Location.unknown():
            emission = Emission(grid, cluster, is_warp)
            given = map(emission.argument, leaves, params["flat_arg_types"])
            result = emission.call(params["mgpu_fn"], tree_util.tree_unflatten(params["pytree_args"], given))
            results, tree = tree_util.tree_flatten(result)
            values = [_result(emission, *pair) for pair in zip(results, params["flat_ret_ty"])]
        return tree_util.tree_unflatten(tree, [*values, *results[len(values):]])

    effect.__qualname__ = getattr(params["mgpu_fn"], "__qualname__", "the inserted code")
    return effect


def _result(emission: Emission, array: Any, wanted: Any) -> Any:
    """An array that the inserted function returns, as it says that it does."""
    if not isinstance(array, emission.arrays):
        raise Unsupported(f"the inserted code returns something of type {type(array).__name__}")
    emission.check_shape(array.shape)
    if array.layout != wanted.layout.to_mgpu():
        raise Unsupported(f"the inserted code returns an array in layout {array.layout}, and says {wanted.layout.to_mgpu()}")
    is_same = array.value.dtype.kind in "iu" and jnp.dtype(wanted.dtype).kind in "iu"
    return arrays.same_bits(array.value, wanted.dtype) if is_same else array.value
