"""The page of goldens: what it holds, and what a reader sees who opens it in a browser.

The tests in a browser want Chromium with its driver and selenium, and are skipped where one of them is missing."""

import base64
import dataclasses
import json
import re
import shlex
import shutil

import jax.numpy as jnp
import numpy as np
import pytest
import tilegrind
from jax.experimental import pallas as pl
from test_golden import X, Y, matmul, softmax, softmax_kernel, subject
from tilegrind import golden
from tilegrind.golden import bundle, candidates, command, page, recording
from tilegrind.golden.page import budget, histogram, layout, output
from tilegrind.golden.page.matrix import matrix_of
from tilegrind.golden.store import Store
from tilegrind.golden.subject import Subject
from tilegrind.judging import Expected
from tilegrind.runtime import write_arrays


def run(folder, *arguments):
    return command.main(["--goldens", str(folder), *map(str, arguments)])


def data_of(path):
    text = path.read_text()
    assert text.count("</script>") == 2 and not re.search(r"@[a-z]+(\.css|\.js)?@", text)
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def numbers(text, kind):
    return np.frombuffer(base64.b64decode(text), f"<{kind}")


def review(folder, *names, code=0):
    path = folder.parent / "page.html"
    assert run(folder, "review", *names, "--html", path) == code
    return data_of(path)["goldens"]


@pytest.fixture(scope="module")
def pending(tmp_path_factory):
    """A folder with a pending golden, which no test changes."""
    goldens = golden.Goldens(tmp_path_factory.mktemp("pending") / "goldens")
    goldens.record("softmax", subject(softmax, X[:, :32]))
    return goldens.store.root


@pytest.fixture
def folder(pending, tmp_path):
    return shutil.copytree(pending, tmp_path / "goldens")


def faulty(folder, name, function):
    """Outputs of a function of the inputs, as `check --got` takes them."""
    made = Store(folder).read(name)
    one, got = Subject.of_bundle(made), folder.parent / "got"
    (got / name).mkdir(parents=True)
    for record in made.sets:
        arrays = one.arrays(record.inputs)
        write_arrays(got / name / f"{record.inputs.name}.npz", function(*arrays.values()))
    return got


def accept(folder, name):
    store = Store(folder)
    store.accept(name, "a test", store.read(name, pending=True).digest)


# ---- what the page holds ----


def test_values_of_elements(folder):
    [one] = review(folder)
    made = Store(folder).read("softmax", pending=True)
    assert one["digest"] == made.digest and made.digest in one["accept"] and one["grid"] == [2] and one["passed"]
    subject = Subject.of_bundle(made)
    witness = subject.witness(subject.arrays(made.sets[0].inputs)).outputs["o_ref"]
    first = one["sets"][0]
    [found] = first["outputs"]
    elements, [new] = found["elements"], found["elements"]["columns"]
    assert first["columns"] == ["new"] and first["verdicts"]["o_ref"]["text"] == "equal, 512 elements"
    assert numbers(new["value"], "f8").tolist() == witness.bits.astype(np.float64).ravel().tolist()
    assert numbers(new["bits"], "u4").tolist() == witness.bits.view("u4").ravel().tolist()
    assert numbers(elements["exact"], "f8").tolist() == witness.exact.ravel().tolist()
    assert numbers(elements["bound"], "f8").tolist() == witness.bound.ravel().tolist()
    fractions = np.abs(witness.bits.astype(np.float64) - witness.exact) / witness.bound
    assert numbers(elements["fraction"], "f8").tolist() == fractions.ravel().tolist()
    assert found["worst"] == np.argsort(-fractions.ravel(), kind="stable")[:20].tolist()
    assert numbers(elements["program"], "i4").tolist() == np.repeat([0, 1], 256).tolist()
    lines = {one["locations"][number - 1]["line"] for number in numbers(elements["location"], "i4")}
    assert lines == {softmax_kernel.__code__.co_firstlineno + 3}
    assert found["tile"] == [8, 32] and found["layout"]["row_lines"] == [8] and found["layout"]["column_lines"] == []
    assert [sum(count for _, count in found["histograms"][name]) for name in ("fractions", "steps")] == [512, 512]


