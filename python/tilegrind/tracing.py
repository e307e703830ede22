"""Timelines of runs as trace events, which Perfetto and chrome://tracing open (docs/page.md)."""

import ctypes
from contextlib import ExitStack

from . import _native, whole_file
from ._native import lib
from .errors import Collected

_EVENTS = 100_000  # of all devices together
_NOTHING = 1  # of the history of elements, which a trace does not show


def trace_text(record, report, order):
    """The text of a trace.

    record  called with the id of a device (None: the run was on no mesh), limits, a pointer for the recording, and
            errors; returns the status of the call that records
    report  of the run, a report of the library
    order   of the run
    """
    devices = (ctypes.c_int64 * _native.MESH_RECORDED)()
    on_mesh = devices[:lib.tg_mesh_devices_to_record(report, devices, len(devices))]
    with ExitStack() as stack:
        errors = stack.enter_context(Collected())
        list_ = [_recorded(record, device, report, _EVENTS // max(len(on_mesh), 1), errors, stack) for device in on_mesh or [None]]
        about = _native.TraceAbout(order.encode(), None)
        traced = (_native.Traced * len(list_))(*list_)
        return errors.check_text(lib.tg_trace_text(traced, len(list_), ctypes.byref(about), errors.handle))


def _recorded(record, device, report, events, errors, stack):
    recording = ctypes.c_void_p()
    limits = _native.RecordLimits(ctypes.sizeof(_native.RecordLimits), _NOTHING, _NOTHING, events)
    errors.check(record(device, ctypes.byref(limits), ctypes.byref(recording), errors.handle))
    stack.callback(lib.tg_recording_free, recording)
    return _native.Traced(recording, None if device is None else lib.tg_report_device_name(report, device))


def write_trace(path, record, report, order):
    """Writes a trace, whole or not at all; see `trace_text`."""
    whole_file.write(path, trace_text(record, report, order))
