"""The page that --html writes: what it holds, and what a reader sees who opens it in a browser and clicks.

The tests in a browser want Chromium with its driver and selenium, and are skipped where one of them is missing."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
TILEGRIND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
TRANSPOSED = ["examples/transposed.json", "--in", "examples/transposed_inputs.npz"]
SUMMED = ["examples/summed.json", "--in", "examples/summed_inputs.npz"]
PIPELINED = ["examples/pipelined.json", "--in", "examples/pipelined_inputs.npz"]


def tilegrind(*arguments, cwd=ROOT):
    return subprocess.run([TILEGRIND, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=120)


def write_page(path, *arguments, code):
    done = tilegrind(*arguments, "--html", path)
    assert done.returncode == code, done.stdout + done.stderr
    assert [p.name for p in path.parent.iterdir() if p.suffix == ".tmp"] == []
    return path


def data_of(path):
    text = path.read_text()
    assert text.count("</script>") == 2
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def block_kernel(name="fill", grid=(2, 3), shape=(4, 9), block=(2, 3), param="o", stores=1, file="k.py"):
    """Each program stores i, i + 1, ... of a 2-D iota to its block, `stores` times."""
    axes, rank = range(len(grid)), len(shape)
    ref = f"[{','.join(map(str, block))}]"
    ops = [{"op": "iota", "out": [{"id": 20, "type": f"i32{ref}"}], "axis": rank - 1}]
    ops += [{"op": "store", "in": [10, 20], "index": [["slice", 0, size, 1] for size in block], "loc": 1}] * stores
    return {"tilegrind": "0.1", "locations": [{"file": file, "line": 7}], "kernels": [{
        "name": name, "grid": [{"size": size} for size in grid],
        "params": [{"name": param, "role": "output", "type": f"i32[{','.join(map(str, shape))}]",
                    "block": [{"blocked": size} for size in block],
                    "index_map": {"args": [{"id": a, "type": "i32[]"} for a in axes], "yield": list(axes)}}],
        "body": {"args": [{"id": 10, "type": f"ref<i32{ref}>"}], "ops": ops}}]}


def write_kernel(folder, kernel):
    path = folder / "kernel.json"
    path.write_text(json.dumps(kernel))
    return path


# ---- the file ----


def test_data(tmp_path):
    data = data_of(write_page(tmp_path / "page.html", "check", *SUMMED, code=1))
    assert data["kernel"] == "sum_rows" and data["is_check"] and data["order"] == "sequential"
    assert [p["name"] for p in data["params"]] == ["x_ref", "o_ref"]
    assert data["params"][1]["after"] == "48 52 56 60 64 68 72 76"
    assert data["log"][1] == "1 1 w 0 store 2 1 0 8x1|0 1 2 3 4 5 6 7"
    assert [f["kind"] for f in data["findings"]] == ["race", "race", "order-dependence"]
    assert "--order replay:3-before-0" in data["repeats"][2]
    source = data["sources"][0]
    assert source["file"] == "examples/summed.py" and source["lines"][20 - source["first"]].strip() == "o_ref[...] += x_ref[...]"


def test_timeline_is_in_the_data(tmp_path):
    """Program (0, 1), the thread that computes, works until it waits for the first copy; then the other thread begins."""
    data = data_of(write_page(tmp_path / "page.html", "run", *PIPELINED, "--order", "sequential", code=0))
    events = data["timeline"]["events"]
    assert [axis["thread"] for axis in data["grid"]] == [False, True]
    kind, begin, end, program, chain, thread, _, phase, op, what, memory, by, by_step, owner, *_ = next(e for e in events if e[0] == "wait")
    assert (kind, program, chain, thread, phase, op, what, owner) == ("wait", 1, 0, 1, 0, "barrier_wait", "full[0]", 0)
    assert data["params"][memory]["name"] == "full" and begin < by_step < end <= data["timeline"]["steps"]
    copy = events[by]
    assert copy[0] == "copy" and copy[9] == "tile_ref[0, 0]" and copy[14:19] == ["x_ref[0, 0, 0]", "", -1, by_step, None]
    assert all(len(e) == (8 if e[0] == "work" else 19) for e in events)
    assert data["timeline"]["left_out"] == 0 and data["timeline"]["left_since"] == -1


def test_memory_costs_are_in_the_data(tmp_path):
    data = data_of(write_page(tmp_path / "page.html", "run", *TRANSPOSED, "--check", "memory-cost", code=0))
    assert [(c["param"], c["cost"], c["least"]) for c in data["memory_cost"]] == [
        ("x_ref", 256, 256), ("tile_ref", 64, 64), ("tile_ref", 2048, 64), ("o_ref", 256, 256)]
    assert "memory_cost" not in data_of(write_page(tmp_path / "page.html", "run", *TRANSPOSED, code=0))


def test_page_does_not_change_what_a_run_says(tmp_path):
    plain, paged = (json.loads(tilegrind("check", *SUMMED, "--json", *more).stdout) for more in ([], ["--html", tmp_path / "p.html"]))
    for run in (plain, paged):
        del run["seconds"]
    assert plain == paged


# Program p loads x[v], v being o[0], which is 0 at first, and leaves 100 * (1 - p) there: in the order of the grid v becomes 100.
ORDER_MATTERS = {"tilegrind": "0.1", "kernels": [{
    "name": "turns", "grid": [{"size": 2}],
    "params": [{"name": "x", "role": "input", "type": "i32[4]"}, {"name": "o", "role": "output", "type": "i32[4]", "alias": "x"}],
    "body": {"args": [{"id": 0, "type": "ref<i32[4]>"}, {"id": 1, "type": "ref<i32[4]>"}], "ops": [
        {"op": "program_id", "out": [{"id": 2, "type": "i32[]"}], "axis": 0},
        {"op": "constant", "out": [{"id": 3, "type": "i32[]"}], "value": 0},
        {"op": "constant", "out": [{"id": 4, "type": "i32[]"}], "value": 100},
        {"op": "load", "in": [1, 3], "out": [{"id": 5, "type": "i32[]"}], "index": [["at"]]},
        {"op": "load", "in": [0, 5], "out": [{"id": 6, "type": "i32[]"}], "index": [["at"]]},
        {"op": "mul", "in": [2, 4], "out": [{"id": 7, "type": "i32[]"}]},
        {"op": "sub", "in": [4, 7], "out": [{"id": 8, "type": "i32[]"}]},
        {"op": "store", "in": [1, 8, 3], "index": [["at"]]}]}}]}


@pytest.mark.parametrize("orders, shown, findings", [
    (["reversed", "sequential", "shuffled:1"], "sequential", 1),
    (["reversed", "replay:1-before-0"], "reversed", 0),
])
def test_case_shows_the_first_order_with_findings(tmp_path, orders, shown, findings):
    case = tmp_path / "case"
    case.mkdir()
    write_kernel(case, ORDER_MATTERS)
    (case / "case.json").write_text(json.dumps({
        "tilegrind": "0.1", "name": "turns", "kernel": "kernel.json", "inputs": {"x": {"type": "i32[4]", "fill": "zeros"}}, "orders": orders}))
    data = data_of(write_page(tmp_path / "page.html", "run", case, code=findings))
    assert data["order"] == shown and [f["kind"] for f in data["findings"]] == ["access-outside-ref"] * findings
    assert data["log"][0].split()[3] == ("0" if shown == "sequential" else "1")
    assert data["params"][1]["memory"] == 0, "an alias is one memory with its input"


@pytest.mark.parametrize("arguments, code, says", [
    (["run", "examples/add.json", "--backend", "emulator", "--html", "p.html"], 2, "--html goes with backend cpu"),
    (["check", *SUMMED, "--html"], 2, "needs an argument"),
    (["check", *SUMMED, "--html", "/nowhere/page.html"], 2, "/nowhere/page.html"),
])
def test_refusals(arguments, code, says):
    done = tilegrind(*arguments)
    assert done.returncode == code and says in done.stderr, done.stderr


def test_no_page_of_a_run_that_failed(tmp_path):
    done = tilegrind("run", "examples/summed.json", "--html", tmp_path / "page.html")
    assert done.returncode == 2 and list(tmp_path.iterdir()) == []


def test_what_has_no_room_is_told(tmp_path):
    """Half of the room is for ordinary accesses, a quarter for one operation, and pages end at some 20 MB."""
    kernel = write_kernel(tmp_path, block_kernel(grid=(1000, 60), shape=(1000, 240), block=(1, 4)))
    page = write_page(tmp_path / "page.html", "run", kernel, code=0)
    data = data_of(page)
    assert len(data["log"]) == 25000 and data["accesses"] == 60000
    param = data["params"][0]
    assert param["accesses_left_out"] == 35000 and param["gap_since"] == 25000
    assert len(param["after"].split()) == 100000
    assert page.stat().st_size < 20e6


# ---- in a browser ----


@pytest.fixture(scope="module")
def driver():
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    tool = shutil.which("chromedriver")
    if not browser or not tool:
        pytest.skip("there is no Chromium with its driver")
    options = selenium.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,1000", "--force-device-scale-factor=1"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with selenium.Chrome(options=options, service=selenium.ChromeService(tool)) as driver:
        yield driver


class Page:
    """An open page, as its reader uses it."""

    def __init__(self, driver, path):
        self.driver, self.path = driver, path
        driver.get_log("performance"), driver.get_log("browser")
        driver.get(path.as_uri())

    def run(self, script):
        return self.driver.execute_script(f"return {script}")

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def text(self, selector):
        return self.find(selector).text

    def canvas(self, name):
        return self.find(f'figure[data-name="{name}"] canvas')

    def point(self, name, row, column, click=True):
        """Moves to a square, and clicks."""
        from selenium.webdriver import ActionChains
        canvas = self.canvas(name)
        left, top, size = (int(canvas.get_attribute(f"data-{key}")) for key in ("left", "top", "size"))
        x, y = left + column * size + size // 2, top + row * size + size // 2
        width, height = canvas.size["width"], canvas.size["height"]
        actions = ActionChains(self.driver).move_to_element_with_offset(canvas, x - width // 2, y - height // 2)
        (actions.click() if click else actions).perform()

    def press(self, name, *keys):
        self.driver.execute_script("arguments[0].focus()", self.canvas(name))
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def rows(self):
        return [[cell.text for cell in row.find_elements("css selector", "td")]
                for row in self.driver.find_elements("css selector", "#history tbody tr")]

    def check_quiet(self):
        """No request but for the page itself, and nothing on the console."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        assert urls == [self.path.as_uri()]
        assert self.driver.get_log("browser") == []


