"""Made by tools/gen_bindings.py from the headers in include/tilegrind; changes belong there."""

import ctypes
from ctypes import (POINTER, c_char_p, c_void_p, c_char, c_int, c_double, c_size_t, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64)

OK = 0
ERR_IO = 1
ERR_USAGE = 2
ERR_SYNTAX = 3
ERR_TYPE = 4
ERR_INVALID = 5
ERR_UNSUPPORTED = 6
ERR_NO_MEMORY = 7
ERR_INTERNAL = 8
ERR_STOPPED = 9
TEXT_JSON = 0
TEXT_PLAIN = 1
TEXT_PLAN = 2
MAP_TEXT = 0
MAP_SVG = 1
BOUNDS_CERTAIN = 0
BOUNDS_PROBABLE = 1
ELEMENT_TEXT = 80
COMPARISON_TEXT = 768
VIEW_ELEMENTS = 0
VIEW_PLACES = 1
DRAWING_TEXT = 0
DRAWING_SVG = 1
JOIN_TILE = 0
JOIN_SUM = 1
RECORD_PLACE = 96
RECORD_LEFT_OUT = 512
MESH_RECORDED = 16


class Error(ctypes.Structure):
    _fields_ = [
        ("status", c_int),
        ("file", c_char_p),
        ("where", c_char_p),
        ("offset", c_int64),
        ("message", c_char_p),
    ]


class ModulePtxOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("target", c_char_p),
        ("profile", c_char_p),
        ("tensor_core", c_char_p),
    ]


class ParamInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("role", c_char_p),
        ("dtype", c_char_p),
        ("rank", c_int),
        ("shape", POINTER(c_int64)),
        ("alias", c_char_p),
    ]


class Dldevice(ctypes.Structure):
    _fields_ = [
        ("device_type", c_int32),
        ("device_id", c_int32),
    ]


class Dldtype(ctypes.Structure):
    _fields_ = [
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
    ]


class Dltensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device", Dldevice),
        ("ndim", c_int32),
        ("dtype", Dldtype),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class Array(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("tensor", Dltensor),
    ]


class UndefinedBytes(ctypes.Structure):
    _fields_ = [
        ("param", c_char_p),
        ("before", POINTER(c_uint8)),
        ("after", POINTER(c_uint8)),
    ]


PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64, c_int64)
PRINT = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


class RunOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("order", c_char_p),
        ("compat", c_char_p),
        ("dynamic_grid", POINTER(c_int64)),
        ("dynamic_grid_count", c_size_t),
        ("isa", c_char_p),
        ("max_findings", c_size_t),
        ("progress", PROGRESS),
        ("context", c_void_p),
        ("print", PRINT),
        ("profile", c_char_p),
        ("backend", c_char_p),
        ("checks", c_char_p),
        ("target", c_char_p),
        ("trap", c_char_p),
        ("partly_written", c_char_p),
        ("max_steps", c_int64),
        ("executor", c_void_p),
        ("layouts", c_char_p),
        ("warps", c_int),
        ("tensor_core", c_char_p),
        ("undefined", POINTER(UndefinedBytes)),
        ("undefined_count", c_size_t),
    ]


class CheckOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("shuffles", c_int),
        ("interleavings", c_int),
        ("seed", c_uint64),
    ]


class Finding(ctypes.Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("level", c_char_p),
        ("kernel", c_char_p),
        ("op", c_char_p),
        ("param", c_char_p),
        ("file", c_char_p),
        ("function", c_char_p),
        ("line", c_int64),
        ("rank", c_int),
        ("program", POINTER(c_int64)),
        ("count", c_int64),
        ("message", c_char_p),
        ("first", c_int64),
        ("last", c_int64),
        ("order", c_char_p),
        ("related_count", c_size_t),
        ("hint", c_char_p),
        ("caller_count", c_size_t),
        ("device", c_char_p),
        ("device_count", c_size_t),
        ("advice", c_char_p),
        ("variable", c_char_p),
    ]


class Caller(ctypes.Structure):
    _fields_ = [
        ("file", c_char_p),
        ("function", c_char_p),
        ("line", c_int64),
        ("skipped", c_char_p),
    ]


class Related(ctypes.Structure):
    _fields_ = [
        ("role", c_char_p),
        ("op", c_char_p),
        ("param", c_char_p),
        ("file", c_char_p),
        ("function", c_char_p),
        ("line", c_int64),
        ("program", POINTER(c_int64)),
        ("variable", c_char_p),
        ("caller_count", c_size_t),
    ]


class FindingKindInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("level", c_char_p),
        ("means", c_char_p),
    ]


