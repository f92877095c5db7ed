// Package evidence estimates log Z, the logarithm of ∫ p(θ) p(y | θ) dθ, from posterior draws by bridge sampling: it
// fits a mixture of normals to some of the draws, then evaluates both densities, posterior and mixture, at the other
// draws and at draws from the mixture.
//
//	e, err := evidence.Estimate(seed, chains, logDensity) // draws on the unconstrained scale, by chain
//	e.LogZ, e.SE                                          // -1234.52 ± .03
//
// Let p̃ be the posterior density times Z, g the density of the mixture, and s₁ and s₂ the shares of posterior and
// mixture draws. Then Z is the fixed point of
//
//	Z = E_g[p̃/(s₁p̃ + s₂Zg)] / E_p[g/(s₁p̃ + s₂Zg)]
//
// (Meng and Wong 1996, "Simulating ratios of normalizing constants via a simple identity", Statistica Sinica 6,
// equation 4.1). The standard error is from Frühwirth-Schnatter (2004), "Estimating marginal likelihoods for mixture
// and Markov switching models using bridge sampling techniques", The Econometrics Journal 7, section 3.3. Gronau et al.
// (2017), "A tutorial on bridge sampling", Journal of Mathematical Psychology 81, describes both.
//
// Reusing the draws to which g was fitted would bias the estimate. Each half of the draws is therefore bridged to the
// mixture fitted to the other half, and the two estimates are averaged.
package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"ppl/posterior/stats"
)

// A Result is an estimate of log Z.
type Result struct {
	LogZ    float64
	SE      float64    // standard error of LogZ
	Halves  [2]float64 // estimates from the two halves of the draws
	Normals int        // number of components of the larger of the two mixtures
	Draws   int        // number of posterior draws in all chains
	RHat    float64    // largest R-hat of any coordinate
}

// LogDensity evaluates log p(θ) + log p(y | θ), with the log-Jacobian, at points on the unconstrained scale.
type LogDensity func(points [][]float64) ([]float64, error)

// leastDraws is the minimum number of draws in each chain.
const leastDraws = 20

// Unusable is an error that gives the reason why the draws yield no estimate.
type Unusable string

func (u Unusable) Error() string { return string(u) }

// Estimate bridges each half of the chains (indexed by chain, draw, coordinate) to a mixture fitted to the other half.
// If there are no coordinates, log Z is the log density at the only point, which is exact.
func Estimate(seed uint64, chains [][][]float64, logDensity LogDensity) (Result, error) {
	if len(chains[0]) < leastDraws {
		return Result{}, Unusable(fmt.Sprintf("a chain has fewer than %d draws", leastDraws))
	}
	if len(chains[0][0]) == 0 {
		return ofOnePoint(chains, logDensity)
	}
	first, second := halves(chains)
	out := Result{Draws: len(chains) * len(chains[0]), RHat: worstRHat(chains)}
	variance := 0.0
	for k, h := range [2][2][][][]float64{{first, second}, {second, first}} {
		r := rand.New(rand.NewPCG(seed, 0xe71d+uint64(k)))
		g, ok := fit(r, slices.Concat(h[0]...))
		if !ok {
			return Result{}, Unusable("a parameter does not vary over the draws, so that no normal can be fitted " +
				"to them")
		}
		b, err := newBridge(r, h[1], g, logDensity)
		if err != nil {
			return Result{}, err
		}
		logZ, relative := b.estimate()
		out.Halves[k], variance = logZ, variance+relative
		out.Normals = max(out.Normals, len(g.parts))
	}
	out.LogZ, out.SE = floats.Sum(out.Halves[:])/2, math.Sqrt(variance)/2
	return out, nil
}

func ofOnePoint(chains [][][]float64, logDensity LogDensity) (Result, error) {
	at, err := logDensity(chains[0][:1])
	if err != nil {
		return Result{}, err
	}
	return Result{LogZ: at[0], Halves: [2]float64{at[0], at[0]}, Draws: len(chains) * len(chains[0]), RHat: 1}, nil
}

// Shift adds a constant to all estimates. Callers use it if their density omits a known factor.
func (r *Result) Shift(log float64) {
	r.LogZ, r.Halves[0], r.Halves[1] = r.LogZ+log, r.Halves[0]+log, r.Halves[1]+log
}

