"""The command `tilegrind golden`."""

import argparse
import os
import sys
from pathlib import Path

from .. import shards
from . import reporting
from .bad_bundle import BadBundle
from .folder import Folder, Refused

CLEAN, FINDINGS, USAGE, INVALID = 0, 1, 2, 3

_EPILOG = """exit codes: 0 passed; 1 something fails, is pending, stale or vacuous, or was recorded; 2 wrong usage or files;
3 invalid or unsupported input; 130 stopped by Ctrl-C"""


def parser():
    top = argparse.ArgumentParser(prog="tilegrind golden", description="Golden checks that can fail: results of an implementation against exact "
                                  "values and derived bounds, each tried against mutants of the kernel.", epilog=_EPILOG)
    top.add_argument("--goldens", default="goldens", metavar="DIR", help="folder of the goldens [goldens]")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name, help, **more):
        return commands.add_parser(name, help=help, description=help, epilog=_EPILOG, **more)

    one = add("record", "make pending goldens of cases; they pass no test until they are accepted")
    one.add_argument("case", nargs="+", help="case folders (docs/case.md)")
    one.add_argument("--name", help="name of the golden, of one case [the name of its folder]")
    one.add_argument("--contract", default="ieee", help="what an implementation may do to the numbers (docs/bounds.md): the name of a "
                     "contract, or a file NAME.json with one, which the golden keeps [ieee]")
    one.add_argument("--partly-written", metavar="NAMES", default="", help="outputs of which elements stay unwritten on purpose, "
                     "separated by commas")
    one.add_argument("--inputs", metavar="KINDS", help="kinds of inputs to try, separated by commas")
    one.add_argument("--force", action="store_true", help="record even where the environment variable CI is set")
    one.add_argument("--quiet", action="store_true", help="no progress")

    one = add("check", "judge an implementation by the accepted goldens")
    one.add_argument("name", nargs="*", help="goldens [all]")
    one.add_argument("--got", metavar="DIR", help="outputs: a file NAME/SET.npz or .safetensors in DIR for each input set that "
                     "`inputs` writes [what Tilegrind's interpreter computes]")
    one.add_argument("--runner", metavar="CMD", help="judge a program that speaks the protocol tilegrind-runner/1 "
                     "(docs/protocol.md): a command, or a runner that comes with Tilegrind: library, cpu, emulator, "
                     "jax-interpret, jax-compiled")
    one.add_argument("--timeout", type=_seconds, metavar="SECONDS", help="of one run of the runner [30]")
    one.add_argument("--save-outputs", metavar="DIR", help="keep what is judged, for `rejudge`; DIR must be empty")
    one.add_argument("--backend", help="judge one of Tilegrind's own backends: cpu, emulator[:SEED], gpu[:N]")
    one.add_argument("--order", help="judge the interpreter in another order, as for `tilegrind run`")
    one.add_argument("--profile", help="judge another profile: fast")
    one.add_argument("--seed", type=_seed, metavar="N", help="of the inputs, instead of the golden's own; not with --got, "
                     "--html, --save-outputs")
    one.add_argument("--shard", metavar="I/N", help=shards.HELP)
    reporting.add_options(one)

    one = add("rejudge", "judge outputs that `check --save-outputs DIR` has kept; runs no implementation")
    one.add_argument("report", help="DIR, or the report.json in it")
    one.add_argument("name", nargs="*", help="goldens [all of the report]")
    reporting.add_options(one)

    one = add("inputs", "write the inputs of goldens, as DIR/NAME/SET.npz, for an implementation that runs elsewhere")
    one.add_argument("name", nargs="*", help="goldens [all]")
    one.add_argument("-o", "--output", required=True, metavar="DIR")
    one.add_argument("--pending", action="store_true", help="of pending goldens")

    one = add("review", "show pending goldens: what they hold, what they find, and the command that accepts them")
    one.add_argument("name", nargs="*", help="pending goldens [all]")
    one.add_argument("--html", metavar="FILE", help="also write a page with values, errors and mutants (docs/golden-review.md)")
    one.add_argument("--quiet", action="store_true", help="no progress")

    one = add("accept", "accept a pending golden for a reason")
    one.add_argument("name")
    one.add_argument("--why", required=True, metavar="TEXT", help="the reason, which is kept")
    one.add_argument("--digest", required=True, metavar="SHA256", help="of what was reviewed, as `review` prints it")
    one.add_argument("--equivalent", action="append", default=[], metavar="MUTANT=REASON", help="a mutant that passes, as `review` "
                     "prints it, is no fault, and why; may be given several times")
    one.add_argument("--force", action="store_true", help="accept even where the environment variable CI is set")

    one = add("explain", "what the bound of one element consists of: operations and source lines, the largest share first")
    one.add_argument("name")
    one.add_argument("element", help="its index, as 3,17, or its row-major number")
    one.add_argument("--set", metavar="S", help="input set [the first]")
    one.add_argument("--output", metavar="O", help="output [the first that has a bound]")
    one.add_argument("--pending", action="store_true", help="of a pending golden")
    one.add_argument("--quiet", action="store_true", help="no progress")

    add("reject", "remove a pending golden").add_argument("name")
    add("remove", "remove an accepted golden").add_argument("name")
    add("lint", "whether all goldens are accepted, whole and able to fail; runs no kernel")
    one = add("status", "a line for each golden, and the mutants that pass it or change nothing")
    one.add_argument("name", nargs="*", help="goldens [all]")
    return top