class RunStats(ctypes.Structure):
    _fields_ = [
        ("programs", c_int64),
        ("threads", c_int),
        ("seconds", c_double),
        ("order", c_char_p),
        ("isa", c_char_p),
        ("profile", c_char_p),
        ("backend", c_char_p),
        ("instructions", c_int64),
    ]


class CoveragePart(ctypes.Structure):
    _fields_ = [
        ("count", c_int64),
        ("first", c_int64),
        ("programs", POINTER(c_int64) * 2),
    ]


class OutputCoverage(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("dims", c_int),
        ("shape", POINTER(c_int64)),
        ("rank", c_int),
        ("none", CoveragePart),
        ("one", CoveragePart),
        ("several", CoveragePart),
    ]


class ReportSwizzle(ctypes.Structure):
    _fields_ = [
        ("bits", c_int),
        ("base", c_int),
        ("shift", c_int),
    ]


class MemoryAccessCost(ctypes.Structure):
    _fields_ = [
        ("op", c_char_p),
        ("param", c_char_p),
        ("file", c_char_p),
        ("function", c_char_p),
        ("line", c_int64),
        ("space", c_char_p),
        ("warps", c_int64),
        ("is_assumed", c_int),
        ("narrowest_bytes", c_int),
        ("widest_bytes", c_int),
        ("accesses", c_int64),
        ("instructions", c_int64),
        ("cost", c_int64),
        ("least", c_int64),
        ("used_bytes", c_int64),
        ("worst_cost", c_int),
        ("worst_least", c_int),
        ("rank", c_int),
        ("program", POINTER(c_int64)),
        ("swizzle_bytes", ReportSwizzle),
        ("swizzle_elements", ReportSwizzle),
        ("swizzle_after", c_int64),
        ("swizzle_before", c_int64),
        ("swizzle_least", c_int64),
    ]


class Suppression(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("file", c_char_p),
        ("line", c_int64),
    ]


class BlockSpec(ctypes.Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("size", c_int64),
        ("pad_low", c_int64),
        ("pad_high", c_int64),
    ]


class ParamSpec(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("role", c_char_p),
        ("type", c_char_p),
        ("block", POINTER(BlockSpec)),
        ("index_map", c_uint32),
        ("alias", c_char_p),
        ("space", c_char_p),
        ("partly_written", c_int),
        ("arrivals", c_int64),
        ("layout", c_char_p),
        ("shared", c_int),
    ]


class Comparison(ctypes.Structure):
    _fields_ = [
        ("count", c_int64),
        ("differing", c_int64),
        ("first", c_int64),
        ("worst", c_int64),
        ("worst_ulps", c_uint64),
        ("failing", c_int64),
        ("first_failing", c_int64),
        ("agree", c_int),
    ]


DTYPE = ctypes.CFUNCTYPE(c_char_p, c_void_p, c_char_p)


class ArraysReadOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("dtype", DTYPE),
        ("context", c_void_p),
    ]


RUN = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_char_p, POINTER(Array), c_size_t, POINTER(RunOptions), POINTER(c_void_p), c_void_p)


class RunHook(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("run", RUN),
        ("context", c_void_p),
    ]


class CaseInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("why", c_char_p),
        ("kernel", c_char_p),
        ("order_count", c_size_t),
        ("finding_count", c_size_t),
        ("is_exact", c_int),
        ("input_count", c_size_t),
        ("grid_count", c_size_t),
        ("grid", POINTER(c_int64)),
    ]


class CaseVerdict(ctypes.Structure):
    _fields_ = [
        ("passed", c_int),
        ("unexpected", c_size_t),
        ("absent", c_size_t),
    ]


class CaseOutput(ctypes.Structure):
    _fields_ = [
        ("got", Array),
        ("is_expected", c_int),
        ("want", Array),
        ("comparison", Comparison),
    ]


class LayoutAxis(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_char_p),
        ("unit", c_char_p),
        ("means", c_char_p),
    ]


class LayoutNotation(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("means", c_char_p),
        ("example", c_char_p),
    ]


class LayoutPicture(ctypes.Structure):
    _fields_ = [
        ("view", c_int),
        ("form", c_int),
        ("title", c_char_p),
        ("by", c_char_p),
        ("element_bytes", c_int),
        ("join_rows", c_int),
        ("join_columns", c_int),
        ("against", c_void_p),
    ]


class LayoutPlan(ctypes.Structure):
    _fields_ = [
        ("kept", c_int64),
        ("registers", c_int64),
        ("shuffled", c_int64),
        ("shared", c_int64),
        ("global", c_int64),
        ("sent", c_int64),
        ("shuffles", c_int64),
        ("least", c_int64),
        ("shared_bytes", c_int64),
        ("global_bytes", c_int64),
        ("sent_bytes", c_int64),
        ("element", c_int64),
    ]


