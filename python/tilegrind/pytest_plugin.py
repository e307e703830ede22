"""The pytest plugin: ``pytest --tilegrind`` checks every `pallas_call` and every launch of a Triton kernel that a test runs, and
fails each test whose kernels have findings, even if its numbers are right (docs/pytest.md).

Without ``--tilegrind`` it imports nothing; with it, `pytest_fronts` says what is imported when.  Each report of a test contains
what the plugin has seen in it, so that this reaches the terminal from xdist workers too.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
from collections import Counter
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Generator

import pytest

_LEVELS = ("advice", "note", "warning", "error")


def _yes_or_no(text: str) -> bool:
    return {"yes": True, "no": False}[text]


def _level(text: str) -> str:
    return _LEVELS[_LEVELS.index(text)]


def _semantics(text: str) -> str | None:
    return {"": None, "parallel": "parallel", "arbitrary": "arbitrary"}[text]


def _target(text: str) -> str | None:
    return {"": None, "any": "any", "tpu": "tpu"}[text]


def _device(text: str) -> str:
    return {"cpu": "cpu", "cuda": "cuda"}[text]


def _capability(text: str) -> int | None:
    return int(text) if text else None


def _autotune(text: str) -> str:
    return {"first": "first", "all": "all"}[text]


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _files(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


@dataclass(frozen=True)
class _Option:
    """``--tilegrind-NAME`` and the setting ``tilegrind_NAME``."""

    name: str
    default: str
    convert: Any  # converts its text; raises ValueError, KeyError
    form: str
    help: str


_OPTIONS = (
    _Option("checks", "all", str, "NAMES", "what to look for: all, none, or names separated by commas"),
    _Option("orders", "yes", _yes_or_no, "yes|no", "whether to run kernels in other orders too"),
    _Option("shuffles", "8", int, "N", "shuffled orders"),
    _Option("interleavings", "4", int, "N", "interleaved orders"),
    _Option("seed", "1", int, "N", "first seed of these orders"),
    _Option("fail-on", "error", _level, "LEVEL", "least level that fails a test: error, warning, note or advice"),
    _Option("allow", "", _names, "KINDS", "kinds of findings that fail no test"),
    _Option("suppressions", "", _files, "FILES", "files that say which findings are known, separated by commas"),
    _Option("grid-semantics", "", _semantics, "NAME", "of axes that do not say, parallel or arbitrary, as for tilegrind.pallas.export"),
    _Option("target", "", _target, "any|tpu", "of all calls, as for tilegrind.pallas.check; else what each says"),
    _Option("partly-written", "", _names, "NAMES", "outputs of which elements stay unwritten on purpose, as for tilegrind.pallas.export"),
    _Option("device", "cpu", _device, "cpu|cuda", 'cuda: what tests of Triton kernels put on "cuda" is on the CPU'),
    _Option("capability", "", _capability, "N", "90: Triton is told that it compiles for a GPU 9.0 of NVIDIA"),
    _Option("autotune", "first", _autotune, "first|all", "which configurations of a Triton kernel run"),
    _Option("compat", "strict", str, "strict|jax", "what lies outside an array, as for tilegrind.pallas.check"),
    _Option("profile", "reference", str, "NAME", "reference or fast"),
    _Option("max-steps", "0", int, "N", "turns that the loops of a program may make; 0: no limit"),
    _Option("save", "", str, "DIR", "write a case of each kernel with findings, for `tilegrind check`"),
    _Option("trace", "", str, "DIR", "write the timeline of each kernel of each test, for Perfetto or chrome://tracing"),
    _Option("trace-order", "sequential", str, "ORDER", "of these timelines: sequential, interleaved:1, ..."),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tilegrind", "checks of Pallas and Triton kernels")
    group.addoption("--tilegrind", action="store_true", help="check every pallas_call and every launch of a Triton kernel that a test runs")
    parser.addini("tilegrind", "as --tilegrind", type="bool", default=False)
    for option in _OPTIONS:
        text = f"{option.help} [{option.default}]" if option.default else option.help
        group.addoption(f"--tilegrind-{option.name}", metavar=option.form, help=text)
        parser.addini(f"tilegrind_{option.name.replace('-', '_')}", text, default=option.default)
    _add_golden_options(parser)


def _add_golden_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("tilegrind", "checks of Pallas and Triton kernels")
    group.addoption("--tilegrind-golden", choices=("check", "pending"), default="check",
                    help="pending: make pending goldens where tests of fixture `golden` have none; these tests fail all the same")
    group.addoption("--tilegrind-golden-orphans", action="store_true", help="fail if there are goldens that no test uses")
    parser.addini("tilegrind_goldens", "folder of the goldens [goldens beside each test file]", default="")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before a conftest is imported, which may ask for the device."""
    _begin(early_config, early_config.known_args_namespace)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "tilegrind(allow=[], skip=False): kinds of findings that do not fail the test; whether "
                                       "its kernels are not checked at all")
    _begin(config, config.option)  # a conftest has named this plugin
    if config.getoption("--tilegrind-golden") == "pending" and os.environ.get("CI"):
        raise pytest.UsageError("--tilegrind-golden=pending is for people, and CI is set in the environment")
    if config.getoption("--tilegrind-golden-orphans"):
        from tilegrind.golden.fixture import Orphans

        config.pluginmanager.register(Orphans(config), "tilegrind-orphans")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Any:
    """Golden checks of this test (docs/golden-pytest.md): ``golden(fn, *args)`` fails it unless each pallas_call of a JAX function
    passes the accepted golden of this test's name; ``golden.check(name, implementation)`` takes any implementation."""
    from tilegrind.golden.fixture import Golden

    return Golden(request, request.config.getoption("--tilegrind-golden") == "pending")