def _seed(text):
    if not text.isdecimal() or int(text) >= 1 << 63:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 2^63 - 1")
    return int(text)


def _seconds(text):
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return value


def main(argv=None):
    arguments = parser().parse_args(argv)
    try:
        return _COMMANDS[arguments.command](arguments)
    except (BadBundle, Refused) as problem:
        return _say(f"tilegrind golden: {problem}", INVALID if isinstance(problem, BadBundle) else USAGE)
    except BrokenPipeError:
        raise
    except OSError as problem:
        return _say(f"tilegrind golden: {problem.filename or ''}: {problem.strerror}", USAGE)
    except KeyboardInterrupt:
        return _say("tilegrind golden: stopped", 130)


def _say(text, code):
    print(text, file=sys.stderr)
    return code


def _progress(arguments):
    if arguments.quiet or not sys.stderr.isatty():
        return None
    return lambda text: print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _not_in_ci(arguments):
    if os.environ.get("CI") and not arguments.force:
        raise Refused(f"{arguments.command} is for people, and CI is set in the environment; --force does it all the same")


# ---- commands ----


def _lint(arguments):
    if not Path(arguments.goldens).is_dir():
        raise Refused(f"{arguments.goldens}: there is no such folder")
    problems = Folder(arguments.goldens).problems()
    for problem in problems:
        print(problem)
    print(f"goldens: {len(Folder(arguments.goldens).names())}, problems: {len(problems)}")
    return FINDINGS if problems else CLEAN


def _record(arguments):
    from .. import runtime
    from ..judging import Unjudged
    from .candidates import ORDER
    from .goldens import Goldens
    from .recording import NotRecorded

    _not_in_ci(arguments)
    if arguments.name and len(arguments.case) > 1:
        raise Refused("--name is for one case")
    kinds, failed = tuple(arguments.inputs.split(",")) if arguments.inputs else ORDER, 0
    for case in arguments.case:
        name = arguments.name or Path(case).resolve().name
        try:
            made = Goldens(arguments.goldens).record(name, case=case, contract=arguments.contract, kinds=kinds,
                                                     partly_written=tuple(filter(None, arguments.partly_written.split(","))),
                                                     progress=_progress(arguments))
        except (NotRecorded, Unjudged, runtime.Error, ValueError) as problem:
            failed = _say(f"{name}: not recorded: {problem}", INVALID)
            continue
        print(made.summary())
        _print_recorded(made)
    return failed or FINDINGS  # what was recorded has yet to be reviewed


def _print_recorded(made):
    for one in made.left:
        print(f"    no {one.name} inputs: {one.why}")
    for kind, site, why in made.bundle.alive:
        print(f"    {'allowed' if why else 'passes'}: {kind} {site}{': ' * bool(why)}{why}")
    for text in made.controls:
        print(f"    a control is wrong: {text}")


def _named(folder, arguments, pending=False):
    """The names that are given, else all.  Raises Refused where there are none: nothing checked is nothing passed."""
    names = arguments.name or folder.names(pending)
    if not names:
        others = folder.names(not pending)
        raise Refused(f"{folder.root}: there are no {'pending' if pending else 'accepted'} goldens"
                      + f"; {'accepted' if pending else 'pending'}: {', '.join(others)}" * bool(others))
    return names


