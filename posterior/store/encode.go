package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"ppl/lang/types"
	"ppl/runtime/sys/files"
)

// This file encodes numbers and texts as chunks, and decodes them.

// Element types by their Zarr names, little-endian. The type of text is "<U" followed by its length.
const (
	realType   = "<f8"
	singleType = "<f4"
	intType    = "<i8"
	boolType   = "|b1"
)

// missing marks a value of an integer variable that is not an integer (a NaN of a generated quantity). Integers beyond
// ±2^63 are stored as greatest or least.
const (
	missing  = math.MinInt64
	greatest = math.MaxInt64
	least    = math.MinInt64 + 1
)

func kindOf(v types.Variable) string {
	switch {
	case v.Bool:
		return boolType
	case v.Int:
		return intType
	case v.Single:
		return singleType
	}
	return realType
}

func width(kind string) int {
	switch kind {
	case boolType:
		return 1
	case singleType:
		return 4
	}
	return 8
}

func encode(b []byte, kind string, xs []float64) []byte {
	b = slices.Grow(b, len(xs)*width(kind))
	switch kind {
	case boolType:
		for _, x := range xs {
			b = append(b, truth(x))
		}
	case intType:
		for _, x := range xs {
			b = binary.LittleEndian.AppendUint64(b, uint64(integer(x)))
		}
	case singleType:
		for _, x := range xs {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
		}
	default:
		for _, x := range xs {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}

func truth(x float64) byte {
	if x != 0 {
		return 1
	}
	return 0
}

func integer(x float64) int64 {
	switch {
	case x >= 1<<63:
		return greatest
	case x <= -1<<63:
		return least
	case x == math.Trunc(x):
		return int64(x)
	}
	return missing
}

// decode decodes elements of a numeric type. It reuses the memory of xs if possible. Missing integers become NaN.
func decode(xs []float64, b []byte, kind string) []float64 {
	n := len(b) / width(kind)
	xs = slices.Grow(xs[:0], n)[:n]
	switch kind {
	case boolType:
		for i := range xs {
			xs[i] = float64(b[i])
		}
	case singleType:
		for i := range xs {
			xs[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
	case realType:
		for i := range xs {
			xs[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	default:
		for i := range xs {
			xs[i] = decodeInteger(int64(binary.LittleEndian.Uint64(b[8*i:])))
		}
	}
	return xs
}

func decodeInteger(n int64) float64 {
	if n == missing {
		return math.NaN()
	}
	return float64(n)
}

// encodeText encodes strings as fixed-length UTF-32, NumPy's text type, and returns the name of that type.
func encodeText(words []string) (kind string, b []byte) {
	n := 1
	for _, w := range words {
		n = max(n, utf8.RuneCountInString(w))
	}
	for _, w := range words {
		end := len(b) + 4*n
		for _, r := range w {
			b = binary.LittleEndian.AppendUint32(b, uint32(r))
		}
		b = append(b, make([]byte, end-len(b))...)
	}
	return "<U" + strconv.Itoa(n), b
}

// A packer compresses chunks. It is reused, since creating its tables takes longer than compressing a chunk.
type packer struct {
	packed bytes.Buffer
	zip    *zlib.Writer
	gzip   *gzip.Writer
}

func newPacker() *packer {
	z, err := zlib.NewWriterLevel(nil, 1)
	g, err2 := gzip.NewWriterLevel(nil, 1)
	if err := errors.Join(err, err2); err != nil {
		panic("internal error: " + err.Error())
	}
	return &packer{zip: z, gzip: g}
}

// pack compresses bytes, with a mark in the header if there is one. The result is valid until the next call.
func (p *packer) pack(raw, mark []byte) []byte {
	p.packed.Reset()
	var to io.WriteCloser = p.zip
	if mark == nil {
		p.zip.Reset(&p.packed)
	} else {
		p.gzip.Reset(&p.packed)
		p.gzip.Extra = extraOf(mark)
		to = p.gzip
	}
	_, err := to.Write(raw)
	if err == nil {
		err = to.Close()
	}
	if err != nil {
		panic("internal error: compressing into memory: " + err.Error())
	}
	return p.packed.Bytes()
}

// shrinks reports whether compression saves at least a tenth. Measured numbers hardly shrink, and compressing a large
// file of them would take as long as sampling.
func (p *packer) shrinks(raw []byte) bool {
	return len(p.pack(raw, nil)) < len(raw)/10*9
}

// ofFile adds the file's path to an error that lacks it.
func ofFile(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is missing%w", path, silent{err})
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(files.NotRegular)), errors.As(err, new(files.TooLarge)):
		return err
	}
	return fmt.Errorf("%s %w", path, err)
}

// silent wraps an error but adds no text, since the message around it already describes the error.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

// mostInflated is an upper bound of the ratio by which zlib and gzip can compress.
const mostInflated = 1040

// A chunkReader reads chunks one by one, with reused memory.
type chunkReader struct {
	disk      files.System
	bound     binding
	text, raw []byte
	zip       inflater
	gzip      gzip.Reader
	values    []float64
}

type inflater interface {
	io.Reader
	zlib.Resetter
}

// readChunk reads a single compressed chunk.
func (b binding) readChunk(disk files.System, dir string, at place, size int) ([]byte, error) {
	return (&chunkReader{disk: disk, bound: b}).read(dir, at, size)
}

// read returns the decompressed bytes of a chunk, which must have the given size. They are valid until the next call.
// Memory use is bounded by what the file can contain.
func (r *chunkReader) read(dir string, at place, size int) (raw []byte, err error) {
	path := at.file(dir)
	if r.text, err = files.ReadOn(r.disk, r.text, path, mostPacked(size)); err != nil {
		return nil, ofFile(path, err)
	}
	if raw, err = r.inflate(at, size); err == nil {
		err = wrongSize(len(raw), size)
	}
	return raw, ofFile(path, err)
}

// wrongSize returns an error unless a chunk has the size that it must have. Of a larger chunk, only one byte more was
// decompressed.
func wrongSize(got, size int) error {
	switch {
	case got > size:
		return fmt.Errorf("holds more than %d bytes", size)
	case got < size:
		return fmt.Errorf("holds %d bytes instead of %d", got, size)
	}
	return nil
}

// mostPacked returns the maximum size of a compressed file with the given number of bytes. Incompressible data are
// stored in blocks with a few bytes of overhead.
func mostPacked(size int) int64 { return int64(size) + int64(size)>>8 + 1<<10 }

// errInflate reports that a chunk's compressed data are invalid.
var errInflate = errors.New("cannot be decompressed; it is cut off or was changed")

// inflate decompresses r.text, up to one byte more than size, so that the caller can detect an excess.
func (r *chunkReader) inflate(at place, size int) ([]byte, error) {
	from, err := r.open(at)
	if err != nil {
		return nil, err
	}
	room, n := min(size+1, mostInflated*len(r.text)), 0
	r.raw = slices.Grow(r.raw[:0], room)[:room]
	for n < room && err == nil {
		var more int
		more, err = from.Read(r.raw[n:])
		n += more
	}
	if err != nil && err != io.EOF {
		return nil, errInflate
	}
	return r.raw[:n], nil
}

// open starts decompressing r.text. It returns an error if the chunk's mark is wrong.
func (r *chunkReader) open(at place) (io.Reader, error) {
	in := bytes.NewReader(r.text)
	if r.bound.run != "" {
		if err := r.gzip.Reset(in); err != nil {
			return nil, errInflate
		}
		r.gzip.Multistream(false)
		return &r.gzip, r.bound.checkExtra(at, r.gzip.Extra)
	}
	if r.zip == nil {
		z, err := zlib.NewReader(in)
		if err != nil {
			return nil, errInflate
		}
		r.zip = z.(inflater)
	} else if err := r.zip.Reset(in, nil); err != nil {
		return nil, errInflate
	}
	return r.zip, nil
}