@pytest.fixture
def summed(driver, tmp_path):
    page = Page(driver, write_page(tmp_path / "page.html", "check", *SUMMED, code=1))
    yield page
    page.check_quiet()


HISTORY_OF_3 = [
    ["1", "(0)", "write", "store", "summed.py:16", "undefined → 3"],
    ["2", "(1)", "read", "load", "summed.py:20", "3"],
    ["4", "(1)", "write", "store", "summed.py:20", "3 → 14"],
    ["5", "(2)", "read", "load", "summed.py:20", "14"],
    ["7", "(2)", "write", "store", "summed.py:20", "14 → 33"],
    ["8", "(3)", "read", "load", "summed.py:20", "33"],
    ["10", "(3)", "write", "store", "summed.py:20", "33 → 60"],
]


def test_head_and_findings(summed):
    assert summed.text("h1") == "sum_rows" and summed.text("#verdict") == "3 findings"
    assert summed.driver.title == "sum_rows – Tilegrind"
    findings = summed.driver.find_elements("css selector", ".finding")
    assert [f.find_element("css selector", ".kind").text for f in findings] == ["error: race", "error: race", "error: order-dependence"]
    assert "o_ref[...] = x_ref[...]" in findings[0].text and "conflicts with load of o_ref, program (1), examples/summed.py:20" in findings[0].text
    assert "--order replay:3-before-0" in findings[2].text
    assert "chosen" in findings[0].get_attribute("class") and summed.text("#inspector-title") == "History of o_ref[0]"


