"""Writes data for the binary: tables as Arrow IPC, arrays in NumPy's format, other values as JSON.

A column that cannot be written, such as one of lists, is an error if the model reads it, and omitted otherwise.
"""

from __future__ import annotations

import glob
import importlib.util
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ppl_lang.errors import DataError

Data: TypeAlias = "Any"
"""What `data` can be: a pandas or polars DataFrame, a pyarrow Table, a mapping of names to arrays, a path, or a list
of these."""

# A categorical column with more levels than this is probably a mistake, such as a text for each row.
_MANY_LEVELS = 1_000_000

Reads = Callable[[], "frozenset[str] | None"]


def spelled(name: str) -> str:
    """Return the name of a column in a model: ``ph.ecog`` becomes ``ph_ecog``.

    >>> spelled("ph.ecog")
    'ph_ecog'
    """
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def is_url(path: str) -> bool:
    """Return whether a path is a URL of remote data.

    >>> is_url("s3://bucket/sales"), is_url("sales")
    (True, False)
    """
    return re.match(r"(s3|gs|https?)://", path) is not None


def names_files(path: str) -> bool:
    """Return whether a path is a file or a URL, or a pattern such as ``data/*.parquet`` that matches files.

    >>> names_files("no/such/*.csv")
    False
    """
    return is_url(path) or os.path.exists(path) or any(True for _ in glob.iglob(path, recursive=True))


def arguments(data: Data, folder: Path, reads: Reads) -> list[str]:
    """Write data into a folder and return the arguments that name the files.

    Parameters
    ----------
    data : Data
        The data; None for none.
    folder : Path
        A folder for the files.
    reads : callable
        Returns the names of the data that the model reads, or None if they are unknown.

    Returns
    -------
    list of str
        ``--data FILE`` and ``--data NAME=FILE``.
    """
    return _Writer(folder, reads).of(data)


