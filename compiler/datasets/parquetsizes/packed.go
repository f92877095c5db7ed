package parquetsizes

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// errPacked is the error for a page that cannot be decompressed.
var errPacked = errors.New("a page cannot be decompressed")

// decompressed returns the decompressed contents of a page that declares the given size. It allocates at most about
// `most` bytes.
func decompressed(codec format.CompressionCodec, packed []byte, size, most int64) ([]byte, error) {
	switch codec {
	case format.Uncompressed:
		return packed, nil
	case format.Snappy:
		return snappyDecoded(packed, most)
	case format.Lz4Raw:
		out := make([]byte, size)
		n, err := lz4.UncompressBlock(packed, out)
		if err != nil || int64(n) != size {
			return nil, errPacked
		}
		return out, nil
	}
	r, err := decompressor(codec, packed, most)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(r, most+1))
	switch {
	case n > most || errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded):
		return nil, ErrTooMuch{most + 1}
	case err != nil:
		return nil, errPacked
	case size > 2*n+1<<20: // the library allocates the declared size
		return nil, fmt.Errorf("a page declares %d bytes, but has %d", size, n)
	}
	return out.Bytes(), nil
}

func snappyDecoded(packed []byte, most int64) ([]byte, error) {
	n, err := snappy.DecodedLen(packed)
	if err != nil {
		return nil, errPacked
	}
	if int64(n) > most {
		return nil, ErrTooMuch{int64(n)}
	}
	if n > mostSnapped*(len(packed)+1) {
		return nil, errPacked
	}
	out, err := snappy.Decode(nil, packed)
	if err != nil {
		return nil, errPacked
	}
	return out, nil
}

// mostSnapped exceeds the number of bytes that Snappy can produce from one byte: three bytes can copy 64.
const mostSnapped = 32

// leastWindow is the least memory in bytes that the decompression by Zstandard is allowed to use.
const leastWindow = 8 << 20

func decompressor(codec format.CompressionCodec, packed []byte, most int64) (io.Reader, error) {
	in := bytes.NewReader(packed)
	switch codec {
	case format.Gzip:
		r, err := gzip.NewReader(in)
		if err != nil {
			return nil, errPacked
		}
		return r, nil
	case format.Brotli:
		return brotli.NewReader(in), nil
	case format.Zstd:
		r, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(uint64(max(leastWindow, most+1))))
		if err != nil {
			return nil, errPacked
		}
		return r.IOReadCloser(), nil
	}
	return nil, fmt.Errorf("it is compressed by %v, which is not supported; write it with Snappy or Zstandard", codec)
}
