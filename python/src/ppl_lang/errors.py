"""Exceptions and warnings with the diagnostics of `ppl`: codes, locations and advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

__all__ = [
    "BinaryError",
    "DataError",
    "DataWarning",
    "Diagnostic",
    "Interrupted",
    "ModelError",
    "ModelWarning",
    "PplError",
    "PplWarning",
    "RunError",
    "SamplingWarning",
]


class Diagnostic(NamedTuple):
    """One mistake or warning in a model or its data.

    Attributes
    ----------
    code : str
        The stable name of the kind of mistake, such as ``E10``; ``ppl_lang.explain(code)`` describes it.
    severity : str
        ``error``, ``warning`` or ``note``.
    message : str
        What is wrong.
    help : str
        How to fix it; may be empty.
    file : str
        The file of the location, or empty.
    line, column : int
        The location, counted from 1; 0 if there is none.
    text : str
        The source text at the location.
    """

    code: str
    severity: str
    message: str
    help: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    text: str = ""

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Diagnostic:
        """Decode a diagnostic from the JSON of the binary."""
        at = entry.get("at") or {}
        return cls(
            code=entry.get("code", ""),
            severity=entry.get("severity", "error"),
            message=entry.get("message", ""),
            help=entry.get("help", ""),
            file=at.get("file", ""),
            line=at.get("line", 0),
            column=at.get("column", 0),
            text=at.get("text", ""),
        )

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        code = f"[{self.code}]" if self.code else ""
        advice = f"\n  help: {self.help}" if self.help else ""
        return f"{place}{self.severity}{code}: {self.message}{advice}"


class PplError(Exception):
    """The base class of all errors of this package.

    Attributes
    ----------
    diagnostics : list of Diagnostic
        All diagnostics, errors first; empty if the error is not about a model or data.
    exit_code : int
        The exit code of the binary, 0 if it was not called.
    """

    def __init__(self, message: str, *, exit_code: int = 0, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.diagnostics = list(diagnostics)

    @property
    def _first(self) -> Diagnostic | None:
        return self.diagnostics[0] if self.diagnostics else None

    @property
    def code(self) -> str:
        """The code of the first mistake, such as ``E10``; empty if there is none."""
        return self._first.code if self._first else ""

    @property
    def line(self) -> int:
        """The line of the first mistake, counted from 1; 0 if there is none."""
        return self._first.line if self._first else 0

    @property
    def help(self) -> str:
        """How to fix the first mistake; empty if there is no advice."""
        return self._first.help if self._first else ""


class ModelError(PplError):
    """The model is wrong, or cannot be sampled."""


class DataError(PplError):
    """The data cannot be read, or do not fit the model."""


class RunError(PplError):
    """A run cannot be created, read or continued, because a device, a disk, a directory or the program failed."""


class BinaryError(PplError):
    """The ``ppl`` binary is missing, cannot be run, or has another version than the package."""


class Interrupted(KeyboardInterrupt):
    """The command was interrupted before there was a result.

    It is a `KeyboardInterrupt`, so that ``except Exception`` does not catch it.
    """


class PplWarning(UserWarning):
    """The base class of all warnings of this package."""


class ModelWarning(PplWarning):
    """The model is valid, but probably not what its author meant."""


class DataWarning(PplWarning):
    """A part of the data is omitted, or read in an unexpected way."""


class SamplingWarning(PplWarning):
    """The draws of a run are unreliable, at least for some uses."""
