package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// autoregression returns chains of an AR(1) process with standard normal marginals.
func autoregression(rho float64, chains, draws int, seed uint64) [][]float64 {
	r := rand.New(rand.NewPCG(seed, 2))
	all := make([][]float64, chains)
	for c := range all {
		x := r.NormFloat64()
		for range draws {
			all[c] = append(all[c], x)
			x = rho*x + math.Sqrt(1-rho*rho)*r.NormFloat64()
		}
	}
	return all
}

// inPasses summarises the draws with a Long that has room for only some of them.
func inPasses(chains [][]float64, room int) (*Long, Summary) {
	l := NewLong(len(chains), len(chains[0]), room, .05, .5, .95)
	for l.More() {
		for c, xs := range chains {
			for d, x := range xs {
				l.Add(c, d, x)
			}
		}
		l.EndPass()
	}
	return l, l.Summarize(new(Workspace))
}

// TestLong compares summaries in passes with those of all draws: quantiles are equal, moments agree to rounding, and
// effective sizes agree to 1 %, or 3 % if fewer than one draw in a hundred is effective, since then correlations extend
// beyond the lags of Long.
func TestLong(t *testing.T) {
	same := func(x float64) float64 { return x }
	count := func(x float64) float64 { return math.Floor(math.Exp(x)) }
	rare := func(x float64) float64 { return math.Floor(math.Max(0, x+.5)) } // both tails reach the most frequent value
	offset := func(x float64) float64 { return 1e6 + x }
	for _, c := range []struct {
		rho   float64
		value func(float64) float64
		bound float64
	}{{-.5, same, .01}, {0, same, .01}, {.3, same, .01}, {.9, same, .01}, {.98, same, .01}, {.999, same, .03},
		{.3, count, .01}, {.9, count, .01}, {.9, rare, .01}, {-.5, offset, .01}, {.98, offset, .01}} {
		chains := autoregression(c.rho, 4, 100000, 3)
		for _, xs := range chains {
			for d, x := range xs {
				xs[d] = c.value(x)
			}
		}
		want := Summarize(chains)
		_, got := inPasses(chains, 50000)
		if got.Q5 != want.Q5 || got.Q50 != want.Q50 || got.Q95 != want.Q95 {
			t.Errorf("ρ = %v: quantiles %v %v %v, want %v %v %v", c.rho, got.Q5, got.Q50, got.Q95, want.Q5, want.Q50,
				want.Q95)
		}
		if math.Abs(got.Mean/want.Mean-1) > 1e-12 && math.Abs(got.Mean-want.Mean) > 1e-12 ||
			math.Abs(got.SD/want.SD-1) > 1e-9 {
			t.Errorf("ρ = %v: mean %v and sd %v, want %v and %v", c.rho, got.Mean, got.SD, want.Mean, want.SD)
		}
		for name, pair := range map[string][2]float64{"bulk": {got.ESSBulk, want.ESSBulk},
			"tail": {got.ESSTail, want.ESSTail}, "mcse": {want.MCSEMean * want.MCSEMean, got.MCSEMean * got.MCSEMean}} {
			if ratio := pair[0] / pair[1]; !(math.Abs(ratio-1) < c.bound) {
				t.Errorf("ρ = %v: %s is %.4f times that of all draws", c.rho, name, ratio)
			}
		}
		if math.Abs(got.RHat-want.RHat) > .01 {
			t.Errorf("ρ = %v: R-hat %v, want %v", c.rho, got.RHat, want.RHat)
		}
		// the planted fault: the sample alone has an effective size that is much smaller if chains mix well
		if thinned := Summarize(every(chains, 8)); c.rho < .5 && thinned.ESSBulk > .9*want.ESSBulk {
			t.Errorf("ρ = %v: the sample has all of the effective size, so that the test shows nothing", c.rho)
		}
	}
}

func every(chains [][]float64, k int) (all [][]float64) {
	for _, xs := range chains {
		var thin []float64
		for d := 0; d < len(xs); d += k {
			thin = append(thin, xs[d])
		}
		all = append(all, thin)
	}
	return all
}

// TestLongQuantiles checks that quantiles are exact for difficult draws, such as ties, huge ranges, trends, and periods
// that coincide with those of the sample.
func TestLongQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const n = 20000
	for name, draw := range map[string]func(d int) float64{
		"ties":     func(int) float64 { return float64(r.IntN(3)) },
		"cauchy":   func(int) float64 { return math.Tan(math.Pi * (r.Float64() - .5)) },
		"huge":     func(int) float64 { return (r.Float64() - .5) * 2 * math.MaxFloat64 },
		"tiny":     func(int) float64 { return r.Float64() * 0x1p-1060 },
		"in order": func(d int) float64 { return float64(d) },
		"periodic": func(d int) float64 { return float64(d%20) + r.Float64() }, // in step with the sample
		"exponent": func(int) float64 { return math.Exp(100 * r.NormFloat64()) },
		"constant": func(int) float64 { return 7 },
		"negative": func(int) float64 { return -math.Exp(r.NormFloat64()) },
	} {
		chains := make([][]float64, 2)
		for c := range chains {
			for d := range n {
				chains[c] = append(chains[c], draw(d))
			}
		}
		l, _ := inPasses(chains, 2*n/20)
		all := slices.Concat(chains...)
		for k, p := range []float64{.05, .5, .95} {
			if got, want := l.Quantile(k), Quantile(all, p); got != want {
				t.Errorf("%s: the quantile of %v is %v, want %v", name, p, got, want)
			}
		}
	}
}

// TestLongOddities checks that draws that are not finite and very short chains give the same results as Summarize.
func TestLongOddities(t *testing.T) {
	for _, odd := range []float64{math.NaN(), math.Inf(1)} {
		chains := autoregression(0, 2, 1000, 4)
		chains[1][37] = odd
		want := Summarize(chains)
		_, got := inPasses(chains, 500)
		if got.NonFinite != 1 || !math.IsNaN(got.RHat) || !math.IsNaN(got.ESSBulk) ||
			math.IsNaN(got.Q50) != math.IsNaN(want.Q50) {
			t.Errorf("%v: %+v, want %+v", odd, got, want)
		}
	}
}
