"""What no NVIDIA GPU can do: demands of hardware on kernels of Mosaic GPU.  To import the package is to register what judges equations."""

from . import copies, products, registers  # noqa: F401