def test_integers_have_no_bound():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] + 1

    def call(x):
        return pl.pallas_call(kernel, out_shape=x, interpret=True)(x)

    x = np.arange(16, dtype=np.int32).reshape(4, 4)
    made = recording.record("add", dataclasses.replace(subject(call, x), given={"x_ref": x})).bundle
    result = page.CheckPage([made])
    diagonal = np.eye(4, dtype=bool)
    result.check(made, lambda _, arrays: {"o_ref": np.where(diagonal, -9, arrays["x_ref"] + 1).astype(np.int32)})
    [found] = result._goldens[0]["sets"][0]["outputs"]
    assert found["elements"]["exact"] is None and found["histograms"]["steps"] == []
    fractions = numbers(found["elements"]["fraction"], "f8").reshape(4, 4)
    assert np.isinf(np.diag(fractions)).all() and fractions[~diagonal].sum() == 0 and len(found["worst"]) == 4


def test_kill_matrix_and_sets_that_are_not_there(folder):
    [one] = review(folder)
    made = Store(folder).read("softmax", pending=True)
    rows = one["matrix"]["rows"]
    assert sum(row[2] == "killed" for row in rows) == made.killed
    assert one["matrix"]["sets"] == [s.inputs.name for s in made.sets]
    [kept] = [row for row in rows if row[2] == "allowed"]
    assert kept[0] == "rounded-toward-zero" and kept[4] == made.alive[0][2]
    assert one["matrix"]["about"]["zeros"] == "the output were all zeros"
    kinds = [kind for kind, _ in one["left"]]
    assert kinds == [kind for kind in candidates.ORDER if kind not in {s.inputs.kind for s in made.sets}]
    assert all(why for _, why in one["left"])
    with pytest.raises(golden.BadBundle, match="softmax/sensitivity.tsv:2: 4 fields, not 7"):
        matrix_of(bundle.replace(made, sensitivity=made.sensitivity.split("\n")[0] + "\na\tb\tkilled\t1\n"))


def other_softmax(x):
    def kernel(x_ref, o_ref):
        e = jnp.exp(x_ref[...])
        o_ref[...] = e / jnp.sum(e, axis=1, keepdims=True)

    spec = pl.BlockSpec((8, 32), lambda i: (i, 0))
    return pl.pallas_call(kernel, grid=(2,), in_specs=[spec], out_specs=spec, out_shape=x, interpret=True)(x)


def test_new_beside_old(folder):
    accept(folder, "softmax")
    golden.Goldens(folder).record("softmax", subject(other_softmax, X[:, :32]), provenance={"tool": "<b>new"})
    [one] = review(folder)
    old = Store(folder).read("softmax")
    assert one["replaces"] == old.digest
    first = one["sets"][0]
    [found] = first["outputs"]
    new, was = (numbers(column["bits"], "u4") for column in found["elements"]["columns"])
    arrays = Subject.of_bundle(old).arrays(old.sets[0].inputs)
    before = Subject.of_bundle(old).run(Subject.of_bundle(old).module, arrays).outputs["o_ref"]
    assert first["columns"] == ["new", "old"] and was.tolist() == before.view("u4").ravel().tolist()
    assert found["differing"] == [["old", int(np.count_nonzero(new != was))]] and found["differing"][0][1] > 0
    changed = {name for name, now, before in one["changes"] if now != before}
    assert {"golden", "kernel", "tool", "why"} <= changed and "contract" not in changed
    assert any(line.startswith("-") and "reduce_max" in line for line in one["difference"])


def test_old_kernel_with_other_inputs(folder):
    accept(folder, "softmax")
    golden.Goldens(folder).record("softmax", subject(matmul, X, Y))
    [one] = review(folder)
    for each in one["sets"]:
        assert each["notes"] == ["the old kernel takes other inputs, so that its values cannot stand beside the new ones"]
    assert one["sets"][0]["outputs"][0]["elements"]["columns"][1] is None


def test_what_was_never_accepted_is_no_old_golden(folder, capsys):
    pending = shutil.copytree(folder / "pending" / "softmax", folder / "softmax")
    assert review(folder)[0]["replaces"] is None, "the manifest does not name it"
    shutil.rmtree(pending)
    accept(folder, "softmax")
    golden.Goldens(folder).record("softmax", subject(softmax, X[:, :32]))
    path = folder / "softmax" / "golden.json"
    path.write_text(path.read_text().replace('"a test"', '"no test"'))
    assert run(folder, "review", "--html", folder.parent / "none.html") == 3 and not (folder.parent / "none.html").exists()
    assert "is not the golden that was accepted" in capsys.readouterr().err


