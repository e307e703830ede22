"""Suppressions under `check()`: what is known neither raises nor warns, and is counted."""

import jax
import jax.numpy as jnp
import pytest
import tilegrind
import tilegrind.pallas as tp
from kernels import X
from test_checking import harmless, kinds, racy

RACE = "{\n  the last one wins\n  kind: race\n  kernel: last_wins\n}\n"
BOTH = RACE + "{\n  and so it matters\n  kind: order-dependence\n}\n"


def written(folder, text, name="known.supp"):
    path = folder / name
    path.write_text(text)
    return path


def test_what_is_known_does_not_raise_and_is_counted(tmp_path):
    path = written(tmp_path, BOTH)
    with tp.check(suppressions=path) as checked:
        for start in (0.0, 1.0):
            assert racy(jnp.arange(4.0) + start)[0] == 3 + start
    assert checked.findings == []
    assert [(known.finding.kind, known.suppression) for known in checked.suppressed] == [
        ("race", tilegrind.Suppression("the last one wins", str(path), 1)),
        ("order-dependence", tilegrind.Suppression("and so it matters", str(path), 6))]
    with tp.check(on_finding="collect") as plain:
        racy(jnp.arange(4.0))
    assert [known.finding.count for known in checked.suppressed] == [2 * finding.count for finding in plain.findings]
    assert [uses for _, uses in checked.suppressions.uses()] == [2, 2]
    assert plain.suppressions is None and plain.suppressed == []


def test_the_rest_raises(tmp_path):
    with pytest.raises(tp.FindingError) as error, tp.check(suppressions=[written(tmp_path, RACE)]) as checked:
        racy(jnp.arange(4.0))
    assert kinds(error.value.findings) == ["order-dependence"] == kinds(checked.findings)
    assert "race: program" not in str(error.value.__cause__ or "")
    (known,) = checked.suppressed
    assert known.finding.kind == "race"


def test_nobody_is_warned(recwarn, tmp_path):
    known = tilegrind.Suppressions()
    known.add_text("{\n  one value\n  kind: race-same-value\n}\n")
    known.add_text("{\n  never\n  kind: deadlock\n}\n")
    with tp.check(on_finding="warn", suppressions=known):
        harmless()
    assert not [one for one in recwarn if issubclass(one.category, tp.FindingWarning)]
    assert [block.name for block in known.unused()] == ["never"]


def test_a_program_that_outlives_its_check(recwarn, tmp_path):
    call = jax.jit(racy)
    with tp.check(on_finding="collect", suppressions=written(tmp_path, BOTH)):
        compiled = call.lower(X[:4]).compile()
    compiled(X[:4]).block_until_ready()
    assert not [one for one in recwarn if issubclass(one.category, tp.FindingWarning)]


def test_cases_are_for_what_is_left(tmp_path):
    with tp.check(on_finding="collect", suppressions=written(tmp_path, BOTH), save=tmp_path / "cases") as checked:
        racy(jnp.arange(4.0))
    assert checked.cases == []
    with tp.check(on_finding="collect", suppressions=written(tmp_path, RACE), save=tmp_path / "cases") as checked:
        racy(jnp.arange(4.0))
    (case,) = checked.cases
    assert '"why": "o_ref[0] is 3' in (case / "case.json").read_text()


def test_an_empty_file(tmp_path):
    with tp.check(on_finding="collect", suppressions=written(tmp_path, "")) as checked:
        racy(jnp.arange(4.0))
    assert kinds(checked.findings) == ["order-dependence", "race"] and checked.suppressed == []


def test_files_that_are_wrong(tmp_path):
    path = written(tmp_path, "{\n  name\n  kind: rice\n}\n")
    with pytest.raises(tilegrind.Error, match="known.supp:3: no kind of finding is called 'rice'"):
        tp.check(suppressions=path)
    with pytest.raises(tilegrind.Error, match="none.supp"):
        tp.check(suppressions=tmp_path / "none.supp")
