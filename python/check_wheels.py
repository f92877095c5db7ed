"""Checks the tag and the size of wheels, and mode and format of the binary: ``check_wheels.py WHEEL...``."""

from __future__ import annotations

import re
import struct
import sys
import zipfile
from pathlib import Path

LARGEST = 17_000_000

# By system and architecture, as tags name them: the numbers of machines in ELF, Mach-O and PE.
ELF = {"x86_64": 0x3E, "aarch64": 0xB7}
MACH = {"x86_64": 0x01000007, "arm64": 0x0100000C}
PE = {"amd64": 0x8664, "arm64": 0xAA64}

TAG = re.compile(r"(manylinux_2_17|musllinux_1_2|macosx_11_0|win)_(x86_64|aarch64|arm64|amd64)(?:\.manylinux2014_\w+)?")


def machine(binary: bytes) -> tuple[str, int]:
    """Return the format of a binary and the number of its machine."""
    if binary.startswith(b"\x7fELF"):
        return "ELF", struct.unpack_from("<H", binary, 18)[0]
    if binary.startswith(b"\xcf\xfa\xed\xfe"):
        return "Mach-O", struct.unpack_from("<I", binary, 4)[0]
    if binary.startswith(b"MZ"):
        at = struct.unpack_from("<I", binary, 0x3C)[0]
        if binary[at : at + 4] == b"PE\0\0":
            return "PE", struct.unpack_from("<H", binary, at + 4)[0]
    return "unknown", 0


def expected(system: str, architecture: str) -> tuple[str, int]:
    """Return the same for a platform."""
    if system.startswith("win"):
        return "PE", PE[architecture]
    if system.startswith("macosx"):
        return "Mach-O", MACH[architecture]
    return "ELF", ELF[architecture]


def interpreter(binary: bytes) -> str:
    """Return the dynamic loader that an ELF binary asks for; empty if it is static."""
    start, size, count = *struct.unpack_from("<Q", binary, 32), *struct.unpack_from("<HH", binary, 54)
    for k in range(count):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", binary, start + k * size)
        if kind == 3:
            return binary[offset : offset + length].rstrip(b"\0").decode()
    return ""


def problems(wheel: Path) -> list[str]:
    """Return what is wrong with a wheel."""
    found: list[str] = []

    def require(holds: object, what: str) -> None:
        if not holds:
            found.append(what)

    tag = wheel.stem.split("-", 4)[-1]
    match = TAG.fullmatch(tag)
    if match is None:
        return [f"the tag {tag} is none of ours"]
    system, architecture = match[1], match[2]
    require(wheel.stat().st_size <= LARGEST, f"it has {wheel.stat().st_size} bytes, more than {LARGEST}")
    with zipfile.ZipFile(wheel) as z:
        require(z.testzip() is None, "it is damaged")
        names = z.namelist()
        name = f"ppl_lang/bin/ppl{'.exe' if system == 'win' else ''}"
        if [n for n in names if n.startswith("ppl_lang/bin/")] != [name]:
            return [*found, f"it has no {name}, or more than that"]
        mode, binary = z.getinfo(name).external_attr >> 16, z.read(name)
        require(mode == 0o100755, f"the mode of the binary is {mode:o}")  # pip makes it executable by its mode alone
        require(machine(binary) == expected(system, architecture), f"the binary is {machine(binary)}")
        if system == "musllinux_1_2":
            require(not interpreter(binary), "the binary needs a dynamic loader")
        require("ppl_lang/py.typed" in names, "py.typed is missing")
        info = {Path(n).name: z.read(n).decode() for n in names if ".dist-info/" in n}
        require("Root-Is-Purelib: false" in info["WHEEL"], "it is marked as independent of platforms")
        for part in tag.split("."):
            require(f"Tag: py3-none-{part}\n" in info["WHEEL"], f"WHEEL lacks the tag {part}")
        needs = re.findall(r"^Requires-Dist: (.*)$", info["METADATA"], re.M)
        require(all("extra ==" in n for n in needs), "it needs other packages")
    return found


def main() -> int:
    """Check all wheels and return the exit code."""
    wrong = 0
    for name in sys.argv[1:]:
        found = problems(Path(name))
        wrong += bool(found)
        print(f"{Path(name).name}: {Path(name).stat().st_size / 1e6:.2f} MB: {'; '.join(found) or 'as it should be'}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
