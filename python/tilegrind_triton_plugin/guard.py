"""A class of Tilegrind, or what stands for it where there is none."""

import importlib
import inspect
import os


def class_or_stand_in(module, name, base, asked_of_all):
    """The class `name` of a module of Tilegrind if it can be loaded and is a concrete subclass of `base`; else a subclass that says
    no to the question `asked_of_all`, a method that Triton calls of all backends, unless the environment asks for Tilegrind."""
    try:
        found = getattr(importlib.import_module(module), name)
        if not inspect.isclass(found) or not issubclass(found, base):
            raise ImportError(f"{module}.{name} is no {base.__name__}")
        if inspect.isabstract(found):
            raise ImportError(f"{module}.{name} lacks {', '.join(sorted(found.__abstractmethods__))}")
        return found
    except Exception as problem:  # whatever is wrong with Tilegrind, Triton shall not notice
        return _stand_in(base, asked_of_all, f"Tilegrind cannot be loaded: {type(problem).__name__}: {problem}")


def _stand_in(base, asked_of_all, why):
    def raises(*args, **kwargs):
        raise ImportError(why)

    def answer(*args):
        return raises() if os.environ.get("TILEGRIND") == "1" else False

    methods = {name: raises for name in base.__abstractmethods__}
    return type("StandIn", (base,), {**methods, "__init__": raises, asked_of_all: staticmethod(answer)})
