"""Stores of sweeps: the first result stays, whoever writes it and however often; what is damaged is named."""

import errno
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from sweeping import digest_of, orders, planned, sweep, write_add
from tilegrind.digests import digest
from tilegrind.sweep import store as stores
from tilegrind.sweep.canonical import canonical
from tilegrind.sweep.errors import InvalidError, StoreError, SweepError
from tilegrind.sweep.store import EQUAL, NEW, UNEQUAL, Store

UNIT = digest("a unit")


def result(value=0, unit=UNIT):
    return canonical({"tilegrind-sweep-result": 1, "unit": unit, "kind": "random", "counters": {"findings": value}})


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store", create=True)


def place(store, unit=UNIT):
    return store.path / unit[:2] / f"{unit}.json"


def test_the_first_result_stays(store):
    assert not store.has(UNIT) and store.ids() == set()
    assert [store.put(UNIT, result()), store.put(UNIT, result()), store.put(UNIT, result(1))] == [NEW, EQUAL, UNEQUAL]
    assert store.has(UNIT) and store.ids() == {UNIT} and store.read(UNIT) == result()
    ((unit, (path,)),) = store.unequal().items()
    assert unit == UNIT and path.read_text().splitlines()[0] == result(1)
    assert list((store.path / "tmp").iterdir()) == []


def _race(path, value):
    return Store(path, create=True).put(UNIT, result(value))


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_many_write_at_once(tmp_path, pool):
    with pool(8) as executor:
        states = list(executor.map(_race, [tmp_path / "store"] * 64, [0] * 64))
        assert sorted(states) == [EQUAL] * 63 + [NEW]
        others = list(executor.map(_race, [tmp_path / "store"] * 64, range(64)))
    assert sorted(others) == [EQUAL] + [UNEQUAL] * 63
    assert len(Store(tmp_path / "store").unequal()[UNIT]) == 63


@pytest.mark.parametrize("call", ["fsync", "link"])
def test_a_full_disk(store, monkeypatch, call):
    store.put(UNIT, result())
    other = digest("another unit")

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(stores.os, call, full)
        with pytest.raises(StoreError, match="cannot be kept: No space left on device; free some space"):
            store.put(other, result(unit=other))
    assert store.ids() == {UNIT} and list((store.path / "tmp").iterdir()) == []
    assert store.put(other, result(unit=other)) == NEW


@pytest.mark.parametrize("content, problem", [
    (lambda text: text[:40], "has 40 bytes and is no whole result"),
    (lambda text: "", "has 0 bytes"),
    (lambda text: text.replace(":0}", ":1}"), ":1: the text has another digest than line 2 says"),
    (lambda text: f"{text}\n", "is no whole result"),
    (lambda text: f"{result(unit='x')}\n{digest(result(unit='x'))}\n", "is no result of format 1 of the unit"),
    (lambda text: f"[]\n{digest('[]')}\n", "is no result of format 1"),
    (lambda text: f"{{ }}\n{digest('{ }')}\n", "is not canonical JSON"),
])
def test_a_file_that_is_no_result_of_its_unit(store, content, problem):
    store.put(UNIT, result())
    place(store).write_text(content(place(store).read_text()))
    with pytest.raises(InvalidError) as error:
        store.read(UNIT)
    assert str(error.value).startswith(str(place(store))) and problem in str(error.value)


def test_bytes_that_are_no_text(store):
    store.put(UNIT, result())
    place(store).write_bytes(b"\xff")
    with pytest.raises(InvalidError, match="byte 0: is no UTF-8"):
        store.read(UNIT)


def test_a_damaged_result_is_no_equal_one(store):
    store.put(UNIT, result())
    place(store).write_text("{")
    with pytest.raises(InvalidError, match="is no whole result"):
        store.put(UNIT, result())


def test_folders_that_are_no_stores(tmp_path):
    with pytest.raises(SweepError, match="is no store"):
        Store(tmp_path / "missing")
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(SweepError, match="is no store, and not empty: it has 'thesis.tex'"):
        Store(tmp_path, create=True)
    (tmp_path / "store.json").write_text("{}")
    with pytest.raises(InvalidError, match="is no store of format 1"):
        Store(tmp_path)


def test_what_killed_processes_leave_is_removed_when_it_is_old(store):
    old, fresh = (store.path / "tmp" / name for name in ("old", "fresh"))
    for path in (old, fresh):
        path.write_text("{")
    os.utime(old, (time.time() - 2 * stores.STALE,) * 2)
    store.clean()
    assert fresh.exists() and not old.exists()


