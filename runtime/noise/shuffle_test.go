package noise

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// epochOf returns the rows of one epoch in order.
func epochOf(seed uint64, rows int, key, epoch float64) []float64 {
	out := make([]float64, rows)
	for i := range out {
		out[i] = Shuffle(seed, rows, key, epoch*float64(rows)+float64(i))
	}
	return out
}

// TestShuffleIsPermutation checks that every epoch has every row once.
func TestShuffleIsPermutation(t *testing.T) {
	for _, rows := range []int{1, 2, 3, 4, 5, 8, 9, 100, 127, 128, 129, 100_000} {
		for _, epoch := range []float64{0, 1, 2, 12345, math.Floor((1<<53-1)/float64(rows)) - 1} {
			for i, row := range slices.Sorted(slices.Values(epochOf(7, rows, 3, epoch))) {
				if row != float64(i) {
					t.Fatalf("%d rows, epoch %v: sorted, row %d is %v", rows, epoch, i, row)
				}
			}
		}
	}
	for i := range 1000 { // the largest there can be, by its ends
		if row := Shuffle(7, MaxRows, 1, float64(i)*4294967); row < 0 || row >= MaxRows || row != math.Floor(row) {
			t.Fatalf("of 2³² rows: %v", row)
		}
	}
}

// TestShuffleNumbers checks that a position that is not an integer in the range is rounded down or replaced by the
// nearest end; NaN becomes 0.
func TestShuffleNumbers(t *testing.T) {
	want := Shuffle(1, 1000, 0, 0)
	for _, x := range []float64{-1, math.NaN(), 0.9, math.Inf(-1)} {
		if got := Shuffle(1, 1000, x, x); got != want {
			t.Errorf("%v: row %v, want that of 0, %v", x, got, want)
		}
	}
	if Shuffle(1, 1000, 1e30, 1e30) != Shuffle(1, 1000, 1<<32-1, 1<<53-1) {
		t.Error("beyond the largest is not the largest")
	}
}

// chiSquare returns by how many standard deviations χ² of the counts against equal ones exceeds its mean (mean k−1,
// variance 2(k−1)).
func chiSquare(counts map[string]int, cells, n int) float64 {
	want := float64(n) / float64(cells)
	sum := want * float64(cells-len(counts)) // cells never met
	for _, c := range counts {
		sum += (float64(c) - want) * (float64(c) - want) / want
	}
	return (sum - float64(cells-1)) / math.Sqrt(2*float64(cells-1))
}

// walks vary the epoch, the key or the seed. Each step must give an unrelated permutation.
var walks = map[string]func(i int) (seed uint64, key, epoch float64){
	"epoch": func(i int) (uint64, float64, float64) { return 1, 2, float64(i) },
	"key":   func(i int) (uint64, float64, float64) { return 1, float64(i), 2 },
	"seed":  func(i int) (uint64, float64, float64) { return uint64(i), 1, 2 },
}

// TestShuffleUniform counts, over 60,000 permutations along each walk, complete permutations of few rows and, for more
// rows, the pairs of first and last rows. A fair shuffle exceeds 4.5 standard deviations of χ² (skewed to the right, at
// worst with 5 degrees of freedom: p = 4e-4) in one of these 27 counts with probability 0.01; the seed is fixed. As a
// planted fault, two rounds of a Feistel network must fail.
func TestShuffleUniform(t *testing.T) {
	const n, limit = 60_000, 4.5
	for name, at := range walks {
		for _, rows := range []int{3, 5, 6} {
			score := permutationScore(rows, n,
				func(i int) []float64 { s, k, e := at(i); return epochOf(s, rows, k, e) })
			if score > limit {
				t.Errorf("along %s, permutations of %d: %.2f standard deviations", name, rows, score)
			}
		}
		for _, rows := range []int{8, 13, 16, 17, 32, 50} {
			if score := pairScore(rows, n, func(i int, p float64) float64 {
				s, k, e := at(i)
				return Shuffle(s, rows, k, e*float64(rows)+p)
			}); score > limit {
				t.Errorf("along %s, two of %d: %.2f standard deviations", name, rows, score)
			}
		}
	}
	if score := permutationScore(5, n, func(i int) []float64 { return weak(i, 5) }); score < limit {
		t.Errorf("two rounds pass with %.2f standard deviations", score)
	}
}

func permutationScore(rows, n int, draw func(i int) []float64) float64 {
	counts, cells := map[string]int{}, 1
	for k := 2; k <= rows; k++ {
		cells *= k
	}
	for i := range n {
		counts[fmt.Sprint(draw(i))]++
	}
	return chiSquare(counts, cells, n)
}

// pairScore counts the rows at the first and the last position of an epoch.
func pairScore(rows, n int, row func(i int, place float64) float64) float64 {
	counts := map[string]int{}
	for i := range n {
		counts[fmt.Sprint(row(i, 0), row(i, float64(rows-1)))]++
	}
	return chiSquare(counts, rows*(rows-1), n)
}

// weak permutes with two rounds only.
func weak(i, rows int) []float64 {
	o := NewOrder(1, rows, 2, uint64(i))
	out := make([]float64, rows)
	for x := range out {
		for y := uint32(x); ; {
			a, b := y&o.low, y>>o.shift
			a ^= mix(b^o.keys[0]) & o.low
			b ^= mix(a^o.keys[1]) & o.high
			if y = b<<o.shift | a; y <= o.rows {
				out[x] = float64(y)
				break
			}
		}
	}
	return out
}

// TestShuffleIndependent checks that rows at the same position for neighbouring seeds, keys and epochs, and rows at
// neighbouring positions, are uncorrelated: over 100,000 pairs within 4.5 standard errors. For these 12 numbers a fair
// shuffle fails with probability 8e-5.
func TestShuffleIndependent(t *testing.T) {
	const n, rows = 100_000, 100_003
	for name, at := range walks {
		row := func(i, ahead, place int) float64 {
			s, k, e := at(ahead)
			return (Shuffle(s, rows, k, e*rows+float64((i+place)%rows)) + 0.5) / rows
		}
		for _, c := range []struct{ ahead, place int }{{1, 0}, {2, 0}, {0, 1}, {0, 2}} {
			product := func(i int) float64 { return (row(i, 0, 0) - 0.5) * (row(i, c.ahead, c.place) - 0.5) }
			if z := score(product, n, 0, 1./144); z > 4.5 {
				t.Errorf("along %s, %+v: %.2f standard errors", name, c, z)
			}
		}
	}
}

func BenchmarkShuffle(b *testing.B) {
	sum := 0.0
	for i := range b.N {
		sum += Shuffle(1, 100_000, 2, float64(i))
	}
	if sum == 1 {
		b.Log(sum)
	}
}
