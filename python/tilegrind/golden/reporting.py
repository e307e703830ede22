"""What `check` and `rejudge` share: a source is judged by goldens, and the outcome printed and written."""

import json
from pathlib import Path

from .. import whole_file
from .folder import Refused

CLEAN, FINDINGS = 0, 1


def add_options(parser):
    """Options of both commands."""
    parser.add_argument("--no-explain", action="store_true", help="do not look for the mutant that a failure is like")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument("--junit", metavar="FILE", help="also write JUnit XML")
    parser.add_argument("--sarif", metavar="FILE", help="also write SARIF, with places in the sources of kernels")
    parser.add_argument("--html", metavar="FILE", help="also write a page with all errors (docs/golden-review.md)")
    parser.add_argument("--quiet", action="store_true", help="only what fails, and no progress")


def judge(arguments, store, names, source, progress=None):
    """Judges what a source (sources.opened) gives by goldens of a Store, and writes all reports.

    progress  called with a text at each step
    Returns the exit code.
    """
    _require_folders(arguments)
    page, saving, results = _page(arguments, store, names), _saving(arguments), []
    for name in names:
        options = {"explain": not arguments.no_explain, "progress": progress, "seed": getattr(arguments, "seed", None)}
        results.append(_judged(store.read(name), store, source, page, saving, options))
        if not arguments.json and not (arguments.quiet and results[-1].passed):
            _print(results[-1])
    _print_end(arguments, results)
    code = CLEAN if all(result.passed for result in results) else FINDINGS
    if saving:
        saving.write(source.name)
    _write(arguments, store, results, code)
    if page:
        page.write(arguments.html)
    return code


def _judged(bundle, store, source, page, saving, options):
    from .checking import check
    from .xfail import read

    implementation, notes = source.implementation(bundle), source.notes(bundle)
    if saving:
        implementation = saving.keeping(bundle, implementation, notes)
    # Known failures are about the golden's own inputs.
    xfail = read(store.path(bundle.name), source.name) if options["seed"] is None else {}
    result = (page.check if page else check)(bundle, implementation, xfail=xfail, **options)
    result.notes.extend(notes)
    return result


def _require_folders(arguments):
    """Before the work, not after it."""
    for name in ("junit", "sarif", "html"):
        path = getattr(arguments, name)
        if path and not Path(path).absolute().parent.is_dir():
            raise Refused(f"--{name} {path}: there is no folder {Path(path).absolute().parent}")


def _page(arguments, store, names):
    """The CheckPage that --html asks for, or None."""
    if not arguments.html:
        return None
    from . import page

    return page.CheckPage([store.read(name) for name in names])


def _saving(arguments):
    """The saved.Saving that --save-outputs asks for, or None."""
    if not getattr(arguments, "save_outputs", None):
        return None
    from .saved import Saving

    return Saving(arguments.save_outputs)


def _print(result):
    from .report import lines_of

    print(*lines_of(result), sep="\n", flush=True)


def _print_end(arguments, results):
    from .report import summary, to_json

    print(json.dumps([to_json(result) for result in results], indent=1) if arguments.json else summary(results))


def _write(arguments, store, results, code):
    from .report import to_junit
    from .sarif import to_sarif

    if arguments.junit:
        whole_file.write(arguments.junit, to_junit(results))
    if arguments.sarif:
        bundles = {result.name: store.read(result.name) for result in results}
        whole_file.write(arguments.sarif, json.dumps(to_sarif(results, bundles, arguments.goldens, code), indent=1) + "\n")
