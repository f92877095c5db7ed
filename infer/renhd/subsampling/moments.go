package subsampling

import "math"

// moments sums the first three powers of numbers, relative to the first of them to reduce cancellation.
type moments struct{ n, first, sum, squares, cubes float64 }

func (t *moments) add(x float64) {
	if t.n == 0 {
		t.first = x
	}
	x -= t.first
	t.n++
	t.sum, t.squares, t.cubes = t.sum+x, t.squares+x*x, t.cubes+x*x*x
}

func (t moments) variance() float64 { return (t.squares - t.sum*t.sum/t.n) / (t.n - 1) }

func (t moments) mean() float64 { return t.first + t.sum/t.n }

// skew returns the third standardised moment.
func (t moments) skew() float64 {
	m := t.sum / t.n
	third := t.cubes/t.n - 3*m*t.squares/t.n + 2*m*m*m
	return third / math.Pow(t.variance(), 1.5)
}
