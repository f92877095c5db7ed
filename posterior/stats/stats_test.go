package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// TestAgainstArviZ compares statistics with those of ArviZ 0.23 (testdata/reference.py) to a relative 1e-9, since sums
// are in another order.
func TestAgainstArviZ(t *testing.T) {
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Name  string
			Draws [][]float64
			Want  map[string]float64
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		s := Summarize(c.Draws)
		got := map[string]float64{
			"mean": s.Mean, "sd": s.SD, "q5": s.Q5, "q50": s.Q50, "q95": s.Q95, "rhat": s.RHat, "ess_bulk": s.ESSBulk,
			"ess_tail":  s.ESSTail,
			"mcse_mean": s.MCSEMean, "mcse_sd": MCSESD(c.Draws), "ess_mean": ESSMean(c.Draws),
			"mcse_q5": MCSEQuantile(c.Draws, .05), "mcse_q50": MCSEQuantile(c.Draws, .5),
		}
		for name, want := range c.Want {
			if g := got[name]; !(math.Abs(g-want) <= 1e-9*math.Max(1, math.Abs(want))) {
				t.Errorf("%s: %s is %.12g, ArviZ has %.12g", c.Name, name, g, want)
			}
		}
	}
	if len(file.Cases) < 10 {
		t.Errorf("only %d cases", len(file.Cases))
	}
}

// TestSummaryIsItsParts checks that Summarize gives bit for bit the same values as the functions for single statistics.
func TestSummaryIsItsParts(t *testing.T) {
	rounded := apply(ar(3, .5, 4, 101), math.Round)
	for name, chains := range map[string][][]float64{
		"even": ar(1, .5, 4, 100), "odd": ar(2, .9, 3, 101), "ties": rounded, "few": ar(4, 0, 2, 5),
		"constant": {{1, 1, 1, 1, 1, 1}},
		"infinite": {{1, 2, 3, 4, 5, math.Inf(1)}}, "unequal": {{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6, 7}},
	} {
		s := Summarize(chains)
		for what, pair := range map[string][2]float64{"bulk": {s.ESSBulk, ESSBulk(chains)},
			"tail": {s.ESSTail, ESSTail(chains)}, "R-hat": {s.RHat, RHat(chains)}} {
			if math.Float64bits(pair[0]) != math.Float64bits(pair[1]) && !(math.IsNaN(pair[0]) && math.IsNaN(pair[1])) {
				t.Errorf("%s: %s is %v in the summary, %v alone", name, what, pair[0], pair[1])
			}
		}
	}
}

// ar returns chains of the stationary process x_t = φ x_{t−1} + e_t.
func ar(seed uint64, phi float64, chains, draws int) [][]float64 {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([][]float64, chains)
	for c := range out {
		x := r.NormFloat64() / math.Sqrt(1-phi*phi)
		for range draws {
			out[c] = append(out[c], x)
			x = phi*x + r.NormFloat64()
		}
	}
	return out
}

// TestESSOfAutoregression compares S/ESS of AR(1) processes with its limit (1+φ)/(1−φ). With 4 × 20,000 draws the
// relative error is about √(2(2T+1)/S), where the truncation lag T is about ten times (1+φ)/(1−φ): at most .09 here.
// The bound is three times that.
func TestESSOfAutoregression(t *testing.T) {
	for _, phi := range []float64{-.5, 0, .5, .9} {
		chains := ar(7, phi, 4, 20_000)
		want := 80_000 * (1 - phi) / (1 + phi)
		if got := ESSMean(chains); math.Abs(got/want-1) > .27 {
			t.Errorf("φ = %v: ESS %.0f, want %.0f", phi, got, want)
		}
		if r := RHat(chains); r > 1.01 {
			t.Errorf("φ = %v: R-hat %v of stationary chains", phi, r)
		}
	}
	// The planted fault: chains about other means must not pass for one law.
	chains := ar(7, .5, 4, 2000)
	for i := range chains[3] {
		chains[3][i] += .5
	}
	if r := RHat(chains); r < 1.01 {
		t.Errorf("R-hat %v of chains about different means", r)
	}
}

// TestMCSEIsTheErrorOfTheMean checks over 400 repetitions that the squared error of the mean agrees with MCSEMean. The
// variance of the z-scores has the standard error √(2/400) = .07, plus the noise of the ESS of each; the bound is .3.
func TestMCSEIsTheErrorOfTheMean(t *testing.T) {
	var z []float64
	for seed := range uint64(400) {
		chains := ar(1000+seed, .6, 4, 250)
		z = append(z, stat.Mean(slices.Concat(chains...), nil)/MCSEMean(chains))
	}
	if v := stat.Variance(z, nil); math.Abs(v-1) > .3 {
		t.Errorf("variance of the errors over MCSE² is %v", v)
	}
}

