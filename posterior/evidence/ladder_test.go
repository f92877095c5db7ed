package evidence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A knownLadder has distributions whose energies can be drawn, and a known ratio of their integrals.
type knownLadder struct {
	name  string
	betas []float64
	ratio float64                          // log Z at the coldest less that at the hottest
	at    func(beta, z, u float64) float64 // a coordinate, from a normal number and a uniform one
	e     func(x float64) float64
	dim   int
}

func knownLadders() []knownLadder {
	const precision = 400.0
	return []knownLadder{
		// A normal prior, and a normal likelihood that is 20 times as narrow, of three coordinates.
		{"from a prior", []float64{1, .3, .09, .027, .008, .002, 0}, -1.5 * math.Log1p(precision),
			func(beta, z, _ float64) float64 { return z / math.Sqrt(1+beta*precision) },
			func(x float64) float64 { return -x * x / 2 * precision }, 3},
		// Powers of a normal density.
		{"powers", []float64{1, .6, .36, .22, .13}, math.Log(.13),
			func(beta, z, _ float64) float64 { return z / math.Sqrt(beta) },
			func(x float64) float64 { return -x * x / 2 }, 2},
		// Powers of exp(−|x|): no variance is that of a normal.
		{"powers of an exponential", []float64{1, .6, .36, .22, .13}, 2 * math.Log(.13),
			func(beta, _, u float64) float64 { return -math.Log(u) / beta },
			func(x float64) float64 { return -math.Abs(x) }, 2},
	}
}

// ladder draws four chains from each rung. The normal numbers of successive iterations have a correlation of .8.
func (k knownLadder) ladder(seed uint64, iterations int) Ladder {
	r := rand.New(rand.NewPCG(seed, 9))
	l := Ladder{Betas: k.betas, Energies: make([][]float64, 4)}
	for c := range l.Energies {
		z := make([]float64, len(k.betas)*k.dim)
		for i := range z {
			z[i] = r.NormFloat64()
		}
		for range iterations {
			for i := range z {
				z[i] = .8*z[i] + .6*r.NormFloat64()
			}
			for j, beta := range k.betas {
				sum := 0.0
				for i := range k.dim {
					sum += k.e(k.at(beta, z[j*k.dim+i], r.Float64()))
				}
				l.Energies[c] = append(l.Energies[c], sum)
			}
		}
	}
	return l
}

// off returns the error of an estimate divided by its standard error.
func off(got Log, want float64) float64 { return (got.Value - want) / got.SE }

// TestLadders checks that the three estimates agree with the exact ratio and with each other, and that their standard
// errors are neither too large nor too small although draws are autocorrelated.
func TestLadders(t *testing.T) {
	const runs = 40
	for _, k := range knownLadders() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			var stones, bridges, integral []float64
			for seed := range runs {
				r, err := k.ladder(uint64(seed), 500).Ratios()
				if err != nil {
					t.Fatal(err)
				}
				stones = append(stones, off(r.Stones, k.ratio))
				bridges = append(bridges, off(r.Bridges, k.ratio))
				integral = append(integral, off(r.Integral, k.ratio))
				if r.Disagree() || r.Stones.SE > .25 || r.Bridges.SE > .25 || r.Integral.SE > .4 {
					t.Errorf("seed %d: %+v, want %.3f", seed, r, k.ratio)
				}
			}
			bound := 1 + 4*math.Sqrt(2./runs)
			t.Logf("mean squares %.2f %.2f %.2f", meanSquare(stones), meanSquare(bridges), meanSquare(integral))
			for _, m := range []float64{meanSquare(stones), meanSquare(bridges)} {
				if !(m < bound) || !(m > 1/bound/3) {
					t.Errorf("the mean square of errors over standard errors is %.2f, not about 1", m)
				}
			}
			if m := meanSquare(integral); !(m < bound) { // its error allows for the curve between rungs
				t.Errorf("integral: the mean square of errors over standard errors is %.2f", m)
			}
		})
	}
}

// TestFaultsOfLadders checks that faults of a ladder give a wrong ratio, and that for most faults the estimates
// disagree.
func TestFaultsOfLadders(t *testing.T) {
	k := knownLadders()[0]
	rungs := len(k.betas)
	for name, c := range map[string]struct {
		spoil    func(l *Ladder)
		disagree bool
	}{
		"other temperatures": {func(l *Ladder) {
			l.Betas = slices.Clone(l.Betas)
			for j := range rungs - 1 {
				l.Betas[j] = math.Pow(l.Betas[j], 1.2)
			}
		}, true},
		"rungs in another order": {func(l *Ladder) {
			for _, chain := range l.Energies {
				for ; len(chain) > 0; chain = chain[rungs:] {
					chain[2], chain[3] = chain[3], chain[2]
				}
			}
		}, true},
		"another prior": { // of which the hottest draws are, 1.3 times as wide
			func(l *Ladder) {
				for _, chain := range l.Energies {
					for ; len(chain) > 0; chain = chain[rungs:] {
						chain[rungs-1] *= 1.69
					}
				}
			}, false},
		"energies twice as large": {func(l *Ladder) {
			for _, chain := range l.Energies {
				for i := range chain {
					chain[i] *= 2
				}
			}
		}, true},
	} {
		l := k.ladder(1, 1000)
		c.spoil(&l)
		r, err := l.Ratios()
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(off(r.Bridges, k.ratio)) < 5 {
			t.Errorf("%s: %+v goes unnoticed, the truth is %.3f", name, r, k.ratio)
		}
		if r.Disagree() != c.disagree {
			t.Errorf("%s: estimates disagree: %v: %+v", name, r.Disagree(), r)
		}
	}
}

// TestNoDensityAtThePrior checks that draws of the prior at which the model has no density contribute 0. Here this is
// half of the prior.
func TestNoDensityAtThePrior(t *testing.T) {
	k := knownLadders()[0]
	l := k.ladder(2, 1000)
	r := rand.New(rand.NewPCG(4, 4))
	rungs := len(k.betas)
	for _, chain := range l.Energies {
		for n := 0; len(chain) > 0; chain, n = chain[rungs:], n+1 {
			if r.IntN(2) == 0 {
				chain[rungs-1] = []float64{math.NaN(), math.Inf(-1)}[n%2]
			}
		}
	}
	got, err := l.Ratios()
	if want := k.ratio - math.Ln2; err != nil || math.Abs(off(got.Stones, want)) > 4 ||
		math.Abs(off(got.Bridges, want)) > 4 || math.Abs(off(got.Integral, want)) > 4 || got.Disagree() {
		t.Errorf("%+v, want %.3f: %v", got, want, err)
	}
}

// TestArea checks that the area under a mean is exact if the mean is c − k/(β + s), as for normal likelihoods with
// normal priors, and for a constant.
func TestArea(t *testing.T) {
	for _, c := range []struct{ low, high, k, s float64 }{{.2, 1, 5, .01}, {.5, .5001, 5, .1}, {.1, .9, 1e-9, 1e6}} {
		mean := func(b float64) float64 { return 3 - c.k/(b+c.s) }
		variance := func(b float64) float64 { return c.k / ((b + c.s) * (b + c.s)) }
		got, miss := area(c.high-c.low, mean(c.low), variance(c.low), mean(c.high), variance(c.high))
		want := 3*(c.high-c.low) - c.k*math.Log((c.high+c.s)/(c.low+c.s))
		if math.Abs(got-want) > 1e-9 || math.Abs(miss) > 1e-9 {
			t.Errorf("%+v: area %v, want %v, miss %v", c, got, want, miss)
		}
	}
}