def _begin(config: pytest.Config, options: argparse.Namespace) -> None:
    """Enables the plugin if the command line or the configuration file wants it, and it is not."""
    if not (options.tilegrind or config.getini("tilegrind")) or config.pluginmanager.has_plugin("tilegrind-checks"):
        return
    checks = Checks(config, options)
    config.add_cleanup(checks.end)
    checks.begin()
    config.pluginmanager.register(checks, "tilegrind-checks")


def _setting(config: pytest.Config, options: argparse.Namespace, option: _Option) -> Any:
    """The value from the command line, or else from the configuration file."""
    name = f"tilegrind_{option.name.replace('-', '_')}"
    given = getattr(options, name)
    text = config.getini(name) if given is None else given
    folder = config.invocation_params.dir if given is not None or config.inipath is None else config.inipath.parent
    try:
        value = option.convert(text)
        return tuple(str(folder / name) for name in value) if option.convert is _files else value
    except (KeyError, ValueError):
        raise pytest.UsageError(f"--tilegrind-{option.name}: {text!r} is no {option.form}") from None


@dataclass(frozen=True)
class Mark:
    """The combined arguments of a test's markers, the nearest first."""

    allow: frozenset[str] = frozenset()
    skip: bool = False

    @classmethod
    def of(cls, item: pytest.Item) -> Mark:
        allow: set[str] = set()
        skip: list[bool] = []
        for mark in item.iter_markers("tilegrind"):
            unknown = [repr(one) for one in mark.args] + sorted(set(mark.kwargs) - {"allow", "skip"})
            if unknown:
                raise pytest.UsageError(f"{item.nodeid}: the marker tilegrind takes allow and skip, not {', '.join(unknown)}")
            given = mark.kwargs.get("allow", ())
            allow.update([given] if isinstance(given, str) else given)
            skip += [bool(mark.kwargs["skip"])] if "skip" in mark.kwargs else []
        return cls(frozenset(allow), next(iter(skip), False))


@dataclass
class Seen:
    """What the kernels of one phase of a test did; made of simple values, so that reports can contain it."""

    kernels: list[str] = field(default_factory=list)  # names
    runs: int = 0
    programs: int = 0
    failing: list[str] = field(default_factory=list)  # short texts of findings
    allowed: list[str] = field(default_factory=list)
    suppressed: list[str] = field(default_factory=list)  # for each finding, the suppression that covers it
    refused: list[tuple[str, str]] = field(default_factory=list)  # what became of a call, and why it is not supported
    cases: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)

    def add(self, other: Seen) -> None:
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


_SEEN = pytest.StashKey[Seen]()


