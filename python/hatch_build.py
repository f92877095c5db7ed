"""Puts the `ppl` binary into the wheel, and tags the wheel with the platform that the binary is for.

`PPL_WHEEL_BINARY` is the binary; `PPL_WHEEL_TARGET` is its platform, as Go names it, such as `linux/amd64`. The make
target `wheel` sets both. Without them the wheel has no binary, works on every platform, and uses the `ppl` on PATH.
"""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The binaries are linked statically or load the system's C library by names without versions, so that one binary suits
# every Linux with the loader that it names.
PLATFORMS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "musllinux/amd64": "musllinux_1_2_x86_64",
    "musllinux/arm64": "musllinux_1_2_aarch64",
    "darwin/amd64": "macosx_11_0_x86_64",
    "darwin/arm64": "macosx_11_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}


class BinaryHook(BuildHookInterface[Any]):  # type: ignore[misc, unused-ignore]
    """Adds the binary to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the binary and the tag, if a binary is given."""
        binary, target = os.environ.get("PPL_WHEEL_BINARY"), os.environ.get("PPL_WHEEL_TARGET", "linux/amd64")
        if version == "editable" or not binary:
            return
        if target not in PLATFORMS:
            raise ValueError(f"PPL_WHEEL_TARGET={target}: the platforms are {', '.join(PLATFORMS)}")
        name = "ppl.exe" if target.startswith("windows") else "ppl"
        build_data["force_include"][binary] = f"ppl_lang/bin/{name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{PLATFORMS[target]}"
