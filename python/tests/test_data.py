"""Data of every kind reach the model as they are, and what cannot is refused by name."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pytest
from conftest import sampled

import ppl_lang as ppl

pd = pytest.importorskip("pandas")


def same(model: ppl.Model, data: object, want: dict[str, np.ndarray]) -> None:
    """Require that arrays are understood with the shapes and the extremes that they have."""
    check = model.check(data)
    assert check.ok, check
    by_name = {d["name"]: d for d in check.understood["data"]}
    for name, values in want.items():
        assert by_name[name]["shape"] == list(np.shape(values))
        assert by_name[name]["low"] == pytest.approx(np.min(values), rel=1e-15)
        assert by_name[name]["high"] == pytest.approx(np.max(values), rel=1e-15)


def test_forms_of_tables(growth, growth_data, tmp_path):
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame = pd.DataFrame(growth_data)
    frame.to_csv(tmp_path / "d.csv", index=False, float_format="%.17g")
    (tmp_path / "parts").mkdir()
    for i in range(3):
        frame.iloc[i::3].to_csv(tmp_path / "parts" / f"{i}.csv", index=False, float_format="%.17g")
    table = pa.table(growth_data)
    forms = [
        growth_data,
        {k: v.tolist() for k, v in growth_data.items()},
        frame,
        frame.set_index("age"),
        tmp_path / "d.csv",
        str(tmp_path / "d.csv"),
        str(tmp_path / "parts"),
        str(tmp_path / "parts" / "*.csv"),
        f"{tmp_path}/**/[0-9].csv",
        [frame[["age"]], {"weight": frame.weight}],
        {k: frame[k] for k in frame},
        pl.DataFrame(growth_data),
        pl.LazyFrame(growth_data),
        {k: pl.Series(k, v) for k, v in growth_data.items()},
        table,
        table.to_batches()[0],
        {k: table[k] for k in table.column_names},
    ]
    for form in forms:
        same(growth, form, growth_data)


def test_draws_do_not_depend_on_the_form(growth, growth_data):
    first, second = sampled(growth, pd.DataFrame(growth_data)), sampled(growth, growth_data)
    assert np.array_equal(first["a"].values, second["a"].values)


LEVELS = ["low", "mid", "high", "none"]


def test_levels_keep_order_and_those_without_rows(groups):
    pl = pytest.importorskip("polars")
    values, y = ["high", "low", "mid", "low"], [1.0, 2, 3, 4]
    forms = [
        pd.DataFrame({"g": pd.Categorical(values, categories=LEVELS), "y": y}),
        pd.DataFrame({"g": pd.Categorical(values, categories=LEVELS, ordered=True), "y": y}),
        pl.DataFrame({"g": pl.Series(values, dtype=pl.Enum(LEVELS)), "y": y}),
        {"g": pd.Series(pd.Categorical(values, categories=LEVELS)), "y": y},
    ]
    for form in forms:
        assert list(sampled(groups, form)["a"].coords["J"].values) == LEVELS, type(form)
    run = sampled(groups, pd.DataFrame({"g": values, "y": y}))
    assert list(run["a"].coords["J"].values) == ["high", "low", "mid"]


def test_levels_that_are_numbers(groups):
    frame = pd.DataFrame({"g": pd.Categorical([30, 10, 30], categories=[10, 20, 30]), "y": [1.0, 2, 3]})
    assert [str(x) for x in sampled(groups, frame)["a"].coords["J"].values] == ["10", "20", "30"]
    frame = pd.DataFrame({"g": pd.Categorical([1, 3], categories=[1, 2, 3, 4]), "y": [1.0, 2]})
    assert sampled(groups, frame)["a"].sizes["J"] == 4


def test_texts_that_look_like_numbers_stay_texts(groups):
    frame = pd.DataFrame({"g": ["007", "NA", "7"], "y": [1.0, 2, 3]})
    assert set(sampled(groups, frame)["a"].coords["J"].values) == {"007", "7", "NA"}


def test_many_levels(groups):
    n = 200_000
    frame = pd.DataFrame({"g": pd.Categorical.from_codes(np.arange(5), [f"g{k}" for k in range(n)]), "y": np.zeros(5)})
    check = groups.check(frame)
    assert check.ok and any(p.get("shape") == [n] for p in check.understood["parameters"])
    frame = pd.DataFrame({"g": pd.Categorical.from_codes(np.arange(5), pd.RangeIndex(1_000_001)), "y": np.zeros(5)})
    with pytest.raises(ppl.DataError, match="'g' has 1,000,001 levels"):
        groups.check(frame)


TIMES = """data t[N], y[N] missing
b ~ Normal(0, 1)
y[i in N] ~ Normal(b * t[i] / 1000, 1)
"""


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_dates(unit):
    model = ppl.Model(TIMES)
    days = pd.to_datetime(["1970-01-02", "2024-02-29", "2024-03-01 12:00"], format="mixed")
    days = days.astype(f"datetime64[{unit}]")
    frame = pd.DataFrame({"t": days, "y": [1.0, np.nan, 2.0]})
    want = {"t": np.array([1.0, 19782, 19783.5])}
    same(model, frame, want)
    same(model, frame.assign(t=frame.t.dt.tz_localize("UTC")), want)
    same(model, {"t": frame.t.to_numpy(), "y": frame.y}, want)


def test_dates_of_the_standard_library():
    model = ppl.Model(TIMES)
    days = [datetime.date(1970, 1, 2), datetime.date(2024, 2, 29)]
    want = {"t": np.array([1.0, 19782])}
    same(model, {"t": days, "y": [1, 2]}, want)
    same(model, pd.DataFrame({"t": days, "y": [1, 2]}), want)


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA])
def test_missing_values(missing):
    model = ppl.Model("data y[N] missing\nm ~ Normal(0, 1)\ny[i in N] ~ Normal(m, 1)\n")
    forms = [
        pd.DataFrame({"y": [1.0, missing, 2.0]}),
        pd.DataFrame({"y": pd.array([1, missing, 2], dtype="Int64")}),
        {"y": [1.0, missing, 2.0]},
    ]
    for form in forms:
        observed = sampled(model, form).group("observed_data")["y"].values
        assert np.isnan(observed).tolist() == [False, True, False]


def test_not_a_time_where_nothing_may_be_missing():
    model = ppl.Model(TIMES)
    frame = pd.DataFrame({"t": pd.to_datetime(["2024-01-01", None]), "y": [1.0, 2]})
    with pytest.raises(ppl.DataError, match="missing values") as caught:
        model.sample(frame)
    assert caught.value.code == "W05" and caught.value.line == 1 and "missing" in caught.value.help


KINDS = ["int8", "int64", "uint16", "float32", "bool", "Int32", "Float64", "boolean", "float16", "object"]


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_numbers(growth, growth_data, kind):
    age = pd.Series(np.arange(len(growth_data["age"])) % 2 == 1).astype("bool" if kind == "object" else kind)
    frame = pd.DataFrame({"age": age.astype(kind), "weight": growth_data["weight"]})
    same(growth, frame, {"age": np.arange(len(frame)) % 2})


def test_decimals(growth, growth_data):
    age = [decimal.Decimal("1.5")] * len(growth_data["age"])
    same(growth, pd.DataFrame({"age": age, "weight": growth_data["weight"]}), {"age": np.full(len(age), 1.5)})


def test_arrays_of_several_axes():
    model = ppl.Model("data x[N, K], y[N]\nb[K] ~ Normal(0, 1)\ny[i in N] ~ Normal(sum(k in K: x[i, k] * b[k]), 1)\n")
    x = np.arange(12.0).reshape(4, 3)
    for form in (x, np.asfortranarray(x), x.astype("float32"), x.tolist()):
        run = sampled(model, {"x": form, "y": np.zeros(4)})
        assert np.array_equal(run.group("constant_data")["x"].values, x)


BAD = {
    "no rows": pd.DataFrame({"age": [], "weight": []}),
    "two columns are named 'age'": pd.DataFrame([[1.0, 2, 3]], columns=["age", "weight", "age"]),
    "a MultiIndex": pd.DataFrame({("age", "x"): [1.0], ("weight", "y"): [1.0]}),
    "rows have a MultiIndex": pd.DataFrame({"age": [1.0], "weight": [2]}, index=pd.MultiIndex.from_tuples([(1, 2)])),
    "column 'age' has the type list": pd.DataFrame({"age": [[1, 2]], "weight": [1.0]}),
    "'age' has objects of the types int, str": pd.DataFrame({"age": [1, "x"], "weight": [1.0, 2]}),
    "'age' has complex numbers": pd.DataFrame({"age": [1 + 2j], "weight": [1.0]}),
    "'age' has the type duration": pd.DataFrame({"age": pd.to_timedelta([1.0]), "weight": [1.0]}),
    "weight": pd.DataFrame({"age": [1.0]}),
    "names of columns must be texts": pd.DataFrame({0: [1.0], "weight": [1.0]}),
    "`age` is text, not numbers": pd.DataFrame({"age": ["a"], "weight": [1.0]}),
    "'age' is a dict": {"age": {"x": 1}, "weight": [1.0]},
    "size": {"age": [1.0, 2.0], "weight": [1.0]},
    "age": {"age": [[1.0], [2.0, 3.0]], "weight": [1.0, 2.0]},
    "names of arrays must be texts": {1: [1.0]},
    "data cannot be a int": 3,
    "data cannot be a list": [1.0, 2.0],
    "there is no data file nothing.csv": "nothing.csv",
}


@pytest.mark.parametrize("why", BAD)
def test_what_is_refused(growth, why, tmp_path):
    with pytest.raises((ppl.DataError, ppl.ModelError), match=why):
        growth.sample(BAD[why], out=tmp_path / "bad.run")
    assert not list(tmp_path.iterdir())


def test_an_index_that_the_model_reads_is_a_column(growth_data):
    model = ppl.Model("data index[N], y[N]\nb ~ Normal(0, 1)\ny[i in N] ~ Normal(b * index[i] / 20000, 1)\n")
    frame = pd.DataFrame({"y": [1.0, 2]}, index=pd.to_datetime(["2024-02-29", "2024-03-01"]))
    same(model, frame, {"index": np.array([19782, 19783])})
    matrix = ppl.Model("data X[N, K], y[N]\nb[K] ~ Normal(0, 1)\ny[i in N] ~ Normal(sum(k in K: X[i, k] * b[k]), 1)\n")
    x = pd.DataFrame({"u": [1.0, 2, 3], "v": [0.5, 1, 2]}, index=pd.Index([7, 8, 9], name="id"))
    for form in (x.assign(y=[1.0, 2, 3]), {"X": x, "y": [1.0, 2, 3]}):
        assert list(sampled(matrix, form)["b"].coords["K"].values) == ["u", "v"]


def test_messages_do_not_name_temporary_files(growth):
    with pytest.raises(ppl.DataError) as caught:
        growth.sample(pd.DataFrame({"age": [1.0, None], "weight": [1.0, 2]}))
    text = str(caught.value)
    assert "ppl-" not in text and text.startswith("growth.ppl:1:") and "in the data (" in text, text


def test_a_column_that_the_model_does_not_read_may_be_anything(growth, growth_data):
    frame = pd.DataFrame(growth_data)
    frame["notes"] = [[1], "x"] * (len(frame) // 2)
    frame["my time"] = pd.to_timedelta(range(len(frame)), unit="D")
    same(growth, frame, growth_data)


def test_names_that_a_model_cannot_write(growth_data):
    model = ppl.Model("data body_weight[N]\nm ~ Normal(0, 1)\nbody_weight[i in N] ~ Normal(m, 1)\n")
    same(model, pd.DataFrame({"body weight": growth_data["weight"]}), {"body_weight": growth_data["weight"]})


def test_without_pyarrow(growth, growth_data, groups, monkeypatch):
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "pyarrow" else find(name, *a))
    same(growth, pd.DataFrame(growth_data), growth_data)
    same(groups, pd.DataFrame({"g": ["a", "b"], "y": [0.1, 2.0]}), {"y": np.array([0.1, 2.0])})
    with pytest.raises(ppl.DataError, match="'g' has texts that look like numbers"):
        groups.check(pd.DataFrame({"g": ["007", "b"], "y": [0.1, 2.0]}))
    with pytest.raises(ppl.DataError, match="'g' has levels without rows"):
        groups.check(pd.DataFrame({"g": pd.Categorical(["a"], categories=["a", "b"]), "y": [0.1]}))
