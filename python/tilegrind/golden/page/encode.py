"""Arrays and texts as JSON that stands in a page."""

import base64
import json

import numpy as np


def packed(array, dtype):
    """The elements, little-endian, in base64; None for None."""
    if array is None:
        return None
    return base64.b64encode(np.ascontiguousarray(array, np.dtype(dtype).newbyteorder("<")).tobytes()).decode()


def bits(array):
    """The bytes of the elements as they are, little-endian, in base64."""
    array = np.ascontiguousarray(array)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    return base64.b64encode(array.tobytes()).decode()


def in_script(data):
    """JSON that no HTML parser takes for the end of its script."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
