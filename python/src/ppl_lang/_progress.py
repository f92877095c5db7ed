"""Shows the progress of a command: with tqdm if it is installed, otherwise on one line of a terminal or notebook."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from typing import Any

Show = Callable[[Mapping[str, Any]], None]


def in_notebook() -> bool:
    """Report whether this is a Jupyter kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def reporter(progress: bool | Show | None) -> tuple[Show | None, Callable[[], None]]:
    """Choose how to show progress.

    Parameters
    ----------
    progress : bool, callable or None
        A callable gets each message; None shows progress in terminals and notebooks only.

    Returns
    -------
    show, close
        The function to call with each message, or None if nothing is shown; and one to call at the end.
    """
    if callable(progress):
        return progress, lambda: None
    notebook = in_notebook()
    if progress is None:
        progress = notebook or sys.stderr is not None and sys.stderr.isatty()
    if not progress:
        return None, lambda: None
    if importlib.util.find_spec("tqdm") is not None:
        bars: _Bars | _Line = _Bars()
    else:
        bars = _Line(notebook)
    return bars.show, bars.close


class _Bars:
    """A tqdm bar for each phase. In notebooks it is a widget if ipywidgets is installed."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._phase = ""

    def show(self, message: Mapping[str, Any]) -> None:
        if message["phase"] != self._phase or self._bar is None:
            self.close()
            with contextlib.suppress(ImportError):
                self._bar = self._new(message)
            self._phase = message["phase"]
        if self._bar is None:
            return
        self._bar.total = message["total"]
        if message.get("divergences"):
            self._bar.set_postfix(divergences=message["divergences"], refresh=False)
        self._bar.n = message["done"]
        self._bar.refresh()

    @staticmethod
    def _new(message: Mapping[str, Any]) -> Any:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without ipywidgets, tqdm warns and shows text
            from tqdm.auto import tqdm

        return tqdm(total=message["total"], desc=message["phase"], leave=False, unit="it")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Line:
    """A line that is overwritten by each message."""

    def __init__(self, notebook: bool) -> None:
        self._handle: Any = None
        self._width = 0
        if notebook:
            from IPython.display import display

            self._handle = display({"text/plain": ""}, raw=True, display_id=True)

    def show(self, message: Mapping[str, Any]) -> None:
        text = f"{message['phase']}: {message['done']} of {message['total']} iterations"
        if message.get("divergences"):
            text += f", {message['divergences']} divergences"
        if self._handle is not None:
            self._handle.update({"text/plain": text}, raw=True)
            return
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)
        elif self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0
