package datafile

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unsafe"

	"ppl/numbers"
)

// NumPy's formats: .npy is a magic string, a version, the length of a header, the header (a Python dictionary as text)
// and the elements; .npz is a ZIP archive of such files (NumPy reference, "numpy.lib.format").

const numpyMagic = "\x93NUMPY"

// readNPY returns the one array of a .npy file, named after the file.
func readNPY(name, text string, _ RowCache) (*File, error) {
	a, err := parseNPY(name, text)
	if err != nil {
		return nil, err
	}
	a.Name, a.Origin = strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".gz"), ".npy"), name
	f := newFile(name, false)
	f.Lone = true
	f.add(a)
	return f, nil
}

// readNPZ reads every array of an archive, by name.
func readNPZ(name string, z *zip.Reader, s RowCache) (*File, error) {
	f := newFile(name, false)
	left := s.memory()
	for _, entry := range z.File {
		key := strings.TrimSuffix(entry.Name, ".npy")
		text, takes, err := s.archiveEntry(name, name+"#"+key, entry, left)
		if err != nil {
			return nil, err
		}
		left -= takes
		a, err := parseNPY(name+"#"+key, text)
		if err != nil {
			return nil, err
		}
		a.Name, a.Origin = key, name
		f.add(a)
	}
	return f, nil
}

var (
	numpyType  = regexp.MustCompile(`'descr':\s*'([<>|=]?)([a-zA-Z])([0-9]+)'`)
	numpyOrder = regexp.MustCompile(`'fortran_order':\s*(True|False)`)
	numpyShape = regexp.MustCompile(`'shape':\s*\(([^)]*)\)`)
)

func parseNPY(name, text string) (*Array, error) {
	h, err := readNumpyHeader(name, text)
	if err != nil {
		return nil, err
	}
	a, err := h.kind.array(name, h.shape, text[h.size:], h.order)
	if err == nil && h.fortran {
		a.Values = transposed(a.Values, h.shape)
	}
	return a, err
}

// readNumpyHeader reads what a file begins with.
func readNumpyHeader(name, text string) (h header, err error) {
	dictionary, body, err := numpyHeader(name, text)
	if err != nil {
		return h, err
	}
	of, order, dims := numpyType.FindStringSubmatch(dictionary), numpyOrder.FindStringSubmatch(dictionary),
		numpyShape.FindStringSubmatch(dictionary)
	if of == nil {
		return h, fmt.Errorf("%s: unsupported element type %q; only numbers and booleans can be read", name,
			between(dictionary, "'descr':", ", '"))
	}
	if order == nil || dims == nil {
		return h, fmt.Errorf("%s: the header %q has no order or shape", name, dictionary)
	}
	e, ok := elements(of[2] + of[3])
	if !ok {
		return h, fmt.Errorf("%s: unsupported element type %q; only numbers and booleans can be read", name,
			of[2]+of[3])
	}
	shape, err := numpyDims(dims[1])
	if err != nil {
		return h, fmt.Errorf("%s: %w", name, err)
	}
	h = header{len(text) - len(body), e, of[2] + of[3], shape, binary.LittleEndian, order[1] == "True"}
	if of[1] == ">" {
		h.order = binary.BigEndian
	}
	return h, nil
}

// numpyHeader takes a file apart.
func numpyHeader(name, text string) (header, body string, err error) {
	if !strings.HasPrefix(text, numpyMagic) || len(text) < 12 {
		return "", "", fmt.Errorf("%s: not a NumPy file", name)
	}
	at, length := 10, int(binary.LittleEndian.Uint16([]byte(text[8:10])))
	if text[6] >= 2 {
		at, length = 12, int(binary.LittleEndian.Uint32([]byte(text[8:12])))
	}
	if len(text) < at+length {
		return "", "", fmt.Errorf("%s: the file ends within its header", name)
	}
	return text[at : at+length], text[at+length:], nil
}

func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return strings.TrimSpace(text)
}

func numpyDims(text string) (shape []int, err error) {
	for _, d := range strings.Split(text, ",") {
		d = strings.TrimSpace(d)
		if d == "" {
			continue
		}
		n, err := strconv.Atoi(d)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%q is not the size of an axis", d)
		}
		shape = append(shape, n)
	}
	return shape, nil
}

