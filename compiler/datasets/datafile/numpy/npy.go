// Package numpy reads the files of NumPy. A .npy file has one array: a magic string, a version, the length of a header,
// the header (a Python dictionary as text) and the elements. A .npz file is a ZIP archive of such files. The file
//
//	\x93NUMPY 1.0 118 {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } and 48 bytes
//
// has an array of shape [2, 3] of little-endian numbers of 8 bytes. The specification is the NumPy reference,
// "numpy.lib.format".
package numpy

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/densearray"
	"ppl/compiler/datasets/datafile/elements"
	"ppl/numbers"
)

// Magic is the beginning of .npy files.
const Magic = "\x93NUMPY"

// Read returns the array of a .npy file, named after the file.
func Read(name, text string) (*content.File, error) {
	a, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	a.Name, a.Origin = strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".gz"), ".npy"), name
	f := content.NewFile(name, false)
	f.Lone = true
	f.Add(a)
	return f, nil
}

// ReadArchive reads every array of a .npz file.
func ReadArchive(name string, z *zip.Reader, memory budget.Memory) (*content.File, error) {
	f := content.NewFile(name, false)
	left := int64(memory)
	for _, entry := range z.File {
		key := strings.TrimSuffix(entry.Name, ".npy")
		text, takes, err := memory.Entry(entry, name, name+"#"+key, left, costOfEntry)
		if err != nil {
			return nil, err
		}
		left -= takes
		a, err := parse(name+"#"+key, text)
		if err != nil {
			return nil, err
		}
		a.Name, a.Origin = key, name
		f.Add(a)
	}
	return f, nil
}

var (
	typePattern  = regexp.MustCompile(`'descr':\s*'([<>|=]?)([a-zA-Z])([0-9]+)'`)
	orderPattern = regexp.MustCompile(`'fortran_order':\s*(True|False)`)
	shapePattern = regexp.MustCompile(`'shape':\s*\(([^)]*)\)`)
)

// costOfEntry returns the cost of an entry of an archive from its first bytes.
func costOfEntry(start []byte) budget.Cost {
	if c, ok := Cost("", string(start)); ok {
		return c
	}
	return budget.Cost{Each: budget.ContainerCost}
}

// Cost returns the cost of a .npy file from its first bytes; ok is false if it has no valid header.
func Cost(path, start string) (c budget.Cost, ok bool) {
	h, err := readHeader(path, start)
	if err != nil {
		return c, false
	}
	return budget.ArrayCost(h.Element.Size), true
}

func parse(name, text string) (*content.Array, error) {
	h, err := readHeader(name, text)
	if err != nil {
		return nil, err
	}
	a, err := h.Array(name, text)
	if err == nil && h.Fortran {
		a.Values = transposed(a.Values, h.Shape)
	}
	return a, err
}

// readHeader reads the header of a file.
func readHeader(name, text string) (h densearray.Header, err error) {
	dictionary, body, err := splitHeader(name, text)
	if err != nil {
		return h, err
	}
	of, order, dims := typePattern.FindStringSubmatch(dictionary), orderPattern.FindStringSubmatch(dictionary),
		shapePattern.FindStringSubmatch(dictionary)
	if of == nil {
		return h, fmt.Errorf("%s: unsupported element type %q; only numbers and booleans can be read", name,
			between(dictionary, "'descr':", ", '"))
	}
	if order == nil {
		return h, fmt.Errorf("%s: the header %q has no valid fortran_order", name, dictionary)
	}
	if dims == nil {
		return h, fmt.Errorf("%s: the header %q has no valid shape", name, dictionary)
	}
	e, ok := elements.Of(of[2] + of[3])
	if !ok {
		return h, fmt.Errorf("%s: unsupported element type %q; only numbers and booleans can be read", name,
			of[2]+of[3])
	}
	shape, err := parseShape(dims[1])
	if err != nil {
		return h, fmt.Errorf("%s: %w", name, err)
	}
	h = densearray.Header{Size: len(text) - len(body), Element: e, Code: of[2] + of[3], Shape: shape,
		Order: binary.LittleEndian, Fortran: order[1] == "True"}
	if of[1] == ">" {
		h.Order = binary.BigEndian
	}
	return h, nil
}

// splitHeader returns the header, a Python dictionary as text, and the elements after it.
func splitHeader(name, text string) (header, body string, err error) {
	if !strings.HasPrefix(text, Magic) || len(text) < 12 {
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

func parseShape(text string) (shape []int, err error) {
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

// transposed returns values in row-major order. In the argument the index of the first axis changes fastest.
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