class LayoutCost(ctypes.Structure):
    _fields_ = [
        ("access_bytes", c_int),
        ("widest_bytes", c_int),
        ("accesses", c_int64),
        ("wavefronts", c_int64),
        ("least_wavefronts", c_int64),
        ("sectors", c_int64),
        ("lines", c_int64),
        ("least_sectors", c_int64),
        ("distinct_bytes", c_int64),
        ("warp", c_int64),
        ("elements", c_int64 * 2),
        ("lanes", c_int * 2),
        ("bank", c_int),
    ]


class LayoutSwizzled(ctypes.Structure):
    _fields_ = [
        ("before", c_int64),
        ("after", c_int64),
        ("least", c_int64),
    ]


class RecordLimits(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("accesses", c_size_t),
        ("values", c_int64),
        ("events", c_size_t),
    ]


class RecordingInfo(ctypes.Structure):
    _fields_ = [
        ("kernel", c_char_p),
        ("kernel_location", c_size_t),
        ("axis_count", c_size_t),
        ("param_count", c_size_t),
        ("location_count", c_size_t),
        ("asked_count", c_size_t),
        ("access_count", c_size_t),
        ("steps", c_int64),
    ]


class RecordAxis(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("size", c_int64),
        ("is_parallel", c_int),
        ("is_thread", c_int),
    ]


class RecordLocation(ctypes.Structure):
    _fields_ = [
        ("file", c_char_p),
        ("function", c_char_p),
        ("line", c_int64),
    ]


class RecordParam(ctypes.Structure):
    _fields_ = [
        ("role", c_char_p),
        ("dtype", c_char_p),
        ("array", Array),
        ("memory", c_size_t),
        ("accesses", c_int64),
        ("values", c_int64),
        ("since", c_int64),
        ("since_asked", c_int64),
    ]


class RecordRange(ctypes.Structure):
    _fields_ = [
        ("param", c_size_t),
        ("first", c_int64),
        ("last", c_int64),
    ]


class RecordAccess(ctypes.Structure):
    _fields_ = [
        ("step", c_int64),
        ("steps", c_int64),
        ("kind", c_char_p),
        ("is_part", c_int),
        ("op", c_char_p),
        ("location", c_size_t),
        ("param", c_size_t),
        ("program", c_int64),
        ("first", c_int64),
        ("rank", c_int),
        ("count", POINTER(c_int64)),
        ("stride", POINTER(c_int64)),
        ("values", c_void_p),
        ("value_count", c_int64),
    ]


class TimelineInfo(ctypes.Structure):
    _fields_ = [
        ("event_count", c_size_t),
        ("steps", c_int64),
        ("actors", c_int64),
        ("left_out", c_int64),
        ("left_since", c_int64),
        ("left_program", c_int64),
        ("left_location", c_size_t),
    ]


class RecordEvent(ctypes.Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("op", c_char_p),
        ("location", c_size_t),
        ("program", c_int64),
        ("chain", c_int64),
        ("thread", c_int64),
        ("begin", c_int64),
        ("end", c_int64),
        ("by", c_int64),
        ("by_step", c_int64),
        ("place", c_char * 96),
        ("place_param", c_int64),
        ("owner", c_int64),
        ("number", c_int64),
        ("source", c_char * 96),
        ("second", c_char * 96),
        ("read", c_int64),
        ("happened", c_int64),
        ("text", c_char_p),
    ]


class Traced(ctypes.Structure):
    _fields_ = [
        ("recording", c_void_p),
        ("device", c_char_p),
    ]


class TraceAbout(ctypes.Structure):
    _fields_ = [
        ("order", c_char_p),
        ("repeat", c_char_p),
    ]


class MeshShard(ctypes.Structure):
    _fields_ = [
        ("device", c_int64),
        ("replica", c_int64),
        ("rank", c_size_t),
        ("first", c_int64 * 16),
        ("extent", c_int64 * 16),
    ]


class MeshStep(ctypes.Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("text", c_char_p),
        ("devices", c_int64),
        ("sent", c_int64),
        ("ring_link", c_int64),
        ("pair_link", c_int64),
    ]


class MeshSharding(ctypes.Structure):
    _fields_ = [
        ("param", c_char_p),
        ("text", c_char_p),
        ("shape", POINTER(c_int64)),
        ("rank", c_size_t),
    ]


class MeshOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("mesh", c_char_p),
        ("shardings", POINTER(MeshSharding)),
        ("sharding_count", c_size_t),
        ("device_order", c_char_p),
        ("check", POINTER(CheckOptions)),
    ]


