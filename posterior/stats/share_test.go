package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestShareErrorIsOfWilsonsInterval compares the error of a share with Wilson's interval of 81 in 263 with z = 1.96,
// .2553 to .3662 (Newcombe, Statistics in Medicine 17, 1998, table I): the error is half of the longer side, scaled to
// two standard errors.
func TestShareErrorIsOfWilsonsInterval(t *testing.T) {
	const p, n = 81. / 263, 263
	if got, want := shareError(p, n), (.3662-p)/1.96; math.Abs(got-want) > 1e-3*want {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := shareError(1-p, n), shareError(p, n); math.Abs(got-want) > 1e-12 {
		t.Errorf("of the other value %v, want %v", got, want)
	}
	if got, want := shareError(.5, 1e4), .005; got != want {
		t.Errorf("of even shares %v, want %v", got, want)
	}
}

// visits returns chains in which an event of probability p occurs; the event lasts for a geometric number of draws with
// a mean of 2.
func visits(r *rand.Rand, p float64, values [2]float64) (chains [][]float64) {
	const stay = 0.5
	enter := p / (1 - p) * (1 - stay)
	for range 4 {
		in, xs := r.Float64() < p, make([]float64, 750)
		for i := range xs {
			xs[i] = values[0]
			if in {
				xs[i] = values[1]
			}
			in = r.Float64() < stay && in || r.Float64() < enter && !in
		}
		chains = append(chains, xs)
	}
	return chains
}

// TestErrorOfRareEvents checks that at most .5 % of the means of a rare event (about 1,000 effective draws, 20
// occurrences) are off by more than three standard errors. A normal distribution has .27 %, and the effective size is
// estimated from the same few occurrences. With the standard error sd/√ESS the share would be 1.4 %, which the test
// must reject.
func TestErrorOfRareEvents(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	const p, n, errors = .02, 4000, 3
	r := rand.New(rand.NewPCG(5, 6))
	beyond, plain := 0, 0
	for range n {
		chains := visits(r, p, [2]float64{3, 5})
		s := Summarize(chains)
		off := math.Abs(s.Mean - (3 + 2*p))
		if off > errors*s.MCSEMean {
			beyond++
		}
		if off > errors*s.SD/math.Sqrt(ESSMean(chains)) {
			plain++
		}
	}
	most := .005*n + 3*math.Sqrt(.005*n)
	if float64(beyond) > most || float64(plain) < most {
		t.Errorf("%d of %d means are off by more than %d errors, and %d by the plain ones; at most %.0f are expected",
			beyond, n, errors, plain, most)
	}
}

// TestErrorOfRareEventsInPasses checks that Long gives nearly the same standard error as Summarize, which differs from
// sd/√ESS.
func TestErrorOfRareEventsInPasses(t *testing.T) {
	chains := visits(rand.New(rand.NewPCG(7, 8)), .02, [2]float64{0, 1})
	want := Summarize(chains)
	if _, got := inPasses(chains, 4*750); math.Abs(got.MCSEMean/want.MCSEMean-1) > .02 ||
		math.Abs(got.MCSEMean/(want.SD/math.Sqrt(ESSMean(chains)))-1) < .05 {
		t.Errorf("%v, want %v", got.MCSEMean, want.MCSEMean)
	}
}
