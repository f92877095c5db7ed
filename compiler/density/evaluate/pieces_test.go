package evaluate_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// TestPiecesThatFillABox checks arrays whose pieces fill a box without forming a grid, against arrays constructed in
// Go.
func TestPiecesThatFillABox(t *testing.T) {
	t.Parallel()
	const head = "data y[M, N] = [[0.3, -1.2, 0.4], [2, -0.1, 0.7], [1, 0.2, -0.6]]\na, b ~ Normal(0, 1)\n"
	const tail = "y[i in M, j in N] ~ Normal(mu[i, j], 1)\n"
	y := [3][3]float64{{0.3, -1.2, 0.4}, {2, -0.1, 0.7}, {1, 0.2, -0.6}}
	for _, c := range []struct {
		name, text string
		mu         func(i, j int, a, b float64, mu *[3][3]float64) float64
	}{
		{"a first row whole, a first column, the rest",
			"mu[1, j in N] = a * j\nmu[i in 2..M, 1] = b * i\nmu[i in 2..M, j in 2..N] = a * i - b * j\n",
			func(i, j int, a, b float64, _ *[3][3]float64) float64 {
				switch {
				case i == 1:
					return a * float64(j)
				case j == 1:
					return b * float64(i)
				}
				return a*float64(i) - b*float64(j)
			}},
		{"a corner, a row, a column that goes over all",
			"mu[1, 1] = a\nmu[1, j in 2..N] = b * j\nmu[i in 2..M, j in N] = a * i * j\n",
			func(i, j int, a, b float64, _ *[3][3]float64) float64 {
				switch {
				case i == 1 && j == 1:
					return a
				case i == 1:
					return b * float64(j)
				}
				return a * float64(i*j)
			}},
		{"a pinwheel", "mu[2, 2] = a * b\nmu[1, j in 1..2] = a + j\nmu[i in 1..2, 3] = b + i\nmu[3, j in 2..3] = a - " +
			"j\nmu[i in 2..3, 1] = b - i\n",
			func(i, j int, a, b float64, _ *[3][3]float64) float64 {
				switch {
				case i == 2 && j == 2:
					return a * b
				case i == 1 && j < 3:
					return a + float64(j)
				case j == 3 && i < 3:
					return b + float64(i)
				case i == 3 && j > 1:
					return a - float64(j)
				}
				return b - float64(i)
			}},
		{"a recurrence", "mu[1, j in N] = a * j\nmu[i in 2..M, 1] = b * mu[i-1, 2]\nmu[i in 2..M, j in 2..N] = " +
			"mu[i-1, j-1] + b\n",
			func(i, j int, a, b float64, mu *[3][3]float64) float64 {
				switch {
				case i == 1:
					return a * float64(j)
				case j == 1:
					return b * mu[i-2][1]
				}
				return mu[i-2][j-2] + b
			}},
		{"a recurrence that goes on from an element of its own",
			"mu[1, j in N] = a * j\nmu[i in 2..M, j in N] = mu[1, j] + b * mu[i-1, j]\n",
			func(i, j int, a, b float64, mu *[3][3]float64) float64 {
				if i == 1 {
					return a * float64(j)
				}
				return mu[0][j-1] + b*mu[i-2][j-1]
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := func(a, b float64) (sum float64) {
				var mu [3][3]float64
				for i := range mu {
					for j := range mu[i] {
						mu[i][j] = c.mu(i+1, j+1, a, b, &mu)
						sum += compilertest.NormalLog(y[i][j], mu[i][j], 1)
					}
				}
				return sum
			}
			p := compilertest.Load(t, head+c.text+tail)
			if got := compilertest.LikelihoodAt(t, p, map[string]float64{"a": 0.4, "b": -0.7}); !compilertest.Near(got,
				want(0.4, -0.7), 1e-13) {
				t.Errorf("log likelihood %.14g, want %.14g", got, want(0.4, -0.7))
			}
			gradientMatches(t, p, []float64{0.4, -0.7}, want)
		})
	}
}

