"""Where the outputs come from that a golden judges.

A source has ``name``, that of a runner or ""; ``implementation(bundle)``, what `checking.check` calls; and
``notes(bundle)``, texts on what a reader may want to know.
"""

import contextlib
from pathlib import Path

from .. import runtime
from .bad_bundle import BadBundle
from .folder import Refused
from .subject import Subject

_SECONDS = 30.0  # of one run of a runner
_OWN = ("backend", "order", "profile")


@contextlib.contextmanager
def opened(arguments):
    """The source that the options of the command name; a runner ends with it.  Raises Refused."""
    chosen = [f"--{name}" for name in ("runner", "got", *_OWN) if getattr(arguments, name) is not None]
    if set(chosen) & {"--runner", "--got"} and len(chosen) > 1:
        raise Refused(f"{chosen[0]} says where the outputs come from, so {chosen[1]} has nothing to say")
    if arguments.timeout is not None and arguments.runner is None:
        raise Refused("--timeout is for --runner")
    if arguments.runner is None:
        yield _Files(Path(arguments.got)) if arguments.got else _Own({name: getattr(arguments, name) for name in _OWN
                                                                      if getattr(arguments, name)})
        return
    from .external import External, command_of

    with External(command_of(arguments.runner), arguments.timeout or _SECONDS) as runner:
        yield runner


class _Source:
    name = ""

    def notes(self, bundle):
        return []


class _Own(_Source):
    """Tilegrind itself."""

    def __init__(self, options):
        self._options = options

    def implementation(self, bundle):
        subject = Subject.of_bundle(bundle)
        return lambda _, arrays: subject.run(subject.module, arrays, **self._options).outputs


class _Files(_Source):
    """Files that somebody else has made."""

    def __init__(self, folder):
        self._folder = folder

    def implementation(self, bundle):
        return lambda name, _: _read(self._folder / bundle.name, name)


def _read(folder, name):
    paths = [path for ending in (".npz", ".safetensors") if (path := folder / (name + ending)).exists()]
    if len(paths) != 1:
        raise BadBundle(f"{folder}: {'both' if paths else 'neither'} {name}.npz {'and' if paths else 'nor'} "
                        f"{name}.safetensors: outputs for inputs {name} come from one file")
    try:
        return runtime.read_arrays(paths[0])
    except runtime.Error as problem:
        raise BadBundle(str(problem)) from None
