"""The pytest fixture `golden` (docs/golden-pytest.md): the goldens of a test, and what of them is missing or superfluous."""

import contextlib
import os
import re
import shlex
import time
from pathlib import Path

import pytest

from ..errors import Error
from ..judging import Unjudged
from ..digests import digest
from .bad_bundle import BadBundle
from .folder import Busy, Folder, Refused
from .goldens import Failed, Goldens
from .recording import NotRecorded

USED = pytest.StashKey()    # of a test: (folder, name) of each golden that it has asked for
_OWNERS = pytest.StashKey()  # of the session: which test has a golden under the name that it gets by itself
_PATIENCE = 60  # seconds to wait for other processes that write to the same folder


class Golden:
    """What a test gets as `golden`.

    golden(fn, *args)                    each pallas_call of a JAX function against the golden of this test
    golden.check(name, implementation)   an implementation against the golden of that name
    golden.check_function(name, fn, *args)
    """

    def __init__(self, request, is_recording):
        self._request, self._item, self._is_recording, self._count = request, request.node, is_recording, 0
        self.folder = folder_of(request.config, request.node.path)
        self.goldens = Goldens(self.folder)

    def __call__(self, fn, *args, **kwargs):
        """Fails the test unless each `pallas_call` of ``fn(*args, **kwargs)`` passes.  The golden's name is that of the test; a second
        call in the same test has that with -2.  Returns a checking.Result for each call."""
        self._count += 1
        name = fit(self._item) + (f"-{self._count}" if self._count > 1 else "")
        owner = _owner_of(self._request, self.folder, name)
        if owner != _place(self._item):
            raise Refused(f"{owner} has the golden {name} in {self.folder} already, and {_place(self._item)} asks for it: "
                          "give one of them a name, golden.check_function(NAME, fn, ...)")
        return self.check_function(name, fn, *args, **kwargs)

    def check_function(self, name, fn, *args, **kwargs):
        """As `golden(fn, ...)`, with a name."""
        return self._judged(name, lambda: self.goldens.check_function(name, fn, *args, kwargs=kwargs),
                            lambda: self.goldens.record_function(name, fn, *args, kwargs=kwargs))

    def check(self, name, implementation=None):
        """Fails the test unless an implementation passes the accepted golden of that name; see Goldens.check."""
        return self._judged(name, lambda: self.goldens.check(name, implementation), None)

    def _judged(self, name, check, record):
        __tracebackhide__ = True
        used = self._item.stash.setdefault(USED, [])
        used += [(str(self.folder), one) for one in (name, *_calls_of(self.goldens.store, name))]
        try:
            return check()
        except Failed as failure:
            text, is_bad = str(failure), any(result.stale or result.vacuous for result in failure.results)
        except BadBundle as problem:
            text, is_bad = str(problem), True
        pytest.fail(f"{text}\n\n{self._next(name, record)}" if is_bad else text, pytrace=False)

    def _next(self, name, record):
        """What to do about a golden that is missing, or is not what it should be; records it where that is asked for."""
        command = f"tilegrind golden --goldens {shlex.quote(_shown(self.folder))}"
        pending = [one for one in self.goldens.store.names(pending=True) if one == name or one.startswith(f"{name}.")]
        if record is None:
            return f"record a case of its kernel: {command} record CASE --name {name}"
        if not self._is_recording:
            return "\n".join([*(f"{one} is pending: {command} review {one}" for one in pending),
                              f"record it: pytest --tilegrind-golden=pending {shlex.quote(self._item.nodeid)}"])
        try:
            made = _patiently(record)
        except (NotRecorded, Unjudged, Error, ValueError) as problem:
            return f"not recorded: {problem}"
        return "\n".join([*(one.summary() for one in made), f"recorded, and pending until someone accepts it: {command} review "
                          + " ".join(one.bundle.name for one in made)])


def _place(item):
    """The test, and where it is."""
    file, line, _ = item.location
    return f"{item.nodeid} ({file}:{(line or 0) + 1})"


