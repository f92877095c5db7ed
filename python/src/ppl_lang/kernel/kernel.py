"""The kernel, which sends each cell to ``ppl repl --json``."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from ipykernel.kernelbase import Kernel

from ppl_lang import _call
from ppl_lang._version import __version__
from ppl_lang.errors import Diagnostic


class PplKernel(Kernel):  # type: ignore[misc, unused-ignore]
    """A session of ``ppl repl``."""

    implementation = "ppl"
    implementation_version = __version__
    banner = "ppl: statements of a model, questions about its draws, commands that begin with a dot (.help lists them)"
    language_info = {  # noqa: RUF012 # as the base class has it
        "name": "ppl",
        "mimetype": "text/x-ppl",
        "file_extension": ".ppl",
        "version": __version__,
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._process: subprocess.Popen[bytes] | None = None

    def _session(self) -> subprocess.Popen[bytes]:
        """Return the process. The first cell starts it; a later cell restarts it if it has ended."""
        if self._process is None or self._process.poll() is not None:
            self._process = _call._start(["repl", "--json"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return self._process

    def _ask(self, **request: str) -> dict[str, Any]:
        """Send a request and wait for its answer. Interrupts are forwarded to the process, which still answers."""
        process = self._session()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            while True:
                try:
                    line = process.stdout.readline()
                    break
                except KeyboardInterrupt:
                    _call._interrupt(process)
            answer: dict[str, Any] = json.loads(line)
        except (OSError, ValueError):
            process.kill()
            code = process.wait()
            answer = {
                "status": "error",
                "error": f"ppl has ended with exit code {code}; the next cell begins a new session",
            }
        return answer

    def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: dict[str, Any] | None = None,
        allow_stdin: bool = False,
        *,
        cell_meta: Any = None,
        cell_id: Any = None,
    ) -> dict[str, Any]:
        """Carry out a cell."""
        answer = self._ask(entry=code)
        diagnostics = [str(Diagnostic.from_json(d)) for d in answer.get("diagnostics", [])]
        if not silent:
            self._show(answer, diagnostics)
        status = answer["status"]
        common = {"execution_count": self.execution_count, "user_expressions": {}, "payload": []}
        if status in {"ok", "end", "interrupted"}:
            return {"status": "ok", **common}
        message = "\n".join([*diagnostics, answer.get("error", "")]).strip()
        if status == "incomplete":
            message = "the cell ends in the middle of a statement: a bracket is open, or an operator is last"
        failure = {"ename": "ppl", "evalue": message, "traceback": [message]}
        if not silent:
            self.send_response(self.iopub_socket, "error", failure)
        return {"status": "error", **failure, **common}

    def _show(self, answer: dict[str, Any], diagnostics: list[str]) -> None:
        """Send the output and pictures of a cell."""
        if text := answer.get("text"):
            self.send_response(self.iopub_socket, "stream", {"name": "stdout", "text": text})
        notes = answer.get("notes", []) + (diagnostics if answer["status"] in {"ok", "interrupted"} else [])
        if notes:
            self.send_response(self.iopub_socket, "stream", {"name": "stderr", "text": "\n".join(notes) + "\n"})
        for path in answer.get("pictures", []):
            with contextlib.suppress(OSError):
                picture = {"image/svg+xml": Path(path).read_text(encoding="utf-8")}
                self.send_response(self.iopub_socket, "display_data", {"data": picture, "metadata": {}})
                os.remove(path)

    def do_complete(self, code: str, cursor_pos: int) -> dict[str, Any]:
        """Complete the word before the cursor."""
        answer = self._ask(complete=code[:cursor_pos].rsplit("\n", maxsplit=1)[-1])
        start = cursor_pos - len(answer.get("word", ""))
        return {
            "status": "ok",
            "matches": answer.get("completions", []),
            "cursor_start": start,
            "cursor_end": cursor_pos,
            "metadata": {},
        }

    def do_inspect(self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()) -> dict[str, Any]:
        """Describe the name at the cursor."""
        start, end = cursor_pos, cursor_pos
        while start > 0 and (code[start - 1].isalnum() or code[start - 1] == "_"):
            start -= 1
        while end < len(code) and (code[end].isalnum() or code[end] == "_"):
            end += 1
        answer = self._ask(inspect=code[start:end]) if end > start else {"status": "error"}
        found = answer["status"] == "ok" and bool(answer.get("text"))
        data = {"text/plain": answer["text"]} if found else {}
        return {"status": "ok", "found": found, "data": data, "metadata": {}}

    def do_is_complete(self, code: str) -> dict[str, Any]:
        """Report whether the code is complete: no bracket is open and the last token is not an operator."""
        depth = sum(code.count(c) for c in "([{") - sum(code.count(c) for c in ")]}")
        unfinished = depth > 0 or code.rstrip().endswith(tuple("+-*/^@%,=~<>|&?:"))
        return {"status": "incomplete", "indent": "    "} if unfinished else {"status": "complete"}

    def do_shutdown(self, restart: bool) -> dict[str, Any]:
        """End the session."""
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            try:
                self._process.wait(timeout=3)
            except subprocess.TimeoutExpired:
                self._process.send_signal(signal.SIGTERM)
            self._process = None
        return {"status": "ok", "restart": restart}
