# Writes the binary files beside it: NumPy 2.4.6, PyArrow 26.0.1, Python's gzip.
import gzip
import datetime
import numpy as np
import pyarrow as pa
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
