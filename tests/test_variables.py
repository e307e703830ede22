"""The variables to which lines assign, as a module has them (`variable` of a location), in each form of a report."""

import json

import jsonschema
import pytest
from report_cases import ROOT, SUMMED, output, tilegrind

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
RUN = [*SUMMED[1:], "--check", "races"]


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """The example with a race; the lines of its two places assign to `total` and `again`."""
    tree = json.loads((ROOT / SUMMED[0]).read_text())
    for place, name in zip(tree["locations"], ("row", "total", "next", "again")):
        place["variable"] = name
    path = tmp_path_factory.mktemp("named") / "named.json"
    path.write_text(json.dumps(tree))
    return path


def test_text(named):
    plain, text = output(1, "run", *SUMMED, "--check", "races"), output(1, "run", named, *RUN)
    assert " for " not in plain
    assert text.count("op store for total\n") == 1 and text.count("conflicts with load of o_ref for again, program (1)") == 1


def test_json(named):
    report = json.loads(output(1, "run", named, *RUN, "--json"))
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    finding = report["findings"][0]
    assert finding["variable"] == "total" and finding["related"][0]["variable"] == "again"
    assert '"variable"' not in output(1, "run", *SUMMED, "--check", "races", "--json")


def test_sarif(named, tmp_path):
    output(1, "run", named, *RUN, "--sarif", tmp_path / "log.sarif")
    result = json.loads((tmp_path / "log.sarif").read_text())["runs"][0]["results"][0]
    assert result["properties"]["variable"] == "total"
    assert "conflicts with load of o_ref for again, program (1)" in result["relatedLocations"][0]["message"]["text"]


def test_canonical_json_keeps_variables(named, tmp_path):
    shown = json.loads(output(0, "show", named, "--json"))
    assert shown["locations"] == json.loads(named.read_text())["locations"]


def test_a_variable_is_a_text(named, tmp_path):
    tree = json.loads(named.read_text())
    tree["locations"][1]["variable"] = 3
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(tree))
    done = tilegrind("verify", path)
    assert done.returncode == 3 and "locations/1/variable" in done.stdout + done.stderr
