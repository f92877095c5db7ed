"""The version of the package. The binary must have the same version."""

__version__ = "0.1.0"
