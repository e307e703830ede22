"""The log of a store: what no result may depend on, such as times and hosts.  Each process has a file of its own."""

import datetime
import json
import os
import socket

FAILED, LOST = "failed", "lost"


def note(store, unit, state, seconds=None, why=None):
    """Adds a line about a unit: its state is what Store.put returned, FAILED or LOST."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    line = {"at": now, "unit": unit, "state": state, "seconds": seconds, "why": why}
    path = store.path / "log" / f"{socket.gethostname()}.{os.getpid()}.jsonl"
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps({key: value for key, value in line.items() if value is not None}) + "\n")


def troubles(store):
    """{unit: why its last attempt failed, or that its process ended} of all logs."""
    found = {}
    for path in (store.path / "log").glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            entry = _entry(line)
            if entry.get("state") in (FAILED, LOST) and entry["at"] >= found.get(entry["unit"], ("", ""))[0]:
                found[entry["unit"]] = (entry["at"], entry.get("why", ""))
    return {unit: why for unit, (_, why) in found.items()}


def _entry(line):
    """A line of a log; that of a process which was killed while it wrote may be cut off."""
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) and {"at", "unit", "state"} <= entry.keys() else {}
