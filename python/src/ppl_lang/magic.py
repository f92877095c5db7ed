"""The cell magic ``%%ppl``, which assigns the model in the cell to a variable of the notebook."""

from __future__ import annotations

from typing import Any

from ppl_lang.errors import PplError
from ppl_lang.model import Model


def register(shell: Any) -> None:
    """Register ``%%ppl`` with IPython."""
    shell.register_magic_function(_magic(shell), "cell", "ppl")


def _magic(shell: Any) -> Any:
    def ppl(line: str, cell: str) -> Any:
        """Create a model from the cell.

        ``%%ppl NAME`` assigns the model to NAME, by default ``model``. ``%%ppl NAME DATA`` also checks it with the
        data in the variable DATA.
        """
        words = line.split()
        if len(words) > 2 or not all(w.isidentifier() for w in words):
            raise PplError("write %%ppl, %%ppl NAME or %%ppl NAME DATA, with names of variables")
        name, data = [*words, *["model", ""][len(words) :]]
        given = None
        if data:
            if data not in shell.user_ns:
                raise PplError(f"there is no variable {data}")
            given = shell.user_ns[data]
        model = Model(cell if cell.endswith("\n") else cell + "\n", name=name)
        check = model.check(given)
        waits = {d.code for d in check.diagnostics if d.severity == "error"} <= {"E83"} and not data
        shell.user_ns[name] = model
        if not check.ok and not waits:
            print(check)
        return None

    return ppl
