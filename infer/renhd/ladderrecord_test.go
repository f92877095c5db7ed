package renhd

import (
	"math"
	"slices"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/evidence"
	"ppl/posterior/store"
)

// observed returns a standard normal prior with an observation of each coordinate, and its log evidence in closed form.
func observed(at []float64, sd float64) (target infer.Target, logZ float64) {
	sum := 0.0
	for _, y := range at {
		sum -= y*y/(1+sd*sd)/2 + math.Log(2*math.Pi*(1+sd*sd))/2
	}
	constant := -float64(len(at)) / 2 * math.Log(2*math.Pi)
	return dynamicstest.Density{D: len(at), Proper: true,
		LogPrior: func(theta autodiff.Node) autodiff.Node {
			return renhdtest.Squares(theta, 1, constant)
		}, LogLik: func(theta autodiff.Node) autodiff.Node {
			off := autodiff.Sub(theta, theta.Graph().Data("at", at, len(at)))
			return renhdtest.Squares(off, sd, constant-float64(len(at))*math.Log(sd))
		}}, sum
}

// ratios returns the estimates from the ladder of a report.
func ratios(t *testing.T, l *store.Ladder) evidence.Ratios {
	t.Helper()
	if l == nil {
		t.Fatal("the report has no ladder")
	}
	r, err := evidence.Ladder{Betas: l.Betas, Energies: l.Energies}.Ratios()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// offBy returns the errors of the estimates, in standard errors.
func offBy(r evidence.Ratios, want float64) (zs []float64) {
	for _, e := range []evidence.Log{r.Stones, r.Bridges, r.Integral} {
		zs = append(zs, math.Abs(e.Value-want)/e.SE)
	}
	return zs
}

// TestEvidenceOfLadders checks that the record of a ladder gives the evidence, for a ladder that ends at the prior, and
// the ratio of integrals, for one that ends at a temperature. Planted faults: other temperatures, exchanged neighbours,
// and a density without a Jacobian.
func TestEvidenceOfLadders(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	normal, ofNormal := observed([]float64{1, -2, .5}, .2)
	fours, ofFours := renhdtest.TwoSquares()
	for name, c := range map[string]struct {
		target   infer.Target
		settings infer.Settings
		want     func(hottest float64) float64
	}{
		"normal":     {normal, infer.Settings{Replicas: 7}, func(float64) float64 { return ofNormal }},
		"four modes": {fours, infer.Settings{}, func(float64) float64 { return ofFours }},
		"temperature": {dynamicstest.Normal(1, 2, 3), infer.Settings{Replicas: 5, Ratio: 1.6, Path: "energy"},
			func(hottest float64) float64 { return 1.5 * math.Log(hottest) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := renhdtest.Options(5)
			o.Settings = c.settings
			_, report := draw(t, c.target, o)
			l := report.Ladder
			r := ratios(t, l)
			want := c.want(l.Betas[len(l.Betas)-1])
			if zs := offBy(r, want); slices.Max(zs) > 4 || r.Disagree() || r.Bridges.SE > .1 {
				t.Errorf("%+v, want %.3f", r, want)
			}
			if (l.Hottest != nil) != (c.settings.Path == "energy") {
				t.Errorf("positions of the hottest rung are stored: %v", l.Hottest != nil)
			}
			for fault, spoil := range ladderFaults() {
				if r := ratios(t, spoil(l)); offBy(r, want)[1] < 4 {
					t.Errorf("%s: the planted fault is not detected: %+v, the right value is %.3f", fault, r, want)
				}
			}
		})
	}
}

func ladderFaults() map[string]func(l *store.Ladder) *store.Ladder {
	energies := func(of func(row []float64)) func(l *store.Ladder) *store.Ladder {
		return func(l *store.Ladder) *store.Ladder {
			out := *l
			out.Energies = nil
			for _, chain := range l.Energies {
				chain = slices.Clone(chain)
				for at := 0; at < len(chain); at += len(l.Betas) {
					of(chain[at : at+len(l.Betas)])
				}
				out.Energies = append(out.Energies, chain)
			}
			return &out
		}
	}
	return map[string]func(l *store.Ladder) *store.Ladder{
		"other temperatures": func(l *store.Ladder) *store.Ladder {
			out := *l
			out.Betas = slices.Clone(l.Betas)
			for j := 1; j < len(l.Betas)-1; j++ {
				out.Betas[j] *= .7
			}
			return &out
		},
		"the rungs in other order": energies(func(row []float64) {
			n := len(row)
			row[n-1], row[n-2] = row[n-2], row[n-1]
		}),
		"no Jacobian": energies(func(row []float64) {
			for j := range row {
				row[j] -= .5
			}
		}),
	}
}

// TestNoEnergiesAreKept checks that no energies are stored with noise, or with rules without a Metropolis test.
func TestNoEnergiesAreKept(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	for name, s := range map[string]infer.Settings{
		"noise":    {Replicas: 3, Ratio: 2, Path: "energy", Noise: .1},
		"no test":  {Replicas: 3, Ratio: 2, Path: "energy", Dynamics: "nosehoover"},
		"one rung": {Replicas: 1},
	} {
		o := renhdtest.Options(2)
		o.Draws, o.Warmup, o.Settings = 50, 100, s
		if _, report := draw(t, dynamicstest.Normal(1, 2), o); report.Ladder != nil {
			t.Errorf("%s: energies are stored", name)
		}
	}
}

// TestEvidenceErrors checks over 50 seeds that the errors of the estimates agree with their standard errors.
func TestEvidenceErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	renhdtest.Slow(t)
	target, want := renhdtest.TwoSquares()
	const runs = 50
	squares, far := make([]float64, 3), 0
	for seed := range uint64(runs) {
		o := renhdtest.Options(seed + 100)
		o.Device = renhdtest.Fastest()
		_, report := draw(t, target, o)
		r := ratios(t, report.Ladder)
		for i, z := range offBy(r, want) {
			squares[i] += z * z / runs
			if z > 3 {
				far++
			}
		}
		if r.Disagree() {
			t.Errorf("seed %d: %+v disagree", seed, r)
		}
	}
	t.Logf("mean squares of errors over standard errors %.2f, %d of %d above 3", squares, far, 3*runs)
	if bound := 1 + 4*math.Sqrt(2./runs); slices.Max(squares) > bound || far > 3 {
		t.Errorf("mean squares of errors over standard errors %.2f, at most %.2f; %d above 3", squares, bound, far)
	}
}
