"""The form of trace events: what Perfetto and chrome://tracing want of each, how slices nest, and how arrows and flights pair up."""

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



def check_keys(event):
    required, optional = KEYS[event["ph"]]
    keys = set(event) - {"ph"}
    assert required <= keys <= required | optional, event
    assert isinstance(event["pid"], int) and event["pid"] > 0 and isinstance(event["tid"], int) and event["tid"] > 0
    assert isinstance(event["name"], str) and event["name"]
    assert event["ph"] == "M" or (isinstance(event["ts"], int) and event["ts"] >= 0)


def check_slices(events):
    """Of the slices of a thread no two have a step in common."""
    tracks = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            assert event["dur"] > 0
            tracks[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for track, slices in tracks.items():
        slices.sort()
        for (_, end), (begin, _) in zip(slices, slices[1:]):
            assert end <= begin, track
    return tracks


def check_arrows(events, tracks):
    """Each arrow has two ends, which lie in slices, and does not point back in time."""
    ends = defaultdict(dict)
    for event in events:
        if event["ph"] in "sf":
            assert event["ph"] not in ends[event["id"]], event
            ends[event["id"]][event["ph"]] = event
            assert any(begin <= event["ts"] < end for begin, end in tracks[event["pid"], event["tid"]]), event
    for arrow in ends.values():
        assert set(arrow) == {"s", "f"} and arrow["s"]["ts"] <= arrow["f"]["ts"] and arrow["s"]["name"] == arrow["f"]["name"]
    return ends


def check_flights(events):
    flights = defaultdict(list)
    for event in events:
        if event["ph"] in "bne":
            flights[event["cat"], event["id"]].append(event)
    for flight in flights.values():
        kinds = "".join(event["ph"] for event in flight)
        assert kinds in ("be", "bne", "bnne"), flight
        assert [event["ts"] for event in flight] == sorted(event["ts"] for event in flight)
        assert len({(event["name"], event["pid"]) for event in flight}) == 1
    return flights


def check(trace):
    """Returns the events."""
    events = trace["traceEvents"]
    for event in events:
        check_keys(event)
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    processes = {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    assert {(e["pid"], e["tid"]) for e in events if e["ph"] in "Xbnesf"} <= named
    assert {e["pid"] for e in events} <= processes
    about = trace["otherData"]
    steps = max(device["steps"] for device in about.get("devices", [about]))
    assert all(e["ts"] + e.get("dur", 0) <= steps for e in events if e["ph"] != "M")
    check_arrows(events, check_slices(events))
    check_flights(events)
    return events
