"""Names of variables and functions in findings, as the author of a kernel wrote them."""

import numpy as np
import pytest
from triton_texts import launch

from tilegrind.triton.lowering.places import Places
from tilegrind.triton.ttir.locations import Location


@pytest.fixture(scope="module")
def found():
    """The findings of a kernel that divides by 0 in a function, and stores what a mask has left undefined."""
    findings, _ = launch("named", np.ones(8, np.int32), np.zeros(8, np.int32), 7)
    return {finding.kind: finding for finding in findings}


def test_the_variable_that_a_line_assigns_to(found):
    division = found["division-by-zero"]
    assert (division.op, division.variable, division.function) == ("div", "ratio", "_ratio")
    assert ", op div for ratio" in str(division)


def test_an_operation_that_assigns_to_nothing(found):
    stored = found["undefined-output"]
    assert (stored.op, stored.variable) == ("store", "")
    assert "op store\n" in str(stored)


def test_variables_on_the_way_of_an_undefined_value(found):
    way = [(one.role, one.op, one.variable) for one in found["undefined-output"].related]
    assert way == [("computed by", "add", "total"), ("computed by", "div", "ratio"), ("comes from", "load", "part")]
    assert "   = comes from load for part\n" in str(found["undefined-output"])


def test_places_differ_by_their_variable():
    places, here = Places(), Location("k.py", 3, 5)
    numbers = [places.number(one, ["k"]) for one in (here.named("a"), here.named("b"), here, here.named("a"))]
    assert numbers == [1, 2, 3, 1]
    assert [place.get("variable") for place in places.table] == ["a", "b", None]


@pytest.mark.parametrize("mangled, name", [("k", "k"), ("triton.language.standard.max__fp32S128S", "max"), ("__main__._half__i32", "_half"),
                                           ("__main__.both_of__i32_i32__(1,)cconstexpr_4_", "both_of"), ("m.none__", "none"), ("_k", "_k"),
                                           ("some__module.of__i32", "of")])
def test_names_of_functions(mangled, name):
    places = Places()
    places.number(Location("k.py", 3, 5), [mangled])
    assert places.table[0]["function"] == name
