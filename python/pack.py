"""Packs wheels again with the strongest compression, for which the build back end has no setting."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

for name in sys.argv[1:]:
    path = Path(name)
    packed = path.with_suffix(".packed")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            new.writestr(info, old.read(info), compresslevel=9)
    packed.replace(path)
