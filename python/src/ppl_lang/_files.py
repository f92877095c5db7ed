"""Temporary directories that are removed with the object that owns them."""

from __future__ import annotations

import os
import weakref
from pathlib import Path

from ppl_lang.errors import RunError


def _remove(path: str, owner: int) -> None:
    """Remove a directory, except in a process that was forked from the owner."""
    if os.getpid() == owner:
        import shutil

        shutil.rmtree(path, ignore_errors=True)


class Scratch:
    """A temporary directory, which is removed with the object or when Python ends."""

    def __init__(self, purpose: str = "") -> None:
        import tempfile

        try:
            self.path = Path(tempfile.mkdtemp(prefix="ppl-"))
        except OSError as error:
            advice = f"; {purpose}" if purpose else ""
            raise RunError(
                f"there is no directory for temporary files ({error}): set TMPDIR to one that can be written{advice}"
            ) from error
        self._finalizer = weakref.finalize(self, _remove, str(self.path), os.getpid())

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the directory now."""
        self._finalizer()
