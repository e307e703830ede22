"""`torch.compile` where memory is watched: what it is given runs as it is, `fullgraph` included, and compiles again behind that."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
import torch
import tilegrind.triton as tt

if sys.argv[1] == "imported":
    import torch._dynamo
before, ran = torch.compile, []

def made():
    @torch.compile(fullgraph=True)
    def double(x):
        ran.append(torch.compiler.is_compiling())  # a compiled function would not call it each time
        return x * 2
    return double

with tt.check(device=sys.argv[2]):
    is_imported = "torch._dynamo" in sys.modules
    double = made()
    assert [double(torch.ones(2, device=sys.argv[2])).tolist() for _ in range(3)] == [[2, 2]] * 3
assert ran == [False] * 3
assert torch.compile is before and torch._dynamo.eval_frame._stance.stance == "default"
print("imported at once" if is_imported else "imported when it is used")
"""


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("imported, said", [("imported", "imported at once"), ("later", "imported when it is used")])
def test_compiled_functions_run_as_they_are(imported, said, device):
    pytest.importorskip("torch")
    done = subprocess.run([sys.executable, "-c", PROGRAM, imported, device], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, said + "\n"), done.stderr