// Disagree reports whether the estimates from the two halves differ by more than their standard errors allow. If so,
// one half of the draws visited regions that the other half missed.
func (r Result) Disagree() bool { return math.Abs(r.Halves[0]-r.Halves[1]) > mostErrors*2*r.SE }

// mostErrors is the number of standard errors by which two estimates may differ.
const mostErrors = 4

func worstRHat(chains [][][]float64) (worst float64) {
	var w stats.Workspace
	column := make([][]float64, len(chains))
	for j := range chains[0][0] {
		for c, chain := range chains {
			column[c] = column[c][:0]
			for _, x := range chain {
				column[c] = append(column[c], x[j])
			}
		}
		worst = max(worst, w.RHat(column))
	}
	return worst
}

func halves(chains [][][]float64) (first, second [][][]float64) {
	n := len(chains[0]) / 2
	for _, c := range chains {
		first, second = append(first, c[:n]), append(second, c[n:])
	}
	return first, second
}

// bridge holds log p̃ − log g at draws from the posterior and from the mixture.
type bridge struct {
	posterior [][]float64 // by chain and draw
	proposed  []float64
}

func newBridge(r *rand.Rand, chains [][][]float64, g mixture, logDensity LogDensity) (*bridge, error) {
	b := &bridge{}
	for _, c := range chains {
		l, err := ratios(c, g, logDensity)
		if err != nil {
			return nil, err
		}
		if floats.HasNaN(l) || math.IsInf(floats.Min(l), -1) || math.IsInf(floats.Max(l), 1) {
			return nil, Unusable("the log density is not finite at some draws")
		}
		b.posterior = append(b.posterior, l)
	}
	points := make([][]float64, len(chains)*len(chains[0]))
	for i := range points {
		points[i] = g.draw(r)
	}
	var err error
	b.proposed, err = ratios(points, g, logDensity)
	for i, l := range b.proposed {
		if math.IsNaN(l) {
			b.proposed[i] = math.Inf(-1) // the density is undefined here, for example because a solver fails
		}
	}
	return b, err
}

func ratios(points [][]float64, g mixture, logDensity LogDensity) ([]float64, error) {
	l, err := logDensity(points)
	if err != nil {
		return nil, err
	}
	return floats.SubTo(l, l, g.logDensities(points)), nil
}

// estimate returns the fixed point log Z and the variance of that estimate.
func (b *bridge) estimate() (logZ, variance float64) {
	n2 := float64(len(b.proposed))
	n1 := float64(len(b.posterior) * len(b.posterior[0]))
	if ess := stats.ESSMean(b.posterior); ess > 0 {
		n1 = min(n1, ess)
	}
	logZ, above, below := b.solve(math.Log(n1/(n1+n2)), math.Log(n2/(n1+n2)))
	se := stats.MCSELogMean(below)
	if math.IsNaN(se) { // all values are equal: the mixture equals the posterior
		se = 0
	}
	return logZ, relativeVariance(above)/n2 + se*se
}

// solve finds the fixed point, given the logarithms s1 and s2 of the shares of posterior and mixture draws. It also
// returns the logarithms of the terms that the numerator (above) and the denominator (below) average.
func (b *bridge) solve(s1, s2 float64) (logZ float64, above []float64, below [][]float64) {
	const enough, tolerance = 1000, 1e-10
	above = make([]float64, len(b.proposed))
	below = make([][]float64, len(b.posterior))
	logZ = stats.LogMean(b.proposed)
	if math.IsInf(logZ, -1) {
		logZ = floats.Min(b.posterior[0])
	}
	for range enough {
		for j, l := range b.proposed {
			above[j] = l - logAddExp(s1+l, s2+logZ)
			if math.IsInf(l, -1) {
				above[j] = l
			}
		}
		for c, chain := range b.posterior {
			below[c] = below[c][:0]
			for _, l := range chain {
				below[c] = append(below[c], -logAddExp(s1+l, s2+logZ))
			}
		}
		before := logZ
		logZ = stats.LogMean(above) - stats.LogMean(slices.Concat(below...))
		if !(math.Abs(logZ-before) > tolerance) {
			break
		}
	}
	return logZ, above, below
}

func logAddExp(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// relativeVariance returns the variance of numbers divided by their squared mean, given the logarithms of the numbers.
func relativeVariance(logs []float64) float64 {
	mean, relative := stats.LogMean(logs), make([]float64, len(logs))
	for i, l := range logs {
		relative[i] = math.Exp(l - mean)
	}
	return stat.Variance(relative, nil)
}
