"""The page and the trace of a run on a mesh: the runs of devices, of which the page shows one at a time."""

import json

import numpy as np
import pytest
from test_page import Page, data_of, driver, tilegrind, write_kernel, write_page  # noqa: F401  driver is a fixture
from trace_schema import check

SUMS = ["run", "examples/row_sums.json", "--in", "examples/row_sums_inputs.npz", "--mesh", "x=4,y=2", "--sharding", "x_ref=P('x', 'y')"]
COPIES, TERMS = ["--sharding", "o_ref=P('x')"], ["--sharding", "o_ref=P('x', unreduced={'y'})"]


def only_on_the_second(folder):
    """A kernel that reads x[x[0]], 16 elements a device, on two devices: the second reads beyond its array.  The arguments."""
    kernel = {"tilegrind": "0.1", "locations": [{"file": "", "line": 0}], "kernels": [{
        "name": "jump", "grid": [{"size": 2}],
        "params": [{"name": "x", "role": "input", "type": "i32[4]"}, {"name": "o", "role": "output", "type": "i32[2]"}],
        "body": {"args": [{"id": 0, "type": "ref<i32[4]>"}, {"id": 1, "type": "ref<i32[2]>"}], "ops": [
            {"op": "program_id", "out": [{"id": 2, "type": "i32[]"}], "axis": 0},
            {"op": "constant", "out": [{"id": 3, "type": "i32[]"}], "value": 0},
            {"op": "load", "in": [0, 3], "out": [{"id": 4, "type": "i32[]"}], "index": [["at"]]},
            {"op": "load", "in": [0, 4], "out": [{"id": 5, "type": "i32[]"}], "index": [["at"]]},
            {"op": "store", "in": [1, 5, 2], "index": [["at"]]}]}}]}
    np.savez(folder / "in.npz", x=np.array([1, 10, 20, 30, 7, 11, 21, 31], dtype=np.int32))
    return ["run", write_kernel(folder, kernel), "--in", folder / "in.npz", "--mesh", "d=2", "--sharding", "x=P('d')", "--sharding", "o=P('d')"]


# ---- the file ----


@pytest.mark.parametrize("order", ["sequential", "reversed", "shuffled:2"])
def test_each_device_has_its_parts_and_its_log(tmp_path, order):
    data = data_of(write_page(tmp_path / "page.html", *SUMS, *TERMS, "--device-order", order, code=0))
    assert data["mesh"]["devices"] == 8 and "params" not in data and [d["id"] for d in data["devices"]] == list(range(8))
    x = np.load("examples/row_sums_inputs.npz")["x_ref"]
    for device in data["devices"]:
        row, column = divmod(device["id"], 2)
        part = x[2 * row:2 * row + 2, 4 * column:4 * column + 4]
        of = {param["name"]: param for param in device["params"]}
        assert device["name"] == f"device {device['id']} (x={row}, y={column})"
        assert of["x_ref"]["before"].split() == [f"{v:g}" for v in part.flat]
        assert of["o_ref"]["after"].split() == [f"{v:g}" for v in part.sum(axis=1)]
        assert len(device["log"]) == 2 and device["timeline"]["steps"] > 0


def test_the_findings_of_a_device_have_room_in_its_log_only(tmp_path):
    data = data_of(write_page(tmp_path / "page.html", *only_on_the_second(tmp_path), code=1))
    (finding,) = data["findings"]
    assert finding["devices"] == [1] and finding["kind"] == "access-outside-ref"
    assert [len(device["asked_for"]) for device in data["devices"]] == [0, 1 if "elements" in finding else 0]


def test_copies_that_differ_are_no_elements_of_a_device(tmp_path):
    data = data_of(write_page(tmp_path / "page.html", *SUMS, *COPIES, code=1))
    assert data["findings"][0]["elements"] == [0, 7] and all(device["asked_for"] == [] for device in data["devices"])