MESH_HOOK_RUN = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_char_p, c_void_p, POINTER(MeshOptions), POINTER(RunOptions), c_void_p, POINTER(c_void_p), c_void_p)


class MeshHook(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("run", MESH_HOOK_RUN),
        ("context", c_void_p),
    ]


class MeshOutput(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("layout", c_char_p),
        ("blocks", c_int64),
        ("copies", c_int64),
        ("terms", c_int64),
        ("reduction", c_char_p),
    ]


class EmulatorParamInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_char_p),
        ("bytes", c_size_t),
    ]


class EmulatorArg(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("bytes", c_size_t),
        ("is_memory", c_int),
        ("offset", c_size_t),
    ]


EMULATOR_LAUNCH_PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64, c_int64)


class EmulatorLaunch(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("entry", c_size_t),
        ("grid", c_uint32 * 3),
        ("block", c_uint32 * 3),
        ("shared_bytes", c_size_t),
        ("seed", c_uint64),
        ("skip_races", c_int),
        ("cta_races", c_int),
        ("instruction_limit", c_uint64),
        ("progress", EMULATOR_LAUNCH_PROGRESS),
        ("context", c_void_p),
        ("same_values", c_int),
        ("arbitrary_registers", c_int),
    ]


class EmulatorCounts(ctypes.Structure):
    _fields_ = [
        ("trapped", c_int),
        ("thread_instructions", c_int64),
        ("warp_instructions", c_int64),
        ("global_loads", c_int64),
        ("inexact", c_int64),
    ]


class EmulatorPlace(ctypes.Structure):
    _fields_ = [
        ("line", c_int64),
        ("column", c_int64),
        ("source", c_char_p),
        ("source_line", c_int64),
        ("cta", c_uint32 * 3),
        ("thread", c_uint32 * 3),
    ]


class EmulatorTrap(ctypes.Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("message", c_char_p),
        ("at", EmulatorPlace),
        ("other", EmulatorPlace),
        ("has_address", c_int),
        ("address", c_uint64),
    ]