def _owner_of(request, folder, name):
    """The _place of the first test of this session that has asked for a golden by its own name, in whichever worker of
    pytest-xdist on this machine: their temporary folders lie in one folder of the session."""
    place, config = _place(request.node), request.config
    if not hasattr(config, "workerinput"):
        return config.stash.setdefault(_OWNERS, {}).setdefault((folder, name), place)
    shared = request.getfixturevalue("tmp_path_factory").getbasetemp().parent / "tilegrind-goldens"
    shared.mkdir(exist_ok=True)
    claim = shared / digest(f"{folder}\0{name}")
    scratch = shared / f"{config.workerinput['workerid']}.new"
    scratch.write_text(place, encoding="utf-8")
    with contextlib.suppress(FileExistsError):
        os.link(scratch, claim)  # whole or not at all, and the first one wins
    return claim.read_text(encoding="utf-8")


def _calls_of(store, name):
    """The goldens that a function of that name may have."""
    return [one for one in store.names() if one.startswith(f"{name}.")]


def _patiently(record):
    """Records, and waits while another process writes to the folder."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            return record()
        except Busy:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def fit(item):
    """The name of a test's golden: that of the test, with its class and parameters, in letters that names may have."""
    name = ".".join(item.nodeid.split("::")[1:]).replace("[", "-").rstrip("]")
    return re.sub(r"[^A-Za-z0-9_.=-]", "_", name).lstrip("_.=-")


def folder_of(config, file):
    """The folder of the goldens of tests in a file: goldens beside it, or that of the setting, relative to the configuration."""
    chosen = config.getini("tilegrind_goldens")
    base = config.inipath.parent if config.inipath else config.rootpath
    return base / chosen if chosen else Path(file).parent / "goldens"


def _shown(path):
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


class Orphans:
    """Reports goldens that no test has asked for.  Each report of a test contains what it asked for, which reaches the main
    process from xdist workers too."""

    def __init__(self, config):
        self._config, self._used, self._files, self._open, self._deselected = config, set(), set(), [], 0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item):
        report = yield
        report.tilegrind_goldens = item.stash.get(USED, [])
        report.tilegrind_takes_golden = "golden" in getattr(item, "fixturenames", ())
        return report

    def pytest_deselected(self, items):
        self._deselected += len(items)

    def pytest_runtest_logreport(self, report):
        self._used |= {tuple(one) for one in getattr(report, "tilegrind_goldens", ())}
        self._files.add(report.nodeid.split("::")[0])
        if getattr(report, "tilegrind_takes_golden", False) and report.outcome != "passed":
            self._open.append(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if not hasattr(self._config, "workerinput"):
            self._found = self._orphans(session, exitstatus)
            if self._found and exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _orphans(self, session, exitstatus):
        self._why = self._why_not(session, exitstatus)
        if self._why:
            return []
        folders = {folder_of(self._config, self._config.rootpath / file) for file in self._files}
        names = [(folder, name) for folder in sorted(folders) for name in Folder(folder).names()]
        return [(folder, name) for folder, name in names if (str(folder), name) not in self._used]

    def _why_not(self, session, exitstatus):
        """Why nothing can be said: some test did not run that may use them."""
        if exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) or session.shouldstop or session.shouldfail:
            return "the session ended early"
        if self._deselected or self._config.option.keyword or self._config.option.markexpr or _has_parts(self._config):
            return "only some tests were chosen"
        return f"{self._open[0]} did not pass" if self._open else ""

    def pytest_terminal_summary(self, terminalreporter):
        if self._why:
            terminalreporter.line(f"tilegrind: orphans among the goldens were not looked for: {self._why}")
        for folder, name in self._found:
            terminalreporter.line(f"tilegrind: orphan: no test uses {name}: tilegrind golden --goldens {shlex.quote(_shown(folder))} "
                                  f"remove {name}")


def _has_parts(config):
    return any("::" in argument for argument in config.args)
