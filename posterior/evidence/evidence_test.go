package evidence

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
)

// A known density is one that can be sampled and has a known integral.
type known struct {
	name       string
	dim        int
	logZ       float64
	draw       func(r *rand.Rand) []float64
	logDensity func(x []float64) float64 // not normalised: its integral is exp logZ
}

func targets() []known {
	standard := func(r *rand.Rand, d int) []float64 {
		x := make([]float64, d)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		return x
	}
	square := func(x []float64) (sum float64) {
		for _, v := range x {
			sum += v * v
		}
		return sum
	}
	logNormal := func(d int) float64 { return float64(d) / 2 * math.Log(2*math.Pi) }
	return []known{
		{"normal in 1 dimension", 1, logNormal(1), func(r *rand.Rand) []float64 { return standard(r, 1) },
			func(x []float64) float64 { return -square(x) / 2 }},
		{"normal in 20 dimensions", 20, logNormal(20) - 300, func(r *rand.Rand) []float64 { return standard(r, 20) },
			func(x []float64) float64 { return -square(x)/2 - 300 }},
		// Z = 3/4 · 2π + 1/4 · 2π, with modes 20 standard deviations apart.
		{"two modes", 2, math.Log(2 * math.Pi), func(r *rand.Rand) []float64 {
			x := standard(r, 2)
			if r.Float64() < 0.25 {
				x[0] += 20
			}
			return x
		}, func(x []float64) float64 {
			far := []float64{x[0] - 20, x[1]}
			return logAddExp(math.Log(0.75)-square(x)/2, math.Log(0.25)-square(far)/2)
		}},
		// Exponential, on the log scale: x = log e has density exp(x − eˣ), skewed, with Z = 1.
		{"log of an exponential", 3, 0, func(r *rand.Rand) []float64 {
			x := make([]float64, 3)
			for i := range x {
				x[i] = math.Log(r.ExpFloat64())
			}
			return x
		}, func(x []float64) (sum float64) {
			for _, v := range x {
				sum += v - math.Exp(v)
			}
			return sum
		}},
		// Student's t with 3 degrees of freedom in two dimensions, without its constant.
		{"heavy tails", 2, math.Log(2 * math.Pi), func(r *rand.Rand) []float64 {
			t, _ := distmv.NewStudentsT([]float64{0, 0}, diagonal(2), 3, rand.NewPCG(r.Uint64(), 1))
			return t.Rand(nil)
		}, func(x []float64) float64 { return -2.5 * math.Log1p(square(x)/3) }},
	}
}

func (k known) at(points [][]float64) ([]float64, error) {
	out := make([]float64, len(points))
	for i, x := range points {
		out[i] = k.logDensity(x)
	}
	return out, nil
}

// estimates returns estimates from several runs, each of four chains of independent draws, and their errors divided by
// their standard errors.
func (k known) estimates(t *testing.T, runs int, logDensity LogDensity) (all []Result, off []float64) {
	t.Helper()
	for seed := range runs {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		chains := make([][][]float64, 4)
		for c := range chains {
			for range 250 {
				chains[c] = append(chains[c], k.draw(r))
			}
		}
		e, err := Estimate(uint64(seed), chains, logDensity)
		if err != nil {
			t.Fatal(err)
		}
		all, off = append(all, e), append(off, (e.LogZ-k.logZ)/e.SE)
	}
	return all, off
}

// meanSquare returns the mean square. For n standard normal numbers it is about 1, with a standard error of √(2/n).
func meanSquare(xs []float64) (sum float64) {
	for _, x := range xs {
		sum += x * x / float64(len(xs))
	}
	return sum
}

func TestKnownIntegrals(t *testing.T) {
	const runs = 30
	for _, k := range targets() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			all, off := k.estimates(t, runs, k.at)
			bound := 1 + 4*math.Sqrt(2./runs)
			if m := meanSquare(off); !(m < bound) || !(m > 1/bound/3) {
				t.Errorf("the mean square of errors over standard errors is %.2f, not about 1", m)
			}
			for _, e := range all {
				if e.SE > 0.1 || e.Disagree() {
					t.Errorf("estimate %.4f ± %.4f from halves %.4f", e.LogZ, e.SE, e.Halves)
				}
			}
			// The planted fault: a density that is greater by a tenth where the first coordinate is positive.
			_, off = k.estimates(t, 10, func(points [][]float64) ([]float64, error) {
				l, err := k.at(points)
				for i, x := range points {
					if x[0] > 0 {
						l[i] += 0.1
					}
				}
				return l, err
			})
			if m := meanSquare(off); m < bound {
				t.Errorf("a wrong density goes unnoticed: the mean square is %.2f", m)
			}
		})
	}
}

// TestNormalsFollowModes checks that the number of normals in the mixture suits the number of modes.
func TestNormalsFollowModes(t *testing.T) {
	for _, k := range targets() {
		all, _ := k.estimates(t, 1, k.at)
		switch n := all[0].Normals; {
		case k.name == "two modes" && n < 2, k.name == "normal in 20 dimensions" && n > 2:
			t.Errorf("%s: %d normals", k.name, n)
		}
	}
}

func TestRefusals(t *testing.T) {
	k := targets()[0]
	short := [][][]float64{{{1}, {2}, {3}}}
	if _, err := Estimate(1, short, k.at); !errors.As(err, new(Unusable)) {
		t.Errorf("3 draws: %v", err)
	}
	still := make([][][]float64, 1)
	for range 100 {
		still[0] = append(still[0], []float64{1})
	}
	if _, err := Estimate(1, still, k.at); !errors.As(err, new(Unusable)) {
		t.Errorf("draws that are all the same: %v", err)
	}
}

func diagonal(d int) *mat.SymDense {
	m := mat.NewSymDense(d, nil)
	for i := range d {
		m.SetSym(i, i, 1)
	}
	return m
}
