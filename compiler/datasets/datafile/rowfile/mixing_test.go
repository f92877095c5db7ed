package rowfile

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"ppl/compiler/datasets/datafile/elements"
)

// The mixing is a permutation. After it, means of 256 adjacent numbers of 100,000 sorted ones have the variance of
// means of 256 numbers drawn without replacement. In the original order the variance is quite different.
func TestMixing(t *testing.T) {
	const n, size = 100_000, 256
	for _, rows := range []int{1, 2, 3, 5, 64, 1000, n} {
		m, seen := newMixing(rows), make([]bool, rows)
		for i := range rows {
			if p := m.position(i); p < 0 || p >= rows || seen[p] {
				t.Fatalf("%d rows: row %d at %d", rows, i, p)
			} else {
				seen[p] = true
			}
		}
	}
	mixed, plain := make([]float64, n), make([]float64, n)
	m := newMixing(n)
	for i := range n {
		v := (float64(i) + 0.5) / n
		mixed[m.position(i)], plain[i] = v, v
	}
	want := 1.0 / 12 / size * (1 - float64(size)/n)
	ratio := func(xs []float64) float64 {
		sum, windows := 0.0, n/size
		for w := range windows {
			mean := 0.0
			for _, v := range xs[w*size : (w+1)*size] {
				mean += v / size
			}
			sum += (mean - 0.5) * (mean - 0.5) / float64(windows)
		}
		return sum / want
	}
	bound := 5 * math.Sqrt(2*size/float64(n)) // standard error of a variance from n/size normal means
	if r := ratio(mixed); math.Abs(r-1) > bound {
		t.Errorf("variance of means is %.3f of that of rows at random, want 1 ± %.3f", r, bound)
	}
	if r := ratio(plain); math.Abs(r-1) < bound {
		t.Errorf("the original order passes the test: %.3f", r)
	}
}

// mixRows writes the same file for every size of buckets.
func TestMixRows(t *testing.T) {
	const rows, stride, seed = 5000, 16 + sumSize, 7
	in := make([]byte, 0, rows*stride)
	r := rand.New(rand.NewPCG(1, 1))
	want := make([]byte, rows*stride)
	for i := range rows {
		record := append(elements.Append(elements.Append(nil, "f8", r.Float64()), "f8", float64(i)), 0, 0, 0, 0)
		in = append(in, record...)
		place := newMixing(rows).position(i)
		putSum(record, place, seed)
		copy(want[place*stride:], record)
	}
	for _, size := range []int64{bucketSize, 4000, 100_000} {
		out, err := os.Create(filepath.Join(t.TempDir(), fmt.Sprint(size)))
		if err != nil {
			t.Fatal(err)
		}
		if err := mixRows(bytes.NewReader(in), out, rows, stride, seed, size); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(out.Name()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("buckets of %d bytes: records are at wrong positions: %v", size, err)
		}
	}
}