func TestNothingToDiagnose(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, chains := range map[string][][]float64{
		"none":     nil,
		"empty":    {{}, {}},
		"short":    {{1, 2}, {2, 3}},
		"constant": {slices.Repeat([]float64{3.1}, 20), slices.Repeat([]float64{3.1}, 20)},
		"NaN":      {slices.Repeat([]float64{1, nan}, 10)},
		"infinite": {slices.Repeat([]float64{1, inf, -inf}, 10)},
		"uneven":   {{1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 4, 5, 6}},
	} {
		s := Summarize(chains)
		if !math.IsNaN(s.RHat) || !math.IsNaN(s.ESSBulk) || !math.IsNaN(s.ESSTail) {
			t.Errorf("%s: %+v", name, s)
		}
		if s.Constant != (name == "constant") || (s.NonFinite > 0) != (name == "NaN" || name == "infinite") {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if s := Summarize([][]float64{slices.Repeat([]float64{3.1}, 20)}); s.Mean != 3.1 || s.SD != 0 || s.MCSEMean != 0 ||
		s.Q50 != 3.1 {
		t.Errorf("constant: %+v", s)
	}
}

// TestStuckChains checks that R-hat is infinite, not NaN, if each chain is constant and the chains differ.
func TestStuckChains(t *testing.T) {
	chains := [][]float64{slices.Repeat([]float64{1}, 50), slices.Repeat([]float64{2}, 50)}
	if r, e := RHat(chains), ESSBulk(chains); !math.IsInf(r, 1) || e > 5 {
		t.Errorf("R-hat %v, ESS %v", r, e)
	}
}

// TestTwoValues checks draws of two values at the same distance from their median, for which folded draws are constant.
func TestTwoValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	chains := make([][]float64, 4)
	for c := range chains {
		for i := range 200 {
			chains[c] = append(chains[c], float64(2*(i%2)-1))
		}
		r.Shuffle(200, func(i, j int) { chains[c][i], chains[c][j] = chains[c][j], chains[c][i] })
	}
	if s := Summarize(chains); !(s.RHat < 1.02) || !(s.ESSBulk > 400) || !(s.ESSTail > 400) {
		t.Errorf("%+v", s)
	}
}

// TestMoments compares moments with those of gonum's two-pass formulas, for a mean so far from zero that one-pass sums
// of squares would lose all digits.
func TestMoments(t *testing.T) {
	const d, n = 4, 300
	r := rand.New(rand.NewPCG(3, 4))
	data, m := mat.NewDense(n, d, nil), NewMoments(d)
	for i := range n {
		z := r.NormFloat64()
		for j := range d {
			data.Set(i, j, 1e6+float64(j)*z+r.NormFloat64())
		}
		m.Add(data.RawRowView(i))
	}
	var want mat.SymDense
	stat.CovarianceMatrix(&want, data, nil)
	for i, got := range m.Covariance() {
		if w := want.At(i/d, i%d); math.Abs(got-w) > 1e-8 {
			t.Errorf("covariance %d: %v, gonum has %v", i, got, w)
		}
	}
	for j, got := range m.Mean() {
		if w := stat.Mean(mat.Col(nil, j, data), nil); math.Abs(got-w) > 1e-8 {
			t.Errorf("mean %d: %v, gonum has %v", j, got, w)
		}
	}
	if m.N() != n || !math.IsNaN(NewMoments(1).Covariance()[0]) {
		t.Error("N, or the covariance of nothing")
	}
}

// TestQuantileSelects compares quantiles with those of the sorted numbers, some of which are equal or infinite.
func TestQuantileSelects(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 60; n++ {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = math.Floor(r.NormFloat64()*float64(n)) / 4
		}
		if n%7 == 0 {
			xs[r.IntN(n)] = math.Inf(1 - 2*(n%2))
		}
		before := slices.Clone(xs)
		for _, p := range []float64{0, .05, .25, .5, .9, 1} {
			want := SortedQuantile(slices.Sorted(slices.Values(xs)), p)
			if got := Quantile(xs, p); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("quantile %g of %v is %g, want %g", p, xs, got, want)
			}
		}
		if !slices.Equal(xs, before) {
			t.Fatal("quantiles reordered the numbers that they are of")
		}
	}
	if got := Quantile([]float64{1, math.NaN(), 2}, .5); !math.IsNaN(got) {
		t.Errorf("the median with a missing number is %g", got)
	}
}

// TestUnderflown checks that draws of 0 count as underflown only if other draws are nonzero and below the smallest
// normal number.
func TestUnderflown(t *testing.T) {
	for _, c := range []struct {
		draws []float64
		want  int
	}{{[]float64{0, 1, 0, 2}, 0}, {[]float64{0, 5e-324, 0, 1}, 3}, {[]float64{-1e-310, 1, 2, 3}, 1},
		{[]float64{3e-308, 1, 2, 3}, 0}} {
		if got := Summarize([][]float64{c.draws}).Underflown; got != c.want {
			t.Errorf("%v: %d, want %d", c.draws, got, c.want)
		}
	}
}
