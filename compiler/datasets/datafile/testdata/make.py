# Writes the binary files beside it: NumPy 2.4.6, pandas 3.1.1, PyArrow 26.0.1, Polars 2.1.0, Python's gzip.
import gzip
import datetime
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as fe
import pyarrow.parquet as pq


def idx(path, kind, a, dtype):
    head = bytes([0, 0, kind, a.ndim]) + b"".join(int(n).to_bytes(4, "big") for n in a.shape)
    gzip.GzipFile(path, "wb", mtime=0).write(head + a.astype(dtype).tobytes())


x = np.arange(6, dtype="<f8").reshape(2, 3) / 4
x[1, 2] = np.nan
np.save("row_major.npy", x)
np.save("column_major.npy", np.asfortranarray(np.arange(24, dtype=">i2").reshape(2, 3, 4) - 5))
np.save("scalar.npy", np.float32(0.5))
np.save("words.npy", np.array(["a", "b"]))
np.save("large.npy", np.array([2**60 + 1]))
np.savez_compressed("several.npz", x=x.astype("<f4"), flag=np.array([True, False, True]), n=np.uint8(200))
idx("images-idx3-ubyte.gz", 8, np.arange(12).reshape(3, 2, 2) * 20, "u1")
idx("float-idx1.gz", 0x0D, np.array([0.5, -1.25]), ">f4")
gzip.GzipFile("table.csv.gz", "wb", mtime=0).write(b"y,x\n1,2\n3,4\n")

mixed = {
    "y": pa.array([1.5, None, -2.0]),
    "n": pa.array([3, 1, None], pa.int64()),
    "u": pa.array([250, 0, 1], pa.uint8()),
    "big": pa.array([4000000000, 0, 1], pa.uint32()),
    "ok": pa.array([True, False, True]),
    "region": pa.array(["north", None, "east"]).dictionary_encode(),
    "f": pa.array([0.5, 1, 2], pa.float32()),
}
pq.write_table(pa.table(mixed), "mixed.parquet", row_group_size=2, compression="snappy")
pq.write_table(pa.table({"day": pa.array([datetime.date(2020, 1, 2)])}), "dates.parquet")
pq.write_table(pa.table({"v": pa.array([[1, 2], [3]])}), "lists.parquet")