def test_click_on_an_element_tells_its_history(summed):
    summed.point("o_ref", 0, 3)
    assert summed.text("#inspector-title") == "History of o_ref[3]"
    assert summed.text("#inspector-summary") == "raced, last by (3); before the run: undefined, after it: 60"
    assert summed.rows() == HISTORY_OF_3
    summed.point("x_ref", 2, 5)
    assert summed.text("#inspector-title") == "History of x_ref[2, 5]"
    assert summed.rows() == [["6", "(2)", "read", "load", "summed.py:20", "21"]]


def test_keys_do_what_clicks_do(summed):
    from selenium.webdriver import Keys
    summed.press("o_ref", Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER)
    assert summed.text("#inspector-title") == "History of o_ref[3]" and summed.rows() == HISTORY_OF_3
    summed.press("x_ref", Keys.ARROW_DOWN, Keys.ARROW_LEFT, Keys.SPACE)
    assert summed.text("#inspector-title") == "History of x_ref[1, 0]"


MARKED = "[...Array(%d).keys()].filter((e) => boards.get(memories[%d]).marks(e) & %d)"


def test_click_on_a_program_shows_what_it_touched(summed):
    summed.point("grid", 0, 2)
    assert summed.text("#inspector-title") == "Program (2)"
    assert [row[:5] for row in summed.rows()] == [["5", "(2)", "read", "load", "summed.py:20"], ["6", "(2)", "read", "load", "summed.py:20"],
                                                  ["7", "(2)", "write", "store", "summed.py:20"]]
    assert summed.rows()[1][5] == "x_ref[2, 0] to [2, 7], 8 elements"
    assert summed.run(MARKED % (32, 0, 1)) == list(range(16, 24))
    assert summed.run(MARKED % (32, 0, 2)) == []
    assert summed.run(MARKED % (8, 1, 2)) == list(range(8))
    summed.point("grid", 0, 0, click=False)
    assert summed.run(MARKED % (32, 0, 1)) == list(range(8)), "pointing at a program shows its elements"
    assert summed.text("#inspector-title") == "Program (2)"