class _Writer:
    """Writes files with distinct names into a folder."""

    def __init__(self, folder: Path, reads: Reads) -> None:
        self._folder, self._reads, self._files = folder, reads, 0

    def path(self, ending: str) -> Path:
        self._files += 1
        return self._folder / f"data{self._files}{ending}"

    def of(self, data: Data) -> list[str]:
        if data is None:
            return []
        if isinstance(data, (str, os.PathLike)):
            return ["--data", self._existing(data)]
        if isinstance(data, Mapping):
            return self._mapping(data)
        kind = type(data).__module__.partition(".")[0]
        name = type(data).__name__
        if kind == "pandas" and name == "DataFrame":
            return ["--data", str(self._pandas(data))]
        if kind == "polars" and name in {"DataFrame", "LazyFrame"}:
            return ["--data", str(self._polars(data))]
        if kind == "pyarrow" and name in {"Table", "RecordBatch"}:
            return ["--data", str(self._arrow(data))]
        if isinstance(data, (list, tuple)) and data and not any(_is_number(x) for x in data):
            return [argument for part in data for argument in self.of(part)]
        if hasattr(data, "__arrow_c_stream__"):
            import pyarrow as pa

            return ["--data", str(self._arrow(pa.table(data)))]
        raise DataError(
            f"data cannot be {_a(type(data))}; give a DataFrame, a pyarrow Table, a dict of arrays by their names in "
            "the model, or the path of a file"
        )

    @staticmethod
    def _existing(path: str | os.PathLike[str]) -> str:
        text = os.fspath(path)
        name, found, file = text.partition("=")
        if not names_files(text) and not (found and re.fullmatch(r"[A-Za-z_]\w*", name)):
            raise DataError(f"there is no data file {text}")
        if is_url(text):
            return text
        return text if found and not names_files(text) else os.path.abspath(text)

    # Tables.

    def _names(self, names: Sequence[Any], rows: int) -> None:
        """Check that a table has rows, and columns with distinct names."""
        for name in names:
            if not isinstance(name, str):
                raise DataError(
                    f"names of columns must be texts, and one is {name!r}: rename it, as by "
                    "df.columns = df.columns.map(str)"
                )
        seen: set[str] = set()
        twice = [n for n in names if n in seen or seen.add(n)]  # type: ignore[func-returns-value]
        if twice:
            raise DataError(f"two columns are named {twice[0]!r}: rename one of them")
        if not names:
            raise DataError("the table has no columns")
        if rows == 0:
            raise DataError("the table has no rows")

    def _refuse(self, name: str, why: str) -> None:
        """Raise an error for a column that the model reads, or if it is unknown what the model reads."""
        reads = self._reads()
        if reads is None or name in reads or spelled(name) in reads:
            raise DataError(f"column {name!r} {why}")

    def _pandas(self, frame: Any) -> Path:
        if frame.columns.nlevels > 1:
            raise DataError(
                "the columns have several levels of names (a MultiIndex): make one name of them, as by "
                "df.columns = ['_'.join(map(str, c)) for c in df.columns]"
            )
        if frame.index.nlevels > 1:
            raise DataError("the rows have a MultiIndex: call reset_index() to make columns of it")
        frame = self._with_index(frame)
        self._names(list(frame.columns), len(frame))
        if importlib.util.find_spec("pyarrow") is None:
            return self._csv(frame)
        import pyarrow as pa

        columns: dict[str, Any] = {}
        for name in frame.columns:
            column = frame[name]
            try:
                columns[name] = self._series(name, column, pa)
            except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
                self._refuse(name, f"{_mixed(column)} ({_short(error)})")
        return self._arrow(pa.table({k: v for k, v in columns.items() if v is not None}))

    def _with_index(self, frame: Any) -> Any:
        """Return a table with its index as a column if the model reads a column of that name."""
        name = "index" if frame.index.name is None else frame.index.name
        if type(frame.index).__name__ == "RangeIndex" and frame.index.name is None or name in frame.columns:
            return frame
        reads = self._reads()
        return frame.reset_index() if reads is not None and isinstance(name, str) and spelled(name) in reads else frame

    def _series(self, name: str, column: Any, pa: Any) -> Any:
        """Return a pandas column as an Arrow array; None if it is omitted."""
        kind = str(column.dtype)
        if kind == "category":
            return self._levels(name, column, pa)
        if kind.startswith("complex"):
            self._refuse(name, "has complex numbers")
            return None
        if kind.startswith(("Sparse", "period", "interval")):
            column = column.sparse.to_dense() if kind.startswith("Sparse") else column
            if kind.startswith("period"):
                column = column.dt.to_timestamp()
            if kind.startswith("interval"):
                column = column.astype(str)
        if kind == "object" and _is_bool(column.dropna()):
            return pa.array(column, type=pa.bool_(), from_pandas=True)
        return pa.array(column, from_pandas=True)

    def _levels(self, name: str, column: Any, pa: Any) -> Any:
        """Return a categorical column with all its levels in order, including those without rows."""
        levels, codes = column.cat.categories, column.cat.codes
        if len(levels) > _MANY_LEVELS:
            raise DataError(
                f"column {name!r} has {len(levels):,} levels, and at most {_MANY_LEVELS:,} can be handed over: "
                "call cat.remove_unused_categories(), or convert it to texts"
            )
        try:
            words = pa.array(levels, from_pandas=True)
            if not (
                pa.types.is_integer(words.type)
                or pa.types.is_string(words.type)
                or pa.types.is_large_string(words.type)
            ):
                words = pa.array([str(x) for x in levels])
        except (pa.ArrowException, TypeError):
            words = pa.array([str(x) for x in levels])
        if len(levels) == 0:
            return pa.nulls(len(column))
        indices = pa.array(codes.to_numpy().astype("int32"), mask=(codes < 0).to_numpy())
        return pa.DictionaryArray.from_arrays(indices, words, ordered=bool(column.cat.ordered))

    def _csv(self, frame: Any) -> Path:
        """Write a table as CSV, without pyarrow. Texts that a CSV reader would misinterpret are errors."""
        keep = []
        for name in frame.columns:
            column = frame[name]
            kind = str(column.dtype)
            if kind.startswith("complex"):
                self._refuse(name, "has complex numbers")
                continue
            if kind in {"object", "str", "string", "category"}:
                present = column.dropna()
                if kind == "category" and set(present.unique()) != set(column.cat.categories):
                    self._refuse(name, "has levels without rows, which need pyarrow: pip install pyarrow")
                    continue
                if not _is_bool(present) and not all(isinstance(x, str) for x in present):
                    if kind != "category":
                        self._refuse(name, _mixed(column))
                        continue
                elif any(_looks_like_a_number(x) for x in present.unique() if isinstance(x, str)):
                    self._refuse(
                        name,
                        "has texts that look like numbers or missing values, which need pyarrow: pip install pyarrow",
                    )
                    continue
            keep.append(name)
        self._names(keep, len(frame))
        path = self.path(".csv")
        frame[keep].to_csv(path, index=False, float_format="%.17g", na_rep="NA", date_format="%Y-%m-%dT%H:%M:%S")
        return path

    def _polars(self, frame: Any) -> Path:
        import polars as pl

        if not hasattr(pl, "CompatLevel"):
            raise DataError(f"polars {pl.__version__} is too old: install polars 1.10 or later, or give df.to_pandas()")
        if type(frame).__name__ == "LazyFrame":
            frame = frame.collect()
        self._names(frame.columns, frame.height)
        keep = []
        for name, kind in frame.schema.items():
            base = kind.base_type()
            column = pl.col(name)
            if base in {pl.Decimal, getattr(pl, "Int128", pl.Decimal), getattr(pl, "UInt128", pl.Decimal)}:
                column = column.cast(pl.Float64)
            elif base in {pl.Object, pl.List, pl.Array, pl.Struct, pl.Binary, pl.Duration, pl.Time}:
                self._refuse(name, f"has the type {kind}; {_PLAIN}")
                continue
            elif base == pl.Categorical:  # its levels are shared by the entire process, in order of appearance
                column = column.cast(pl.String)
            elif base == getattr(pl, "Float16", None):
                column = column.cast(pl.Float32)
            keep.append(column)
        if not keep:
            raise DataError(f"none of the columns can be read; {_PLAIN}")
        path = self.path(".arrow")
        frame.select(keep).write_ipc(path, compression="uncompressed", compat_level=pl.CompatLevel.oldest())
        return path

    def _arrow(self, table: Any) -> Path:
        import pyarrow as pa

        if isinstance(table, pa.RecordBatch):
            table = pa.Table.from_batches([table])
        self._names(table.column_names, table.num_rows)
        columns: dict[str, Any] = {}
        for field in table.schema:
            kind = field.type
            column = table.column(field.name)
            if (
                pa.types.is_dictionary(kind)
                and kind.ordered
                and len(column.combine_chunks().dictionary if column.num_chunks != 1 else column.chunk(0).dictionary)
                > _MANY_LEVELS
            ):
                raise DataError(f"column {field.name!r} has more than {_MANY_LEVELS:,} levels")
            if pa.types.is_decimal(kind):
                column = column.cast(pa.float64())
            elif pa.types.is_float16(kind):  # old versions of pyarrow cannot cast it
                column = pa.array(column.to_numpy().astype("float32"), from_pandas=True)
            elif _unreadable(kind, pa):
                self._refuse(field.name, f"has the type {kind}; {_PLAIN}")
                continue
            columns[field.name] = column
        if not columns:
            raise DataError(f"none of the columns can be read; {_PLAIN}")
        out = pa.table(columns)
        path = self.path(".arrow")
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, out.schema) as writer:
            writer.write_table(out)
        return path

    # Dicts of arrays.

    def _mapping(self, data: Mapping[Any, Any]) -> list[str]:
        out: list[str] = []
        plain: dict[str, Any] = {}
        for name, value in data.items():
            if not isinstance(name, str):
                raise DataError(f"the names of arrays must be texts, and one is {name!r}")
            file = self._array(name, value)
            if type(value).__name__ == "DataFrame":  # its columns are those of the matrix that takes what is left
                out += ["--data", str(file)]
            elif file is None:
                plain[name] = self._plain(name, value)
            else:
                out += ["--data", f"{name}={file}"]
        if plain:
            path = self.path(".json")
            path.write_text(json.dumps(plain), encoding="utf-8")
            out = ["--data", str(path), *out]
        return out

    def _array(self, name: str, value: Any) -> Path | None:
        """Write an array to a separate file; return None if it belongs in the JSON file."""
        if isinstance(value, os.PathLike):
            return Path(self._existing(value))
        kind = type(value).__module__.partition(".")[0]
        if kind == "pandas" and type(value).__name__ == "DataFrame":
            return self._pandas(value.reset_index(drop=True))
        if kind == "polars" and type(value).__name__ == "DataFrame":
            return self._polars(value)
        if kind == "pandas" and type(value).__name__ == "Series":
            return self._pandas(value.rename(name).reset_index(drop=True).to_frame())
        if kind == "polars" and type(value).__name__ == "Series":
            return self._polars(value.rename(name).to_frame())
        if kind == "pyarrow" and type(value).__name__ in {"Array", "ChunkedArray"} or hasattr(value, "to_pylist"):
            import pyarrow as pa

            return self._arrow(pa.table({name: value}))
        if not hasattr(value, "__array__") or "numpy" not in sys.modules:
            return None
        import numpy as np

        array = np.asarray(value)
        if array.dtype.kind == "M":
            return self._dates(array)
        if array.dtype.kind not in "biuf" or array.ndim == 0 or array.size == 0:
            return None
        if array.dtype.kind == "f" and array.dtype.itemsize != 8:
            array = array.astype("float64")
        path = self.path(".npy")
        np.save(path, np.ascontiguousarray(array))
        return path

    def _dates(self, array: Any) -> Path:
        """Write dates as days since 1970-01-01, the same as dates in tables."""
        import numpy as np

        days = (array - np.datetime64(0, "D")) / np.timedelta64(1, "D")
        path = self.path(".npy")
        np.save(path, days)
        return path

    def _plain(self, name: str, value: Any) -> Any:
        """Convert a value to a form that JSON can represent."""
        if hasattr(value, "__array__") and hasattr(value, "tolist"):
            value = value.tolist()
        if isinstance(value, (Mapping, bytes, complex)):
            raise DataError(f"{name!r} is {_a(type(value))}; give a number, a text, or an array of them")
        if value is None or type(value).__name__ in {"NAType", "NaTType"}:
            return None
        if isinstance(value, (str, bool)):
            return value
        if isinstance(value, (int, float)):
            return _number(value)
        if hasattr(value, "isoformat"):
            return value.isoformat()
        if hasattr(value, "item"):
            return self._plain(name, value.item())
        if isinstance(value, Iterable):
            return [self._plain(name, x) for x in value]
        raise DataError(f"{name!r} has {_a(type(value))}; give numbers, texts, dates, or arrays of them")


