"""A result that is computed when it is first asked for."""


class Once:
    """Calls `make` the first time that it is called itself, and returns that result each time.  As functools.cache of a function
    without arguments, which takes ten times as long to make."""

    __slots__ = ("_make", "_made")

    def __init__(self, make):
        self._make, self._made = make, None

    def __call__(self):
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made