# name: (result, parameters...)
FUNCTIONS = {
    "tg_status_text": (c_char_p, c_int),
    "tg_status_name": (c_char_p, c_int),
    "tg_status_exit": (c_int, c_int),
    "tg_version": (c_char_p,),
    "tg_processor_count": (c_int,),
    "tg_text_free": (None, c_void_p),
    "tg_errors_new": (c_void_p,),
    "tg_errors_free": (None, c_void_p),
    "tg_errors_count": (c_size_t, c_void_p),
    "tg_errors_get": (Error, c_void_p, c_size_t),
    "tg_errors_dropped": (c_size_t, c_void_p),
    "tg_module_load_file": (c_int, c_char_p, POINTER(c_void_p), c_void_p),
    "tg_module_load_text": (c_int, c_char_p, c_size_t, POINTER(c_void_p), c_void_p),
    "tg_module_free": (None, c_void_p),
    "tg_module_kernel_count": (c_size_t, c_void_p),
    "tg_module_kernel_name": (c_char_p, c_void_p, c_size_t),
    "tg_module_physical": (c_int, c_void_p, POINTER(c_void_p), c_void_p),
    "tg_module_print": (c_void_p, c_void_p, c_int, c_void_p),
    "tg_module_ptx": (c_void_p, c_void_p, c_char_p, POINTER(ModulePtxOptions), c_void_p),
    "tg_schema": (c_void_p,),
    "tg_module_map": (c_void_p, c_void_p, c_char_p, c_char_p, c_int, c_void_p),
    "tg_module_param_count": (c_size_t, c_void_p, c_char_p),
    "tg_module_param": (ParamInfo, c_void_p, c_char_p, c_size_t),
    "tg_module_dynamic_axes": (c_size_t, c_void_p, c_char_p),
    "tg_dtype_to_dlpack": (Dldtype, c_char_p),
    "tg_run": (c_int, c_void_p, c_char_p, POINTER(Array), c_size_t, POINTER(RunOptions), POINTER(c_void_p), c_void_p),
    "tg_report_free": (None, c_void_p),
    "tg_check": (c_int, c_void_p, c_char_p, POINTER(Array), c_size_t, POINTER(RunOptions), POINTER(CheckOptions), POINTER(c_void_p), c_void_p),
    "tg_executable_new": (c_int, c_void_p, c_char_p, POINTER(RunOptions), POINTER(c_void_p), c_void_p),
    "tg_executable_free": (None, c_void_p),
    "tg_executable_run": (c_int, c_void_p, POINTER(c_void_p), POINTER(c_int64), c_size_t, POINTER(c_void_p), c_void_p),
    "tg_executable_run_on": (c_int, c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_int64), c_size_t, POINTER(c_void_p), c_void_p),
    "tg_executable_check": (c_int, c_void_p, POINTER(c_void_p), POINTER(c_int64), c_size_t, POINTER(CheckOptions), POINTER(c_void_p), c_void_p),
    "tg_report_finding_count": (c_size_t, c_void_p),
    "tg_report_finding": (Finding, c_void_p, c_size_t),
    "tg_report_related": (Related, c_void_p, c_size_t, c_size_t),
    "tg_report_caller": (Caller, c_void_p, c_size_t, c_size_t),
    "tg_report_related_caller": (Caller, c_void_p, c_size_t, c_size_t, c_size_t),
    "tg_report_program": (c_void_p, c_void_p, POINTER(c_int64)),
    "tg_report_device": (c_int64, c_void_p, c_size_t, c_size_t),
    "tg_finding_kind_count": (c_size_t,),
    "tg_finding_kind_get": (FindingKindInfo, c_size_t),
    "tg_report_stats": (RunStats, c_void_p),
    "tg_report_output_count": (c_size_t, c_void_p),
    "tg_report_output": (OutputCoverage, c_void_p, c_size_t),
    "tg_report_memory_cost_count": (c_size_t, c_void_p),
    "tg_report_memory_cost": (MemoryAccessCost, c_void_p, c_size_t),
    "tg_suppressions_new": (c_void_p,),
    "tg_suppressions_free": (None, c_void_p),
    "tg_suppressions_add_file": (c_int, c_void_p, c_char_p, c_void_p),
    "tg_suppressions_add_text": (c_int, c_void_p, c_char_p, c_size_t, c_char_p, c_void_p),
    "tg_suppressions_count": (c_size_t, c_void_p),
    "tg_suppressions_get": (Suppression, c_void_p, c_size_t),
    "tg_suppressions_concern": (c_int, c_void_p, c_size_t, c_char_p),
    "tg_suppressions_find": (c_size_t, c_void_p, c_void_p, c_size_t),
    "tg_suppression_for": (c_void_p, c_void_p, c_size_t),
    "tg_builder_new": (c_void_p,),
    "tg_builder_free": (None, c_void_p),
    "tg_builder_finish": (c_int, c_void_p, POINTER(c_void_p), c_void_p),
    "tg_builder_location": (c_uint32, c_void_p, c_char_p, c_int64, c_char_p, c_uint32, c_char_p),
    "tg_builder_at": (None, c_void_p, c_uint32),
    "tg_builder_kernel": (None, c_void_p, c_char_p, c_char_p),
    "tg_builder_kernel_end": (None, c_void_p),
    "tg_builder_axis": (None, c_void_p, c_int64, c_char_p, c_char_p),
    "tg_builder_param": (c_uint32, c_void_p, POINTER(ParamSpec)),
    "tg_builder_body": (None, c_void_p),
    "tg_builder_open": (None, c_void_p),
    "tg_builder_arg": (c_uint32, c_void_p, c_char_p),
    "tg_builder_yield": (None, c_void_p, c_uint32),
    "tg_builder_close": (c_uint32, c_void_p),
    "tg_builder_place": (None, c_void_p, c_uint32, c_char_p, c_char_p),
    "tg_builder_attr_int": (None, c_void_p, c_char_p, c_int64),
    "tg_builder_attr_bool": (None, c_void_p, c_char_p, c_int),
    "tg_builder_attr_ints": (None, c_void_p, c_char_p, POINTER(c_int64), c_size_t),
    "tg_builder_attr_text": (None, c_void_p, c_char_p, c_char_p),
    "tg_builder_attr_data": (None, c_void_p, c_char_p, c_char_p, c_void_p, c_size_t),
    "tg_builder_attr_number": (None, c_void_p, c_char_p, c_char_p, c_double),
    "tg_builder_slice": (None, c_void_p, c_int64, c_int64, c_int64),
    "tg_builder_slice_from_operand": (None, c_void_p, c_int64, c_int64),
    "tg_builder_position": (None, c_void_p),
    "tg_builder_whole": (None, c_void_p, c_uint32),
    "tg_builder_add_region": (None, c_void_p, c_uint32),
    "tg_builder_op": (None, c_void_p, c_char_p, POINTER(c_uint32), c_size_t, POINTER(c_char_p), c_size_t, POINTER(c_uint32)),
    "tg_builder_op1": (c_uint32, c_void_p, c_char_p, POINTER(c_uint32), c_size_t, c_char_p),
    "tg_module_companion": (c_int, c_void_p, c_char_p, c_char_p, c_int, POINTER(c_void_p), c_void_p),
    "tg_contract_read": (c_void_p, c_char_p, c_void_p),
    "tg_contract_name": (c_char_p, c_size_t),
    "tg_contract_about": (c_char_p, c_size_t),
    "tg_arrays_new": (c_void_p,),
    "tg_arrays_free": (None, c_void_p),
    "tg_arrays_count": (c_size_t, c_void_p),
    "tg_arrays_get": (Array, c_void_p, c_size_t),
    "tg_arrays_find": (c_size_t, c_void_p, c_char_p),
    "tg_arrays_add": (c_int, c_void_p, POINTER(Array), c_void_p),
    "tg_arrays_add_zeros": (c_int, c_void_p, c_char_p, c_char_p, c_void_p),
    "tg_arrays_can_read": (c_int, c_char_p),
    "tg_arrays_read": (c_int, c_void_p, c_char_p, POINTER(ArraysReadOptions), c_void_p),
    "tg_arrays_read_one": (c_int, c_void_p, c_char_p, c_char_p, c_char_p, c_char_p, c_void_p),
    "tg_arrays_write": (c_int, c_void_p, c_char_p, c_void_p),
    "tg_array_write_npy": (c_int, POINTER(Array), c_char_p, c_void_p),
    "tg_arrays_run": (c_int, c_void_p, c_char_p, c_void_p, POINTER(RunOptions), POINTER(RunHook), c_void_p, POINTER(c_void_p), c_void_p),
    "tg_dtype_from_dlpack": (c_char_p, Dldtype),
    "tg_element_text": (c_void_p, Dldtype, c_void_p, c_void_p, c_size_t),
    "tg_element_parse": (c_int, Dldtype, c_char_p, c_void_p),
    "tg_array_element_text": (c_void_p, POINTER(Array), c_int64, c_void_p, c_size_t),
    "tg_array_index_text": (c_void_p, POINTER(Array), c_int64, c_void_p, c_size_t),
    "tg_array_compare": (c_int, POINTER(Array), POINTER(Array), POINTER(Comparison), c_void_p),
    "tg_comparison_text": (c_void_p, POINTER(Comparison), POINTER(Array), POINTER(Array), c_void_p, c_size_t),
    "tg_case_open": (c_int, c_char_p, POINTER(c_void_p), c_void_p),
    "tg_case_close": (None, c_void_p),
    "tg_case_describe": (CaseInfo, c_void_p),
    "tg_case_module": (c_void_p, c_void_p),
    "tg_case_order": (c_char_p, c_void_p, c_size_t),
    "tg_case_input": (Array, c_void_p, c_size_t),
    "tg_case_expects": (c_int, c_void_p, c_void_p, c_size_t),
    "tg_case_run_new": (c_int, c_void_p, POINTER(RunOptions), POINTER(RunHook), POINTER(c_void_p), c_void_p),
    "tg_case_run_free": (None, c_void_p),
    "tg_case_run_report": (c_void_p, c_void_p),
    "tg_case_run_outputs": (c_void_p, c_void_p),
    "tg_case_run_verdict": (CaseVerdict, c_void_p),
    "tg_case_run_output": (CaseOutput, c_void_p, c_size_t),
    "tg_case_run_difference": (c_char_p, c_void_p, c_void_p),
    "tg_random_words": (None, c_uint64, c_size_t, POINTER(c_uint64)),
    "tg_random_integers": (None, c_uint64, c_size_t, c_int64, c_int64, POINTER(c_int64)),
    "tg_random_uniform": (None, c_uint64, c_size_t, POINTER(c_double)),
    "tg_random_normal": (None, c_uint64, c_size_t, POINTER(c_double)),
    "tg_layout_axis_count": (c_size_t,),
    "tg_layout_axis_get": (LayoutAxis, c_size_t),
    "tg_layout_read": (c_int, c_char_p, POINTER(c_void_p), c_void_p),
    "tg_layout_free": (None, c_void_p),
    "tg_layout_print": (c_void_p, c_void_p),
    "tg_layout_print_json": (c_void_p, c_void_p),
    "tg_layout_print_rows": (c_void_p, c_void_p),
    "tg_layout_notation_count": (c_size_t,),
    "tg_layout_notation_get": (LayoutNotation, c_size_t),
    "tg_layout_read_as": (c_int, c_char_p, c_char_p, POINTER(c_int64), c_size_t, POINTER(c_void_p), POINTER(c_int64), POINTER(c_size_t), c_void_p),
    "tg_layout_print_as": (c_void_p, c_void_p, c_char_p, POINTER(c_int64), c_size_t, c_char_p, c_void_p),
    "tg_layout_draw": (c_void_p, c_void_p, POINTER(c_int64), c_size_t, POINTER(LayoutPicture), c_void_p),
    "tg_layout_size": (c_int64, c_void_p),
    "tg_layout_copies": (c_int64, c_void_p),
    "tg_layout_range": (None, c_void_p, c_size_t, POINTER(c_int64), POINTER(c_int64)),
    "tg_layout_places": (c_int, c_void_p, c_int64, POINTER(POINTER(c_int64)), POINTER(c_size_t), c_void_p),
    "tg_layout_places_free": (None, POINTER(c_int64)),
    "tg_layout_map": (c_int, c_void_p, c_size_t, c_int64, c_int64, POINTER(c_int64), c_void_p),
    "tg_layout_canonical": (c_int, c_void_p, POINTER(c_void_p), c_void_p),
    "tg_layout_equal": (c_int, c_void_p, c_void_p, POINTER(c_int), POINTER(c_int64), c_void_p),
    "tg_layout_where": (c_int, c_void_p, POINTER(c_int64), POINTER(POINTER(c_int64)), POINTER(c_size_t), c_void_p),
    "tg_layout_elements_free": (None, POINTER(c_int64)),
    "tg_layout_injective": (c_int, c_void_p, POINTER(c_int), POINTER(c_int64), POINTER(c_int64), c_void_p),
    "tg_layout_group": (c_int, c_void_p, POINTER(c_int64), c_size_t, POINTER(c_void_p), POINTER(c_size_t), c_void_p),
    "tg_layout_group_many": (c_int, c_void_p, POINTER(c_int64), POINTER(c_size_t), c_size_t, POINTER(c_void_p), POINTER(c_size_t), c_void_p),
    "tg_layout_slice": (c_int, c_void_p, POINTER(c_int64), POINTER(c_int64), POINTER(c_int64), c_size_t, POINTER(c_void_p), c_void_p),
    "tg_layout_permute": (c_int, c_void_p, POINTER(c_int64), POINTER(c_int64), c_size_t, POINTER(c_void_p), c_void_p),
    "tg_layout_reduce": (c_int, c_void_p, POINTER(c_int64), c_size_t, POINTER(c_int64), c_size_t, POINTER(c_void_p), c_void_p),
    "tg_layout_broadcast": (c_int, c_void_p, POINTER(c_int64), c_size_t, POINTER(c_int64), c_size_t, POINTER(c_void_p), c_void_p),
    "tg_layout_tile": (c_int, c_void_p, POINTER(c_int64), c_void_p, POINTER(c_int64), c_size_t, c_int, POINTER(c_void_p), c_void_p),
    "tg_layout_tile_to": (c_int, c_void_p, POINTER(c_int64), POINTER(c_int64), c_size_t, POINTER(c_void_p), c_void_p),
    "tg_layout_outer_of": (c_int, c_void_p, POINTER(c_int64), c_void_p, POINTER(c_int64), c_size_t, c_int, POINTER(c_void_p), c_void_p),
    "tg_layout_inner_of": (c_int, c_void_p, POINTER(c_int64), c_void_p, POINTER(c_int64), c_size_t, c_int, POINTER(c_void_p), c_void_p),
    "tg_layout_compose": (c_int, c_void_p, c_void_p, POINTER(c_void_p), c_void_p),
    "tg_layout_divide": (c_int, c_void_p, c_void_p, POINTER(c_void_p), c_void_p),
    "tg_layout_product": (c_int, c_void_p, c_void_p, POINTER(c_void_p), c_void_p),
    "tg_layout_complement": (c_int, c_void_p, c_size_t, c_int64, POINTER(c_void_p), c_void_p),
    "tg_layout_right_inverse": (c_int, c_void_p, POINTER(c_void_p), c_void_p),
    "tg_layout_left_inverse": (c_int, c_void_p, POINTER(c_void_p), c_void_p),
    "tg_layout_move_threads": (c_int, c_void_p, c_char_p, POINTER(c_void_p), c_void_p),
    "tg_layout_unpack": (c_int, c_void_p, c_char_p, c_int64, POINTER(c_void_p), c_void_p),
    "tg_layout_pack": (c_int, c_void_p, c_char_p, c_int64, POINTER(c_void_p), c_void_p),
    "tg_layout_storage": (c_int, c_void_p, POINTER(c_void_p), c_void_p),
    "tg_layout_plan_between": (c_int, c_void_p, c_void_p, c_int, POINTER(LayoutPlan), c_void_p),
    "tg_layout_conflicts": (c_int, c_void_p, c_void_p, c_int, c_int, POINTER(LayoutCost), c_void_p),
    "tg_layout_swizzle_for": (c_int, c_void_p, POINTER(c_void_p), c_size_t, c_int, c_int, POINTER(c_void_p), POINTER(LayoutSwizzled), c_void_p),
    "tg_record": (c_int, c_void_p, c_char_p, POINTER(Array), c_size_t, POINTER(RunOptions), c_void_p, POINTER(RecordLimits), POINTER(c_void_p), c_void_p),
    "tg_recording_free": (None, c_void_p),
    "tg_recording_describe": (RecordingInfo, c_void_p),
    "tg_recording_axis": (RecordAxis, c_void_p, c_size_t),
    "tg_recording_location": (RecordLocation, c_void_p, c_size_t),
    "tg_recording_param": (RecordParam, c_void_p, c_size_t),
    "tg_recording_asked": (RecordRange, c_void_p, c_size_t),
    "tg_recording_access": (RecordAccess, c_void_p, c_size_t),
    "tg_recording_timeline": (TimelineInfo, c_void_p),
    "tg_recording_event": (RecordEvent, c_void_p, c_size_t),
    "tg_recording_left_out": (c_void_p, c_void_p, c_void_p, c_size_t),
    "tg_trace_text": (c_void_p, POINTER(Traced), c_size_t, POINTER(TraceAbout), c_void_p),
    "tg_mesh_layout_read": (c_int, c_char_p, c_char_p, c_char_p, POINTER(c_int64), c_size_t, POINTER(c_void_p), c_void_p),
    "tg_mesh_layout_free": (None, c_void_p),
    "tg_mesh_layout_print": (c_void_p, c_void_p, c_char_p, c_void_p),
    "tg_mesh_layout_device_count": (c_size_t, c_void_p),
    "tg_mesh_layout_shard": (c_int, c_void_p, c_size_t, POINTER(MeshShard), c_void_p),
    "tg_mesh_plan_new": (c_int, c_void_p, c_void_p, c_int64, POINTER(c_void_p), c_void_p),
    "tg_mesh_plan_free": (None, c_void_p),
    "tg_mesh_plan_step_count": (c_size_t, c_void_p),
    "tg_mesh_plan_step": (MeshStep, c_void_p, c_size_t),
    "tg_mesh_run": (c_int, c_void_p, c_char_p, c_void_p, POINTER(MeshOptions), POINTER(RunOptions), c_void_p, POINTER(c_void_p), c_void_p),
    "tg_case_open_on_mesh": (c_int, c_char_p, POINTER(c_void_p), c_void_p),
    "tg_case_run_on_mesh": (c_int, c_void_p, POINTER(MeshOptions), POINTER(RunOptions), POINTER(MeshHook), POINTER(c_void_p), c_void_p),
    "tg_mesh_record": (c_int, c_void_p, c_char_p, c_void_p, POINTER(MeshOptions), c_int64, POINTER(RunOptions), c_void_p, POINTER(RecordLimits), POINTER(c_void_p), c_void_p),
    "tg_mesh_devices_to_record": (c_size_t, c_void_p, POINTER(c_int64), c_size_t),
    "tg_report_device_count": (c_size_t, c_void_p),
    "tg_report_device_name": (c_char_p, c_void_p, c_size_t),
    "tg_report_device_order": (c_char_p, c_void_p),
    "tg_report_mesh_output_count": (c_size_t, c_void_p),
    "tg_report_mesh_output": (MeshOutput, c_void_p, c_size_t),
    "tg_report_set_device": (c_int, c_void_p, c_int64, c_char_p, c_int64, c_void_p),
    "tg_emulator_module_load": (c_int, c_char_p, c_size_t, c_char_p, POINTER(c_void_p), c_void_p),
    "tg_emulator_module_free": (None, c_void_p),
    "tg_emulator_entry_count": (c_size_t, c_void_p),
    "tg_emulator_entry_name": (c_char_p, c_void_p, c_size_t),
    "tg_emulator_param_count": (c_size_t, c_void_p, c_size_t),
    "tg_emulator_param": (EmulatorParamInfo, c_void_p, c_size_t, c_size_t),
    "tg_emulator_module_run": (c_int, c_void_p, POINTER(EmulatorLaunch), POINTER(EmulatorArg), c_size_t, POINTER(c_void_p), c_void_p),
    "tg_emulator_outcome_free": (None, c_void_p),
    "tg_emulator_outcome_counts": (EmulatorCounts, c_void_p),
    "tg_emulator_outcome_trap": (EmulatorTrap, c_void_p),
    "tg_emulator_outcome_text": (c_char_p, c_void_p),
    "tg_emulator_outcome_prints": (c_char_p, c_void_p),
}