_PLAIN = "only numbers, truth values, dates and texts, one for each row, can be read"


def _number(x: float) -> Any:
    """Convert a number to the form that the binary reads from JSON."""
    if isinstance(x, float) and math.isnan(x):
        return None
    return x


def _a(kind: type) -> str:
    return f"a {kind.__module__}.{kind.__qualname__}" if kind.__module__ != "builtins" else f"a {kind.__qualname__}"


def _short(error: BaseException) -> str:
    return str(error).split("\n")[0][:200]


def _mixed(column: Any) -> str:
    """Describe the types of the Python objects in a column."""
    kinds = sorted({type(x).__name__ for x in column.dropna().head(10_000)})
    return f"has objects of the types {', '.join(kinds)}; {_PLAIN}"


def _is_bool(column: Any) -> bool:
    return len(column) > 0 and all(isinstance(x, bool) for x in column)


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float, bool, complex))


def _looks_like_a_number(text: str) -> bool:
    text = text.strip()
    if text in {"", "NA", "NaN", "nan", "null", "None", "N/A", ".", "?", "inf", "Infinity"}:
        return True
    return re.fullmatch(r"[-+]?[\d.,:/T-]+([eE][-+]?\d+)?Z?", text) is not None


def _unreadable(kind: Any, pa: Any) -> bool:
    """Report whether an Arrow type is not a number, boolean, date or text."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    tests = ("integer", "floating", "boolean", "string", "large_string", "date", "timestamp", "null", "string_view")
    return not any(getattr(pa.types, f"is_{t}", lambda _: False)(kind) for t in tests)
