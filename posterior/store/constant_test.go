package store

import (
	"bytes"
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ppl/lang/types"
)

// TestConstantsThatDoNotShrink checks that data that compression does not shrink are stored uncompressed, and others
// compressed, that both can be read, and that damage is noticed.
func TestConstantsThatDoNotShrink(t *testing.T) {
	const n = chunkElements + 1000 // in two chunks, the second of which is padded
	r := rand.New(rand.NewPCG(1, 2))
	noise, zeros := make([]float64, n), make([]float64, n)
	for i := range noise {
		noise[i] = r.NormFloat64()
	}
	l := testLayout()
	l.Constant = []Observed{{types.Variable{Name: "noise", Shape: []int{n}, Dims: []string{"M"}}, noise},
		{types.Variable{Name: "zeros", Shape: []int{n}, Dims: []string{"M"}}, zeros}}
	dir := filepath.Join(t.TempDir(), "run")
	if err := create(t, dir, l, Options{}).Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	run := open(t, dir)
	for _, want := range l.Constant {
		packed := run.arrays["constant_data/"+want.Name].Compressor != nil
		if packed != (want.Name == "zeros") {
			t.Errorf("%s: compressed is %v", want.Name, packed)
		}
		got, err := run.ConstantData(want.Name)
		if err != nil || !slices.Equal(got, want.Values) {
			t.Errorf("%s is not what was written: %v", want.Name, err)
		}
	}
	if err := os.Truncate(filepath.Join(dir, "constant_data", "noise", "1"), 8*chunkElements-1); err != nil {
		t.Fatal(err)
	}
	if _, err := run.ConstantData("noise"); err == nil {
		t.Error("a chunk that lacks a byte was read")
	}
}

// TestConstantsInSinglePrecision checks that long arrays of numbers that single precision represents exactly take four
// bytes for each number, and that an array with one other number, a short array and integers do not, and that each is
// read as it was written.
func TestConstantsInSinglePrecision(t *testing.T) {
	const n = sampleElements + 1
	r := rand.New(rand.NewPCG(1, 2))
	exact := make([]float64, n)
	for i := range exact {
		exact[i] = float64(float32(r.NormFloat64()))
	}
	exact[0], exact[1] = math.Copysign(0, -1), math.Inf(1)
	other := slices.Clone(exact)
	other[n-1] = 0.1
	whole := slices.Repeat([]float64{3}, n)
	of := func(name string, integers bool, values []float64) Observed {
		v := types.Variable{Name: name, Shape: []int{len(values)}, Dims: []string{name}, Int: integers}
		return Observed{v, values}
	}
	l := testLayout()
	l.Constant = []Observed{of("exact", false, exact), of("other", false, other), of("whole", true, whole),
		of("short", false, exact[:n-1])}
	dir := filepath.Join(t.TempDir(), "run")
	if err := create(t, dir, l, Options{}).Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	run := open(t, dir)
	kinds := map[string]string{"exact": singleType, "other": realType, "whole": intType, "short": realType}
	for _, want := range l.Constant {
		if got := run.arrays["constant_data/"+want.Name].Type; got != kinds[want.Name] {
			t.Errorf("%s has the type %s, want %s", want.Name, got, kinds[want.Name])
		}
		got, err := run.ConstantData(want.Name)
		if err != nil || !slices.EqualFunc(got, want.Values, func(x, y float64) bool {
			return math.Float64bits(x) == math.Float64bits(y)
		}) {
			t.Errorf("%s is not what was written: %v", want.Name, err)
		}
	}
	if l.Constant[0].Single {
		t.Error("the layout of the caller was changed")
	}
}

// TestIdentityOfNumbers checks that the identity of a run depends on every number of its data, also on the last of a
// list that is hashed in parts, and is that of the list hashed as a whole.
func TestIdentityOfNumbers(t *testing.T) {
	xs := make([]float64, 2*sampleElements+3)
	whole, parts, changed := sha256.New(), sha256.New(), sha256.New()
	writePart(whole, encode(nil, realType, xs))
	writeNumbers(parts, xs)
	xs[len(xs)-1] = 1
	writeNumbers(changed, xs)
	if !bytes.Equal(whole.Sum(nil), parts.Sum(nil)) {
		t.Error("in parts, the hash is another one")
	}
	if bytes.Equal(parts.Sum(nil), changed.Sum(nil)) {
		t.Error("the last number does not count")
	}
}
