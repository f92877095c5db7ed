package stats

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// An lcg is a linear congruential generator; its normal numbers are sums of twelve uniforms. testdata/loo.py has the
// same.
type lcg uint64

func (s *lcg) uniform() float64 {
	*s = *s*6364136223846793005 + 1442695040888963407
	return float64(uint64(*s)>>11) / (1 << 53)
}

func (s *lcg) normal() float64 {
	sum := 0.
	for range 12 {
		sum += s.uniform()
	}
	return sum - 6
}

// A looCase holds the draws of a mean by chain, data, predictions by row, and log likelihoods of three models by row;
// testdata/loo.py makes the same.
type looCase struct {
	mu        [][]float64
	y         []float64
	predicted [][]float64
	logLik    map[string][][]float64
}

func newLOOCase() looCase {
	s := lcg(12345)
	c := looCase{y: []float64{-1.5, -.5, 0, .25, 1, 2, 3.5, 9}, logLik: map[string][][]float64{}}
	for range 4 {
		var chain []float64
		for range 250 {
			chain = append(chain, .25*s.normal())
		}
		c.mu = append(c.mu, chain)
	}
	for d := range c.mu[0] {
		c.mu[0][d] += .1
	}
	c.predicted = make([][]float64, len(c.y))
	for _, m := range slices.Concat(c.mu...) {
		for i := range c.y {
			c.predicted[i] = append(c.predicted[i], m+s.normal())
		}
	}
	for name, scale := range map[string]float64{"narrow": 1, "wide": 2, "shifted": 1.5} {
		shift := 0.
		if name == "shifted" {
			shift = .5
		}
		for _, y := range c.y {
			var row []float64
			for _, m := range slices.Concat(c.mu...) {
				z := (y - m - shift) / scale
				row = append(row, -z*z/2-math.Log(scale)-math.Log(2*math.Pi)/2)
			}
			c.logLik[name] = append(c.logLik[name], row)
		}
	}
	return c
}

func (c looCase) reff() float64 { return ESSMean(c.mu) / 1000 }

type looReference struct {
	ELPD  float64 `json:"elpd"`
	SE    float64 `json:"se"`
	P     float64 `json:"p"`
	K     []float64
	WAIC  float64 `json:"waic"`
	WSE   float64 `json:"waic_se"`
	PWAIC float64 `json:"p_waic"`
}

func readLOO(t *testing.T, into any) {
	t.Helper()
	text, err := os.ReadFile("testdata/loo.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func wantNear(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: %.9g, want %.9g", what, got, want)
	}
}

// TestLOOAgainstArviZ compares results with those of ArviZ 0.23 (testdata/loo.py).
func TestLOOAgainstArviZ(t *testing.T) {
	c := newLOOCase()
	var want map[string]json.RawMessage
	readLOO(t, &want)
	for name, logLik := range c.logLik {
		var w looReference
		if err := json.Unmarshal(want[name], &w); err != nil {
			t.Fatal(err)
		}
		p, everyWAIC := leaveOut(logLik, c.reff())
		got := p.Total()
		wantNear(t, name+" elpd", got.ELPD, w.ELPD, 1e-6)
		wantNear(t, name+" se", got.SE, w.SE, 1e-6)
		wantNear(t, name+" p", got.P, w.P, 1e-6)
		for i, k := range p.K {
			wantNear(t, name+" k", k, w.K[i], 1e-6)
		}
		waic := everyWAIC.Total()
		wantNear(t, name+" waic", waic.ELPD, w.WAIC, 1e-6)
		wantNear(t, name+" waic se", waic.SE, w.WSE, 1e-6)
		wantNear(t, name+" p_waic", waic.P, w.PWAIC, 1e-6)
	}
}

// TestComparisonAgainstArviZ compares stacking weights with those of ArviZ, within 1e-3, the error of its optimiser,
// and checks that the score is not worse than that of the weights of ArviZ.
func TestComparisonAgainstArviZ(t *testing.T) {
	c := newLOOCase()
	var want struct {
		Compare map[string]struct {
			Diff   float64 `json:"elpd_diff"`
			DSE    float64 `json:"dse"`
			Weight float64
		}
		PIT []float64 `json:"pit"`
	}
	readLOO(t, &want)
	names := []string{"narrow", "wide", "shifted"}
	var models []Pointwise
	for _, name := range names {
		loo, _ := leaveOut(c.logLik[name], c.reff())
		models = append(models, loo)
	}
	weights := Stacking(models)
	for k, name := range names {
		d, se := Difference(models[1], models[k])
		wantNear(t, name+" difference", d, want.Compare[name].Diff, 1e-6)
		wantNear(t, name+" its error", se, want.Compare[name].DSE, 1e-6)
		wantNear(t, name+" weight", weights[k], want.Compare[name].Weight, 1e-3)
	}
	for i, row := range c.logLik["narrow"] {
		l := NewLeftOut(len(row), c.reff())
		for d, x := range row {
			l.Add(x, Below(c.predicted[i][d], c.y[i], .5))
		}
		wantNear(t, "PIT", l.Result().PIT, want.PIT[i], 1e-6)
	}
}

