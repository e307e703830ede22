"""Contracts as goldens have them: the name of one of Tilegrind's, or the text of one in JSON."""

import json
import os


def text_of(contract):
    """A contract as it is kept, of a name, a text, or a file: a Path, or a string that ends in ".json".  Raises Error for a file
    that is no contract, with each problem's place."""
    if not isinstance(contract, os.PathLike) and (is_text(contract) or not contract.endswith(".json")):
        return contract
    from .. import runtime

    return runtime.contract_text(contract)


def is_text(contract):
    return contract.startswith("{")


def name_of(contract):
    """The name of a contract, given by name or as text."""
    return json.loads(contract)["name"] if is_text(contract) else contract