def test_lines_and_findings_lead_on(summed):
    summed.find('.row[data-line="16"] button').click()
    assert summed.text("#inspector-title") == "Line 16 of summed.py" and len(summed.rows()) == 2
    summed.find("#findings li:nth-child(2) .open").click()
    assert summed.text("#inspector-title") == "History of o_ref[0]"
    assert summed.run("[0, 1, 2, 3].map((p) => gridBoard.marks(p))") == [0, 2, 2, 0]
    summed.find("#history tbody tr:nth-child(3) button").click()
    assert summed.text("#inspector-title") == "Program (1)"


def test_colours(summed):
    """What happened, and by whom; raced elements bear a sign besides their colour."""
    square = "boards.get(memories[1]).paint([3], 30)"
    assert summed.run(f"{square}.crossed") and summed.run(f"{square}.text") == "60"
    assert summed.run("STATES[summaryOf(memories[0]).state[0]]") == "read"
    summed.find('#mode option[value="writer"]').click()
    assert summed.run(f"{square}.fill") == summed.run("programColour(3)") == summed.run("paintProgram([3], 30).fill")
    summed.find('#mode option[value="count"]').click()
    assert summed.run(f"{square}.fill") == summed.run('colour("ramp-4")')
    assert "4 or more" in summed.text("#legend")


def test_memory_costs(driver, tmp_path):
    page = Page(driver, write_page(tmp_path / "page.html", "run", *TRANSPOSED, "--check", "memory-cost", code=0))
    assert page.text("#verdict") == "1 finding" and page.find("#verdict").get_attribute("class") == ""
    assert page.find(".finding").get_attribute("class") == "finding advice chosen"
    assert page.text(".finding .kind") == "advice: memory-cost"
    assert "advice: a swizzle of tile_ref that would lessen it: Sw<3,2,3>" in page.text(".finding")
    assert page.text("#inspector-title") == "History of tile_ref[0, 0]"
    rows = page.driver.find_elements("css selector", "#costs tbody tr")
    assert [row.get_attribute("class") for row in rows] == ["", "", "costly", ""]
    assert [cell.text for cell in rows[2].find_elements("css selector", "td")] == [
        "transposed.py:16", "load of tile_ref", "shared", "2,048 wavefronts", "64", "32.0x", "4 B"]
    assert page.text("#costs-note") == "Assumed: the elements of a block go over the lanes of 4 warps in turn."
    rows[2].find_element("css selector", "button").click()
    assert page.text("#inspector-title") == "Line 16 of transposed.py"
    page.check_quiet()