// TestSensitivityAgainstArviZ compares sensitivities with those of ArviZ 1.3, which takes one draw fewer for the tail
// of the weights, so that they agree only within 1e-3.
func TestSensitivityAgainstArviZ(t *testing.T) {
	c := newLOOCase()
	var want struct{ Sensitivity map[string]map[string]float64 }
	readLOO(t, &want)
	mu := slices.Concat(c.mu...)
	cube, prior, likelihood := make([]float64, len(mu)), make([]float64, len(mu)), make([]float64, len(mu))
	for d, m := range mu {
		cube[d], prior[d] = m*m*m, -2*m*m
		for _, row := range c.logLik["narrow"] {
			likelihood[d] += row[d]
		}
	}
	for part, density := range map[string][]float64{"prior": prior, "likelihood": likelihood} {
		s := PowerScale(density)
		wantNear(t, part+" mu", s.Sensitivity(mu), want.Sensitivity[part]["mu"], 1e-3)
		wantNear(t, part+" cube", s.Sensitivity(cube), want.Sensitivity[part]["cube"], 1e-3)
	}
}

// TestLOOOfARowWithoutVariation checks a row with the same log likelihood at all draws, whose importance weights are
// equal.
func TestLOOOfARowWithoutVariation(t *testing.T) {
	row := make([]float64, 400)
	for d := range row {
		row[d] = -1.5
	}
	p, _ := leaveOut([][]float64{row}, 1)
	if math.Abs(p.ELPD[0]+1.5) > 1e-12 || !math.IsInf(p.K[0], -1) || math.Abs(p.P[0]) > 1e-12 {
		t.Errorf("%+v", p)
	}
}

// TestLeftOutAgainstAllWeights checks that LeftOut, which gets the draws of a row one after another, gives the same
// results as PSIS of all weights, also with ties, heavy tails and few draws.
func TestLeftOutAgainstAllWeights(t *testing.T) {
	s := lcg(7)
	for name, draw := range map[string]func() float64{
		"light": func() float64 { return -s.normal() * s.normal() / 4 },
		"heavy": func() float64 { return 3 * math.Log(s.uniform()) },
		"ties":  func() float64 { return -math.Floor(8 * s.uniform()) },
		"far":   func() float64 { return -400 * math.Abs(s.normal()) },
	} {
		for _, n := range []int{1, 3, 24, 25, 1000, 20000} {
			l, ll, shares := NewLeftOut(n, .7), make([]float64, n), make([]float64, n)
			for d := range ll {
				ll[d], shares[d] = draw(), math.Floor(3*s.uniform())/2
				l.Add(ll[d], shares[d])
			}
			ratios := make([]float64, n)
			for d, x := range ll {
				ratios[d] = -x
			}
			w, k := PSIS(ratios, .7)
			pit := 0.0
			for d, x := range w {
				pit += math.Exp(x) * shares[d]
				w[d] = x + ll[d]
			}
			got := l.Result()
			wantNear(t, name+" elpd", got.ELPD, floats.LogSumExp(w), 1e-10)
			wantNear(t, name+" PIT", got.PIT, pit, 1e-10)
			if got.K != k {
				t.Errorf("%s of %d: k %v, want %v", name, n, got.K, k)
			}
			wantNear(t, name+" full", got.ELPD+got.P, LogMean(ll), 1e-10)
			wantNear(t, name+" variance", got.PWAIC, stat.PopVariance(ll, nil), 1e-10)
		}
	}
}

// TestLeftOutKeepsTheTail checks that LeftOut stores no more draws than the tail of the weights has.
func TestLeftOutKeepsTheTail(t *testing.T) {
	const n = 100_000
	s, l := lcg(9), NewLeftOut(n, 1)
	for range n {
		l.Add(s.normal(), 0)
	}
	if most := tailLength(n, 1) + 2; cap(l.far) > most {
		t.Errorf("%d draws are kept, more than %d", cap(l.far), most)
	}
}

// leaveOut estimates leave-one-out cross-validation and WAIC. logLik has the log likelihood of each row at all draws,
// chain after chain; reff is the relative efficiency of the draws.
func leaveOut(logLik [][]float64, reff float64) (loo, waic Pointwise) {
	for _, ll := range logLik {
		l := NewLeftOut(len(ll), reff)
		for _, x := range ll {
			l.Add(x, 0)
		}
		r := l.Result()
		loo.Append(r.ELPD, r.P, r.K)
		waic.ELPD, waic.P = append(waic.ELPD, r.WAIC), append(waic.P, r.PWAIC)
	}
	return loo, waic
}
