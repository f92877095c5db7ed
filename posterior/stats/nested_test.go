package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// manyChainsOf returns n autoregressive chains of 20 draws. Superchains are offset alternately by common and −common,
// and the second half of each chain by drift.
func manyChainsOf(n int, rho, common, drift float64) (chains [][]float64) {
	r := rand.New(rand.NewPCG(9, 10))
	offset := func(c int) float64 { return common * float64(1-2*(Superchain(c, n)%2)) }
	for c := range n {
		var xs []float64
		state := r.NormFloat64()
		for t := range 20 {
			x := state + offset(c)
			if t >= 10 {
				x += drift
			}
			xs = append(xs, x)
			state = rho*state + math.Sqrt(1-rho*rho)*r.NormFloat64()
		}
		chains = append(chains, xs)
	}
	return chains
}

// TestNestedRHat checks that nested R-hat accepts 1,024 chains of 20 draws with an autocorrelation of .5, for which
// R-hat is above 1.05, and that it rejects superchains with different means, and a drift between the halves.
func TestNestedRHat(t *testing.T) {
	t.Parallel()
	good := manyChainsOf(1024, 0.5, 0, 0)
	if got, plain := Summarize(good).RHat, RHat(good); got > 1.003 || plain < 1.05 {
		t.Errorf("nested %.4f, of each chain %.4f", got, plain)
	}
	for name, chains := range map[string][][]float64{"starts": manyChainsOf(1024, 0.5, 0.3, 0),
		"drift": manyChainsOf(1024, 0.5, 0, 0.3)} {
		if got := Summarize(chains).RHat; got < 1.01 {
			t.Errorf("%s: %.4f passes", name, got)
		}
	}
}

// TestNestedRHatOfOffsets compares nested R-hat with its definition √(1 + B/W) (Margossian et al. 2024) and with its
// expected value, √(1 + .25 · 32/31 / 1.1): offsets of ±.5 for 32 halves of superchains, draws of variance 1, and means
// of 10 draws of variance .1.
func TestNestedRHatOfOffsets(t *testing.T) {
	t.Parallel()
	chains := manyChainsOf(1600, 0, 0.5, 0)
	var draws []float64
	for _, c := range chains {
		draws = append(draws, c...)
	}
	got := nested(draws, 2*len(chains))
	if v := got*got - 1; math.Abs(v-0.25*32/31/1.1) > 0.02 {
		t.Errorf("nested R-hat %.4f: a variance of %.3f, want .235", got, v)
	}
	var means []float64 // by the definition, in the order of the formulas
	within := 0.0
	for k := range superchains {
		for half := range 2 {
			var ofChains []float64
			variance := 0.0
			for c := range chains {
				if Superchain(c, len(chains)) == k {
					m, v := meanAndVariance(chains[c][10*half : 10*half+10])
					ofChains, variance = append(ofChains, m), variance+v
				}
			}
			m, v := meanAndVariance(ofChains)
			means = append(means, m)
			within += (v + variance/float64(len(ofChains))) / (2 * superchains)
		}
	}
	_, between := meanAndVariance(means)
	if want := math.Sqrt(1 + between/within); math.Abs(got-want) > 1e-12 {
		t.Errorf("nested R-hat %.15g, by its definition %.15g", got, want)
	}
}

func meanAndVariance(xs []float64) (mean, variance float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		variance += (x - mean) * (x - mean) / float64(len(xs)-1)
	}
	return mean, variance
}

// TestSuperchains checks that the sizes of superchains differ by at most one, that each begins with its first chain,
// and that up to 32 chains are superchains of one chain.
func TestSuperchains(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 4, 32, 33, 100, 4096} {
		size := map[int]int{}
		for c := range n {
			s := Superchain(c, n)
			size[s]++
			if first := FirstOfSuperchain(c, n); Superchain(first, n) != s || first > c {
				t.Fatalf("%d chains: the superchain of %d begins at %d", n, c, first)
			}
		}
		for s, k := range size {
			if n > manyChains && (k < n/superchains || k > n/superchains+1) || n <= manyChains && k != 1 {
				t.Errorf("%d chains: superchain %d has %d", n, s, k)
			}
		}
	}
}
