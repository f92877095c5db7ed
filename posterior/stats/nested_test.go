package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// manyChainsOf are n chains of 20 draws: autoregressive, plus what superchains have in common and what the second half
// has.
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

// Chains of 20 draws with an autocorrelation of .5 agree by nested R-hat, where R-hat of 1,024 chains with one another
// is above 1.05. Superchains that remember their starts do not agree, nor do halves between which there is a drift.
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

// Nested R-hat is √(1 + B/W) by its definition (Margossian et al. 2024): with offsets of ±.5 for 32 halves of
// superchains, over draws of variance 1 and their means of 10 of variance .1, √(1 + .25 · 32/31 / 1.1), to the error of
// means of 1,000 draws.
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

// Superchains have nearly equal numbers of chains, one start each, and up to 32 chains are their own.
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