// transposed brings values whose first axis runs fastest to row-major order.
func transposed(values numbers.List, shape []int) numbers.List {
	out := make([]float64, values.Len())
	for i := range out {
		at, step, rest := 0, len(out), i
		for k := len(shape) - 1; k >= 0; k-- {
			step /= shape[k]
			at += rest % shape[k] * step
			rest /= shape[k]
		}
		out[i] = values.At(at)
	}
	return numbers.Packed(out)
}

// An element is a binary representation of numbers.
type element struct {
	size  int
	whole bool
	bytes bool // each byte is a number
	read  func(b []byte, order binary.ByteOrder) float64
}

// elements finds a representation by NumPy's letter and size in bytes.
func elements(code string) (element, bool) {
	type bs = []byte
	type bo = binary.ByteOrder
	e, ok := map[string]element{
		"b1": {1, true, true, func(b bs, _ bo) float64 { return float64(b[0]) }},
		"i1": {1, true, false, func(b bs, _ bo) float64 { return float64(int8(b[0])) }},
		"u1": {1, true, true, func(b bs, _ bo) float64 { return float64(b[0]) }},
		"i2": {2, true, false, func(b bs, o bo) float64 { return float64(int16(o.Uint16(b))) }},
		"u2": {2, true, false, func(b bs, o bo) float64 { return float64(o.Uint16(b)) }},
		"i4": {4, true, false, func(b bs, o bo) float64 { return float64(int32(o.Uint32(b))) }},
		"u4": {4, true, false, func(b bs, o bo) float64 { return float64(o.Uint32(b)) }},
		"i8": {8, true, false, func(b bs, o bo) float64 { return float64(int64(o.Uint64(b))) }},
		"u8": {8, true, false, func(b bs, o bo) float64 { return float64(o.Uint64(b)) }},
		"f4": {4, false, false, func(b bs, o bo) float64 { return float64(math.Float32frombits(o.Uint32(b))) }},
		"f8": {8, false, false, func(b bs, o bo) float64 { return math.Float64frombits(o.Uint64(b)) }},
	}[code]
	return e, ok
}

// exact bounds the whole numbers that a float64 holds exactly.
const exact = 1 << 53

// array reads elements to the end of body.
func (e element) array(name string, shape []int, body string, order binary.ByteOrder) (*Array, error) {
	n := 1
	for _, d := range shape {
		if d > 0 && n > len(body)/d {
			n = len(body) + 1
			break
		}
		n *= d
	}
	if len(body) != n*e.size {
		return nil, fmt.Errorf("%s: %d bytes of elements, but the shape %v wants %d of %d bytes each", name, len(body),
			shape, n, e.size)
	}
	if values := e.inPlace(body, order); values != nil {
		return &Array{Shape: shape, Values: numbers.Of(values...)}, nil
	}
	raw := unsafe.Slice(unsafe.StringData(body), len(body)) // without a copy; nothing writes to it
	if e.bytes {
		return &Array{Shape: shape, Values: numbers.OfBytes(raw), Int: true}, nil
	}
	values := make([]float64, n)
	for i := range values {
		v := e.read(raw[i*e.size:], order)
		if e.whole && math.Abs(v) > exact {
			return nil, tooLong(name, i, v)
		}
		values[i] = v
	}
	return &Array{Shape: shape, Values: numbers.Packed(values), Int: e.whole}, nil
}

// inPlace returns elements that lie in body as Go keeps numbers, without a copy; nil if they do not. A file is read
// once, so that its text belongs to the array.
func (e element) inPlace(body string, order binary.ByteOrder) []float64 {
	at := unsafe.Pointer(unsafe.StringData(body))
	alike := binary.NativeEndian.Uint16([]byte{1, 0}) == order.Uint16([]byte{1, 0})
	if e.whole || e.size != 8 || !alike || body == "" || uintptr(at)%unsafe.Alignof(float64(0)) != 0 {
		return nil
	}
	return unsafe.Slice((*float64)(at), len(body)/8)
}
