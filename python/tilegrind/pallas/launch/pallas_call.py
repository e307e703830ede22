"""One `pallas_call` as one kernel: grid, parameters, index maps, body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from jax._src import dtypes
from jax._src.pallas import core as pallas_core

from .. import rules  # noqa: F401  (its modules fill the table of rules)
from ...ir.builder import Builder, Region, Type, Value, drop_unused_constants, type_text
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, aval_type
from ..lowering.cores import Cores, divide
from ..lowering.devices import Devices
from ..lowering.tpu_model import TpuModel, is_for_tpu, space_of
from ..tracing import jaxprs
from .names import distinct, function_name, identifier
from ..tracing.sources import Locations, place_of_function

GridSemantics = str | Sequence[str] | None

_ROLES = ("prefetch", "input", "output", "scratch")

_SEMANTICS = {
    "parallel": "parallel",
    "core_parallel": "parallel",
    "subcore_parallel": "parallel",
    "arbitrary": "arbitrary",
    "sequential": "arbitrary",
}


@dataclass
class Param:
    """A parameter of a kernel: its JSON, and the reference to it inside the body."""

    json: dict[str, Any]
    ref: Value


class Launch:
    """The parameters of a `pallas_call` equation, as read by an export; with `devices` as one kernel for all of them.  Raises
    Unsupported."""

    def __init__(self, params: Mapping[str, Any], grid_semantics: GridSemantics, model: TpuModel = TpuModel(),
                 devices: Devices | None = None):
        self.jaxpr = params["jaxpr"]
        self.grid_mapping = params["grid_mapping"]
        self.aliases = tuple(params["input_output_aliases"])
        self.compiler_params = params["compiler_params"]
        # Lowering passes the parameters of an interpreter under another name.
        self.interpreter = params.get("interpret_params", params.get("interpret"))
        self.debug_info = jaxprs.opened(self.jaxpr)[0].debug_info
        self.name = params["name"] or function_name(self.debug_info)
        self.grid_semantics = grid_semantics
        self.model = model
        self.devices = devices
        self.is_core_map = type(params.get("mesh")).__name__ == "TensorCoreMesh"
        if self.grid_mapping.local_grid_env is not None:
            raise Unsupported("a grid with an environment of its own is not supported")
        self.cores = self._cores()
        if devices is not None and (self.cores.is_mesh or self.cores.division or self.grid_mapping.num_dynamic_grid_bounds):
            raise Unsupported("several cores, or a grid of dynamic size, on several devices are not supported")

    def kernel(self, locations: Locations) -> dict[str, Any]:
        """The kernel in the form of docs/ir.md."""
        builder = Builder()
        params = self._params(builder)
        for param, mapping in zip(self._blocked(params), self.grid_mapping.block_mappings):
            self._set_block(param, mapping, params, builder, locations)
        self._set_aliases(params)
        body = self._body(params, builder, locations)
        params = self._with_hoisted(params)
        kernel: dict[str, Any] = {"name": self.name}
        loc = locations.number(place_of_function(self.debug_info))
        if loc is not None:
            kernel["loc"] = loc
        kernel["grid"] = self._grid()
        kernel["params"] = [param.json for param in params]
        kernel["body"] = body.json()
        drop_unused_constants(kernel["body"])
        return kernel

    # -- grid --

    def _cores(self) -> Cores:
        mapping = self.grid_mapping
        if self.is_core_map:
            return Cores(are_axis=len(mapping.grid) == 1, is_mesh=True)
        if not self.model.divides_grid or mapping.vmapped_dims:
            return Cores()
        semantics = [axis or "parallel" for axis in self._semantics()]
        division = divide(mapping.grid, semantics, self.model.cores, self.model.seed)
        return Cores(are_axis=division is not None, division=division)

    def _grid(self) -> list[dict[str, Any]]:
        if self.cores.division is not None:
            return self.cores.division.grid()
        names = self.grid_mapping.grid_names or (None,) * len(self.grid_mapping.grid)
        axes: list[dict[str, Any]] = [{"size": size, "semantics": semantics, "name": str(name)}
                                      for size, name, semantics in (self.devices.axes() if self.devices else ())]
        for size, semantics, name in zip(self.grid_mapping.grid, self._semantics(), names):
            dynamic = size is pallas_core.dynamic_grid_dim
            if not dynamic and not isinstance(size, int):
                raise Unsupported(f"grid size {size} is symbolic")
            axis: dict[str, Any] = {"size": "dynamic" if dynamic else size}
            if semantics is not None:
                axis["semantics"] = semantics
            if name is not None:
                axis["name"] = str(name)
            axes.append(axis)
        return axes

    def _semantics(self) -> list[str | None]:
        """Semantics of each axis; None if nobody declares them.  Axes that vmap added are independent of each other,
        so they are parallel unless the source lists them too."""
        rank = len(self.grid_mapping.grid)
        own = [axis for axis in range(rank) if axis not in self.grid_mapping.vmapped_dims]
        given = self._given_semantics()
        if given is None:
            return [None if axis in own else "parallel" for axis in range(rank)]
        if isinstance(given, str):
            given = [given] * len(own)
        names: list[Any] = [_SEMANTICS.get(str(getattr(entry, "value", entry)).lower()) for entry in given]
        if None in names:
            raise Unsupported(f"unknown grid semantics {tuple(map(str, given))}")
        if len(names) == len(own):
            listed = dict(zip(own, names))
            return [listed.get(axis, "parallel") for axis in range(rank)]
        if len(names) > rank:
            raise Unsupported(f"{len(names)} grid semantics for {rank} axes")
        return ["parallel"] * (rank - len(names)) + names

    def _given_semantics(self) -> GridSemantics:
        """Semantics from the compiler parameters, else from the caller, else by the kind of kernel: sequential for the TPU
        unless declared otherwise, parallel for the GPU; else None."""
        if self.is_core_map:
            return "parallel"
        declared = getattr(self.compiler_params, "dimension_semantics", None)
        if declared is not None:
            return declared
        if is_for_tpu(self.compiler_params, self.interpreter):
            return "arbitrary"
        if self.grid_semantics is not None:
            return self.grid_semantics
        if ".triton." in type(self.compiler_params).__module__:
            return "parallel"
        only_on_tpu = self.grid_mapping.num_index_operands or self.grid_mapping.scratch_avals
        return "arbitrary" if only_on_tpu else None

    # -- parameters --

    def _params(self, builder: Builder) -> list[Param]:
        """Parameters without blocks, in the order prefetch, input, output, scratch, without those that are left
        out."""
        invars = jaxprs.opened(self.jaxpr)[0].invars
        mapping = self.grid_mapping
        blocked = mapping.num_inputs + mapping.num_outputs
        roles = (["prefetch"] * mapping.num_index_operands + ["input"] * mapping.num_inputs
                 + ["output"] * mapping.num_outputs)
        roles += ["scratch"] * (len(invars) - len(roles))
        arrays = [None] * mapping.num_index_operands
        arrays += [block.array_aval for block in mapping.block_mappings]
        arrays += [None] * (len(invars) - mapping.num_index_operands - blocked)
        params = []
        for name, role, array, var in zip(self._param_names(roles), roles, arrays, invars):
            if self._is_left_out(var):
                continue
            own = aval_type(var.aval)
            whole = self._on_all(role, aval_type(var.aval if array is None else array))
            json: dict[str, Any] = {"name": name, "role": role, "type": type_text(*whole)}
            if self.devices and own[0] == "sem":
                json["shared"] = True
            space = _space(var.aval)
            if space is None and self.is_core_map and role in ("input", "output"):
                space = "any"  # cores access whole arrays in place, however this version of JAX expresses it
            if space is not None:
                json["space"] = space
            params.append(Param(json, builder.value(*own, is_ref=True)))
        return params

    def _on_all(self, role: str, own: Type) -> Type:
        """The type of what has a part of type `own` for each device: arrays and semaphores, but no other scratch."""
        dtype, shape = own
        return (dtype, (*self.devices.shape, *shape)) if self.devices and (role != "scratch" or dtype == "sem") else own

    def _is_left_out(self, var: Any) -> bool:
        """Whether a parameter is a semaphore that nothing accesses: then it is not needed."""
        dtype = getattr(var.aval, "dtype", None)
        if dtype is None or not dtypes.issubdtype(dtype, pallas_core.semaphore_dtype):
            return False
        return var not in jaxprs.live_vars(jaxprs.opened(self.jaxpr)[0])

    def _param_names(self, roles: Sequence[str]) -> list[str]:
        """The kernel's own argument names, else the origin of the operand; distinct."""
        args = self.debug_info.arg_names or ()
        names = list(args) if len(args) == len(roles) else [None] * len(roles)
        first_block = self.grid_mapping.num_index_operands
        taken: set[str] = set()
        result = []
        for position, (name, role) in enumerate(zip(names, roles)):
            if not name and role in ("input", "output"):
                name = self.grid_mapping.block_mappings[position - first_block].origin
            name = identifier(str(name)) if name else f"{role}_{position}"
            result.append(distinct(name, taken))
        return result

    def _blocked(self, params: list[Param]) -> list[Param]:
        return [param for param in params if param.json["role"] in ("input", "output")]

    def _set_block(self, param: Param, mapping: Any, params: list[Param], builder: Builder,
                   locations: Locations) -> None:
        """Adds `block` and `index_map`; neither if one block is the whole array."""
        if mapping.transforms:
            raise Unsupported(f"block of {mapping.origin}: layout transforms are not supported")
        index_map, at_zero = self._index_map(mapping, params, builder, locations)
        block = [_block_dim(dim, mapping.origin) for dim in mapping.block_shape]
        whole = block == [{"blocked": extent} for extent in mapping.array_aval.shape]
        if not (whole and at_zero):
            param.json["block"] = ["squeezed"] * self._first_axis + block
            if not at_zero or self.devices:
                param.json["index_map"] = index_map.json()

    def _index_map(self, mapping: Any, params: list[Param], builder: Builder,
                   locations: Locations) -> tuple[Region, bool]:
        """The region of an index map, and whether it is zero everywhere."""
        rank, first = len(self._grid()), self._first_axis
        prefetch = [param.ref for param in params if param.json["role"] == "prefetch"]
        if prefetch and self.devices:
            raise Unsupported("prefetched scalars on several devices are not supported")
        args = [builder.value("i32", ()) for _ in range(rank)]
        args += [builder.value(ref.dtype, ref.shape, is_ref=True) for ref in prefetch]
        builder.loc = None
        converter = self._converter(builder, locations)
        converter.is_index_map = True
        converter.axis_names = (*(None,) * first, *converter.axis_names[first:])
        with builder.region(args) as region:
            if self.cores.division is not None:
                args[:rank] = converter.expand(self.cores.division.place, args[:rank])
            outs = converter.inline(mapping.index_map_jaxpr, args[first:])
            region.yields = args[:first] + [
                out if out.dtype in ("i32", "i64") else builder.convert(out, "i32") for out in outs
            ]
        if len(outs) != len(mapping.block_shape):
            raise Unsupported(f"index map of {mapping.origin} returns {len(outs)} values")
        return region, all(out.const == 0 for out in outs)

    def _set_aliases(self, params: list[Param]) -> None:
        """Input positions count the prefetch operands too; dynamic grid bounds do not count."""
        outputs = [param for param in params if param.json["role"] == "output"]
        for source, target in self.aliases:
            outputs[target].json["alias"] = params[source].json["name"]

    # -- body --

    def _body(self, params: list[Param], builder: Builder, locations: Locations) -> Region:
        builder.loc = None
        converter = self._converter(builder, locations)
        with builder.region([param.ref for param in params]) as region:
            refs = iter([self._own(builder, param) for param in params])
            # Parameters that are left out have no value, as nothing reads them.
            args = [builder.value("i32", (), is_ref=True) if self._is_left_out(var) else next(refs)
                    for var in jaxprs.opened(self.jaxpr)[0].invars]
            self._find_place(converter)
            self._copy_inputs(converter, params, args)
            for var, ref in zip(jaxprs.opened(self.jaxpr)[0].invars, args):
                if not self.devices or not self.devices.has(ref):  # behind a device's part is that of the next one
                    converter.note_padding(ref, var.aval)
            converter.inline(self.jaxpr, args)
            region.args = [param.ref for param in self._with_hoisted(params)]
        return region

    def _own(self, builder: Builder, param: Param) -> Value:
        """The reference by which the body knows a parameter: of one that has a part for each device, the device's own."""
        shared = param.json["role"] != "scratch" or "shared" in param.json
        if not self.devices or "block" in param.json or not shared:
            return param.ref
        dtype, shape = param.ref.type
        param.ref = builder.value(dtype, (*self.devices.shape, *shape), is_ref=True)
        return self.devices.own(builder, param.ref)

    def _with_hoisted(self, params: list[Param]) -> list[Param]:
        """The parameters with those for memory allocated inside the body, each after all others of its role."""
        return sorted([*params, *(Param(json, ref) for json, ref in self.cores.hoisted)],
                      key=lambda param: _ROLES.index(param.json["role"]))

    def _find_place(self, converter: Converter) -> None:
        """On a divided grid: computes the program's coordinates in the kernel's own grid."""
        division = self.cores.division
        if division is not None:
            program = [converter.builder.emit1("program_id", [], ("i32", ()), axis=axis) for axis in range(2)]
            converter.places = converter.own_program_ids = converter.expand(division.place, program)

    def _copy_inputs(self, converter: Converter, params: list[Param], args: list[Value]) -> None:
        """Copies inputs that a core of a TPU loads once, as they are neither blocks nor in HBM: the core keeps their initial
        values, even if the output that is the input's alias changes, and has its own copy, even if the kernel writes it."""
        invars, mapping = jaxprs.opened(self.jaxpr)[0].invars, self.grid_mapping
        kept = {source for source, _ in self.aliases} if self.model.is_tpu and not self.is_core_map else set()
        if self.cores.division is not None:
            kept |= jaxprs.written(self.jaxpr)
        first = mapping.num_index_operands
        for position in sorted(kept & set(range(first, first + mapping.num_inputs))):
            if "block" not in params[position].json and space_of(invars[position].aval) != "hbm":
                args[position] = self.cores.own_copy(converter.builder, args[position], self._steps())

    def _steps(self) -> list[int]:
        """The axes along which the programs of a core run in sequence."""
        return [axis for axis, entry in enumerate(self._grid()) if entry.get("semantics") == "arbitrary"]

    def _converter(self, builder: Builder, locations: Locations) -> Converter:
        mapping, first = self.grid_mapping, self._first_axis
        own = [first + axis for axis in range(len(mapping.grid)) if axis not in mapping.vmapped_dims]
        names = (*(self.devices.names if self.devices else ()), *(mapping.grid_names or ()))
        converter = Converter(builder, locations, own, names, self.model, self.cores)
        converter.devices = self.devices
        return converter

    @property
    def _first_axis(self) -> int:
        """The number of the first axis of the grid that is the call's own."""
        return len(self.devices.shape) if self.devices else 0


def _space(aval: Any) -> str | None:
    """Name of a reference's memory space; None for the default one, for which a TPU has blocks in VMEM."""
    space = getattr(aval, "memory_space", None)
    name = str(getattr(space, "value", space)).lower()
    return None if space is None or name in ("default", "device") else name


def _block_dim(dim: Any, origin: str) -> Any:
    """JSON of one dimension of a block."""
    if isinstance(dim, pallas_core.Squeezed):
        return "squeezed"
    if isinstance(dim, pallas_core.Blocked):
        return {"blocked": dim.block_size}
    if isinstance(dim, pallas_core.Element):
        padded = {"pad": list(dim.padding)} if tuple(dim.padding) != (0, 0) else {}
        return {"element": dim.block_size, **padded}
    raise Unsupported(f"block of {origin}: {type(dim).__name__} dimensions are not supported")