class Checks:
    """The plugin when it is enabled: in a single process, or in the controller and in each worker."""

    def __init__(self, config: pytest.Config, options: argparse.Namespace) -> None:
        self.config = config
        self.settings = {option.name.replace("-", "_"): _setting(config, options, option) for option in _OPTIONS}
        self.allow = frozenset(self.settings.pop("allow"))
        self.known = _known(self.settings["suppressions"])
        with _usage_errors():
            self.fronts = _fronts(self.settings)
        self.is_on = False
        self.tests: dict[str, Seen] = {}
        self.interrupted = ""  # by Ctrl-C: which test, and the findings made until then

    # -- on and off --

    def _turn(self, on: bool) -> None:
        with _usage_errors():
            for front in self.fronts:
                front.turn(on)
        self.is_on = on

    def begin(self) -> None:
        with _usage_errors():
            for front in self.fronts:
                front.begin()

    def end(self) -> None:
        for front in self.fronts:
            front.end()

    def pytest_collection_finish(self) -> None:
        """What conftests and test modules launch while they are imported belongs to no test."""
        for front in self.fronts:
            front.take()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            Mark.of(item)  # reports wrong markers before any test runs

    # -- a test --

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._turn(not Mark.of(item).skip)
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        return (yield from self._phase(item, "setup"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        return (yield from self._phase(item, "call"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        return (yield from self._phase(item, "teardown"))

    def _phase(self, item: pytest.Item, when: str) -> Generator[None, Any, Any]:
        """Runs a phase; findings fail it, or are reported beside the failure that it already has."""
        try:
            result = yield
        except BaseException as error:
            text = self._take(item)
            self._end_if_interrupted(item, text)
            if isinstance(error, KeyboardInterrupt):
                self._note_interrupt(item, "\n".join([text, *getattr(error, "__notes__", [])]))
            if text:
                item.add_report_section(when, "tilegrind", text)
            raise
        text = self._take(item)
        self._end_if_interrupted(item, text)
        if text:
            pytest.fail(text, pytrace=False)
        return result

    def _end_if_interrupted(self, item: pytest.Item, text: str) -> None:
        """After Ctrl-C has ended a kernel of this test, ends the session; the summary has the findings made until then."""
        if any([front.was_interrupted() for front in self.fronts]):
            self._note_interrupt(item, text)
            raise KeyboardInterrupt

    def _note_interrupt(self, item: pytest.Item, text: str) -> None:
        self.interrupted = self.interrupted or f"{item.nodeid} was interrupted\n\n{text}".strip()

    def _take(self, item: pytest.Item) -> str:
        """Records what the check has seen since the last time; returns the text with which the test fails."""
        taken = [(front, front.take()) for front in self.fronts]
        if not self.is_on:
            return ""
        found = _together([one for _, one in taken])
        allow = self.allow | Mark.of(item).allow
        level = _LEVELS.index(self.settings["fail_on"])
        failing = [f for f in found.findings if _LEVELS.index(f.level) >= level and f.kind not in allow]
        item.stash[_SEEN] = Seen(
            kernels=list(found.kernels), runs=found.runs, programs=found.programs,
            failing=[_short(f) for f in failing], allowed=[_short(f) for f in found.findings if f not in failing],
            suppressed=[_block(known.suppression) for known in found.suppressed],
            refused=[(front.unchecked, str(error)) for front, one in taken for error in one.refused], cases=[str(path) for path in found.cases],
            traces=[str(path) for path in found.traces])
        return self._text(item, failing, found.cases) if failing else ""

    def _text(self, item: pytest.Item, failing: list[Any], cases: list[Any]) -> str:
        from tilegrind.finding_text import texts_of

        many = "a fault" if len(failing) == 1 else f"{len(failing)} faults"
        again = [f"  tilegrind check {shlex.quote(str(path))}" for path in cases]
        again = again or [f"  pytest --tilegrind --tilegrind-save DIR {shlex.quote(item.nodeid)}", "  tilegrind check DIR/..."]
        return "\n\n".join([f"Tilegrind has found {many} in kernels that this test ran", *texts_of(failing),
                            "\n".join(["To see it again:", *again])])

    # -- reports --

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, Any]:
        report = yield
        seen = item.stash.get(_SEEN, None)
        if seen is not None:
            report.tilegrind = {one.name: getattr(seen, one.name) for one in fields(seen)}
            del item.stash[_SEEN]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seen = getattr(report, "tilegrind", None)
        if seen is not None and (seen["runs"] or seen["refused"]):
            self.tests.setdefault(report.nodeid, Seen()).add(Seen(**seen))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.section("tilegrind", "=")
        for line in self._summary(self.config.get_verbosity() > 0) + self.interrupted.splitlines():
            terminalreporter.line(line)

    def _summary(self, is_verbose: bool) -> list[str]:
        if not self.fronts:
            return ["nothing was checked: neither JAX nor Triton is installed"]
        all_seen = Seen()
        for seen in self.tests.values():
            all_seen.add(seen)
        tests = sum(seen.runs > 0 for seen in self.tests.values())
        lines = ['what tests put on "cuda" was on the CPU'] if self.settings["device"] == "cuda" else []
        lines += [f"{_count(tests, 'test')} ran kernels: {_count(all_seen.runs, 'run')}, {_count(all_seen.programs, 'program')}, "
                 f"{_count(len(all_seen.failing), 'finding')}, {len(all_seen.allowed):,} more allowed"]
        for test, seen in self.tests.items():
            if is_verbose or seen.failing or seen.allowed:
                lines.append(f"{test}: {', '.join(dict.fromkeys(seen.kernels)) or 'no kernel'}: {_count(seen.runs, 'run')}, "
                             f"{_count(seen.programs, 'program')}")
            lines += [f"  {text}" for text in dict.fromkeys([*seen.failing, *(f"{text} (allowed)" for text in seen.allowed)])]
            lines += [f"  tilegrind check {shlex.quote(path)}" for path in seen.cases]
            lines += [f"  timeline in {path}" for path in seen.traces if is_verbose or seen.failing]
        lines += self._suppressed(all_seen)
        for became in dict.fromkeys(became for became, _ in all_seen.refused):
            errors = [error for one, error in all_seen.refused if one == became]
            lines += [f"{_count(len(errors), 'call')} {became}:", *(f"  {text}" for text in sorted(set(errors)))]
        return lines

    def _suppressed(self, seen: Seen) -> list[str]:
        """How many findings each suppression has covered; also those that covered none although their kernel ran."""
        uses = Counter(seen.suppressed)
        concerned = {_block(one) for kernel in set(seen.kernels) if self.known for one in self.known.unused(kernel)}
        blocks = dict.fromkeys(_block(one) for one in self.known or ())
        return [f"suppressed by {block}: {_count(uses[block], 'finding')}" if uses[block] else f"nothing is suppressed by {block}"
                for block in blocks if uses[block] or block in concerned]


def _fronts(settings: dict[str, Any]) -> list[Any]:
    from tilegrind.pytest_fronts import fronts

    return fronts(settings)


@contextlib.contextmanager
def _usage_errors() -> Generator[None, None, None]:
    """What is wrong with options or libraries ends the session, without a traceback."""
    try:
        yield
    except (ImportError, RuntimeError, ValueError) as problem:
        raise pytest.UsageError(f"--tilegrind: {problem}") from None


def _together(parts: list[Any]) -> Any:
    """Results of several checks as those of one."""
    from tilegrind.checked import Checked

    whole = Checked()
    for part in parts:
        for one in fields(Checked):
            kept = getattr(whole, one.name)
            kept.update(getattr(part, one.name)) if isinstance(kept, dict) else kept.extend(getattr(part, one.name))
    return whole


def _known(files: tuple[str, ...]) -> Any:
    """The suppressions of some files, read before any test runs; None if there are none."""
    if not files:
        return None
    import tilegrind

    try:
        return tilegrind.Suppressions(*files)
    except tilegrind.Error as problem:
        raise pytest.UsageError(f"--tilegrind-suppressions: {problem}") from None


def _block(suppression: Any) -> str:
    return f"{suppression.name} ({_shown(suppression.file)}:{suppression.line})"


def _shown(path: str) -> str:
    """The path relative to the working folder, if it is below."""
    return str(Path(path).relative_to(Path.cwd())) if Path(path).is_relative_to(Path.cwd()) else path


def _short(finding: Any) -> str:
    return f"{finding.kind} in {finding.kernel}" + (f", {finding.file}:{finding.line}" if finding.file else "")


def _count(number: int, noun: str) -> str:
    from tilegrind.finding_text import counted

    return counted(number, noun)