def test_check(folder):
    accept(folder, "softmax")

    def one_tile(x):
        e = np.exp(x - x.max(1, keepdims=True))
        good = (e / e.sum(1, keepdims=True)).astype(np.float32)
        good[8:] = 0
        return {"o_ref": good}

    path = folder.parent / "page.html"
    with np.errstate(all="ignore"):
        assert run(folder, "check", "--got", faulty(folder, "softmax", one_tile), "--html", path, "--quiet") == 1
    data = data_of(path)
    [one] = data["goldens"]
    first = one["sets"][0]
    assert data["what"] == "check" and not one["passed"] and first["columns"] == ["got", "interpreter"]
    assert first["verdicts"]["o_ref"]["failed"] and "accept" not in one and "block" in first["like"]
    [found] = first["outputs"]
    assert all(at >= 256 for at in found["worst"]) and numbers(found["cells"]["most"], "f8").reshape(16, 32)[:8].max() < 1
    assert found["differing"][0][1] >= 256


@pytest.mark.parametrize("given, says", [
    ({}, "missing"), ({"o_ref": np.zeros(3, np.float32)}, "shape: got float32[3], want float32[16,32]")])
def test_what_cannot_be_compared(folder, given, says):
    accept(folder, "softmax")
    shown = page.CheckPage([made := Store(folder).read("softmax")])
    shown.check(made, lambda *_: given)
    shown.write(folder.parent / "page.html")
    first = data_of(folder.parent / "page.html")["goldens"][0]["sets"][0]
    [found] = first["outputs"]
    assert first["verdicts"]["o_ref"]["text"].startswith(says) and not found["is_judged"]
    assert found["worst"] == [] and found["elements"]["columns"][0] is None and found["elements"]["columns"][1]


def test_stale_golden_is_told(folder):
    accept(folder, "softmax")
    made = Store(folder).read("softmax")
    record = made.sets[0]
    wrong = bundle.replace(record.outputs["o_ref"], bits="0" * 64)
    made = bundle.replace(made, sets=(bundle.replace(record, outputs={"o_ref": wrong}), *made.sets[1:]))
    shown = page.CheckPage([made])
    assert shown.check(made, softmax_of(made)).stale
    assert len(shown._goldens[0]["sets"]) == len(made.sets) - 1 and "bits" in shown._goldens[0]["stale"][0]


def softmax_of(made):
    one = Subject.of_bundle(made)
    return lambda _, arrays: one.run(one.module, arrays).outputs


# ---- pictures of arrays ----


