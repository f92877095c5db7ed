"""Converts the output of the binary to DataFrames."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

DataFrame: TypeAlias = Any

# Columns with counts or names; all other columns of the binary's tables are floats.
_TEXT = {"name", "run", "row", "query", "element", "best", "worst"}


def require(module: str, purpose: str, extra: str) -> Any:
    """Import an optional dependency.

    Raises
    ------
    ImportError
        If it is missing. The message explains how to install it.
    """
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs {module}: pip install {module}, or pip install 'ppl-lang[{extra}]'", name=module
        ) from error


def number(value: Any) -> float:
    """Convert a number from JSON to a float: ``null`` is NaN, and texts such as ``-inf`` are parsed.

    >>> number(None), number("-inf"), number(2)
    (nan, -inf, 2.0)
    """
    if value is None:
        return math.nan
    return float(value)


def table(rows: Sequence[Mapping[str, Any]], index: str | None = None) -> DataFrame:
    """Convert a list of objects to a DataFrame, with one column as the index."""
    pd = require("pandas", "a table", "pandas")
    frame = pd.DataFrame([dict(row) for row in rows])
    for name in frame.columns:
        if name not in _TEXT and str(frame[name].dtype) in {"object", "str", "string"}:
            try:
                frame[name] = [number(x) for x in frame[name]]
            except (TypeError, ValueError):
                continue
    if index is not None and index in frame.columns:
        frame = frame.set_index(index)
    return frame


def read_csv(text: Iterable[str]) -> DataFrame:
    """Convert CSV to a DataFrame, with exact numbers and without empty columns."""
    pd = require("pandas", "a table", "pandas")
    rows = csv.reader(text)
    head = next(rows)
    columns: dict[str, Any] = {}
    for name, cells in zip(head, zip(*rows, strict=True), strict=True):
        try:
            columns[name] = [math.nan if x == "" else float(x) for x in cells]
        except ValueError:
            columns[name] = list(cells)
    return pd.DataFrame(columns, columns=head).dropna(axis="columns", how="all")


_ELEMENT = re.compile(r"^(?P<name>[^\[]+)(?:\[(?P<places>.*)\])?$", re.DOTALL)


def parts(element: str) -> tuple[str, str]:
    """Split the name of an element into the name of the array and the indices.

    >>> parts("a[HENNEPIN]")
    ('a', 'HENNEPIN')
    >>> parts("sigma")
    ('sigma', '')
    """
    match = _ELEMENT.match(element)
    return (match["name"], match["places"] or "") if match else (element, "")
