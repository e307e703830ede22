"""How the elements of an array lie in a picture: rows and columns, the ends of tiles, and cells of a coarser picture."""

import math
from dataclasses import dataclass, field

import numpy as np

_MOST_LINES = 256      # of the tile grid, along each axis
NO_BOUND, NO_ELEMENT = -1.0, -2.0  # in the place of an error over its bound


@dataclass(frozen=True)
class Layout:
    """A picture of an array: element (row, column) is the one at row * columns + column, row-major.

    tiles        the number of the tile of each element
    row_lines    rows, and column_lines columns, before which another tile begins; both None where they cannot be drawn
    """

    rows: int
    columns: int
    count: int
    tiles: np.ndarray = field(repr=False)
    row_lines: list | None
    column_lines: list | None


def layout_of(shape, tile):
    """The Layout of an array with blocks of the extents `tile`.  Dimensions before the last lie one under the other."""
    count, tiles = math.prod(shape), _tiles(shape, tile)
    if not count:
        return Layout(0, 0, 0, tiles, None, None)
    columns = shape[-1] if len(shape) > 1 else _columns(count, tile[0] if tile else 1)
    rows = -(-count // columns)
    if len(shape) > 1:
        leading = _tiles(shape[:-1], tile[:-1])
        row_lines = [int(row) for row in np.flatnonzero(np.diff(leading)) + 1]
        column_lines = list(range(tile[-1], columns, tile[-1]))
    else:
        row_lines, column_lines = _lines_of_wrapped(rows, columns, tile[0] if tile else 1)
    if row_lines is None or max(len(row_lines), len(column_lines)) > _MOST_LINES:
        row_lines = column_lines = None
    return Layout(rows, columns, count, tiles, row_lines, column_lines)


def _tiles(shape, tile):
    """The number of the tile of each element, row-major."""
    numbers = np.zeros((1,) * len(shape), np.int64)
    for axis, (size, extent) in enumerate(zip(shape, tile)):
        along = np.arange(size, dtype=np.int64) // extent
        numbers = numbers * -(-size // extent) + along.reshape([-1 if d == axis else 1 for d in range(len(shape))])
    return np.broadcast_to(numbers, shape).reshape(-1)


def _columns(count, tile):
    """How many elements of a one-dimensional array make a row: where that suits, whole tiles or a whole part of one."""
    if count <= 64:
        return count
    want = math.ceil(math.sqrt(2 * count))
    if tile <= want:
        return want // tile * tile
    fits = [columns for columns in range(max(1, want // 4), want + 1) if tile % columns == 0]
    return fits[-1] if fits else want


def _lines_of_wrapped(rows, columns, tile):
    if rows == 1 or columns % tile == 0:
        return list(range(1, rows)), list(range(tile, columns, tile))
    if tile % columns == 0:
        return list(range(tile // columns, rows, tile // columns)), []
    return None, None


@dataclass(frozen=True)
class Cells:
    """A picture of at most side x side cells, each of `height` x `width` elements.

    most   the greatest value of a cell's elements, or NO_BOUND or NO_ELEMENT
    at     which element has that
    """

    rows: int
    columns: int
    height: int
    width: int
    most: np.ndarray = field(repr=False)
    at: np.ndarray = field(repr=False)


def cells_of(layout, values, side):
    """The Cells of a value for each element, row-major."""
    height, width = max(1, -(-layout.rows // side)), max(1, -(-layout.columns // side))
    rows, columns = -(-layout.rows // height), -(-layout.columns // width)
    whole = np.full(layout.rows * layout.columns, NO_ELEMENT)
    whole[:layout.count] = values
    padded = np.full((rows * height, columns * width), NO_ELEMENT)
    padded[:layout.rows, :layout.columns] = whole.reshape(layout.rows, layout.columns)
    grouped = padded.reshape(rows, height, columns, width).transpose(0, 2, 1, 3).reshape(rows * columns, height * width)
    inner = np.argmax(grouped, 1) if grouped.size else np.zeros(0, np.int64)
    cell = np.arange(rows * columns)
    row = cell // max(columns, 1) * height + inner // width
    column = cell % max(columns, 1) * width + inner % width
    at = np.minimum(row * layout.columns + column, max(layout.count - 1, 0))
    return Cells(rows, columns, height, width, grouped[cell, inner], at)
