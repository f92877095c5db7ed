"""A Jupyter kernel for the language. Cells contain statements of a model, queries, and commands such as ``.sample``.

``python -m ppl_lang.kernel install --user`` installs it. ``ppl repl --json`` executes the cells.
"""

from __future__ import annotations

__all__ = ["install"]


def install(user: bool = True, prefix: str | None = None) -> str:
    """Install the kernel for Jupyter and return the directory of its specification.

    Parameters
    ----------
    user : bool
        Whether to install it only for this user.
    prefix : str, optional
        The environment to install it into instead.
    """
    import json
    import sys

    from jupyter_client.kernelspec import KernelSpecManager

    from ppl_lang._files import Scratch

    spec = {
        "argv": [sys.executable, "-m", "ppl_lang.kernel", "-f", "{connection_file}"],
        "display_name": "ppl",
        "language": "ppl",
        "interrupt_mode": "signal",
    }
    with Scratch() as folder:
        (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
        manager = KernelSpecManager()
        return str(manager.install_kernel_spec(str(folder), "ppl", user=user and prefix is None, prefix=prefix))