def test_no_memory_costs(summed):
    assert not summed.find("#costs-section").is_displayed()


# ---- the timeline ----


@pytest.fixture
def pipelined(driver, tmp_path):
    page = Page(driver, write_page(tmp_path / "page.html", "run", *PIPELINED, "--order", "sequential", code=0))
    yield page
    page.check_quiet()


def click_event(page, script):
    """Clicks the middle of the part of an event that is shown."""
    from selenium.webdriver import ActionChains
    event = f"events.find((e) => {script})"
    canvas = page.find("#timeline")
    page.driver.execute_script("arguments[0].scrollIntoView()", canvas)
    x, y = page.run(f"""(() => {{ const e = {event}, spot = spotOf(e, (Math.max(e.begin, timeline.from) + Math.min(endOf(e), timeline.to)) / 2);
        return [Math.round(spot.x), Math.round(spot.y)]; }})()""")
    ActionChains(page.driver).move_to_element_with_offset(canvas, x - canvas.size["width"] // 2, y - canvas.size["height"] // 2).click().perform()


def facts(page):
    return {row.find_element("css selector", "dt").text: row.find_element("css selector", "dd").text
            for row in page.driver.find_elements("css selector", "#event div")}


def test_lanes(pipelined):
    assert pipelined.find("#timeline-section").get_property("open")
    labels = pipelined.run("timeline.lanes.map((lane) => `${lane.title || ''}|${lane.label}`)")
    own = ["|→ tile_ref[0, 0]", "|→ tile_ref[1, 0]", "|empty[0]", "|empty[1]", "|full[0]", "|full[1]"]
    assert labels == ["program (block=0)|role 0", "|role 1", *own, "program (block=1)|role 0", "|role 1", *own]


def test_click_on_a_wait_says_who_has_ended_it(pipelined):
    click_event(pipelined, "e.kind === 'wait' && e.what === 'full[0]' && e.number === 0")
    wait = pipelined.run("(({ begin, end, byStep }) => [begin, end, byStep])(timeline.chosen)")
    assert pipelined.text("#event-title") == "Wait for full[0]"
    assert facts(pipelined) == {"who": "program (block=0), role 1", "when": f"steps {wait[0]} to {wait[1] - 1}", "line": "pipelined.py:33", "phase": "0",
                                "ended by": f"dma_start pipelined.py:26 of program (block=0), role 0, step {wait[2]}"}
    pipelined.find("#event div:last-child button").click()
    assert pipelined.text("#event-title") == "copy to tile_ref[0, 0]"
    assert facts(pipelined)["from"] == "x_ref[0, 0, 0]" and facts(pipelined)["takes place"] == f"step {wait[2]}" and facts(pipelined)["bytes"] == "512"
    pipelined.find("#event div:nth-child(3) button").click()
    assert pipelined.text("#inspector-title") == "Line 26 of pipelined.py"
    click_event(pipelined, "e.kind === 'wait' && e.what === 'empty[0]' && e.number === 0")
    assert facts(pipelined)["ended by"].startswith("barrier_arrive pipelined.py:37 of program (block=0), role 1, step ")


def test_time_moves(pipelined):
    from selenium.webdriver import Keys
    shown = lambda: pipelined.run("[timeline.from, timeline.to]")
    whole = shown()
    pipelined.find("#zoom-in").click()
    assert shown() == [whole[1] / 4, 3 * whole[1] / 4]
    pipelined.driver.execute_script("arguments[0].focus()", pipelined.find("#timeline"))
    pipelined.driver.switch_to.active_element.send_keys(Keys.ARROW_LEFT)
    assert shown()[0] == pytest.approx(whole[1] * (0.25 - 0.1))
    pipelined.find("#zoom-all").click()
    assert shown() == whole


def test_first_program_is_chosen(pipelined):
    pipelined.find('#chain option[value="1"]').click()
    assert pipelined.run("timeline.lanes.map((lane) => lane.title).filter(Boolean)") == ["program (block=1)"]
    assert pipelined.text("#timeline-note") == "1 of 2 chains of programs are shown."
    pipelined.point("grid", 0, 1)
    assert pipelined.run("timeline.lanes.map((lane) => lane.title).filter(Boolean)") == ["program (block=0)", "program (block=1)"]


def test_a_wait_that_nobody_ends(driver, tmp_path):
    kernel = {"tilegrind": "0.1", "kernels": [{
        "name": "k", "grid": [], "params": [{"name": "b", "role": "scratch", "type": "barrier[]", "arrivals": 2}],
        "body": {"args": [{"id": 0, "type": "ref<barrier[]>"}], "ops": [{"op": "barrier_arrive", "in": [0]}, {"op": "barrier_wait", "in": [0]}]}}]}
    page = Page(driver, write_page(tmp_path / "page.html", "run", write_kernel(tmp_path, kernel), code=1))
    assert "deadlock" in page.text(".finding") and page.text("#event-title") == "Wait for b", "it is what the chosen finding is about"
    click_event(page, "e.kind === 'signal'")
    assert page.text("#event-title") == "barrier_arrive of b"
    click_event(page, "e.kind === 'wait'")
    assert facts(page) == {"who": "program ()", "when": "from step 1 on", "phase": "0", "ended by": "nobody"}
    page.check_quiet()


def test_copies_that_overlap_have_lanes_of_their_own(driver, tmp_path):
    array = {"type": "i32[4]"}
    copies = [{"op": "dma_start", "in": [0, 1]}, {"op": "dma_start", "in": [0, 1]}, {"op": "dma_commit"}, {"op": "dma_wait_groups", "in": [2]}]
    kernel = {"tilegrind": "0.1", "kernels": [{
        "name": "k", "grid": [], "params": [{"name": "x", "role": "input", **array}, {"name": "z", "role": "input", **array},
                                            {"name": "o", "role": "output", **array, "alias": "z"}],
        "body": {"args": [{"id": 0, "type": "ref<i32[4]>"}, {"id": 9, "type": "ref<i32[4]>"}, {"id": 1, "type": "ref<i32[4]>"}],
                 "ops": [{"op": "constant", "out": [{"id": 2, "type": "i32[]"}], "value": 0}, *copies, copies[0], *copies[2:]]}}]}
    np.savez(tmp_path / "in.npz", x=np.arange(4, dtype=np.int32), z=np.zeros(4, np.int32))
    page = Page(driver, write_page(tmp_path / "page.html", "run", write_kernel(tmp_path, kernel), "--in", tmp_path / "in.npz", code=1))
    lanes = page.run("timeline.lanes.map((lane) => [lane.label, lane.items.length])")
    assert lanes[1:] == [["→ o", 2], ["→ o", 1]]
    page.check_quiet()


def test_timeline_of_work_alone_is_closed(summed):
    assert not summed.find("#timeline-section").get_property("open")
    summed.find("#timeline-section summary").click()
    click_event(summed, "e.kind === 'work' && e.program === 2 && e.place.line === 20")
    assert summed.text("#event-title") == "Work" and facts(summed)["line"] == "summed.py:20"
    assert facts(summed)["who"] == "program (2)"


def test_dark(driver, tmp_path):
    path = write_page(tmp_path / "page.html", "check", *SUMMED, code=1)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    dark = Page(driver, path).run("getComputedStyle(document.body).backgroundColor")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    light = Page(driver, path).run("getComputedStyle(document.body).backgroundColor")
    assert dark != light and sum(map(int, re.findall(r"\d+", dark))) < 150


def test_texts_of_a_kernel_are_never_html(driver, tmp_path):
    evil = '<img src=x onerror="window.hacked=1">'
    script = "</script><script>window.hacked=1</script><!--"
    source = tmp_path / "<b>k.py"
    source.write_text("\n" * 6 + f"o_ref[...] = 1  # {script}{evil}\n")
    kernel = block_kernel(name=evil, param=script, grid=(2, 4), file=str(source))
    page = Page(driver, write_page(tmp_path / "page.html", "check", write_kernel(tmp_path, kernel), code=1))
    assert page.text("h1") == evil and driver.title.startswith(evil)
    assert page.text("figure:nth-child(2) figcaption").startswith(script)
    assert f"# {script}{evil}" in page.text("#source")
    assert page.run("document.images.length + document.querySelectorAll('#left b, #left script').length") == 0
    assert page.run("window.hacked") is None
    assert "block-outside-array" in page.text("#findings")
    page.check_quiet()


def test_more_axes_than_two(driver, tmp_path):
    kernel = block_kernel(grid=(2, 3, 4), shape=(2, 6, 8), block=(1, 2, 2))
    page = Page(driver, write_page(tmp_path / "page.html", "run", write_kernel(tmp_path, kernel), code=0))
    assert page.text("#verdict") == "clean: no findings"
    page.run("boards.get(memories[0]).goTo('1, 3, 5')")
    assert page.text("#inspector-title") == "History of o[1, 3, 5]"
    assert page.rows() == [["18", "(1, 1, 2)", "write", "store", "k.py:7", "undefined → 1"]]
    assert page.find('figure[data-name="o"] input[type=range]').get_property("value") == "1"
    assert page.find('figure[data-name="grid"] input[type=range]').get_property("value") == "1"
    page.point("o", 0, 0)
    assert page.text("#inspector-title") == "History of o[1, 0, 0]"
    page.run("boards.get(memories[0]).setAxis(0, 0)")
    page.point("o", 0, 7)
    assert page.text("#inspector-title") == "History of o[0, 0, 7]"
    page.check_quiet()


def test_time_is_that_of_the_programs_that_are_shown(driver, tmp_path):
    kernel = block_kernel(grid=(100, 2), shape=(100, 6), block=(1, 3))
    page = Page(driver, write_page(tmp_path / "page.html", "run", write_kernel(tmp_path, kernel), code=0))
    page.find("#timeline-section summary").click()
    steps = page.run("steps / 200")
    assert page.run("[timeline.lanes.length, timeline.from, timeline.to]") == [60, 0, 60 * steps]
    page.run("choose({ program: 150 })")
    assert page.run("[timeline.lanes[0].title, timeline.from, timeline.to]") == ["program (75, 0)", 150 * steps, 200 * steps]
    assert page.text("#timeline-note") == "50 of 200 chains of programs are shown."
    page.check_quiet()


def test_large_arrays_are_drawn_in_part_and_say_so(driver, tmp_path):
    kernel = block_kernel(grid=(1000, 60), shape=(1000, 240), block=(1, 4))
    page = Page(driver, write_page(tmp_path / "page.html", "run", write_kernel(tmp_path, kernel), code=0))
    assert "1 square = 7 × 7 elements" in page.text('figure[data-name="o"]')
    assert "35,000 accesses are left out" in page.text("#limits")
    assert "10,000 events of the timeline are left out for want of room, the first at step" in page.text("#limits")
    assert "of program (833, 20), k.py:7." in page.text("#limits")
    page.run("boards.get(memories[0]).goTo('3, 9')")
    assert page.rows() == [["182", "(3, 2)", "write", "store", "k.py:7", "undefined → 1"]]
    page.run("boards.get(memories[0]).goTo('999, 239')")
    assert page.rows() == [] and "From step 25000 on" in page.text("#inspector-note")
    page.check_quiet()


def test_the_last_value_is_that_of_the_array(driver, tmp_path):
    """What the page works out from boxes is what the program says that the arrays hold."""
    page = Page(driver, write_page(tmp_path / "page.html", "run", "examples/shifted.json", "--in", "examples/shifted_inputs.npz", code=1))
    assert page.run("""memories[1].size === 16 && [...Array(16).keys()].every((e) =>
        historyOf(memories[1], e).rows.at(-1).after === contentOf(memories[1], e, "after"))""")
    page.check_quiet()
