"""Writes the files of this folder: what numpy, ml_dtypes and safetensors themselves produce.

Needs numpy, ml_dtypes and safetensors.  Run in this folder; the tests know the values."""
import io
import zipfile

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

a = np.arange(6).reshape(2, 3)
np.save("c_order_f4.npy", a.astype("<f4"))
np.save("fortran_order_f8.npy", np.asfortranarray(a.astype("<f8")))
np.save("big_endian_i2.npy", (a - 300).astype(">i2"))
np.save("scalar_i8.npy", np.int64(-7))
np.save("empty_u1.npy", np.zeros((0, 3), "u1"))
np.save("bool.npy", np.array([True, False, True]))
np.save("f2.npy", np.array([1, -2, np.inf], "<f2"))
np.save("void_bf16.npy", np.array([1, -2], ml_dtypes.bfloat16))
np.save("void_i4.npy", np.array([-8, -1, 7], ml_dtypes.int4))
np.save("f1_f8e5m2.npy", np.array([1, -2], ml_dtypes.float8_e5m2))
for version in (2, 3):
    with open(f"version_{version}.npy", "wb") as f:
        np.lib.format.write_array(f, a.astype("<u4"), version=(version, 0))

arrays = {"x": a.astype("<f4"), "y": np.array(3, "<i4")}
np.savez("stored.npz", **arrays)
np.savez_compressed("deflated.npz", **arrays)


class Pipe(io.RawIOBase):
    """A file that cannot seek: zipfile then writes sizes after the data."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


with open("streamed_zip64.npz", "wb") as f:
    with zipfile.ZipFile(Pipe(f), "w", zipfile.ZIP_DEFLATED) as z:
        with z.open("x.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array(member, arrays["x"])

save_file({"x": arrays["x"], "b": np.array([True, False]), "h": np.array([1, -2], ml_dtypes.bfloat16)},
          "three.safetensors", metadata={"made": "by numpy"})
