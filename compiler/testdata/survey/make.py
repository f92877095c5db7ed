"""Writes the table of tableforms_test.go as pandas and pyarrow do: python make.py FOLDER (the default is here).

Needs pandas 3 and pyarrow 26. The files are committed, so that tests do not need either.
"""
import os
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

schools = [("Møre", "Nord", 1234.5), ("Zürich", "Süd", 987.25), ("St. Mary's", "Nord", 1234.5),
           ("Oak", "West", 12345.75)]
answers = ["never", "often", "sometimes"]
rows = []
for i in range(24):
    name, district, income = schools[i * 7 % 4]
    w = None if i % 5 == 2 else float(i * i % 9) - 3.5
    rows.append((name, district, income, answers[i % 3], i % 7 * 0.5 - 1, 100 + 97 * i, i % 5 - 1.75, w))
t = pd.DataFrame(rows, columns=["school", "district", "income", "answer", "x", "count", "y", "w"])

ordered = pd.CategoricalDtype(["never", "sometimes", "often"], ordered=True)
unordered = pd.CategoricalDtype(["often", "never", "sometimes"])
to = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(to, name)


shuffled = t.sample(frac=1, random_state=1)
shuffled.to_parquet(path("pandas.parquet"))  # with the index of a shuffled frame
t.astype({"school": "category", "answer": ordered}).to_parquet(path("ordered.parquet"), compression="zstd")
t.astype({"answer": unordered}).to_parquet(path("unordered.parquet"), compression="gzip")
t.astype({"count": "Int64", "w": "Float64", "x": "float32"}).to_parquet(path("nullable.parquet"), index=False)
t.set_index("school").to_parquet(path("indexed.parquet"))
table = pa.Table.from_pandas(t[t.columns[::-1]], preserve_index=False)
pq.write_table(table, path("groups.parquet"), row_group_size=5, use_dictionary=False, compression="none")
pq.write_table(table, path("pages.parquet"), data_page_version="2.0", compression="brotli", data_page_size=64)
strings = pa.schema([f.with_type(pa.large_string()) if pa.types.is_large_string(f.type) or pa.types.is_string(f.type)
                     else f for f in table.schema])
pq.write_table(table.cast(strings), path("strings.parquet"))
feather.write_feather(t.astype({"answer": ordered}), path("lz4.feather"))
feather.write_feather(shuffled.reset_index(drop=True), path("zstd.feather"), compression="zstd")
feather.write_feather(t.astype({"answer": unordered}), path("unordered.feather"), compression="uncompressed")
for name, new in ("batches.arrow", pa.ipc.new_file), ("batches.arrows", pa.ipc.new_stream):
    with new(path(name), table.schema) as out:
        for batch in table.to_batches(max_chunksize=7):
            out.write_batch(batch)