// TestAFieldInPieces checks a parameter whose pieces do not form a grid: a field in which each element depends on its
// neighbours above and to the left.
func TestAFieldInPieces(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t,
		"data y[M, N] = [[0.3, -1.2, 0.4], [2, -0.1, 0.7]]\nr ~ Uniform(-1, 1)\nx[1, 1] ~ Normal(0, "+
			"2)\nx[1, j in 2..N] ~ Normal(r * x[1, j-1], 1)\nx[i in 2..M, 1] ~ Normal(r * x[i-1, 1], 1)\n"+
			"x[i in 2..M, j in 2..N] ~ Normal(r * (x[i-1, j] + x[i, j-1]), 0.5)\n"+
			"y[i in M, j in N] ~ Normal(x[i, j], 1)\n")
	const r = 0.3
	x := [2][3]float64{{0.1, -0.4, 1.1}, {0.7, 0.2, -0.9}}
	lp, err := p.LogProb(map[string]*content.Array{"r": {Values: numbers.Of(r)},
		"x": {Shape: []int{2, 3}, Values: numbers.Of(slices.Concat(x[0][:], x[1][:])...)}})
	if err != nil {
		t.Fatal(err)
	}
	want := math.Log(0.5) + compilertest.NormalLog(x[0][0], 0, 2)
	for j := 1; j < 3; j++ {
		want += compilertest.NormalLog(x[0][j], r*x[0][j-1], 1) + compilertest.NormalLog(x[1][j],
			r*(x[0][j]+x[1][j-1]), 0.5)
	}
	want += compilertest.NormalLog(x[1][0], r*x[0][0], 1)
	if !compilertest.Near(lp.Prior, want, 1e-13) {
		t.Errorf("log prior %.15g, want %.15g", lp.Prior, want)
	}
}

// TestPiecesThatDoNotFillABox checks that an element that no piece or two pieces define is an error that names the
// element. If it depends on sizes, the error is reported once these are known.
func TestPiecesThatDoNotFillABox(t *testing.T) {
	t.Parallel()
	const tail = "mu ~ Normal(0, 1)\ny[i in M, j in N] ~ Normal(mu + x[i, j], 1)\n"
	for _, c := range []struct{ code, word, text string }{
		{"E12", "x[2, 2]", "data y[M, N] = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]\nx[1, j in 1..2] = 1\nx[i in 1..2, 3] = " +
			"2\nx[3, j in 2..3] = 3\nx[i in 2..3, 1] = 4\n"},
		{"E11", "x[2, 1]", "data y[M, N] = [[1, 2, 3], [4, 5, 6], [7, 8, 9]], K = 2, L = 1\nx[1..K, 1..L] = fill(1, " +
			"K, L)\nx[i in K+1..M, j in L+1..N] = 1\n" +
			"x[i in 1..L, j in L+1..N] = 2\nx[i in L+1..M, j in 1..L] = 3\n"},
		{"E11", "overlap", "data y[M, N] = [[1, 2, 3], [4, 5, 6]]\nx[1, j in N] = 1\nx[i in M, j in N] = 2\n"},
		{"E11", "overlap", "data y[M, N] = [[1, 2, 3], [4, 5, 6]]\nx[i in 1..2, j in 1..2] = 1\nx[i in 2..3, j in " +
			"2..3] = 2\n"},
		{"E32", "same elements", "data y[M, N] = [[1, 2, 3], [4, 5, 6]]\nx[i in M, j in N] = i\ny[1, j in N] ~ " +
			"Normal(0, 1)\n"},
	} {
		if got := compilertest.Messages(t, c.text+tail); !strings.Contains(got, "error["+c.code+"]") ||
			!strings.Contains(got, c.word) {
			t.Errorf("want %s that names %s:\n%s\ngot\n%s", c.code, c.word, c.text, got)
		}
	}
}
