"""Starts the kernel, or installs it."""

from __future__ import annotations

import argparse
import sys


def main() -> None:
    """Install the kernel if the first argument is ``install``; otherwise run it for Jupyter."""
    if sys.argv[1:2] != ["install"]:
        from ipykernel.kernelapp import IPKernelApp

        from ppl_lang.kernel.kernel import PplKernel

        IPKernelApp.launch_instance(kernel_class=PplKernel)
        return
    parser = argparse.ArgumentParser(prog="python -m ppl_lang.kernel install", description="Install the kernel.")
    parser.add_argument("--user", action="store_true", help="for this user alone")
    parser.add_argument("--prefix", help="into this environment")
    given = parser.parse_args(sys.argv[2:])
    from ppl_lang.kernel import install

    print(install(user=given.user, prefix=given.prefix or (None if given.user else sys.prefix)))


main()
