"""Calls the binary. Results and errors are read from exit codes and JSON, not from text."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import signal
import subprocess
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import IO, Any, NamedTuple

from ppl_lang._binary import binary
from ppl_lang._progress import Show, reporter
from ppl_lang.errors import (
    BinaryError,
    DataError,
    DataWarning,
    Diagnostic,
    Interrupted,
    ModelError,
    ModelWarning,
    PplError,
    RunError,
)

_log = logging.getLogger("ppl_lang")

# The exit codes of the binary.
DONE, WRONG, USAGE, FAILED, INTERRUPTED = 0, 1, 2, 3, 130

# Codes of diagnostics about data, from the step that binds data to a model.
_DATA_CODES = frozenset({"E47", "E56", "E57", "E83", "E86", "W05", "W09", "W16", "W17", "W18", "W23", "W26"})


# Matches files in this package's temporary directories: models given as text, and data.
_DATA_FILE = re.compile(r"[^\s\"'`]*[/\\]ppl-\w+[/\\]data\d+\.(arrow|csv|npy|json)")
_TEMPORARY = re.compile(r"[^\s\"'`]*[/\\]ppl-\w{8}[/\\](?=[\w.-]+\.(ppl|stan|run|prior|json))")


def readable(text: str) -> str:
    """Return a message without the names of temporary files.

    >>> readable("`y` is text in /tmp/ppl-abcd1234/data1.arrow")
    '`y` is text in the data'
    """
    return _TEMPORARY.sub("", _DATA_FILE.sub("the data", text))


def all_readable(value: Any) -> Any:
    """Return a JSON value with the names of temporary files removed from its texts."""
    return map_texts(value, readable)


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with a function applied to its texts, except the keys of objects."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {k: map_texts(v, change) for k, v in value.items()}
    return [map_texts(v, change) for v in value] if isinstance(value, list) else value


_SETTING = re.compile(r"--set (\w+)=([\w.]+\w)")
_FLAG_WITH_NUMBER = re.compile(r"--(\w+) (\d[\d.e]*\d|\d)")
_FLAG = re.compile(r"(?<![\w-])--(\w+)")


def for_python(text: str) -> str:
    """Return advice with flags of the command line replaced by arguments of this package.

    >>> for_python("Take smaller steps: --set accept=0.95.")
    'Take smaller steps: accept=0.95.'
    >>> for_python("Run longer: --draws 600, and as long a warm-up (--warmup).")
    'Run longer: draws=600, and as long a warm-up (warmup).'
    """
    return _FLAG.sub(r"\1", _FLAG_WITH_NUMBER.sub(r"\1=\2", _SETTING.sub(r"\1=\2", text)))


class Answer(NamedTuple):
    """The output of a call of the binary."""

    exit_code: int
    text: str
    notes: list[str]
    diagnostics: list[Diagnostic]

    def json(self) -> Any:
        """Return the object on standard output."""
        try:
            return json.loads(self.text)
        except ValueError as error:
            raise RunError(f"ppl printed something that is not JSON: {self.text[:200]!r}") from error


class _Messages:
    """Collects the messages of a process: one JSON object on each line of its standard error."""

    def __init__(self, show: Show | None) -> None:
        self.notes: list[str] = []
        self.diagnostics: list[Diagnostic] = []
        self.error: str | None = None
        self.other: list[str] = []
        self._show = show

    def read(self, lines: IO[bytes]) -> None:
        for line in lines:
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            try:
                message = json.loads(text)
                kind = message["kind"]
                message = all_readable(message)
            except (ValueError, KeyError, TypeError):
                if text:
                    self.other.append(text)
                continue
            self._take(kind, message)

    def _take(self, kind: str, message: dict[str, Any]) -> None:
        if kind == "diagnostic":
            self.diagnostics.append(Diagnostic.from_json(message))
        elif kind == "note":
            self.notes.append(message["text"])
        elif kind == "error":
            self.error = message["text"]
        elif kind == "progress" and self._show is not None:
            try:
                self._show(message)
            except Exception:
                _log.exception("progress could not be shown")
                self._show = None


def _start(
    arguments: Sequence[str], stdin: int = subprocess.DEVNULL, stderr: int = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    """Start the binary in a separate process group, so that only this module sends it interrupts."""
    environment = dict(os.environ, PPL_MESSAGES="json", PPL_PARENT=str(os.getpid()))
    options: dict[str, Any] = {"start_new_session": True}
    if os.name == "nt":
        options = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    path = binary()
    try:
        return subprocess.Popen(
            [path, *arguments],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=environment,
            **options,
        )
    except OSError as error:
        raise BinaryError(f"the ppl binary {path} cannot be run: {error}") from error


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    """Interrupt the process, which then saves its draws and ends."""
    with contextlib.suppress(OSError, ValueError):
        process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))


def _wait(process: subprocess.Popen[bytes], readers: Sequence[threading.Thread]) -> bool:
    """Wait for the end of a process, and return whether it was interrupted. A second interrupt kills it."""
    interrupted = False
    while True:
        try:
            for reader in readers:
                reader.join()
            process.wait()
            return interrupted
        except KeyboardInterrupt:
            if interrupted:
                process.kill()
                raise
            interrupted = True
            _interrupt(process)


def call(
    *arguments: object, progress: bool | Show | None = False, accept: Sequence[int] = (DONE,), warn: bool = True
) -> Answer:
    """Call the binary and wait for its end.

    Parameters
    ----------
    *arguments
        The command line.
    progress : bool, callable or None
        Whether to show progress; None shows it in terminals and notebooks.
    accept : sequence of int
        The exit codes that are not errors.
    warn : bool
        Whether warnings about the model become Python warnings.
    """
    show, close = reporter(progress)
    messages, out = _Messages(show), bytearray()
    process = _start([str(a) for a in arguments])
    assert process.stdout is not None and process.stderr is not None
    stdout, stderr = process.stdout, process.stderr
    readers = [
        threading.Thread(target=lambda: out.extend(stdout.read()), daemon=True),
        threading.Thread(target=messages.read, args=(stderr,), daemon=True),
    ]
    try:
        for reader in readers:
            reader.start()
        interrupted = _wait(process, readers)
    except BaseException:
        process.kill()
        process.wait()
        raise
    finally:
        close()
        stdout.close()
        stderr.close()
    answer = Answer(process.returncode, out.decode("utf-8", "replace"), messages.notes, messages.diagnostics)
    for note in messages.notes:
        _log.info("%s", note)
    if interrupted and answer.exit_code not in accept:
        raise Interrupted("interrupted before there was a result")
    if answer.exit_code not in accept:
        raise _error(answer, messages, arguments)
    if warn:
        warn_of(answer.diagnostics)
    return answer


def flags(**values: Any) -> list[str]:
    """Return flags with their values, except those that are None."""
    out: list[str] = []
    for name, value in values.items():
        if value is not None:
            out += [f"--{name.replace('_', '-')}", str(value)]
    return out


def warn_of(diagnostics: Sequence[Diagnostic]) -> None:
    """Raise warnings of a model as Python warnings; notes are logged."""
    for d in diagnostics:
        if d.severity == "warning":
            category = DataWarning if d.code in _DATA_CODES else ModelWarning
            warnings.warn(str(d), category, stacklevel=_outside())
        elif d.severity == "note":
            _log.info("%s", d)


def _outside() -> int:
    """Return the stack level of the first caller outside of this package, for warnings."""
    import sys

    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("ppl_lang"):
        frame, level = frame.f_back, level + 1
    return level


# Commands that read a run. Their errors are errors of the run, unless there is a diagnostic.
_OF_RUNS = frozenset({"summary", "query", "plot", "loo", "export", "report", "diagnose", "evidence", "compare", "list"})


def _error(answer: Answer, messages: _Messages, arguments: Sequence[object]) -> PplError:
    """Return the exception for an exit code that is not accepted."""
    errors = [d for d in answer.diagnostics if d.severity == "error"]
    others = [d for d in answer.diagnostics if d.severity != "error"]
    parts = [str(d) for d in errors]
    if messages.error is not None:
        parts.append(messages.error)
    code = answer.exit_code
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
        parts.append(f"the ppl process was killed by the signal {name}")
    if not parts:
        parts = messages.other[-20:] or [f"ppl ended with exit code {code}"]
    text = "\n".join(parts)
    kind: type[PplError] = RunError
    if errors:
        about_data = all(d.code in _DATA_CODES or not d.line for d in errors)
        kind = DataError if about_data else ModelError
    elif code == WRONG and arguments[0] not in _OF_RUNS:
        kind = ModelError
    elif code == USAGE:
        kind = PplError
    return kind(text, exit_code=code, diagnostics=errors + others)


def command(*arguments: object) -> Any:
    """Call a command of ``ppl`` and return the object that it prints with ``--json``.

    Parameters
    ----------
    *arguments
        The command line without ``ppl`` and without ``--json``.

    Returns
    -------
    object
        The output of the command, decoded from JSON.

    Examples
    --------
    >>> import ppl_lang
    >>> ppl_lang.command("version")["version"]
    '0.1.0'
    """
    return call(*arguments, "--json").json()
