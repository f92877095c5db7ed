package library_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/library"
	"ppl/compiler/backend/lower"
	"ppl/numbers"
)

// program returns a program with the density Σ data·theta, whose parameters are its coordinates.
func program(t *testing.T, data []float64) *ir.Program {
	t.Helper()
	g := autodiff.New()
	theta := g.Input(library.Theta, len(data))
	value := autodiff.SumAll(autodiff.Mul(g.Data("x", data, len(data)), theta))
	slope := autodiff.Grad(value, theta)[0]
	p, err := lower.Program([]lower.Entry{
		{Name: library.Density, Still: true, Assign: []lower.Assign{
			{Name: library.Value, Value: value}, {Name: library.Gradient, Value: slope}}},
		{Name: library.Own, Still: true, Assign: []lower.Assign{
			{Name: library.OwnValue, Value: value}, {Name: library.OwnGradient, Value: slope}}},
		{Name: library.Constrain, Still: true, Assign: []lower.Assign{{Name: library.Parameters, Value: theta}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tables returns, for each buffer in the text's table, its number of bytes and the position of its data in the blob.
func tables(t *testing.T, text string) (all [][2]int) {
	t.Helper()
	_, text, found := strings.Cut(text, "} B[] = {\n")
	if !found {
		t.Fatal("the text has no table of buffers")
	}
	text, _, _ = strings.Cut(text, "};")
	for _, m := range regexp.MustCompile(`\{\w+, (\d+), (-?\d+), [01]\}`).FindAllStringSubmatch(text, -1) {
		bytes, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		from, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, [2]int{bytes, from})
	}
	return all
}

// TestBlob checks that the blob has the description, and the data of each buffer in its type at the position that the
// text gives.
func TestBlob(t *testing.T) {
	data := []float64{1, -2.5, 3, 0, 7, 8.75}
	p := program(t, data)
	p.Buffers = append(p.Buffers,
		ir.Buffer{Space: ir.Shared, Type: ir.F32, Size: 3, Init: numbers.Of(0.1, -2, math.Inf(1))},
		ir.Buffer{Space: ir.Shared, Type: ir.I32, Size: 3, Init: numbers.Of(1.75, -2.75, 3)},
		ir.Buffer{Space: ir.Shared, Type: ir.F64, Size: 2})
	l := library.Library{Program: p, Description: []byte(`{"model":"m"}`), Dimension: 6, Values: 6}
	var blob bytes.Buffer
	if err := l.WriteBlob(&blob); err != nil {
		t.Fatal(err)
	}
	text, err := l.Text("data")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(blob.Bytes(), append(l.Description, 0)) {
		t.Errorf("the blob begins with %q", blob.Bytes()[:20])
	}
	found := tables(t, text)
	for i, b := range p.Buffers {
		bytes, from := found[i][0], found[i][1]
		if b.Init.None() {
			if from >= 0 {
				t.Errorf("buffer %d has no data, and the text names the place %d", i, from)
			}
			continue
		}
		if from%64 != 0 || from+bytes > blob.Len() {
			t.Fatalf("buffer %d: %d bytes at %d of %d", i, bytes, from, blob.Len())
		}
		if got := decoded(b.Type, blob.Bytes()[from:from+bytes]); !slices.Equal(got, inType(b)) {
			t.Errorf("buffer %d of type %v has %v in the blob, want %v", i, b.Type, got, inType(b))
		}
	}
}

func decoded(kind ir.Type, text []byte) (values []float64) {
	for ; len(text) > 0; text = text[kind.Bytes():] {
		if kind == ir.F32 {
			values = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(text))))
		} else {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(text)))
		}
	}
	return values
}

func inType(b ir.Buffer) (values []float64) {
	for _, v := range b.Init.All() {
		switch b.Type {
		case ir.F32:
			v = float64(float32(v))
		case ir.I32:
			v = math.Trunc(v)
		}
		values = append(values, v)
	}
	return values
}

// TestBlobOfBytes checks that data that are bytes take one byte per element.
func TestBlobOfBytes(t *testing.T) {
	data := make([]float64, numbers.Many)
	for i := range data {
		data[i] = float64(i % 256)
	}
	p := program(t, data)
	p.Layout = ir.Apart
	for i, b := range p.Buffers {
		if !b.Init.None() {
			p.Buffers[i].Init = numbers.Packed(data)
		}
	}
	var blob bytes.Buffer
	if err := (library.Library{Program: p, Description: []byte("{}")}).WriteBlob(&blob); err != nil {
		t.Fatal(err)
	}
	if blob.Len() != 64+numbers.Many {
		t.Errorf("%d bytes in all, want %d", blob.Len(), 64+numbers.Many)
	}
	for i, b := range blob.Bytes()[64:] {
		if float64(b) != data[i] {
			t.Fatalf("byte %d is %d, want %v", i, b, data[i])
		}
	}
}

func TestProgramsThatAreNotDensities(t *testing.T) {
	for _, name := range []string{library.Theta, library.Value, library.Gradient, library.OwnValue, library.OwnGradient,
		library.Parameters} {
		p := program(t, []float64{1, 2})
		for i, b := range p.Buffers {
			if b.Name == name {
				p.Buffers[i].Name = "renamed"
			}
		}
		if _, err := (library.Library{Program: p}).Text("data"); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without the buffer %s: %v", name, err)
		}
	}
	for k, name := range []string{library.Density, library.Own, library.Constrain} {
		p := program(t, []float64{1, 2})
		p.Entries[k].Name = "renamed"
		if _, err := (library.Library{Program: p}).Text("data"); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without the entry %s: %v", name, err)
		}
	}
	p := program(t, []float64{1, 2})
	for _, blob := range []string{`a"b`, `a\b`, "a\nb"} {
		if _, err := (library.Library{Program: p}).Text(blob); err == nil {
			t.Errorf("the name %q is no error", blob)
		}
	}
}

// TestHeader checks that the header declares exactly the functions that the driver exports.
func TestHeader(t *testing.T) {
	driver, err := os.ReadFile("c/driver.c")
	if err != nil {
		t.Fatal(err)
	}
	exported := signatures(regexp.MustCompile(`(?m)^EXPORT ([^{]*)\{`), string(driver))
	declared := signatures(regexp.MustCompile(`(?m)^((?:int|const char \*|size_t|void|ppl_density) ?\*?ppl_[^;]*);`),
		library.Header)
	if len(exported) < 8 || !slices.Equal(exported, declared) {
		t.Errorf("the driver exports\n%s\nthe header declares\n%s", strings.Join(exported, "\n"),
			strings.Join(declared, "\n"))
	}
}

// signatures returns the C functions in a text, without the names of arguments, sorted.
func signatures(of *regexp.Regexp, text string) (all []string) {
	for _, m := range of.FindAllStringSubmatch(text, -1) {
		s := strings.ReplaceAll(strings.Join(strings.Fields(m[1]), " "), "size_t", "size")
		s = regexp.MustCompile(`\b(points|theta|value|values|gradient|jacobian|d)\b`).ReplaceAllString(s, "")
		all = append(all, strings.ReplaceAll(s, " ", ""))
	}
	slices.Sort(all)
	return all
}
