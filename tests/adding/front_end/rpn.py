"""The front end of rpn.c once more, in Python: text in reverse Polish notation to a module in JSON."""

import json

import numpy as np
import tilegrind

WORDS = {"+": "add", "-": "sub", "*": "mul", "max": "max"}
BLOCK, WHOLE = "f32[8]", [["slice", 0, 8, 1]]


def module_of(expression):
    """JSON (docs/ir.md) of a kernel that gives the expression over x and y as o."""
    ops, values = [], []

    def emit(op, operands, **attributes):
        value = 3 + len(ops)  # 0 to 2 are the references
        ops.append({"op": op, "in": operands, "out": [{"id": value, "type": BLOCK}], **attributes})
        values.append(value)

    for word in expression.split():
        if word in ("x", "y"):
            emit("load", ["xy".index(word)], index=WHOLE)
        else:
            right, left = values.pop(), values.pop()
            emit(WORDS[word], [left, right])
    ops.append({"op": "store", "in": [2, values.pop()], "index": WHOLE})
    params = [{"name": name, "role": role, "type": BLOCK}
              for name, role in (("x", "input"), ("y", "input"), ("o", "output"))]
    args = [{"id": i, "type": f"ref<{BLOCK}>"} for i in range(3)]
    return json.dumps({"tilegrind": "0.1", "kernels": [
        {"name": "rpn", "grid": [], "params": params, "body": {"args": args, "ops": ops}}]})


if __name__ == "__main__":
    x, y = np.arange(8, dtype=np.float32), np.full(8, 0.5, np.float32)
    run = tilegrind.loads(module_of("x y + x *")).run({"x": x, "y": y}, checks="all")
    assert not run.findings, run.findings
    np.testing.assert_array_equal(run.outputs["o"], (x + y) * x)
