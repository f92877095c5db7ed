package draws

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An array is the .zarray document of the Zarr v2 specification.
type array struct {
	Format     int    `json:"zarr_format"`
	Shape      []int  `json:"shape"`
	Chunks     []int  `json:"chunks"`
	Type       string `json:"dtype"`
	Compressor *codec `json:"compressor"`
	Fill       any    `json:"fill_value"`
	Order      string `json:"order"`
	Filters    any    `json:"filters"`
}

type codec struct {
	ID    string `json:"id"`
	Level int    `json:"level"`
}

type attributes map[string]any

// newArray describes an array stored row-major. A chunk has at least one element along every axis, as Zarr asks.
func newArray(kind string, shape, chunks []int) *array {
	a := &array{Format: 2, Shape: slices.Clone(shape), Chunks: slices.Clone(chunks), Type: kind, Compressor: &codec{"zlib", 1}, Order: "C"}
	if kind == realType {
		a.Fill = "NaN" // other types have none: xarray would read it as a missing value and turn integers into reals
	}
	for i, c := range a.Chunks {
		a.Chunks[i] = max(c, 1)
	}
	if shape == nil {
		a.Shape, a.Chunks = []int{}, []int{}
	}
	return a
}

// Element types by their Zarr names, little endian. Text is "<U" followed by its length.
const (
	realType = "<f8"
	intType  = "<i8"
	boolType = "|b1"
)

// missing stands for a draw of an integer variable that is no integer (a NaN from a generated quantity).
const missing = math.MinInt64

func (v Variable) kind() string {
	switch {
	case v.Bool:
		return boolType
	case v.Int:
		return intType
	}
	return realType
}

func width(kind string) int {
	if kind == boolType {
		return 1
	}
	return 8
}

func encode(b []byte, kind string, xs []float64) []byte {
	for _, x := range xs {
		switch kind {
		case boolType:
			b = append(b, truth(x))
		case intType:
			b = binary.LittleEndian.AppendUint64(b, uint64(integer(x)))
		default:
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
	if math.Abs(x) < 1<<63 && x == math.Trunc(x) {
		return int64(x)
	}
	return missing
}

// decode reads elements of a numeric type; missing integers become NaN.
func decode(b []byte, kind string) []float64 {
	xs := make([]float64, len(b)/width(kind))
	for i := range xs {
		if kind == boolType {
			xs[i] = float64(b[i])
			continue
		}
		xs[i] = decode8(binary.LittleEndian.Uint64(b[8*i:]), kind)
	}
	return xs
}

func decode8(bits uint64, kind string) float64 {
	switch {
	case kind == realType:
		return math.Float64frombits(bits)
	case int64(bits) == missing:
		return math.NaN()
	}
	return float64(int64(bits))
}

// encodeText lays strings out as fixed-length UTF-32, NumPy's text type, and names that type.
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

func compress(raw []byte) []byte {
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, 1)
	if err == nil {
		_, err = z.Write(raw)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		panic("internal error: compressing into memory: " + err.Error())
	}
	return b.Bytes()
}

// readChunk reads a compressed chunk that must hold size bytes, and never more of it than that.
func readChunk(path string, size int) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	z, err := zlib.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	raw, err := io.ReadAll(io.LimitReader(z, int64(size)+1))
	if err == nil && len(raw) != size {
		err = fmt.Errorf("holds %d bytes where %d were expected", len(raw), size)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return raw, nil
}

// chunkKey names a chunk file: "0" for a scalar, else its place in the grid, "2.0.0".
func chunkKey(index []int) string {
	if len(index) == 0 {
		return "0"
	}
	words := make([]string, len(index))
	for i, k := range index {
		words[i] = strconv.Itoa(k)
	}
	return strings.Join(words, ".")
}

// A store is a Zarr hierarchy being written; docs are its metadata by key, such as "posterior/mu/.zarray".
type store struct {
	dir  string
	docs map[string]any
}

// newStore makes the root group.
func newStore(dir string, about attributes) (*store, error) {
	s := &store{dir, map[string]any{}}
	return s, s.node("", ".zgroup", group{2}, about)
}

type group struct {
	Format int `json:"zarr_format"`
}

// node makes the directory of a group or array and writes its two documents.
func (s *store) node(key, kind string, doc any, about attributes) error {
	if key != "" {
		// Mkdir and not MkdirAll: names that differ in case only would share a directory on some file systems.
		if err := os.Mkdir(path(s.dir, key), 0o777); err != nil {
			return err
		}
		key += "/"
	}
	if err := s.put(key+kind, doc); err != nil {
		return err
	}
	return s.put(key+".zattrs", about)
}

func (s *store) array(key string, a *array, about attributes) error {
	return s.node(key, ".zarray", a, about)
}

func (s *store) put(key string, doc any) error {
	s.docs[key] = doc
	return writeJSON(path(s.dir, key), doc)
}

func (s *store) chunk(array string, index []int, raw []byte) error {
	return writeFile(filepath.Join(path(s.dir, array), chunkKey(index)), compress(raw))
}

// consolidated is the document .zmetadata: all metadata in one file, so that one rename renews them all.
type consolidated struct {
	Format   int            `json:"zarr_consolidated_format"`
	Metadata map[string]any `json:"metadata"`
}

func (s *store) consolidate() error {
	return writeJSON(path(s.dir, ".zmetadata"), consolidated{1, s.docs})
}
