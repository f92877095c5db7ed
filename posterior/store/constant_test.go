package store

import (
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