columns = {
    "y": pa.array([1.5, None, -2.0]), "k": pa.array([3, 4, -5], pa.int32()), "u": pa.array([1, 2, 255], pa.uint8()),
    "on": pa.array([True, False, None]), "g": pa.array(["b", "a", "b"]).dictionary_encode(),
    "s": pa.array(["x", None, "z"], pa.large_string()),
    "day": pa.array([datetime.date(1970, 1, 2), None, datetime.date(2020, 2, 29)]),
    "at": pa.array([0, 86400 * 10**6 // 2, None], pa.timestamp("us"))}
table = pa.table(columns | {"none": pa.nulls(3)})
fe.write_feather(table, "mixed.feather", compression="zstd", chunksize=2)
with pa.ipc.new_stream("mixed.arrows", table.schema) as f:
    f.write_table(table, 2)
pl.from_arrow(pa.table(columns)).with_columns(
    long=pl.Series(["a text of more than twelve bytes", "short", None])).write_ipc("mixed.arrow", compression="lz4")
with pa.ipc.new_file("lists.arrow", pa.schema([("v", pa.list_(pa.int64()))])) as f:
    f.write_table(pa.table({"v": [[1], [2, 3]]}))


def packed_parquet():
    n = 40
    columns = {"plain": [i / 7 for i in range(n)], "dict": [["Oslo", "Bergen", "Voss"][i % 3] for i in range(n)],
               "delta": list(range(n)), "lengths": ["n" * (i % 5) for i in range(n)],
               "shared": ["name%03d" % i for i in range(n)], "split": [i / 3 for i in range(n)],
               "truth": [i % 3 == 0 for i in range(n)], "gaps": [None if i % 4 == 0 else i for i in range(n)]}
    packed = {"plain": "snappy", "dict": "lz4", "delta": "gzip", "lengths": "brotli", "shared": "zstd",
              "split": "none", "truth": "lz4", "gaps": "lz4"}
    encodings = {"plain": "PLAIN", "delta": "DELTA_BINARY_PACKED", "lengths": "DELTA_LENGTH_BYTE_ARRAY",
                 "shared": "DELTA_BYTE_ARRAY", "split": "BYTE_STREAM_SPLIT", "truth": "RLE",
                 "gaps": "DELTA_BINARY_PACKED"}
    for version in ("1.0", "2.0"):
        pq.write_table(pa.table(columns), "packed%s.parquet" % version[0], compression=packed, use_dictionary=["dict"],
                       column_encoding=encodings, data_page_version=version, write_statistics=False)
packed_parquet()


def odd_columns():
    """A table whose column y is numbers, and whose other columns are not read or not all."""
    word = pa.array(["b", "a", "b"]).dictionary_encode()
    odd = {"y": pa.array([1.5, None, -2.0]), "list": pa.array([[1, 2], [], [3]]),
           "record": pa.array([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, None]),
           "words": pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.int8()), pa.array([[1], [2, 3]])),
           "price": pa.array([1, 2, None], pa.decimal128(10, 2)), "clock": pa.array([1, 2, 3], pa.time64("us")),
           "half": pa.array(np.array([0.5, 1, 2], np.float16)),
           "hash": pa.array([2**63 + 1, 1, 2], pa.uint64()), "id": pa.array([2**60 + 1, 5, None]),
           "tags": pa.ListArray.from_arrays(pa.array([0, 1, 2, 3], pa.int32()), word), "g": word}
    table = pa.table(odd)
    twice = table.append_column("y2", pa.array([1, 2, 3])).append_column("y2", pa.array([4, 5, 6]))
    with pa.ipc.new_file("odd.arrow", twice.schema) as f:
        f.write_table(twice, 2)
    pq.write_table(table.drop(["words"]), "odd.parquet", row_group_size=2)
    changing = pa.schema([("y", pa.float64()), ("g", pa.dictionary(pa.int8(), pa.string()))])
    with pa.ipc.new_stream("changing.arrows", changing) as f:
        for words in (["a", "b"], ["c", "d"]):
            f.write_batch(pa.record_batch([pa.array([1.0, 2.0]), pa.DictionaryArray.from_arrays(
                pa.array([0, 1], pa.int8()), pa.array(words))], schema=changing))


def ordered_categories():
    """Answers in an order that is not that of the alphabet, one of which no row has; sizes are not ordered."""
    answers = pd.Categorical(["often", "never", None, "often"], ["never", "rarely", "often"], ordered=True)
    sizes = pd.Categorical(["small", "large", "large", "small"], ["small", "medium", "large"])
    f = pd.DataFrame({"answer": answers, "size": sizes, "y": [1.0, 2.0, 3.0, 4.0]})
    f.to_parquet("ordered.parquet")
    f.to_parquet("ordered_groups.parquet", row_group_size=2)
    f.to_feather("ordered.feather")
    table = pa.Table.from_pandas(f)
    with pa.ipc.new_stream("ordered.arrows", table.schema) as out:
        out.write_table(table)
    # without the schema of Arrow, as fastparquet writes it
    with pq.ParquetWriter("ordered_pandas.parquet", table.schema, store_schema=False) as out:
        out.write_table(table)
        out.add_key_value_metadata({"pandas": table.schema.metadata[b"pandas"].decode()})


odd_columns()
ordered_categories()


def parts():
    n = 11
    table = pa.table({
        "n": pa.array(range(n), pa.int16()), "y": pa.array([None if i % 4 == 0 else i / 8 for i in range(n)]),
        "g": pa.array([["b", "a", None, "é"][i % 4] for i in range(n)]).dictionary_encode(),
        "s": pa.array([f"t{(7 * i) % 10}" for i in range(n)], pa.large_string()),
        "day": pa.array([datetime.date(2020, 2, 27 + i % 2) for i in range(n)]),
        "on": pa.array([i % 3 == 0 for i in range(n)])})
    fe.write_feather(table, "joined.arrow", compression="uncompressed")
    for name, start, end in [("2.arrow", 0, 2), ("9.feather", 2, 2), ("10.arrow", 2, 10), ("100.feather", 10, 11)]:
        part = table.slice(start, end - start)
        own = part["g"].cast(pa.string()).combine_chunks().dictionary_encode()
        part = part.set_column(part.schema.get_field_index("g"), "g", own)
        fe.write_feather(part, f"parts/{name}", compression="lz4" if name.endswith("feather") else "uncompressed")


parts()