def test_sixteen_devices_are_recorded_and_those_of_findings_first(tmp_path):
    x = np.ones((40, 4), dtype=np.int32)
    x[33, 0] = 9
    kernel = only_on_the_second(tmp_path)[1]
    np.savez(tmp_path / "in.npz", x=x.reshape(-1))
    data = data_of(write_page(tmp_path / "page.html", "run", kernel, "--in", tmp_path / "in.npz", "--mesh", "d=40", "--sharding", "x=P('d')",
                              "--sharding", "o=P('d')", code=1))
    assert [d["id"] for d in data["devices"]] == [*range(15), 33] and data["findings"][0]["devices"] == [33]


def test_files_do_not_change_what_a_run_says(tmp_path):
    plain, told = (json.loads(tilegrind(*SUMS, *COPIES, "--json", *more).stdout)
                   for more in ([], ["--html", tmp_path / "p.html", "--trace", tmp_path / "t.json"]))
    for run in (plain, told):
        del run["seconds"]
    assert plain == told


def test_trace(tmp_path):
    """Each device has processes of its own, and no two arrows or flights one id."""
    done = tilegrind(*SUMS, *TERMS, "--trace", tmp_path / "t.json")
    assert done.returncode == 0, done.stderr
    trace = json.loads((tmp_path / "t.json").read_text())
    events = check(trace)
    names = [e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"]
    assert names == [f"device {i} (x={i // 2}, y={i % 2}), program ()" for i in range(8)]
    assert [device["name"] for device in trace["otherData"]["devices"]] == [name.split(", program")[0] for name in names]


def test_a_case_shows_the_first_order_with_findings(tmp_path):
    from test_mesh_case import MESH, X, case_of
    case = case_of(tmp_path / "sums")
    data = data_of(write_page(tmp_path / "page.html", "run", case, *MESH, *X, *COPIES, code=1))
    assert data["order"] == "sequential" and len(data["devices"]) == 8 and data["repeat"].startswith("tilegrind run")


# ---- in a browser ----


def shown(page):
    return page.run("document.getElementById('device').selectedOptions[0].textContent")


def test_the_device_of_the_finding_is_shown_first(driver, tmp_path):  # noqa: F811
    page = Page(driver, write_page(tmp_path / "page.html", *only_on_the_second(tmp_path), code=1))
    assert shown(page) == "device 1 (d=1)" and "on device 1 (d=1)" in page.text(".finding")
    assert "chosen" in page.find(".finding").get_attribute("class")
    page.point("x", 0, 0)
    assert page.text("#inspector-summary").endswith("before the run: 7")
    page.check_quiet()


def test_another_device_can_be_chosen(driver, tmp_path):  # noqa: F811
    page = Page(driver, write_page(tmp_path / "page.html", *only_on_the_second(tmp_path), code=1))
    page.find("#device option[value='0']").click()
    assert shown(page) == "device 0 (d=0)" and "chosen" not in page.find(".finding").get_attribute("class")
    page.point("x", 0, 0)
    assert page.text("#inspector-summary").endswith("before the run: 1")
    page.find(".finding .open").click()
    assert shown(page) == "device 1 (d=1)" and "chosen" in page.find(".finding").get_attribute("class")
    assert driver.get_log("browser") == []


def test_copies_that_differ_lead_to_each_device(driver, tmp_path):  # noqa: F811
    page = Page(driver, write_page(tmp_path / "page.html", *SUMS, *COPIES, code=1))
    assert shown(page) == "device 0 (x=0, y=0)" and page.text("#inspector-title") == "replicas-differ"
    links = driver.find_elements("css selector", ".finding .where .link")
    assert [link.text for link in links[:2]] == ["device 0 (x=0, y=0)", "device 1 (x=0, y=1)"]
    links[1].click()
    assert shown(page) == "device 1 (x=0, y=1)" and page.text("#inspector-title") == "replicas-differ"
    assert "8 of 8 devices are recorded" in page.text("#limits") and driver.get_log("browser") == []


def test_a_page_of_one_device_has_no_choice(driver, tmp_path):  # noqa: F811
    page = Page(driver, write_page(tmp_path / "page.html", "run", "examples/summed.json", "--in", "examples/summed_inputs.npz", code=0))
    assert not page.find("#device-label").is_displayed()
    page.check_quiet()
