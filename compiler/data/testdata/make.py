# Writes the binary files beside it: NumPy 2.4.6, Python's gzip.
import gzip
import numpy as np


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
