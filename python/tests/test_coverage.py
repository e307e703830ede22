"""docs/coverage.md says what the rules are, and its list can be trusted."""

import importlib.util
import pathlib

import pytest
from tilegrind.pallas import rules  # noqa: F401  (to import them is to register them)
from tilegrind.pallas.lowering import converter
from tilegrind.pallas.tracing import jaxprs

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("gen_coverage", ROOT / "tools" / "gen_coverage.py")
gen_coverage = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(gen_coverage)
LIST = gen_coverage.LIST.read_text(encoding="utf-8")


def test_the_page_is_current():
    page = gen_coverage.page(LIST, converter.NAMES, converter.REFUSED)
    assert gen_coverage.PAGE.read_text(encoding="utf-8") == page


@pytest.mark.parametrize("text, problem", [
    ("[A]\nlax nothing", "neither a rule nor a reason"),
    ("[A]\nlax add: too hard", "has a rule, but"),
    ("[A]\nlax add\nlax add", "twice"),
    ("lax add", "malformed"),
    ("[A]\nadd", "malformed")])
def test_a_list_that_does_not_fit_is_an_error(text, problem):
    with pytest.raises(ValueError, match=problem):
        gen_coverage.page(text, converter.NAMES, converter.REFUSED)


def test_primitives_of_this_jax_are_listed():
    """Every primitive with a rule that this version of JAX has, but for spellings that older ones use."""
    listed = {(group, name) for _, group, name, _ in gen_coverage.rows(LIST)}
    spellings = {"pjit", "call", "remat", "checkpoint", "custom_vjp_call_jaxpr", "composite", "copy_p",
                 "pvary", "mesh_cast", "sharding_constraint", "tie", "expand_dims", "debug_barrier_p",
                 "elementwise_inline_asm_p"}
    missing = [pair for pair in converter.NAMES - listed
               if jaxprs.primitive(*pair) is not None and pair[1] not in spellings]
    assert missing == []