def _check(arguments):
    from .sources import opened
    from .store import Store

    store = Store(arguments.goldens)
    names = _shard(_named(store, arguments), arguments.shard)
    clashes = [name for name in ("got", "html", "save_outputs") if arguments.seed is not None and getattr(arguments, name)]
    if clashes:
        raise Refused(f"--{clashes[0].replace('_', '-')} is about the golden's own inputs, and --seed asks for others")
    with opened(arguments) as source:
        return reporting.judge(arguments, store, names, source, _progress(arguments))


def _rejudge(arguments):
    from .saved import Report
    from .store import Store

    report = Report(arguments.report)
    names = arguments.name or report.goldens
    return reporting.judge(arguments, Store(arguments.goldens), names, report, _progress(arguments))


def _shard(names, text):
    try:
        shard = shards.shard_of(text)
    except shards.BadShard as problem:
        raise Refused(str(problem)) from None
    return [name for name in names if shard.has(name)]


def _inputs(arguments):
    from ..runtime import write_arrays
    from .store import Store
    from .subject import Subject

    store = Store(arguments.goldens)
    for name in _named(store, arguments, arguments.pending):
        bundle = store.read(name, arguments.pending)
        subject = Subject.of_bundle(bundle)
        folder = Path(arguments.output) / name
        folder.mkdir(parents=True, exist_ok=True)
        for record in bundle.sets:
            path = folder / f"{record.inputs.name}.npz"
            write_arrays(path, subject.arrays(record.inputs))
            print(path)
    return CLEAN


def _review(arguments):
    from .store import Store

    store = Store(arguments.goldens)
    names = arguments.name or store.names(pending=True)
    if arguments.html:
        _write_review(arguments, store, names)
    for name in names:
        bundle = store.read(name, pending=True)
        print(*_description(bundle), sep="\n")
        print(f"  accept it: tilegrind golden --goldens {arguments.goldens} accept {name} --digest {bundle.digest[:16]} --why REASON")
    print(f"pending: {len(names)}")
    return CLEAN


def _write_review(arguments, store, names):
    from . import page

    page.require_folder(arguments.html)
    page.write_review(arguments.html, store, names, _progress(arguments))


def _description(bundle):
    yield f"{bundle.name}: kernel {bundle.kernel}, contract {bundle.contract_name}"
    for record in bundle.sets:
        yield f"  {record.inputs.name}: kills {', '.join(record.kills)}"
        for name, output in record.outputs.items():
            yield f"    {name} {output.type}: widest bound {output.widest:.3g} of the result, {output.loose:.1%} say next to nothing"
    allowed = sum(bool(why) for *_, why in bundle.alive)
    yield (f"  mutants: {bundle.killed} die, {len(bundle.alive) - allowed} pass, {allowed} allowed, {len(bundle.unchanged)} without "
           "effect")
    yield from (f"    {'allowed' if why else 'passes'}: {kind} {site}{': ' * bool(why)}{why}" for kind, site, why in bundle.alive)
    yield from (f"    without effect: {kind} {site}" for kind, site, _ in bundle.unchanged)


def _status(arguments):
    from .store import Store

    store = Store(arguments.goldens)
    for name in _named(store, arguments):
        print(*_description(store.read(name)), sep="\n")
    return CLEAN


def _accept(arguments):
    from .store import Store

    _not_in_ci(arguments)
    path = Store(arguments.goldens).accept(arguments.name, arguments.why, arguments.digest, dict(map(_equivalent, arguments.equivalent)))
    print(f"accepted: {path}")
    return CLEAN


def _equivalent(text):
    mutant, _, reason = text.rpartition("=")
    if not mutant or not reason.strip():
        raise Refused(f"--equivalent {text!r}: a mutant, =, and the reason why it is no fault")
    return mutant, reason.strip()


def _explain(arguments):
    from .explain import explain_golden
    from .store import Store

    bundle = Store(arguments.goldens).read(arguments.name, arguments.pending)
    found = explain_golden(bundle, arguments.element, arguments.set, arguments.output, progress=_progress(arguments))
    print(*found.lines(), sep="\n")
    return CLEAN


def _reject(arguments):
    from .store import Store

    Store(arguments.goldens).reject(arguments.name)
    return CLEAN


def _remove(arguments):
    from .store import Store

    Store(arguments.goldens).remove(arguments.name)
    return CLEAN


_COMMANDS = {"record": _record, "check": _check, "rejudge": _rejudge, "inputs": _inputs, "review": _review,
             "accept": _accept, "explain": _explain, "reject": _reject,
             "remove": _remove, "lint": _lint, "status": _status}
