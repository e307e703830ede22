"""What Perfetto and chrome://tracing want of trace events, by the description of the format ("Trace Event Format") and by what Perfetto's
importer of JSON does: the members of each event, names of processes and threads, slices that nest, flights that begin and end, and
arrows, which belong to the slice of their thread that has begun last."""

from collections import defaultdict

KEYS = {  # by `ph`: what an event must have, and may have
    "M": ({"name", "pid", "tid", "args"}, set()),
    "X": ({"name", "cat", "pid", "tid", "ts", "dur", "args"}, set()),
    "i": ({"name", "cat", "pid", "tid", "ts", "s"}, {"args"}),
    "b": ({"name", "cat", "pid", "tid", "ts", "id", "args"}, set()),
    "n": ({"name", "cat", "pid", "tid", "ts", "id", "args"}, set()),
    "e": ({"name", "cat", "pid", "tid", "ts", "id", "args"}, set()),
    "s": ({"name", "cat", "pid", "tid", "ts", "id"}, set()),
    "f": ({"name", "cat", "pid", "tid", "ts", "id", "bp"}, set()),
}
METADATA = {"process_name": "name", "process_sort_index": "sort_index", "thread_name": "name", "thread_sort_index": "sort_index"}


def check_keys(event):
    required, optional = KEYS[event["ph"]]
    keys = set(event) - {"ph"}
    assert required <= keys <= required | optional, event
    assert isinstance(event["pid"], int) and 0 < event["pid"] < 2**32 and isinstance(event["tid"], int) and 0 < event["tid"] < 2**32
    assert isinstance(event["name"], str) and event["name"]
    assert event["ph"] == "M" or (isinstance(event["ts"], int) and event["ts"] >= 0 and isinstance(event["cat"], str) and event["cat"])
    assert event["ph"] != "X" or (isinstance(event["dur"], int) and event["dur"] > 0), event
    assert event["ph"] != "i" or event["s"] in "gpt", event
    assert event["ph"] != "f" or event["bp"] == "e", event
    assert "id" not in event or (isinstance(event["id"], int) and 0 <= event["id"] < 2**63), event
    assert "args" not in event or isinstance(event["args"], dict)


def check_metadata(events):
    """Each process and thread with events has one name and one place, and they come before all events of it."""
    named, seen = set(), set()
    for event in events:
        track = event["pid"], event["tid"]
        if event["ph"] != "M":
            seen.add(track)
            continue
        key = METADATA[event["name"]]
        assert set(event["args"]) == {key} and isinstance(event["args"][key], str if key == "name" else int), event
        about = (event["name"], event["pid"], event["tid"] if event["name"].startswith("thread") else 0)
        assert about not in named and track not in seen, event
        named.add(about)
    for pid, tid in seen:
        assert {("process_name", pid, 0), ("process_sort_index", pid, 0), ("thread_name", pid, tid), ("thread_sort_index", pid, tid)} <= named


def in_order(events):
    """As a reader takes them: by time, and where times are equal as in the file."""
    return sorted((event for event in events if event["ph"] != "M"), key=lambda event: event["ts"])


class Track:
    """The slices of a thread that are open, as Perfetto keeps them: one that has ended stays until the next one begins."""

    def __init__(self):
        self.open = []

    def begin(self, event, dur):
        while self.open and self.open[-1][1] <= event["ts"]:
            self.open.pop()
        end = event["ts"] + dur
        assert not self.open or end <= self.open[-1][1], (event, self.open)
        self.open.append((event["ts"], end, event))

    def last(self, event):
        """The slice that an arrow belongs to, which must be one in which it is."""
        assert self.open, event
        begin, end, owner = self.open[-1]
        assert begin <= event["ts"] < end and owner["ph"] == "X", (event, owner)
        return owner


def check_slices_and_arrows(events):
    """Slices nest; an arrow begins and ends in a slice of one step at its time, and does not point back in time."""
    tracks, begun, ended = defaultdict(Track), {}, set()
    for event in in_order(events):
        track = tracks[event["pid"], event["tid"]]
        if event["ph"] == "X":
            track.begin(event, event["dur"])
        elif event["ph"] == "i" and event["s"] == "t":
            track.begin(event, 0)
        elif event["ph"] == "s":
            owner, key = track.last(event), (event["cat"], event["id"])
            assert key not in begun and owner["ts"] == event["ts"] and owner["dur"] == 1, (event, owner)
            begun[key] = event
        elif event["ph"] == "f":
            owner, key = track.last(event), (event["cat"], event["id"])
            assert key not in ended and begun[key]["name"] == event["name"], event
            assert owner["ts"] == event["ts"] and owner["dur"] == 1, (event, owner)
            ended.add(key)
    assert set(begun) == ended


def check_flights(events):
    flights = defaultdict(list)
    for event in in_order(events):
        if event["ph"] in "bne":
            flights[event["cat"], event["id"]].append(event)
    for flight in flights.values():
        assert "".join(event["ph"] for event in flight) in ("be", "bne", "bnne"), flight
        assert len({(event["name"], event["pid"]) for event in flight}) == 1


def check(trace):
    """Returns the events."""
    assert trace["displayTimeUnit"] in ("ms", "ns") and isinstance(trace["otherData"], dict)
    events, about = trace["traceEvents"], trace["otherData"]
    for event in events:
        check_keys(event)
    steps = max(device["steps"] for device in about.get("devices", [about]))
    assert all(e["ts"] + e.get("dur", 0) <= steps for e in events if e["ph"] != "M")
    check_metadata(events)
    check_slices_and_arrows(events)
    check_flights(events)
    return events
