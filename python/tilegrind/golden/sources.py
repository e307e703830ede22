"""Where the outputs come from that a golden judges."""

from pathlib import Path

from .. import runtime
from .folder import BadBundle, Refused
from .subject import Subject


def source_of(bundle, arguments):
    """What `checking.check` calls, by the options of the command."""
    chosen = {name: value for name in ("backend", "order", "profile") if (value := getattr(arguments, name))}
    if arguments.got and chosen:
        raise Refused(f"--got says where the outputs are, so there is nothing to run with --{next(iter(chosen))}")
    return _files(bundle, Path(arguments.got)) if arguments.got else _runs(bundle, chosen)


def _runs(bundle, options):
    subject = Subject.of_bundle(bundle)
    return lambda _, arrays: subject.run(subject.module, arrays, **options).outputs


def _files(bundle, folder):
    def read(name, _):
        paths = [path for ending in (".npz", ".safetensors") if (path := folder / bundle.name / (name + ending)).exists()]
        if len(paths) != 1:
            raise BadBundle(f"{folder / bundle.name}: {'both' if paths else 'neither'} {name}.npz {'and' if paths else 'nor'} "
                            f"{name}.safetensors: outputs for inputs {name} come from one file")
        try:
            return runtime.read_arrays(paths[0])
        except runtime.Error as problem:
            raise BadBundle(str(problem)) from None

    return read
