package density_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ppl/compiler/compilertest"
)

// counted has distributions of counts with their log probabilities at rate 1.3 (or at the parameters used instead of a
// rate).
var counted = []struct {
	dist string
	logP func(k float64) float64
	most float64
}{
	{"Poisson(r)", poissonAt13, 200},
	{"Geometric(r / 4)", func(k float64) float64 { return math.Log(.325) + k*math.Log1p(-.325) }, 200},
	{"NegBinomial(r, 2)", func(k float64) float64 { return negBinomialAt13(k, 2) }, 300},
	{"NegBinomial(size = 3, p = r / 2)", func(k float64) float64 {
		return gammaRatio(k, 3) + 3*math.Log(.65) + k*math.Log(.35)
	}, 200},
	{"Binomial(9, r / 4)", func(k float64) float64 {
		return choose(9, k) + k*math.Log(.325) + (9-k)*math.Log1p(-.325)
	}, 9},
	{"BetaBinomial(9, r, 2)", func(k float64) float64 {
		return choose(9, k) + beta(k+1.3, 9-k+2) - beta(1.3, 2)
	}, 9},
	{"BetaNegBinomial(2, 9, r)", func(k float64) float64 {
		return gammaRatio(k, 2) + beta(9+2, 1.3+k) - beta(9, 1.3)
	}, 20000},
	{"ZeroInflatedPoisson(r / 4, 1.3)", func(k float64) float64 {
		p := (1 - .325) * math.Exp(poissonAt13(k))
		if k == 0 {
			p += .325
		}
		return math.Log(p)
	}, 200},
	{"DiscreteUniform(0, 8)", func(float64) float64 { return -math.Log(9) }, 8},
	{"Hypergeometric(8, 9, 11)", func(k float64) float64 {
		return choose(9, k) + choose(11, 8-k) - choose(20, 8)
	}, 8},
}

func lgamma(x float64) float64        { y, _ := math.Lgamma(x); return y }
func choose(n, k float64) float64     { return lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1) }
func beta(a, b float64) float64       { return lgamma(a) + lgamma(b) - lgamma(a+b) }
func gammaRatio(k, s float64) float64 { return lgamma(k+s) - lgamma(s) - lgamma(k+1) }
func poissonAt13(k float64) float64   { return k*math.Log(1.3) - 1.3 - lgamma(k+1) }
func negBinomialAt13(k, size float64) float64 {
	return gammaRatio(k, size) + size*math.Log(size/(size+1.3)) + k*math.Log(1.3/(size+1.3))
}

// TestCountsBetweenEndsThatAreNoIntegers checks bounds that are not integers: a count between 1.5 and 6.5 is one of
// 2..6; a count censored at 6.5 is at least 7, and one censored at 1.5 is at most 1. The bounds are numbers, data for
// each row, and parameters.
func TestCountsBetweenEndsThatAreNoIntegers(t *testing.T) {
	for _, c := range counted {
		sum := func(from, to float64) float64 {
			p := 0.0
			for k := from; k <= math.Min(to, c.most); k++ {
				p += math.Exp(c.logP(k))
			}
			return math.Log(p)
		}
		cases := []struct {
			modifier string
			y        float64
			want     float64
		}{
			{"in LO..HI", 3, c.logP(3) - sum(2, 6)},
			{"in LO..inf", 3, c.logP(3) - sum(2, math.Inf(1))},
			{"in -inf..HI", 3, c.logP(3) - sum(0, 6)},
			{"censored LO..HI", 7, sum(7, math.Inf(1))},
			{"censored LO..HI", 1, sum(0, 1)},
			{"censored LO..HI", 3, c.logP(3)},
		}
		for _, ends := range [][2]string{{"1.5", "6.5"}, {"lo", "hi"}, {"a", "b"}} {
			if ends[0] == "a" && strings.HasPrefix(c.dist, "BetaNeg") {
				continue // its distribution function is a sum up to a bound that must be known
			}
			text, want := "data lo = 1.5, hi = 6.5\nr, a, b ~ Exponential(1)\nuses = lo + hi + a + b\n", 0.0
			for i, m := range cases {
				modifier := strings.NewReplacer("LO", ends[0], "HI", ends[1]).Replace(m.modifier)
				text += fmt.Sprintf("data y%d = %g\ny%d ~ %s %s\n", i, m.y, i, c.dist, modifier)
				want += m.want
			}
			p := compilertest.Load(t, text)
			got := compilertest.LikelihoodAt(t, p, map[string]float64{"r": 1.3, "a": 1.5, "b": 6.5})
			if !compilertest.Near(got, want, 1e-9) {
				t.Errorf("%s between %s and %s: %.12g, want %.12g", c.dist, ends[0], ends[1], got, want)
			}
		}
	}
}