def test_a_store_without_its_empty_folders(store):
    """As archives hand it on."""
    store.put(UNIT, result())
    for folder in stores.FOLDERS:
        (store.path / folder).rmdir()
    again = Store(store.path)
    assert again.unequal() == {} and again.read(UNIT) == result()
    assert Store(store.path, create=True).put(UNIT, result(1)) == UNEQUAL


# ---- the command on stores ----


@pytest.fixture
def done(tmp_path):
    """A folder with a plan and a whole store."""
    write_add(tmp_path)
    planned(tmp_path, orders())
    sweep("work", "plan.jsonl", "--store", "store", cwd=tmp_path)
    return tmp_path


def results(folder):
    return sorted((folder / "store").glob("??/*.json"))


def test_merge_names_what_is_missing_and_status_counts_it(done):
    path = results(done)[3]
    path.unlink()
    out, _ = sweep("merge", "plan.jsonl", "--store", "store", cwd=done, code=1)
    assert "9 of 10 units have a result" in out and f"missing: {path.stem[:16]} (orders cases/add from seed " in out
    assert "\ndigest" not in out
    assert "orders: 10 units, 9 done, 0 failed, 1 left" in sweep("status", "plan.jsonl", "--store", "store", cwd=done)[0]


@pytest.mark.slow
def test_merge_takes_results_from_several_stores(done):
    whole = digest_of(done, "store")
    for shard in range(3):
        sweep("work", "plan.jsonl", "--store", f"s{shard}", "--shard", f"{shard}/3", cwd=done)
    sweep("merge", "plan.jsonl", "--store", "s0", "--store", "s1", cwd=done, code=1)
    assert digest_of(done, "s0", "s1", "s2") == digest_of(done, "s2", "store", "s0") == whole


def test_an_unequal_duplicate_is_a_finding(done):
    path = results(done)[0]
    store = Store(done / "store")
    other = canonical(json.loads(store.read(path.stem)) | {"digests": {}})
    assert store.put(path.stem, other) == UNEQUAL
    out, _ = sweep("merge", "plan.jsonl", "--store", "store", cwd=done, code=1)
    paths = f"{path.relative_to(done)}, store/unequal/"
    assert f"unit {path.stem[:16]}: nondeterministic-unit: its results differ: {paths}" in out
    assert "\ndigest" not in out
    assert "nondeterministic-unit" in sweep("status", "plan.jsonl", "--store", "store", cwd=done, code=1)[0]


def test_unequal_results_in_two_stores_are_a_finding(done):
    unit = results(done)[0].stem
    other = canonical(json.loads(Store(done / "store").read(unit)) | {"digests": {}})
    Store(done / "two", create=True).put(unit, other)
    out, _ = sweep("merge", "plan.jsonl", "--store", "store", "--store", "two", cwd=done, code=1)
    assert f"unit {unit[:16]}: nondeterministic-unit" in out


def test_merge_and_work_name_a_damaged_result(done):
    path = results(done)[0]
    path.write_text(path.read_text()[:100])
    out, _ = sweep("merge", "plan.jsonl", "--store", "store", cwd=done, code=1)
    name = path.relative_to(done)
    assert f"{name}: has 100 bytes and is no whole result; remove the file, and its unit runs again" in out
    path.unlink()
    out, _ = sweep("work", "plan.jsonl", "--store", "store", cwd=done)
    assert out.startswith("1 units have run, 9 had a result before")
    digest_of(done, "store")


def test_results_of_other_plans_do_not_count(done):
    whole = digest_of(done, "store")
    planned(done, orders(200))
    sweep("work", "plan.jsonl", "--store", "store", cwd=done)
    planned(done, orders())
    assert digest_of(done, "store") == whole
    assert json.loads(sweep("merge", "plan.jsonl", "--store", "store", "--json", cwd=done)[0])["strangers"] == 10


def test_merge_writes_all_results(done):
    sweep("merge", "plan.jsonl", "--store", "store", "-o", "all.jsonl", cwd=done)
    lines = (done / "all.jsonl").read_text().splitlines()
    assert [json.loads(line)["unit"] for line in lines] == [path.stem for path in results(done)]
    sweep("merge", "plan.jsonl", "--store", "store", "-o", "missing/all.jsonl", cwd=done, code=2)