@pytest.mark.parametrize("shape, tile, rows, columns, row_lines, column_lines", [
    ((), (), 1, 1, [], []),
    ((5,), (2,), 1, 5, [], [2, 4]),
    ((1000,), (8,), 25, 40, list(range(1, 25)), [8, 16, 24, 32]),
    ((2048,), (512,), 32, 64, [8, 16, 24], []),
    ((1000,), (997,), 23, 45, None, None),
    ((5, 7), (2, 3), 5, 7, [2, 4], [3, 6]),
    ((2, 4, 6), (1, 2, 6), 8, 6, [2, 4, 6], []),
    ((4, 4, 6), (2, 4, 3), 16, 6, [8], [3]),
    ((1000, 4), (1, 4), 1000, 4, None, None),
    ((0, 4), (1, 4), 0, 0, None, None),
])
def test_layout(shape, tile, rows, columns, row_lines, column_lines):
    found = layout.layout_of(shape, tile)
    assert (found.rows, found.columns, found.row_lines, found.column_lines) == (rows, columns, row_lines, column_lines)
    tiles = [-(-n // t) for n, t in zip(shape, tile)]
    want = [np.ravel_multi_index([i // t for i, t in zip(index, tile)], tiles) if shape else 0
            for index in np.ndindex(*shape)]
    assert found.tiles.tolist() == want


def test_cells_keep_the_worst():
    values = np.random.default_rng(0).uniform(0, 1, 7 * 11)
    values[3] = np.inf
    found = layout.cells_of(layout.layout_of((7, 11), (7, 11)), values, 4)
    assert (found.rows, found.columns, found.height, found.width) == (4, 4, 2, 3)
    for cell in range(16):
        part = values.reshape(7, 11)[cell // 4 * 2:cell // 4 * 2 + 2, cell % 4 * 3:cell % 4 * 3 + 3]
        assert found.most[cell] == part.max() == values[found.at[cell]]


def test_places_of_a_row_that_is_not_full_are_no_elements():
    found = layout.cells_of(layout.layout_of((100,), (3,)), np.zeros(100), 256)
    assert (found.rows, found.columns) == (7, 15) and (found.most == layout.NO_ELEMENT).sum() == 5


def kept(fractions, tile, most, side=8):
    found = layout.layout_of(fractions.shape, tile)
    return output.chosen_elements(fractions.ravel(), found, layout.cells_of(found, fractions.ravel(), side), most)


def test_large_outputs_keep_the_worst_tiles():
    fractions, numbers = np.zeros((64, 64)), np.arange(4096).reshape(64, 64)
    fractions[9, 20], fractions[40, 40] = 3, 2
    found = kept(fractions, (8, 16), 400)
    assert np.isin(numbers[8:16, 16:32], found).all(), "the worst tile, which fits"
    assert np.isin(numbers[40:44, 32:48], found).all(), "of the next one, what is nearest to its worst element"
    assert np.isin(numbers[::8, ::8], found).sum() >= 62, "and what cells stand for"
    assert (np.diff(found) > 0).all() and 256 < len(found) <= 400
    assert len(kept(fractions, (8, 16), 4096)) == 4096


def test_a_tile_that_is_too_large_is_kept_around_its_worst_element():
    fractions, numbers = np.zeros((64, 64)), np.arange(4096).reshape(64, 64)
    fractions[30, 5] = 2
    found = kept(fractions, (64, 64), 600)
    assert np.isin(numbers[29:32], found).all() and np.isin(numbers[30, :], found).all()
    fractions[:, 60] = 1.5
    assert set(np.argsort(-fractions.ravel(), kind="stable")[:20]) <= set(kept(fractions, (64, 64), 100))


def test_large_output_has_values_for_its_map():
    bits = np.arange(256 * 300, dtype=np.float32).reshape(256, 300)
    expected = Expected(bits, bits.astype(np.float64) + 1, np.full(bits.shape, 4.0))
    columns = output.Columns(("got", "old"), (bits, None))
    found = output.output_data("o", expected, columns, (16, 300), output.Places(), budget.Budget(1000, 64))
    cells = found["cells"]
    at = numbers(cells["at"], "u4")
    assert 900 < found["elements"]["count"] <= 1000 and len(at) == cells["rows"] * cells["columns"] <= 64 * 64
    assert numbers(cells["values"][0], "f4").tolist() == bits.ravel()[at].tolist()
    assert cells["values"][1] is None and numbers(cells["values"][2], "f4").tolist() == (bits.ravel()[at] + 1).tolist()
    index = numbers(found["elements"]["index"], "u4")
    assert numbers(found["elements"]["columns"][0]["value"], "f8").tolist() == bits.ravel()[index].tolist()


def test_histograms():
    fractions = np.array([0, 0, 2**-20, 0.25, 0.5, 0.75, 1, 1.5, 9000, np.inf, 7])
    is_open = np.array([False] * 10 + [True])
    rows = dict(histogram.of_fractions(fractions, is_open))
    assert rows["exact"] == 2 and rows["up to 2^-12"] == 1 and rows["up to 2^-2"] == 1 and rows["up to 2^-1"] == 1
    assert rows["up to 1"] == 2 and rows["up to 2^1"] == 1 and rows["above 2^12"] == 1
    assert rows["NaN, infinite, or off where it must be exact"] == rows["without a bound"] == 1
    assert histogram.of_steps(np.array([0, 0, 2, 3, 4, 7, 8, np.inf])) == [
        ["0", 2], ["2 to 3", 2], ["4 to 7", 2], ["8 to 15", 1], ["a number for NaN, or NaN for a number", 1]]


def test_budget_is_shared():
    assert budget.Budget.of([]) == budget.Budget.of([10**6]) == budget.Budget(65536, 220)
    many = budget.Budget.of([10**6] * 100)
    assert many.elements * 100 <= 160_000 and many.side**2 * 100 <= 400_000
    assert budget.Budget.of([10**6] * 4 + [10] * 1000).elements == (160_000 - 10_000) // 4, "what small ones leave"
    assert budget.Budget.of([10] * 1000).elements == 65536


# ---- the file ----


@pytest.mark.parametrize("arguments", [["review"], ["check", "softmax"]])
def test_missing_folder_is_told_before_the_work(folder, arguments, capsys, monkeypatch):
    monkeypatch.setattr(page, "check", None)
    assert run(folder, *arguments, "--html", folder / "none" / "page.html") == 2
    assert "there is no folder" in capsys.readouterr().err


def test_a_review_of_nothing(tmp_path):
    assert review(tmp_path / "goldens") == []


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
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,1400",
                     "--force-device-scale-factor=1"):
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

    def facts(self):
        facts = self.driver.find_elements("css selector", "[data-fact]")
        return {fact.get_attribute("data-fact"): fact.text for fact in facts}

    def rows(self, table):
        return [[cell.text for cell in row.find_elements("css selector", "td")]
                for row in self.driver.find_elements("css selector", f"{table} tbody tr")]

    def point(self, name, row, column):
        from selenium.webdriver import ActionChains
        canvas = self.find(f'figure[data-name="{name}"] canvas')
        width, height = (int(canvas.get_attribute(f"data-{key}")) for key in ("width", "height"))
        x, y = column * width + width // 2, row * height + height // 2
        ActionChains(self.driver).move_to_element_with_offset(
            canvas, x - canvas.size["width"] // 2, y - canvas.size["height"] // 2).click().perform()

    def choose(self, select, value):
        self.find(f'#{select} option[value="{value}"]').click()

    def check_quiet(self):
        """No request but for the page itself, and nothing on the console."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        assert urls == [self.path.as_uri()]
        assert self.driver.get_log("browser") == []


@pytest.fixture
def reviewed(driver, folder):
    review(folder)
    shown = Page(driver, folder.parent / "page.html")
    yield shown
    shown.check_quiet()


@pytest.mark.slow
def test_click_on_an_element(reviewed, folder):
    made = Store(folder).read("softmax", pending=True)
    subject = Subject.of_bundle(made)
    witness = subject.witness(subject.arrays(made.sets[0].inputs)).outputs["o_ref"]
    for figure, row, column in (("error", 12, 5), ("R", 3, 31)):
        reviewed.point(figure, row, column)
        facts = reviewed.facts()
        assert reviewed.text("#element") == f"o_ref[{row}, {column}]"
        assert np.float32(facts["new"]) == witness.bits[row, column] and float(facts["R"]) == witness.exact[row, column]
        assert facts["new bits"] == f"0x{int(witness.bits.view('u4')[row, column]):08x}"
        assert abs(float(facts["B"]) / witness.bound[row, column] - 1) < 1e-3 and 0 <= float(facts["error / B"]) < 1
        assert facts["stored last by program"] == f"({row // 8})"
        assert f"test_golden.py:{softmax_kernel.__code__.co_firstlineno + 3} in softmax_kernel" in facts["at"]
    assert reviewed.rows("#neighbours")[-1][0] == "[3, 31]" and len(reviewed.rows("#worst")) == 20


@pytest.mark.slow
def test_keys(reviewed):
    from selenium.webdriver import Keys
    reviewed.run('document.querySelector("figure[data-name=error] canvas").focus()')
    reviewed.point("error", 0, 0)
    for key in (Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER):
        reviewed.driver.switch_to.active_element.send_keys(key)
    assert reviewed.text("#element") == "o_ref[1, 2]"
    reviewed.find("#go").send_keys("15, 31", Keys.ENTER)
    assert reviewed.text("#element") == "o_ref[15, 31]"
    reviewed.find("#set-0").send_keys(Keys.ARROW_RIGHT)
    assert reviewed.driver.switch_to.active_element.get_attribute("id") == "set-1"
    assert [reviewed.find(f"#set-{i}").get_attribute("aria-selected") for i in (0, 1)] == ["false", "true"]
    reviewed.find("#worst tbody tr:nth-child(2) button").click()
    assert reviewed.text("#element") == f"o_ref{reviewed.rows('#worst')[1][0]}"


@pytest.mark.slow
def test_filters_of_the_matrix(reviewed):
    rows = reviewed.rows("#matrix")
    assert reviewed.text("#matrix-count") == f"{len(rows)} of {len(rows)} mutants"
    reviewed.choose("outcome", "allowed")
    assert reviewed.text("#matrix-count") == f"1 of {len(rows)} mutants"
    [row] = reviewed.rows("#matrix")
    assert row[0].startswith("rounded-toward-zero\nas if the last rounding") and "the next value of the dtype" in row[2]
    reviewed.choose("kind", "zeros")
    assert reviewed.rows("#matrix") == []
    reviewed.choose("outcome", "killed")
    assert [row[0].split("\n")[0] for row in reviewed.rows("#matrix")] == ["zeros"]


def test_the_accept_command_accepts(reviewed, folder, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    made = Store(folder).read("softmax", pending=True)
    assert shlex.split(reviewed.text("#accept")) == [
        "tilegrind", "golden", "--goldens", str(folder), "accept", "softmax", "--digest", made.digest, "--why", "REASON"]
    reviewed.find("#reason").send_keys("it's the exact one; $(date)")
    permissions = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    reviewed.driver.execute_cdp_cmd("Browser.grantPermissions", permissions)
    reviewed.find("#copy").click()
    text = reviewed.text("#accept")
    assert reviewed.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])") == text
    assert command.main(shlex.split(text)[2:]) == 0
    assert Store(folder).read("softmax").provenance["why"] == "it's the exact one; $(date)"


def test_page_of_a_failed_check(driver, folder):
    accept(folder, "softmax")
    got = faulty(folder, "softmax", lambda x: {"o_ref": np.zeros_like(x)})
    path = folder.parent / "page.html"
    assert run(folder, "check", "--got", got, "--html", path, "--quiet") == 1
    shown = Page(driver, path)
    assert shown.text("#verdict") in ("outside", "special-differs") and "✗" in shown.text("#set-0")
    assert "outside, 512 of 512" in shown.text("#output-verdict") and "all zeros" in shown.text("#like")
    assert shown.facts()["got"] == "0" and float(shown.facts()["error / B"]) > 1
    assert not shown.find("#accept-section").is_displayed() and not shown.find("#changes-section").is_displayed()
    shown.check_quiet()


def test_colours_have_contrast_in_light_and_dark(driver, folder):
    review(folder)
    ratios = """(() => {
      const part = (c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
      const light = (name) => { const [r, g, b] = partsOf(name).map(part); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      return ["ink", "quiet", "link", "bad", "good"].map((name) => {
        const [a, b] = [light(name), light("panel")].sort((x, y) => y - x);
        return (a + 0.05) / (b + 0.05);
      });
    })()"""
    grounds = []
    for theme in ("dark", "light"):
        features = [{"name": "prefers-color-scheme", "value": theme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        shown = Page(driver, folder.parent / "page.html")
        assert min(shown.run(ratios)) >= 4.5
        grounds.append(shown.run("getComputedStyle(document.body).backgroundColor"))
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert grounds[0] != grounds[1]


EVIL = "</script/><img src=x onerror=\"window.hacked=1\"><!--"


def test_texts_of_a_kernel_are_never_html(driver, tmp_path):
    one = subject(softmax, X[:, :32])
    tree = one.tree()
    tree["kernels"][0]["name"] = EVIL
    tree["kernels"][0]["params"][-1]["name"] = f"{EVIL}o"
    for location in tree["locations"]:
        location["file"] = location["function"] = EVIL
    module = tilegrind.loads(json.dumps(tree))
    golden.Goldens(tmp_path / "goldens").record("evil", Subject(module, EVIL), provenance={EVIL: EVIL})
    path = tmp_path / "page.html"
    assert run(tmp_path / "goldens", "review", "--html", path) == 0
    data_of(path)
    shown = Page(driver, path)
    assert EVIL in shown.text("#facts") and shown.text("#element").startswith(EVIL) and EVIL in shown.text("#matrix")
    shown.point("error", 9, 9)
    assert EVIL in shown.facts()["at"] and EVIL in shown.text("#changes")
    assert shown.run("[document.images.length, document.scripts.length, window.hacked]") == [0, 2, None]
    shown.check_quiet()
