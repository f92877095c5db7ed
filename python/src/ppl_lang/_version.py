"""The version of the package, which is that of the binary that it needs."""

__version__ = "0.1.0"
